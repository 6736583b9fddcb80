/** The branch cuts of inverse functions, from both sides, and logarithms of 0 and infinity: values and signs of zeros as numpy and C99 have them. */
import { acos, acosh, asin, asinh, atan, atanh, log2, log10, type Tensor, tensor } from "stridewise";
import { describe, expect, test } from "vitest";

const [half, l, h] = [Math.PI / 2, Math.acosh(2), Math.atanh(0.5)];
const [two, ten] = [half / Math.LN2, half / Math.LN10];

type Row = readonly [fn: (x: never) => Tensor, re: number, im: number, ofRe: number, ofIm: number];
const rows: readonly Row[] = [
  [acos, 2, 0, 0, -l],
  [acos, -2, 0, Math.PI, -l],
  [acos, 0.5, 0, Math.PI / 3, -0],
  [asin, 2, 0, half, l],
  [asin, -2, 0, -half, l],
  [asin, 0.5, 0, Math.PI / 6, 0],
  [asinh, 0, 2, l, half],
  [asinh, 0, -2, l, -half],
  [asinh, -0, 2, -l, half],
  [asinh, 2, 0, Math.asinh(2), 0],
  [acosh, -2, 0, l, Math.PI],
  [acosh, 0.5, 0, 0, Math.PI / 3],
  [acosh, 2, 0, l, 0],
  [atanh, 2, 0, h, half],
  [atanh, -2, 0, -h, half],
  [atan, 0, 2, half, h],
  [atan, -0, 2, -half, h],
  [log2, 0, 0, -Infinity, 0],
  [log2, -0, 0, -Infinity, 2 * two],
  [log2, Infinity, 0, Infinity, 0],
  [log2, 0, Infinity, Infinity, two],
  [log10, 0, 0, -Infinity, 0],
  [log10, -Infinity, 0, Infinity, 2 * ten],
  [log10, 1, Infinity, Infinity, ten],
] as never;

const isSame = (a: number, b: number, within: number): boolean =>
  Object.is(a, b) || (b !== 0 && Math.abs(a - b) <= within * Math.abs(b));

describe.each(["complex64", "complex128"] as const)("%s", (dtype) => {
  test.each(rows.map((row) => [(row[0] as never as { operator: { name: string } }).operator.name, ...row] as const))(
    "%s",
    (_, fn, re, im, ofRe, ofIm) => {
      // The conjugate gives the conjugate.
      for (const side of [1, -1]) {
        const y = fn(tensor({ re, im: side * im } as never, { dtype }) as never).item() as unknown as Record<
          "re" | "im",
          number
        >;
        const within = dtype === "complex64" ? 1e-6 : 1e-14;
        expect([y, isSame(y.re, ofRe, within), isSame(y.im, side * ofIm, within)]).toEqual([y, true, true]);
      }
    },
  );
});
