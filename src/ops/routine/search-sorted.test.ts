/** Binary search and membership against counting. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { compareValues, kindNames, randomValues } from "../../../test/support/value-rows.ts";
import { isin, searchSortedRows, sortRows } from "./sort.ts";
import type { Values } from "./values.ts";

const search = fc.record({
  kind: fc.constantFrom(...kindNames),
  rows: fc.integer({ min: 0, max: 3 }),
  n: fc.integer({ min: 0, max: 12 }),
  per: fc.integer({ min: 0, max: 6 }),
  few: fc.boolean(),
  seed: fc.integer(),
});

const items = (values: Values): (number | bigint)[] => [...(values as Float64Array)];

test("searchSortedRows counts the boundaries before a value, or up to it", () => {
  fc.assert(
    fc.property(search, fc.boolean(), ({ kind, rows, n, per, few, seed }, right) => {
      const boundaries = randomValues(kind, rows * n, few, seed);
      sortRows(boundaries.slice() as Values, rows, n, false, boundaries);
      const values = randomValues(kind, rows * per, few, seed + 1);
      const out = new Int32Array(rows * per);
      searchSortedRows(boundaries, rows, n, values, per, right, out);
      const limit = right ? 1 : 0;
      const expected = items(values).map((value, i) => {
        const row = Math.floor(i / per);
        return items(boundaries)
          .slice(row * n, (row + 1) * n)
          .filter((bound) => compareValues(bound, value) < limit).length;
      });
      expect([...out]).toEqual(expected);
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("isin is some element equals, so that NaN is in nothing and -0 is in 0", () => {
  fc.assert(
    fc.property(search, ({ kind, n, per, few, seed }) => {
      const values = randomValues(kind, per, few, seed);
      const among = randomValues(kind, n, few, seed + 1);
      const out = new Uint8Array(per);
      isin(values, among, out);
      expect([...out]).toEqual(items(values).map((value) => Number(items(among).some((other) => other === value))));
    }),
    { seed: 2, numRuns: 500 },
  );
});
