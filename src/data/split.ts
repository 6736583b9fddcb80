/** Data sets cut in parts at random. Random orders come from a seed, a generator, or the default generator. */
import { defaultGenerator, Generator } from "../index.ts";
import { checkOptions, DataError, told } from "./checks.ts";
import { type BatchOf, datasetOf, type FieldsOf, type SampleOf, type Source, Subset } from "./dataset.ts";

/**
 * Parts of a source, each sample in one of them, drawn at random. Lengths are numbers of samples, or fractions that add up to 1; what
 * fractions leave over goes to the first parts, one sample each.
 */
export function randomSplit<S extends Source | FieldsOf<S> | readonly []>(
  source: S,
  lengths: readonly number[],
  random: RandomSource = {},
): Subset<SampleOf<S>, BatchOf<S>>[] {
  const dataset = datasetOf("randomSplit", source);
  checkOptions("randomSplit", random, { seed: 0, generator: 0 });
  const counts = countsOf(lengths, dataset.length);
  const order = orderOf(dataset.length, generatorOf("randomSplit", random));
  let start = 0;
  return counts.map((count) => {
    const part = order.slice(start, start + count);
    start += count;
    return new Subset(dataset, part) as Subset<SampleOf<S>, BatchOf<S>>;
  });
}

function countsOf(lengths: readonly number[], length: number): readonly number[] {
  if (!Array.isArray(lengths))
    throw new DataError(`randomSplit: lengths is a list, as in [0.8, 0.2], got ${told(lengths)}`);
  const sum = lengths.reduce((total, part) => total + part, 0);
  const refuse = (rule: string): never => {
    throw new DataError(`randomSplit: ${rule}, got ${told(lengths)} for ${length} samples`);
  };
  if (lengths.some((part) => !(part >= 0))) refuse("lengths are numbers from 0");
  if (lengths.every(Number.isInteger) && sum === length) return lengths;
  if (Math.abs(sum - 1) > 1e-6 || lengths.some((part) => part > 1))
    refuse("lengths add up to the number of samples, or to 1 as fractions");
  const counts = lengths.map((part) => Math.floor(part * length + 1e-9));
  const left = length - counts.reduce((total, count) => total + count, 0);
  for (let k = 0; k < left; k++) counts[k % counts.length] = counts[k % counts.length] + 1;
  return counts;
}

export interface RandomSource {
  /** Starts a generator of its own: the same seed, the same orders. */
  readonly seed?: number | bigint;
  /** Draws from this generator; without it and without a seed from the default one, which `manualSeed` sets. */
  readonly generator?: Generator;
}

/** The generator that was asked for. */
export function generatorOf(who: string, { seed, generator }: RandomSource): Generator {
  if (seed !== undefined && generator !== undefined)
    throw new DataError(`${who}: a seed or a generator decides, and both were given. Leave one away`);
  return generator ?? (seed === undefined ? defaultGenerator() : new Generator(seed));
}

/** The numbers from 0 to count - 1, in random order if there is a generator. */
export const orderOf = (count: number, generator: Generator | null): number[] =>
  generator === null ? Array.from({ length: count }, (_, k) => k) : Array.from(generator.permutation(count));
