/** Where random orders come from: a seed, a generator, or the default one. */
import { defaultGenerator, Generator } from "../index.ts";
import { DataError } from "./checks.ts";

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
