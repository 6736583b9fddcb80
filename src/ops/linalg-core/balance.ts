/**
 * Makes a general matrix easier for the eigenvalue methods by a similarity that has no rounding: eigenvalues that stand alone
 * (a row or column with zeros beside the diagonal) go to the ends, and rows and columns are scaled by powers of 2.
 *
 * Rows and columns are compared by their 2-norms with the diagonal, which bounds the scales: without it, those of a matrix such as Frank's
 * grow until eigenvectors are lost (James, Langou and Lowery, On matrix balancing and eigenvector computation).
 */
import { adjoint, type Matrix, takeRows } from "./matrix.ts";
import { imAt, put } from "./rows.ts";

/** matrix[i][j] = a[order[i]][order[j]] * scales[j] / scales[i]; element i of its vector times scales[i] is element order[i] of a's. */
export interface Balanced {
  readonly matrix: Matrix;
  readonly order: Int32Array;
  readonly scales: Float64Array;
}

/** The balanced form of a square matrix. */
export function balance(a: Matrix): Balanced {
  const n = a.rows;
  const { order, low, high } = isolate(a);
  const matrix = adjoint(takeRows(adjoint(takeRows(a, order), false), order), false);
  const size = (at: number) => Math.abs(matrix.re[at]!) + Math.abs(imAt(matrix, at));
  const scales = new Float64Array(n).fill(1);
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = low; i < high; i++) {
      let column = 0;
      let row = 0;
      for (let j = low; j < high; j++) {
        column = Math.hypot(column, size(j * n + i));
        row = Math.hypot(row, size(i * n + j));
      }
      if (column === 0 || row === 0) continue;
      const f = 2 ** Math.round(Math.log2(row / column) / 2);
      if (column * f + row / f >= 0.95 * (column + row)) continue;
      changed = true;
      scales[i]! *= f;
      for (let j = 0; j < n; j++) {
        put(matrix, j * n + i, matrix.re[j * n + i]! * f, imAt(matrix, j * n + i) * f);
        put(matrix, i * n + j, matrix.re[i * n + j]! / f, imAt(matrix, i * n + j) / f);
      }
    }
  }
  return { matrix, order, scales };
}

/** An order in which the matrix is triangular before `low` and from `high` on. */
function isolate(a: Matrix): { order: Int32Array; low: number; high: number } {
  const n = a.rows;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let low = 0;
  let high = n;
  const swap = (i: number, j: number) => {
    const place = order[i]!;
    order[i] = order[j]!;
    order[j] = place;
  };
  const isAlone = (i: number, byRow: boolean) => {
    for (let j = low; j < high; j++) {
      const at = byRow ? order[i]! * n + order[j]! : order[j]! * n + order[i]!;
      if (j !== i && (a.re[at] !== 0 || imAt(a, at) !== 0)) return false;
    }
    return true;
  };
  for (let i = high - 1; i >= 0; i--)
    if (isAlone(i, true)) {
      swap(i, --high);
      i = high;
    }
  for (let i = low; i < high; i++)
    if (isAlone(i, false)) {
      swap(i, low++);
      i = low - 1;
    }
  return { order, low, high };
}
