/**
 * Evenly spaced values: dtypes by the kind of the arguments, ends, counts, and errors.
 */
import { arange, empty, linspace, logspace } from "stridewise";
import { expect, test } from "vitest";

test("arange: numbers make float32, bigints int64, unless a dtype is given", () => {
  expect([arange(3).dtype, arange(3n).dtype, arange(0, 2, 0.5).dtype, arange(3, { dtype: "int8" }).dtype]).toEqual([
    "float32",
    "int64",
    "float32",
    "int8",
  ]);
});

test("arange: element i is start + i * step, as long as it is before the end", () => {
  for (const [start, end, step] of [
    [0, 5, 1],
    [2, 10, 3],
    [5, 0, -2],
    [0, 1, 0.1],
    [-1, 1, 0.3],
    [3, 3, 1],
    [1, 2, 10],
  ] as const) {
    const expected: number[] = [];
    for (let i = 0; step > 0 ? start + i * step < end : start + i * step > end; i++) expected.push(start + i * step);
    expect(arange(start, end, step, { dtype: "float64" }).toArray()).toEqual(expected);
  }
  expect(arange(2, 5).toArray()).toEqual([2, 3, 4]);
  expect(arange(2n, 9n, 3n).toArray()).toEqual([2, 5, 8]);
  expect(arange(5n, 0n, -2n).toArray()).toEqual([5, 3, 1]);
});

test("arange: bigints are exact past 2^53", () => {
  const start = 2n ** 60n;
  expect(arange(start, start + 3n).toArray({ bigint: true })).toEqual([start, start + 1n, start + 2n]);
});

test("arange: a step of no or the wrong direction is refused", () => {
  expect(() => arange(0, 1, 0)).toThrow("arange: step must be nonzero, got start 0, end 1, step 0");
  expect(() => arange(0n, 1n, 0n)).toThrow("step must be nonzero");
  expect(() => arange(0, 1, -1)).toThrow("arange: step -1 never reaches end 1 from start 0. Use a positive step");
  expect(() => arange(NaN)).toThrow("all three must be finite numbers");
  expect(() => arange(0, Number.POSITIVE_INFINITY)).toThrow("all three must be finite numbers");
});

test("linspace has both ends exactly, and equal steps", () => {
  for (const [start, end, steps] of [
    [0, 1, 5],
    [3, -3, 7],
    [0.1, 0.7, 11],
    [2, 2, 4],
  ] as const) {
    const values = linspace(start, end, steps, { dtype: "float64" }).toArray() as number[];
    expect([values[0], values.at(-1), values.length]).toEqual([start, end, steps]);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(start + ((end - start) * i) / (steps - 1), 12);
  }
  expect(linspace(3, 9, 1).toArray()).toEqual([3]);
  expect(linspace(3, 9, 0).shape).toEqual([0]);
  expect(linspace(0, 10, 5, { dtype: "int32" }).toArray()).toEqual([0, 2, 5, 7, 10]);
  expect(() => linspace(0, 1, -1)).toThrow("linspace: steps must be a non-negative integer");
});

test("logspace is base to the power of linspace", () => {
  expect(logspace(0, 3, 4).toArray()).toEqual([1, 10, 100, 1000]);
  expect(logspace(0, 8, 5, { base: 2, dtype: "int32", names: ["x"] }).toArray()).toEqual([1, 4, 16, 64, 256]);
  expect(() => logspace(0, 1, 1.5)).toThrow("logspace: steps must be a non-negative integer, got 1.5");
});

test("ranges in buffers outside the heap continue from piece to piece", () => {
  // More than the heap takes in one turn.
  const held = Array.from({ length: 5 }, () => empty([2 ** 24]));
  const ranges = [arange(20000), arange(20000n), linspace(0, 19999, 20000), logspace(0, 10, 20000, { base: 2 })];
  expect(ranges.map(({ storage }) => storage.isOverflow)).toEqual([true, true, true, true]);
  for (const i of [8191, 8192, 19999]) expect(ranges.slice(0, 3).map((t) => t.get(i))).toEqual([i, i, i]);
  expect(ranges[3]?.get(19999)).toBe(1024);
  for (const t of [...held, ...ranges]) t.dispose();
});
