/**
 * Where does somebody speak? A small network reads a recording in pieces of 32 ms and says for each how probable speech is. Run it, with or without
 * a WAV file (16 kHz) of your own:
 *
 *   npx tsx examples/models/voice.ts recording.wav
 *
 * Without a file it makes a recording: two voices of synthetic vowels between silence, a beeping tone and rain. Writes the recording and a chart to
 * out/. The first run downloads the model (2 MB in a package of 27 MB).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { scope, type Tensor, tensor, zeros } from "stridewise";
import { lineChart } from "stridewise/draw";
import { loadOnnx, type OnnxModel } from "stridewise/onnx";
import { recording, sampleRate } from "./speech.ts";
import { readWav, writeWav } from "./wav.ts";
import { fetchWeights, weights } from "./weights.ts";

/** The samples of a piece, and those before it that the network sees again. */
const piece = 512;
const context = 64;

/** The probability of speech in each piece. The network's state goes from call to call. */
export function speechProbabilities(model: OnnxModel, samples: Float32Array): number[] {
  const padded = new Float32Array(context + samples.length);
  padded.set(samples, context);
  const result: number[] = [];
  let state: Tensor = zeros([2, 1, 128]);
  for (let at = 0; at + piece <= samples.length; at += piece) {
    state = scope(() => {
      const input = tensor(padded.slice(at, at + context + piece)).view(1, context + piece);
      const { output, stateN } = model.run({ input, state, sr: sampleRate }) as { output: Tensor; stateN: Tensor };
      result.push(output.item() as number);
      return stateN;
    });
  }
  return result;
}

/** Stretches of speech in seconds: pieces above one half, joined over pauses of at most 0.25 s. */
export function speechIn(probabilities: readonly number[]): [from: number, to: number][] {
  const seconds = piece / sampleRate;
  const stretches: [number, number][] = [];
  for (const [k, probability] of probabilities.entries()) {
    if (probability < 0.5) continue;
    const last = stretches.at(-1);
    if (last !== undefined && k * seconds - last[1] <= 0.25) last[1] = (k + 1) * seconds;
    else stretches.push([k * seconds, (k + 1) * seconds]);
  }
  return stretches;
}

/** The loudest sample of each piece, from 0 to 1. */
function loudness(samples: Float32Array): number[] {
  return Array.from({ length: Math.floor(samples.length / piece) }, (_, k) =>
    samples.subarray(k * piece, (k + 1) * piece).reduce((max, x) => Math.max(max, Math.abs(x)), 0),
  );
}

/** A line of text in which darker signs mean more. */
const strip = (values: readonly number[]): string =>
  values.map((value) => " .:-=+*#%@"[Math.min(9, Math.floor(10 * value))]).join("");

/** Each second value of a line, the larger of two neighbors. */
const halved = (values: readonly number[]): number[] =>
  values.flatMap((value, k) => (k % 2 === 0 ? [Math.max(value, values[k + 1] ?? 0)] : []));

async function main(): Promise<void> {
  const folder = "out";
  mkdirSync(folder, { recursive: true });
  const file = process.argv[2];
  let samples: Float32Array;
  if (file === undefined) {
    const parts = recording();
    samples = Float32Array.from(parts.flatMap((part) => part.samples));
    writeFileSync(join(folder, "voice.wav"), writeWav({ rate: sampleRate, samples }));
    let at = 0;
    for (const part of parts) {
      console.log(`${(at / sampleRate).toFixed(1).padStart(5)} s  ${part.name}`);
      at += part.samples.length;
    }
  } else {
    const sound = readWav(readFileSync(file));
    if (sound.rate !== sampleRate)
      throw new Error(
        `voice: ${file} has ${sound.rate} samples a second, the model needs ${sampleRate}. Convert the file`,
      );
    samples = sound.samples;
  }
  const model = await loadOnnx(await fetchWeights(weights.sileroVad));
  const started = performance.now();
  const probabilities = speechProbabilities(model, samples);
  const milliseconds = performance.now() - started;
  console.log(`\nsound   ${strip(halved(loudness(samples)))}\nspeech  ${strip(halved(probabilities))}\n`);
  for (const [from, to] of speechIn(probabilities)) console.log(`speech from ${from.toFixed(1)} to ${to.toFixed(1)} s`);
  const seconds = samples.length / sampleRate;
  console.log(`${seconds.toFixed(1)} s of sound in ${milliseconds.toFixed(0)} ms`);
  const xs = probabilities.map((_, k) => (k * piece) / sampleRate);
  const chart = lineChart({
    title: "Voice activity",
    xLabel: "seconds",
    series: { loudness: { x: xs, y: loudness(samples) }, "probability of speech": { x: xs, y: probabilities } },
  });
  writeFileSync(join(folder, "voice.svg"), chart);
  console.log(`wrote ${join(folder, "voice.svg")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();
