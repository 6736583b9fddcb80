/** Ranks, medians and the k best against the sort they save. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryRows, rowOf, sortedPositions, type ValueRows } from "../../../test/support/value-rows.ts";
import { medianRows, rankRows, topkRows } from "./select.ts";

const ranked = fc
  .tuple(arbitraryRows(1), fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([rows, share]) => ({ rows, rank: Math.round(share * (rows.n - 1)) }));

const perRow = <T>(rows: ValueRows, of: (row: (number | bigint)[]) => T): T[] =>
  Array.from({ length: rows.rows }, (_, r) => of(rowOf(rows, r)));

test("rankRows gives the position that a stable sort puts at the rank", () => {
  fc.assert(
    fc.property(ranked, ({ rows, rank }) => {
      const indices = new Int32Array(rows.rows);
      rankRows(rows.values, rows.rows, rows.n, rank, indices);
      expect([...indices]).toEqual(perRow(rows, (row) => sortedPositions(row, false)[rank]));
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("topkRows gives the first k positions of a stable sort, or those in ascending order", () => {
  fc.assert(
    fc.property(ranked, fc.boolean(), fc.boolean(), fc.boolean(), ({ rows, rank }, largest, sorted, none) => {
      const k = none ? 0 : rank + 1;
      const indices = new Int32Array(rows.rows * k);
      topkRows(rows.values, rows.rows, rows.n, k, largest, sorted, indices);
      const expected = perRow(rows, (row) => {
        const best = sortedPositions(row, largest).slice(0, k);
        return sorted ? best : best.sort((a, b) => a - b);
      });
      expect([...indices]).toEqual(expected.flat());
    }),
    { seed: 2, numRuns: 300 },
  );
});

test("medianRows gives the lower median, the first NaN if there is one, or the median of the rest", () => {
  fc.assert(
    fc.property(arbitraryRows(1), fc.boolean(), (rows, skipNaN) => {
      const indices = new Int32Array(rows.rows);
      medianRows(rows.values, rows.rows, rows.n, skipNaN, indices);
      const expected = perRow(rows, (row) => {
        const nan = row.findIndex((item) => Number.isNaN(item));
        const others = row.filter((item) => !Number.isNaN(item)).length;
        if (others === 0 || (nan >= 0 && !skipNaN)) return nan;
        return sortedPositions(row, false)[Math.ceil(others / 2) - 1];
      });
      expect([...indices]).toEqual(expected);
    }),
    { seed: 3, numRuns: 300 },
  );
});

test("a row of NaN alone has NaN as its median either way", () => {
  for (const skipNaN of [false, true]) {
    const indices = new Int32Array([-1]);
    medianRows(new Float32Array([NaN, NaN]), 1, 2, skipNaN, indices);
    expect(indices[0]).toBe(0);
  }
});
