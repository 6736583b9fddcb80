/** The most frequent element against counting by definition. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryRows, compareValues, rowOf } from "../../../test/support/value-rows.ts";
import { modeRows } from "./select.ts";

test("modeRows gives the last position of the most frequent element, the smallest of several; NaN equals nothing", () => {
  fc.assert(
    fc.property(
      arbitraryRows(1).filter(({ n }) => n <= 300),
      (rows) => {
        const indices = new Int32Array(rows.rows);
        modeRows(rows.values, rows.rows, rows.n, indices);
        for (let r = 0; r < rows.rows; r++) {
          const row = rowOf(rows, r);
          const times = row.map((item) => Math.max(1, row.filter((other) => other === item).length));
          const max = Math.max(...times);
          const candidates = row.filter((_, i) => times[i] === max).sort(compareValues);
          const mode = candidates[0]!;
          const last = Number.isNaN(mode) ? row.findIndex(Number.isNaN) : row.lastIndexOf(mode as number);
          expect(indices[r], `${rows.kind} ${row}`).toBe(last);
        }
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});
