/** How much two outputs differ, and whether that is little enough. */
import type { Tensor } from "../../src/index.ts";

/** Rounding differs in models of int8 and float16, so their outputs are compared by directions. */
export type Precision = "fp32" | "int8" | "fp16";

export interface Difference {
  /** max |a - b| / max |b| */
  readonly relative: number;
  readonly cosine: number;
  /** Whether the largest element of the last row is at the same index. */
  readonly isTopEqual: boolean;
  /** Empty if the outputs agree. */
  readonly fault: string;
}

const numbersOf = (t: Tensor): Float64Array => t.to("float64").flatten().contiguous().toTypedArray() as Float64Array;

/** Compares a with the expected b: max |a - b| <= 1e-4 max |b|, or, for low precision, cosine >= 0.99 and the same largest elements. */
export function difference(a: Tensor, b: Tensor, precision: Precision): Difference {
  const none = { relative: Number.NaN, cosine: Number.NaN, isTopEqual: false };
  if (a.dtype !== b.dtype) return { ...none, fault: `its dtype is ${a.dtype}, not ${b.dtype}` };
  if (String(a.shape) !== String(b.shape)) return { ...none, fault: `its shape is [${a.shape}], not [${b.shape}]` };
  const [x, y] = [numbersOf(a), numbersOf(b)];
  let [most, largest, xy, xx, yy] = [0, 0, 0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    const [p, q] = [x[k], y[k]];
    if (Number.isFinite(q)) largest = Math.max(largest, Math.abs(q));
    if (p === q || (Number.isNaN(p) && Number.isNaN(q))) {
      if (Number.isFinite(p)) [xy, xx, yy] = [xy + p * q, xx + p * p, yy + q * q];
      continue;
    }
    if (!Number.isFinite(p) || !Number.isFinite(q)) return { ...none, fault: `element ${k} is ${p}, not ${q}` };
    most = Math.max(most, Math.abs(p - q));
    [xy, xx, yy] = [xy + p * q, xx + p * p, yy + q * q];
  }
  const relative = most === 0 ? 0 : most / largest;
  const cosine = most === 0 ? 1 : xy / Math.sqrt(xx * yy);
  const isTopEqual = topEqual(x, y, Number(a.shape.at(-1) ?? 1));
  const measured = { relative, cosine, isTopEqual };
  if (precision === "fp32")
    return { ...measured, fault: relative <= 1e-4 ? "" : `max |a - b| is ${relative.toExponential(1)} max |b|` };
  const isClose = cosine >= 0.99 && isTopEqual;
  return {
    ...measured,
    fault: isClose ? "" : `the cosine is ${cosine.toFixed(4)}${isTopEqual ? "" : ", the top-1 differs"}`,
  };
}

/** Whether the largest element of the last row is at the same index. */
function topEqual(x: Float64Array, y: Float64Array, size: number): boolean {
  if (x.length === 0) return true;
  const rows = [x, y].map((values) => values.subarray(-size));
  const [i, j] = rows.map((row) => row.indexOf(row.reduce((a, b) => Math.max(a, b))));
  return i === j;
}
