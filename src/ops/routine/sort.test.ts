/** Sorted rows against Array.prototype.sort with the order as defined, for every kind of array and each way to sort. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryRows, randomValues, rowOf, sortedPositions } from "../../../test/support/value-rows.ts";
import { argsortRows, sortRows } from "./sort.ts";
import { takeRows } from "./values.ts";

test("argsortRows gives the positions of a stable sort: NaN is the largest, -0 equals 0", () => {
  fc.assert(
    fc.property(arbitraryRows(0), fc.boolean(), (rows, descending) => {
      const indices = new Int32Array(rows.rows * rows.n);
      argsortRows(rows.values, rows.rows, rows.n, descending, indices);
      const expected = Array.from({ length: rows.rows }, (_, r) => sortedPositions(rowOf(rows, r), descending)).flat();
      expect([...indices]).toEqual(expected);
    }),
    { seed: 1, numRuns: 250 },
  );
});

test("sortRows gives the values in that order, zeros with their signs, and leaves its input alone", () => {
  fc.assert(
    fc.property(arbitraryRows(0), fc.boolean(), (rows, descending) => {
      const before = rows.values.slice();
      const out = rows.values.slice();
      sortRows(rows.values, rows.rows, rows.n, descending, out);
      const expected = Array.from({ length: rows.rows }, (_, r) => {
        const row = rowOf(rows, r);
        return sortedPositions(row, descending).map((i) => row[i]!);
      }).flat();
      expect([...(out as Float64Array)]).toEqual(expected);
      expect(rows.values).toEqual(before);
    }),
    { seed: 2, numRuns: 250 },
  );
});

test("takeRows moves elements bit by bit: payloads of NaN and 64-bit integers", () => {
  const words = new Uint32Array([0x7fc00001, 0xffc12345, 0x80000000, 0]);
  const out = new Float32Array(4);
  takeRows(new Float32Array(words.buffer), 2, 2, new Int32Array([1, 0, 1, 0]), 2, out);
  expect([...new Uint32Array(out.buffer)]).toEqual([0xffc12345, 0x7fc00001, 0, 0x80000000]);
  const wide = new BigInt64Array([2n ** 63n - 1n, -(2n ** 63n), 1n]);
  const one = new BigInt64Array(1);
  takeRows(wide, 1, 3, new Int32Array([1]), 1, one);
  expect(one[0]).toBe(-(2n ** 63n));
});

test("the whole range of 64-bit integers and doubles is in order", () => {
  const big = new BigInt64Array([2n ** 63n - 1n, -1n, 0n, -(2n ** 63n), 2n ** 32n, 2n ** 31n, -(2n ** 32n) - 1n]);
  sortRows(big.slice(), 1, 7, false, big);
  expect([...big]).toEqual([-(2n ** 63n), -(2n ** 32n) - 1n, -1n, 0n, 2n ** 31n, 2n ** 32n, 2n ** 63n - 1n]);
  const unsigned = new BigUint64Array([2n ** 64n - 1n, 0n, 2n ** 63n]);
  sortRows(unsigned.slice(), 1, 3, true, unsigned);
  expect([...unsigned]).toEqual([2n ** 64n - 1n, 2n ** 63n, 0n]);
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true }), { minLength: 1 }), (items) => {
      const sorted = new Float64Array(items.length);
      sortRows(Float64Array.from(items), 1, items.length, false, sorted);
      for (let i = 1; i < sorted.length; i++) expect(sorted[i]! >= sorted[i - 1]!).toBe(true);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("a window in the middle of a buffer is sorted like any other array", () => {
  const buffer = new ArrayBuffer(4096);
  const window = new Float32Array(buffer, 64, 500);
  window.set(randomValues("float32", 500, false, 5) as Float32Array);
  const out = new Float32Array(500);
  const expected = new Float32Array(500);
  sortRows(window, 1, 500, false, out);
  sortRows(window.slice(), 1, 500, false, expected);
  expect(out).toEqual(expected);
});
