/** Quantiles against their definition on a sorted array, and NumPy's answers for the five ways between two elements. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryRows, compareValues, rowOf } from "../../../test/support/value-rows.ts";
import { type Interpolation, quantileRows } from "./select.ts";

const ways: readonly Interpolation[] = ["linear", "lower", "higher", "midpoint", "nearest"];

function quantile(row: readonly number[], q: number, way: Interpolation, skipNaN: boolean): number {
  const others = row.filter((item) => !Number.isNaN(item)).sort(compareValues);
  if (others.length === 0 || (others.length < row.length && !skipNaN)) return NaN;
  const rank = q * (others.length - 1);
  const a = others[Math.floor(rank)]!;
  const b = others[Math.ceil(rank)]!;
  if (a === b) return a;
  const even = Math.floor(rank) % 2 === 0 ? a : b;
  const part = rank % 1;
  return {
    lower: a,
    higher: b,
    nearest: part < 0.5 ? a : part > 0.5 ? b : even,
    midpoint: a / 2 + b / 2,
    linear: a + part * (b - a),
  }[way];
}

test("quantileRows is the definition, with NaN and without", () => {
  const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.25, 0.5, 1));
  fc.assert(
    fc.property(
      arbitraryRows(1, ["float64"]),
      fc.array(share, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(...ways),
      fc.boolean(),
      (rows, q, way, skipNaN) => {
        const finite = Float64Array.from(rows.values as Float64Array, (item) => (Math.abs(item) > 1e30 ? 7 : item));
        const out = new Float64Array(q.length * rows.rows);
        quantileRows(finite, rows.rows, rows.n, q, way, skipNaN, out);
        q.forEach((qj, j) => {
          for (let r = 0; r < rows.rows; r++) {
            const row = rowOf({ ...rows, values: finite }, r) as number[];
            const expected = quantile(row, qj, way, skipNaN);
            if (Number.isNaN(expected)) expect(out[j * rows.rows + r]).toBeNaN();
            else expect(Math.abs(out[j * rows.rows + r]! - expected)).toBeLessThan(1e-9 * (1 + Math.abs(expected)));
          }
        });
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test("half way between two ranks, nearest takes the even one", () => {
  const out = new Float64Array(2);
  quantileRows(new Float64Array([10, 20, 30, 40]), 1, 4, [1 / 6, 0.5], "nearest", false, out);
  expect([...out]).toEqual([10, 30]);
});

test("in float32 the rank is rounded to float32: 0.1 of eleven elements is the second, not beyond it", () => {
  const out = new Float32Array(1);
  quantileRows(
    Float32Array.from({ length: 11 }, (_, i) => i),
    1,
    11,
    [0.1],
    "higher",
    false,
    out,
  );
  expect(out[0]).toBe(1);
});

test("an infinite element at a whole rank is the quantile", () => {
  const out = new Float32Array(3);
  quantileRows(new Float32Array([1, Infinity, -Infinity]), 1, 3, [0, 0.5, 1], "linear", false, out);
  expect([...out]).toEqual([-Infinity, 1, Infinity]);
});
