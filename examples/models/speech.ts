/**
 * A recording for the voice example, made of sine waves and noise: two sentences of vowels as a throat makes them (puffs of air that resonate in the
 * mouth at three frequencies, the formants), between silence, a beeping tone and rain.
 */

/** Samples per second. */
export const sampleRate = 16000;

/** The formants of vowels in Hz. */
const formants: Readonly<Record<string, readonly [number, number, number]>> = {
  a: [730, 1090, 2440],
  e: [530, 1840, 2480],
  i: [270, 2290, 3010],
  o: [570, 840, 2410],
  u: [300, 870, 2240],
};
/** The width of each resonance in Hz. */
const bandwidths = [80, 100, 140];

/** A part of the recording. */
export interface Part {
  readonly name: string;
  readonly samples: readonly number[];
}

/** The parts of the recording, 8.6 seconds in all. */
export function recording(): readonly Part[] {
  const noise = noiseOf(7);
  const every = (seconds: number, sample: (i: number) => number): number[] =>
    Array.from({ length: Math.round(seconds * sampleRate) }, (_, i) => sample(i));
  const silence = (seconds: number): Part => ({ name: "silence", samples: every(seconds, () => 0.002 * noise()) });
  const beep = (i: number): number =>
    0.2 * Math.sin((2 * Math.PI * 440 * i) / sampleRate) * (i % 8000 < 4000 ? 1 : 0.3);
  return [
    silence(1),
    { name: "a low voice", samples: sentence("aio uea eoi", 120, noise) },
    silence(0.8),
    { name: "a beeping tone", samples: every(1.2, beep) },
    { name: "a high voice", samples: sentence("oia uae iou", 190, noise) },
    { name: "rain", samples: every(1, () => 0.1 * noise()) },
    silence(0.6),
  ];
}

/** Vowels at a pitch in Hz, each after a short consonant; a space is a pause. */
function sentence(text: string, pitch: number, noise: () => number): number[] {
  const samples: number[] = [];
  const mouth = new Mouth();
  let phase = 0;
  let time = 0;
  for (const [k, vowel] of [...text].entries()) {
    const target = formants[vowel];
    if (target === undefined) {
      for (let i = 0; i < 0.12 * sampleRate; i++) samples.push(0.001 * noise());
      continue;
    }
    samples.push(...consonant(k % 3 === 0 ? 0.06 : 0.03, noise));
    const length = Math.round((0.13 + 0.025 * ((k * 7) % 3)) * sampleRate);
    for (let i = 0; i < length; i++, time++) {
      const melody = 1 + 0.12 * Math.sin((2 * Math.PI * 0.9 * time) / sampleRate) - (0.1 * k) / text.length;
      phase = (phase + (pitch * melody * (1 + 0.01 * noise())) / sampleRate) % 1;
      const fade = Math.min(1, i / (0.02 * sampleRate), (length - i) / (0.03 * sampleRate));
      samples.push(0.5 * fade * mouth.filter(glottis(phase) - 0.3 + 0.03 * noise(), target));
    }
  }
  return samples;
}

/** A burst of high noise. */
function consonant(seconds: number, noise: () => number): number[] {
  const length = Math.round(seconds * sampleRate);
  let before = 0;
  return Array.from({ length }, (_, i) => {
    const now = noise();
    const high = now - before;
    before = now;
    return 0.08 * high * Math.sin((Math.PI * i) / length);
  });
}

/** The flow of air through the vocal folds in one period: it opens slowly and closes fast. */
function glottis(phase: number): number {
  if (phase >= 0.6) return 0;
  const open = 0.5 * (1 - Math.cos((Math.PI * phase) / 0.4));
  return phase < 0.4 ? open : open * Math.cos((Math.PI * (phase - 0.4)) / 0.4);
}

/** Three resonances in a row, which glide to the formants of the current vowel. */
class Mouth {
  readonly #frequencies = [500, 1500, 2500];
  readonly #past = bandwidths.map((): [number, number] => [0, 0]);

  filter(input: number, target: readonly number[]): number {
    let x = input;
    for (const [j, width] of bandwidths.entries()) {
      const frequency = this.#frequencies[j] as number;
      this.#frequencies[j] = frequency + ((target[j] as number) - frequency) * 0.003;
      const radius = Math.exp((-Math.PI * width) / sampleRate);
      const turn = 2 * radius * Math.cos((2 * Math.PI * frequency) / sampleRate);
      const past = this.#past[j] as [number, number];
      const y = (1 - turn + radius * radius) * x + turn * past[0] - radius * radius * past[1];
      this.#past[j] = [y, past[0]];
      x = y;
    }
    return x;
  }
}

/** Random numbers in [-1, 1), the same in each run. */
function noiseOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}
