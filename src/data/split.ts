/** Random splits of datasets. Random orders come from a seed, a generator, or the default generator. */
import { defaultGenerator, Generator } from "../index.ts";
import { checkOptions, DataError, described } from "./checks.ts";
import { type BatchOf, datasetOf, type FieldsOf, type SampleOf, type Source, Subset } from "./dataset.ts";

/**
 * Splits a source at random into disjoint parts. Lengths are numbers of samples, or fractions that sum to 1; samples that remain after rounding
 * down go to the first parts, one each.
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
    throw new DataError(`randomSplit: lengths must be a list, as in [0.8, 0.2], got ${described(lengths)}`);
  const sum = lengths.reduce((total, part) => total + part, 0);
  const fail = (rule: string): never => {
    throw new DataError(`randomSplit: lengths must ${rule}, got ${described(lengths)} for ${length} samples`);
  };
  if (lengths.some((part) => !(part >= 0))) fail("be non-negative numbers");
  if (lengths.every(Number.isInteger) && sum === length) return lengths;
  if (Math.abs(sum - 1) > 1e-6 || lengths.some((part) => part > 1))
    fail("sum to the number of samples, or to 1 as fractions");
  const counts = lengths.map((part) => Math.floor(part * length + 1e-9));
  const left = length - counts.reduce((total, count) => total + count, 0);
  for (let k = 0; k < left; k++) counts[k % counts.length] = counts[k % counts.length] + 1;
  return counts;
}

export interface RandomSource {
  /** The seed of a new generator. */
  readonly seed?: number | bigint;
  /** The random number generator. Default: the global one, which `manualSeed` seeds. */
  readonly generator?: Generator;
}

/** The generator of the options. */
export function generatorOf(who: string, { seed, generator }: RandomSource): Generator {
  if (seed !== undefined && generator !== undefined)
    throw new DataError(`${who}: got both a seed and a generator. Pass one of them`);
  return generator ?? (seed === undefined ? defaultGenerator() : new Generator(seed));
}

/** The indices from 0 to count - 1, in random order if there is a generator. */
export const orderOf = (count: number, generator: Generator | null): number[] =>
  generator === null ? Array.from({ length: count }, (_, k) => k) : Array.from(generator.permutation(count));
