/**
 * A random number generator: a seed, and the number of draws so far.
 * Every draw takes the next number and is then a pure function of seed, number and element (`random-draw.ts`), so results do
 * not depend on threads, on chunks, or on how long earlier draws were. The default generator starts from a seed of the
 * platform's entropy, until `manualSeed`.
 */

import { StridewiseError } from "../../base/errors.ts";
import { generatorsAreStates } from "../../base/foreign.ts";
import { once } from "../../base/lazy.ts";
import { runtime } from "../../base/runtime.ts";
import { describeValue } from "../describe-value.ts";
import { fillIntegers, fillNormal, fillPermutation, fillUniform, type RandomDraw } from "./random-draw.ts";

/** The state of a generator. */
export interface GeneratorState {
  readonly seed: bigint;
  readonly offset: number;
}

/** Called before the state of a generator is read or changed; `isNew` for a new one. Traces set it. */
export const generatorUses: { note: ((generator: Generator, isNew: boolean) => void) | null } =
  /* @__PURE__ */ runtime.own("tensor/create/generator", { note: null });

/** A source of random draws. */
export class Generator {
  /** @internal */ readonly cloning: symbol = generatorsAreStates;
  #seed: bigint;
  #offset = 0;

  constructor(seed: number | bigint = 0) {
    this.#seed = checkedSeed("Generator", seed);
    generatorUses.note?.(this, true);
  }

  /** The seed, as an unsigned integer of 64 bits. */
  get seed(): bigint {
    return this.#seed;
  }

  /** The index of the next draw. */
  get offset(): number {
    return this.#offset;
  }

  set offset(offset: number) {
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new StridewiseError(`Generator.offset: the offset must be a non-negative integer, got ${offset}.`);
    generatorUses.note?.(this, false);
    this.#offset = offset;
  }

  /** Restarts the generator from a seed: the same seed gives the same draws. */
  manualSeed(seed: number | bigint): this {
    generatorUses.note?.(this, false);
    this.#seed = checkedSeed("manualSeed", seed);
    this.#offset = 0;
    return this;
  }

  /** Returns the state, the seed and the index of the next draw, for `setState`. */
  getState(): GeneratorState {
    generatorUses.note?.(this, false);
    return { seed: this.#seed, offset: this.#offset };
  }

  setState(state: GeneratorState): this {
    generatorUses.note?.(this, false);
    this.#seed = checkedSeed("setState", state.seed);
    this.offset = state.offset;
    return this;
  }

  /** Returns a copy of this generator, with the same next draws. */
  clone(): Generator {
    return new Generator().setState(this.getState());
  }

  /** Takes the next draw, for the functions of `random-draw.ts` to fill arrays from. */
  nextDraw(): RandomDraw {
    generatorUses.note?.(this, false);
    const number = this.#offset++;
    return {
      seedLow: Number(BigInt.asIntN(32, this.#seed)),
      seedHigh: Number(BigInt.asIntN(32, this.#seed >> 32n)),
      drawLow: number | 0,
      drawHigh: Math.floor(number / 2 ** 32) | 0,
    };
  }

  /** Numbers uniform in [0, 1). */
  uniform(count: number, dtype?: "float32"): Float32Array<ArrayBuffer>;
  uniform(count: number, dtype: "float64"): Float64Array<ArrayBuffer>;
  uniform(count: number, dtype: "float32" | "float64" = "float32"): Float32Array | Float64Array {
    const result = floats(count, dtype);
    fillUniform(result, this.nextDraw());
    return result;
  }

  /** Numbers of the normal distribution with mean 0 and variance 1. */
  normal(count: number, dtype?: "float32"): Float32Array<ArrayBuffer>;
  normal(count: number, dtype: "float64"): Float64Array<ArrayBuffer>;
  normal(count: number, dtype: "float32" | "float64" = "float32"): Float32Array | Float64Array {
    const result = floats(count, dtype);
    fillNormal(result, this.nextDraw());
    return result;
  }

  /** Uniform integers low <= x < high. */
  integers(count: number, low: number, high: number): Float64Array<ArrayBuffer> {
    checkRange("integers", low, high);
    const result = new Float64Array(count);
    fillIntegers(result, this.nextDraw(), low, high);
    return result;
  }

  /** The integers from 0 to count - 1 in random order. */
  permutation(count: number): Float64Array<ArrayBuffer> {
    const result = new Float64Array(count);
    fillPermutation(result, this.nextDraw());
    return result;
  }
}

const floats = (count: number, dtype: "float32" | "float64"): Float32Array<ArrayBuffer> | Float64Array<ArrayBuffer> =>
  dtype === "float64" ? new Float64Array(count) : new Float32Array(count);

/** Throws for a range of integers that is empty or too wide to be exact. */
export function checkRange(who: string, low: number, high: number): void {
  const isInteger = Number.isSafeInteger(low) && typeof high === "number" && Number.isSafeInteger(high - 1);
  if (!isInteger || high - low > 2 ** 53)
    throw new StridewiseError(
      `${who}: low and high must be integers within 2^53 of each other, got ${describeValue(low)} and ${describeValue(high)}.${Array.isArray(high) ? ` Pass both bounds before the shape: ${who}(0, ${String(low)}, [${String(high)}])` : ""}`,
    );
  if (low >= high)
    throw new StridewiseError(
      `${who}: low must be less than high, got low ${low} and high ${high} (high is exclusive)`,
    );
}

function checkedSeed(who: string, seed: number | bigint): bigint {
  const isInteger = typeof seed === "bigint" || Number.isSafeInteger(seed);
  const exact = isInteger ? BigInt(seed) : 0n;
  if (isInteger && exact >= -(2n ** 63n) && exact < 2n ** 64n) return BigInt.asUintN(64, exact);
  throw new StridewiseError(
    `${who}: a seed must be an integer from -2^63 to 2^64 - 1, as a bigint past 2^53, got ${String(seed)}.`,
  );
}

const shared = /* @__PURE__ */ once(() => new Generator(entropy()));

/** The generator that is used when none is passed. */
export function defaultGenerator(): Generator {
  return shared();
}

/** Seeds the default generator, and returns it. */
export function manualSeed(seed: number | bigint): Generator {
  return defaultGenerator().manualSeed(seed);
}

/** An unpredictable seed. */
function entropy(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0];
}
