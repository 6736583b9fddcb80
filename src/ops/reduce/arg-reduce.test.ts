/** argmax and argmin in blocks against a plain search: ties, NaN, blocks that overlap, layouts, the extremes themselves. */

import { argmax, argmin, max, min, type Tensor, tensor } from "stridewise";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seededNumbers } from "../../../test/support/value-rows.ts";
import { argReducing } from "../../kernel/program/lower-arg-reduce.ts";

const before = { ...argReducing };
beforeAll(() => {
  Object.assign(argReducing, { block: 8, minElements: 16 });
});
afterAll(() => {
  Object.assign(argReducing, before);
});

/** The index of the first NaN, or else of the first extreme. */
function expected(row: readonly number[], sign: 1 | -1): number {
  const nan = row.findIndex(Number.isNaN);
  if (nan >= 0) return nan;
  return row.reduce((best, value, i) => (sign * value > sign * (row[best] as number) ? i : best), 0);
}

test.each(["float32", "float64", "int32", "uint8", "float16", "int64"] as const)("%s", (dtype) => {
  const next = seededNumbers(dtype.length);
  for (const n of [16, 17, 23, 24, 64, 101])
    for (const nans of [0, 0.02]) {
      const isFloat = dtype.startsWith("float");
      const rows = Array.from({ length: 3 }, () =>
        Array.from({ length: n }, () => (isFloat && next() < nans ? NaN : Math.floor(next() * 5) - (isFloat ? 3 : 0))),
      );
      const x = tensor(rows.flat(), { dtype }).view(3, n) as Tensor;
      // The same matrix with the axes in the other order, and every second column of a wider one.
      const turned = (x.T as Tensor).clone("contiguous").T as Tensor;
      const wide = tensor(
        rows.flatMap((row) => row.flatMap((value) => [value, 9])),
        { dtype },
      ).view(3, 2 * n) as Tensor;
      const sliced = wide.slice(1, 0, null, 2) as Tensor;
      for (const [k, t] of [x, turned, sliced].entries()) {
        const what = `${n} ${nans} ${k}`;
        const [largest, smallest] = [rows.map((row) => expected(row, 1)), rows.map((row) => expected(row, -1))];
        expect(argmax(t, 1).toArray(), what).toEqual(largest);
        expect(argmin(t, 1).toArray(), what).toEqual(smallest);
        expect(argmax(t).item(), what).toBe(expected(rows.flat(), 1));
        const { values, indices } = max(t, 1);
        expect(indices.toArray(), what).toEqual(largest);
        expect([...values].map(Number), what).toEqual(rows.map((row, r) => row[largest[r] as number]));
        expect([...min(t, 1).values].map(Number), what).toEqual(rows.map((row, r) => row[smallest[r] as number]));
      }
    }
});

test("NaN is found whatever its sign and payload, and infinities are not taken for it", () => {
  const bits = new Uint32Array(101).fill(0x7f800000);
  bits[40] = 0xff800000;
  expect(argmin(tensor(new Float32Array(bits.buffer.slice(0)))).item()).toBe(40);
  for (const pattern of [0x7fc00000, 0x7f800001, 0xffc00000, 0xff800001, 0xffffffff]) {
    bits[77] = pattern;
    const x = tensor(new Float32Array(bits.buffer.slice(0)));
    expect([argmax(x).item(), argmin(x).item()], pattern.toString(16)).toEqual([77, 77]);
  }
});
