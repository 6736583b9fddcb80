/**
 * Quantiles of rows: the element at rank q * (n - 1), or what lies between its two neighbours.
 * A row with NaN gives NaN; where NaN is skipped, ranks count the other elements, and a row without any gives NaN.
 */
import { sortRows } from "./sort.ts";

/** What a rank between two elements gives. */
export type Interpolation = "linear" | "lower" | "higher" | "midpoint" | "nearest";

/** The quantiles of rows of n > 0 elements: out[j * rows + row] is quantile q[j] of that row. */
export function quantileRows<V extends Float32Array | Float64Array>(
  values: V,
  rows: number,
  n: number,
  q: ArrayLike<number>,
  interpolation: Interpolation,
  skipNaN: boolean,
  out: V,
): void {
  // Ranks are rounded to the dtype, as in PyTorch: 0.1 * 10 is 1 in float32, though 0.1 is a little more there.
  const round = values.BYTES_PER_ELEMENT === 4 ? Math.fround : Number;
  const sorted = values.slice() as V;
  sortRows(values, rows, n, false, sorted);
  for (let row = 0; row < rows; row++) {
    const base = row * n;
    let count = n;
    while (count > 0 && Number.isNaN(sorted[base + count - 1])) count--;
    const isNaNRow = count === 0 || (count < n && !skipNaN);
    for (let j = 0; j < q.length; j++) {
      const rank = round(round(q[j]!) * (count - 1));
      out[j * rows + row] = isNaNRow ? NaN : between(sorted, base, rank, interpolation);
    }
  }
}

function between(
  sorted: Float32Array | Float64Array,
  base: number,
  rank: number,
  interpolation: Interpolation,
): number {
  const lower = Math.floor(rank);
  const a = sorted[base + lower]!;
  if (rank === lower || interpolation === "lower") return a;
  const b = sorted[base + lower + 1]!;
  const part = rank - lower;
  switch (interpolation) {
    case "higher":
      return b;
    case "nearest": // half goes to the even rank
      return part < 0.5 || (part === 0.5 && lower % 2 === 0) ? a : b;
    case "midpoint":
      return mix(a, b, 0.5);
    case "linear":
      return mix(a, b, part);
    default:
      return interpolation satisfies never;
  }
}

/** a + part * (b - a), exact at both ends. */
const mix = (a: number, b: number, part: number): number =>
  part < 0.5 ? a + part * (b - a) : b - (b - a) * (1 - part);
