/**
 * Random numbers: they depend on seed, draw and element only, and they are distributed as they should be. The seeds are
 * fixed, so a statistical test never fails by chance; bounds are four standard deviations of the statistic.
 */
import { describe, expect, test } from "vitest";
import { defaultGenerator, Generator, manualSeed } from "./generator.ts";
import {
  fillBigIntegers,
  fillIntegers,
  fillNormal,
  fillPermutation,
  fillUniform,
  type RandomDraw,
} from "./random-draw.ts";

const mean = (values: ArrayLike<number>): number => Array.from(values).reduce((sum, x) => sum + x, 0) / values.length;
const variance = (values: ArrayLike<number>): number => {
  const center = mean(values);
  return mean(Array.from(values, (x) => (x - center) ** 2));
};

/** The chi-square statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, x) => sum + x, 0) / counts.length;
  return counts.reduce((sum, x) => sum + (x - expected) ** 2 / expected, 0);
}

/** An upper bound for chi-square with this number of degrees of freedom: mean plus 4 standard deviations. */
const chiSquareBound = (degrees: number): number => degrees + 4 * Math.sqrt(2 * degrees);

function histogram(values: Iterable<number>, bins: number, binOf: (x: number) => number): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (const x of values) counts[binOf(x)] = (counts[binOf(x)] as number) + 1;
  return counts;
}

type AnyTarget = Float32Array | Float64Array | Int32Array | BigInt64Array;
const fills: Record<
  string,
  { make: () => AnyTarget; fill: (t: never, d: RandomDraw, b?: number, e?: number) => void }
> = {
  "uniform float32": { make: () => new Float32Array(101), fill: fillUniform },
  "uniform float64": { make: () => new Float64Array(101), fill: fillUniform },
  "normal float32": { make: () => new Float32Array(101), fill: fillNormal },
  "normal float64": { make: () => new Float64Array(101), fill: fillNormal },
  // About every second candidate is rejected here, so second attempts are common.
  "integers that often need another attempt": {
    make: () => new Float64Array(101),
    fill: (t: Float64Array, d: RandomDraw, b = 0, e = 101) => fillIntegers(t, d, -5, 2 ** 31 - 4, b, e),
  },
  "integers of more than 32 bits": {
    make: () => new Float64Array(101),
    fill: (t: Float64Array, d: RandomDraw, b = 0, e = 101) => fillIntegers(t, d, -(2 ** 52) - 1, 2 ** 40, b, e),
  },
  "integers of 64 bits": {
    make: () => new BigInt64Array(101),
    fill: (t: BigInt64Array, d: RandomDraw, b = 0, e = 101) => fillBigIntegers(t, d, -(2n ** 63n), 5n, b, e),
  },
};

describe.each(Object.entries(fills))("%s", (_, { make, fill }) => {
  const draw = new Generator(42).nextDraw();
  const filled = (cuts: readonly number[]): AnyTarget => {
    const target = make();
    for (let i = cuts.length - 2; i >= 0; i--) fill(target as never, draw, cuts[i], cuts[i + 1]);
    return target;
  };

  test("any pieces, in any order, equal one piece", () => {
    const whole = filled([0, 101]);
    expect(new Set(Array.from(whole as Float64Array)).size).toBeGreaterThan(90);
    for (const cuts of [
      [0, 1, 101],
      [0, 2, 5, 50, 101],
      [0, 33, 34, 35, 36, 101],
      Array.from({ length: 102 }, (_, i) => i),
    ])
      expect(filled(cuts)).toEqual(whole);
  });

  test("writes nothing outside its piece", () => {
    const target = make();
    fill(target as never, draw, 7, 12);
    const zeros = Array.from(target as Float64Array).map((x) => Number(x) === 0);
    expect(zeros.slice(0, 7).concat(zeros.slice(12))).not.toContain(false);
  });

  test("other draws and other seeds give other numbers", () => {
    const generator = new Generator(42);
    const seen = new Set<string>();
    for (let i = 0; i < 20; i++) {
      for (const next of [generator.nextDraw(), new Generator(1000 + i).nextDraw()]) {
        const target = make();
        fill(target as never, next);
        seen.add(String(target));
      }
    }
    expect(seen.size).toBe(40);
  });
});

const uniformOf = (dtype: "float32" | "float64", count: number): Float32Array | Float64Array =>
  dtype === "float64" ? new Generator(7).uniform(count, dtype) : new Generator(7).uniform(count, dtype);
const normalOf = (dtype: "float32" | "float64", count: number): Float32Array | Float64Array =>
  dtype === "float64" ? new Generator(8).normal(count, dtype) : new Generator(8).normal(count, dtype);

describe.each(["float32", "float64"] as const)("%s", (dtype) => {
  const count = 100_000;

  test("uniform numbers lie in [0, 1), evenly, and are independent of their neighbor", () => {
    const values = uniformOf(dtype, count);
    expect(values.filter((x) => !(x >= 0 && x < 1)).length).toBe(0);
    expect(Math.abs(mean(values) - 1 / 2)).toBeLessThan(4 / Math.sqrt(12 * count));
    expect(Math.abs(variance(values) - 1 / 12)).toBeLessThan(4 / Math.sqrt(180 * count));
    expect(chiSquare(histogram(values, 256, (x) => Math.floor(x * 256)))).toBeLessThan(chiSquareBound(255));
    const cell = (i: number): number => Math.floor((values[i] as number) * 16);
    const pairs = Array.from({ length: count - 1 }, (_, i) => 16 * cell(i) + cell(i + 1));
    expect(chiSquare(histogram(pairs, 256, (x) => x))).toBeLessThan(chiSquareBound(255));
  });

  test("uniform numbers use all the bits there are", () => {
    const bits = dtype === "float64" ? 53 : 24;
    const values = uniformOf(dtype, 1000);
    expect(values.every((x) => Number.isInteger(x * 2 ** bits))).toBe(true);
    expect(values.every((x) => Number.isInteger(x * 2 ** (bits - 1)))).toBe(false);
  });

  test("normal numbers have the moments and the tails of the normal distribution", () => {
    const values = normalOf(dtype, count);
    const moment = (power: number): number => mean(Array.from(values, (x) => x ** power));
    // The variance of x^k is the moment of 2k less the square of that of k.
    expect(Math.abs(moment(1))).toBeLessThan(4 * Math.sqrt(1 / count));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(4 * Math.sqrt(2 / count));
    expect(Math.abs(moment(3))).toBeLessThan(4 * Math.sqrt(15 / count));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(4 * Math.sqrt(96 / count));
    // Ten ranges that are equally likely.
    const tenths = [-1.2815516, -0.8416212, -0.5244005, -0.2533471, 0, 0.2533471, 0.5244005, 0.8416212, 1.2815516];
    const range = (x: number): number => tenths.filter((edge) => x > edge).length;
    expect(chiSquare(histogram(values, 10, range))).toBeLessThan(chiSquareBound(9));
    const product = mean(
      Array.from({ length: count / 2 }, (_, i) => (values[2 * i] as number) * (values[2 * i + 1] as number)),
    );
    expect(Math.abs(product)).toBeLessThan(4 / Math.sqrt(count / 2));
  });
});

test("fewer bits can be rounded to a shorter float without reaching 1", () => {
  const values = new Float32Array(5000);
  fillUniform(values, new Generator(3).nextDraw(), 0, 5000, 8);
  expect(Math.max(...values)).toBe(255 / 256);
  expect(values.every((x) => Number.isInteger(x * 256))).toBe(true);
});

test.each([
  [0, 7],
  [-3, 3],
  [5, 6],
  [-128, 128],
])("integers from %d to below %d are all met, evenly", (low, high) => {
  const values = new Generator(9).integers(50_000, low, high);
  const counts = histogram(values, high - low, (x) => x - low);
  expect(counts.reduce((sum, x) => sum + x, 0)).toBe(50_000);
  if (high - low > 1) expect(chiSquare(counts)).toBeLessThan(chiSquareBound(high - low - 1));
});

test("integers are without bias where a plain remainder would have one", () => {
  // Of 2^32 values modulo 3 * 2^30, the lowest third would be met twice as often as the others.
  const values = new Generator(10).integers(30_000, 0, 3 * 2 ** 30);
  const counts = histogram(values, 3, (x) => Math.floor(x / 2 ** 30));
  expect(chiSquare(counts)).toBeLessThan(chiSquareBound(2));
});

test("wide ranges of integers are met from end to end", () => {
  const values = new Generator(11).integers(20_000, -(2 ** 52), 2 ** 52);
  expect(values.every((x) => Number.isSafeInteger(x) && x >= -(2 ** 52) && x < 2 ** 52)).toBe(true);
  expect(chiSquare(histogram(values, 16, (x) => Math.floor((x + 2 ** 52) / 2 ** 49)))).toBeLessThan(chiSquareBound(15));
  const big = new BigUint64Array(20_000);
  fillBigIntegers(big, new Generator(12).nextDraw(), 0n, 2n ** 64n);
  expect(chiSquare(histogram(Array.from(big, Number), 16, (x) => Math.min(15, Math.floor(x / 2 ** 60))))).toBeLessThan(
    chiSquareBound(15),
  );
  const narrow = new BigInt64Array(2000);
  fillBigIntegers(narrow, new Generator(12).nextDraw(), -2n, 2n);
  expect(new Set(narrow)).toEqual(new Set([-2n, -1n, 0n, 1n]));
});

test("a permutation holds every number once, and every order is as likely as any other", () => {
  const generator = new Generator(13);
  expect(Array.from(generator.permutation(1000)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 1000 }, (_, i) => i),
  );
  expect([generator.permutation(0), generator.permutation(1)]).toEqual([new Float64Array(0), new Float64Array(1)]);
  const orders = new Map<string, number>();
  for (let i = 0; i < 12_000; i++) {
    const order = generator.permutation(4).join();
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  expect(orders.size).toBe(24);
  expect(chiSquare([...orders.values()])).toBeLessThan(chiSquareBound(23));
  const small = new Int32Array(50);
  const wide = new Float64Array(50);
  fillPermutation(small, new Generator(1).nextDraw());
  fillPermutation(wide, new Generator(1).nextDraw());
  expect(Array.from(small)).toEqual(Array.from(wide));
});

describe("a generator", () => {
  test("counts its draws, and starts again from a seed", () => {
    const generator = new Generator(5);
    const first = generator.uniform(3);
    const second = generator.uniform(3);
    expect(second).not.toEqual(first);
    expect([generator.seed, generator.offset]).toEqual([5n, 2]);
    expect(generator.manualSeed(5n).offset).toBe(0);
    expect(generator.uniform(3)).toEqual(first);
    generator.offset = 1;
    expect(generator.uniform(3)).toEqual(second);
  });

  test("gives draws that do not depend on how long the earlier ones were", () => {
    const short = new Generator(5);
    const long = new Generator(5);
    short.uniform(1);
    long.normal(1000);
    expect(short.uniform(8)).toEqual(long.uniform(8));
  });

  test("goes on from a saved state, and in a clone", () => {
    const generator = new Generator(2n ** 63n + 17n);
    generator.normal(5);
    const state = generator.getState();
    const copy = generator.clone();
    const expected = generator.normal(4);
    expect(copy.normal(4)).toEqual(expected);
    expect(new Generator().setState(state).normal(4)).toEqual(expected);
  });

  test("uses all 64 bits of its seed and all bits of its draw number", () => {
    const seen = new Set<string>();
    for (let bit = 0n; bit < 64n; bit++) seen.add(new Generator(1n << bit).uniform(2).join());
    for (let bit = 0; bit < 53; bit++) {
      const generator = new Generator(0);
      generator.offset = 2 ** bit;
      seen.add(generator.uniform(2).join());
    }
    expect(seen.size).toBe(64 + 53);
  });

  test("takes negative seeds as PyTorch does, and throws for invalid ones", () => {
    expect(new Generator(-1).seed).toBe(2n ** 64n - 1n);
    expect(new Generator(-(2n ** 63n)).seed).toBe(2n ** 63n);
    for (const seed of [1.5, NaN, 2 ** 60, 2n ** 64n, -(2n ** 63n) - 1n])
      expect(() => manualSeed(seed)).toThrow(`manualSeed: a seed must be an integer from -2^63 to 2^64 - 1`);
    expect(() => {
      new Generator().offset = -1;
    }).toThrow("Generator.offset: the offset must be a non-negative integer, got -1.");
  });

  test("refuses an empty range of integers, and one that is not exact", () => {
    expect(() => new Generator().integers(1, 3, 3)).toThrow(
      "integers: low must be less than high, got low 3 and high 3 (high is exclusive)",
    );
    expect(() => new Generator().integers(1, 0.5, 3)).toThrow("integers: low and high must be integers");
    expect(() => new Generator().integers(1, -(2 ** 53) + 1, 2 ** 53)).toThrow("within 2^53 of each other");
  });
});

test("the default generator is one, and manualSeed makes its draws repeat", () => {
  expect(defaultGenerator()).toBe(defaultGenerator());
  const first = manualSeed(99).uniform(4);
  expect(manualSeed(99).uniform(4)).toEqual(first);
  expect(new Generator(99).uniform(4)).toEqual(first);
});
