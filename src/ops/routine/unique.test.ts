/** Distinct rows against grouping by definition. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareValues, kindNames, randomValues } from "../../../test/support/value-rows.ts";
import { uniqueRows } from "./unique.ts";

type Row = readonly (number | bigint)[];

const table = fc
  .record({
    kind: fc.constantFrom(...kindNames),
    rows: fc.constantFrom(0, 1, 2, 5, 40, 97, 150),
    n: fc.constantFrom(1, 1, 2, 3),
    few: fc.boolean(),
    seed: fc.integer(),
  })
  .map(({ kind, rows, n, few, seed }) => {
    const values = randomValues(kind, rows * n, few, seed);
    const items: Row[] = Array.from({ length: rows }, (_, r) => [
      ...(values as Float64Array).slice(r * n, (r + 1) * n),
    ]);
    return { values, rows, n, items };
  });

const isEqual = (a: Row, b: Row): boolean => a.every((item, i) => item === b[i]);

function compareRows(a: Row, b: Row): number {
  for (let i = 0; i < a.length; i++) {
    const difference = compareValues(a[i]!, b[i]!);
    if (difference !== 0) return difference;
  }
  return 0;
}

test.each([
  ["lexicographic order", false],
  ["the order they have", true],
])("uniqueRows groups equal rows in %s", (_name, consecutive) => {
  fc.assert(
    fc.property(table, ({ values, rows, n, items }) => {
      const order = items.map((_, i) => i);
      if (!consecutive) order.sort((a, b) => compareRows(items[a]!, items[b]!) || a - b);
      const first: number[] = [];
      const counts: number[] = [];
      const inverse: number[] = [];
      order.forEach((row, i) => {
        if (i === 0 || !isEqual(items[row]!, items[order[i - 1]!]!)) {
          first.push(row);
          counts.push(0);
        }
        inverse[row] = first.length - 1;
        counts[first.length - 1]!++;
      });
      const groups = uniqueRows(values, rows, n, consecutive);
      expect([...groups.first]).toEqual(first);
      expect([...groups.counts]).toEqual(counts);
      expect([...groups.inverse]).toEqual(inverse);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("each NaN is distinct, zeros are one, as PyTorch records it", () => {
  const values = new Float32Array([NaN, 1, NaN, 0, -0]);
  const { first, inverse, counts } = uniqueRows(values, 5, 1, false);
  expect([...first]).toEqual([3, 1, 0, 2]);
  expect([...inverse]).toEqual([2, 1, 3, 0, 0]);
  expect([...counts]).toEqual([2, 1, 1, 1]);
});
