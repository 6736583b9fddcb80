/**
 * A = L D L^T (or L D L^H) of a symmetric (Hermitian) matrix that need not be definite, by the diagonal pivoting of Bunch and Kaufman.
 * Packed and pivoted as in LAPACK's sytrf and hetrf with the lower triangle, which is the one that is read.
 * A pivot p > 0 is a swap with row p - 1; two equal negative pivots are a 2 x 2 block of D and a swap of its second row.
 */
import { corner, type Matrix, mirrored, triangle, zeros } from "./matrix.ts";
import { takeColumn } from "./reflector.ts";
import { addRow, divide, divideRow, imAt, put, swapRows, times } from "./rows.ts";

/** L below the diagonal, D on it and, for 2 x 2 blocks, just below it; info is the order of the first zero block of D, or 0. */
interface Ldl {
  readonly ld: Matrix;
  readonly pivots: Int32Array;
  readonly info: number;
}

const ALPHA = (1 + Math.sqrt(17)) / 8;

/** Returns the packed factors; a complex matrix is symmetric unless `hermitian`. */
export function ldlFactor(a: Matrix, hermitian = false): Ldl {
  // Both triangles are updated, so that every loop runs over rows.
  const w = mirrored(a, false, hermitian);
  const n = w.cols;
  const pivots = new Int32Array(n);
  const size = (i: number, j: number) => Math.abs(w.re[i * n + j]!) + Math.abs(imAt(w, i * n + j));
  // The column of the largest element of row i off the diagonal, from column k on.
  const largestInRow = (i: number, k: number) => {
    let best = -1;
    for (let j = k; j < n; j++) if (j !== i && (best < 0 || size(i, j) > size(i, best))) best = j;
    return best;
  };
  const columns = zeros(2, n, w.im !== null);
  let info = 0;
  for (let k = 0; k < n; ) {
    const other = largestInRow(k, k);
    const offDiagonal = other < 0 ? 0 : size(k, other);
    const own = size(k, k);
    let pivot = k;
    let width = 1;
    if (!(Math.max(own, offDiagonal) > 0)) {
      if (info === 0) info = k + 1;
      pivots[k] = ++k;
      continue;
    }
    if (own < ALPHA * offDiagonal) {
      const max = size(other, largestInRow(other, k));
      if (own < ALPHA * offDiagonal * (offDiagonal / max)) {
        pivot = other;
        if (size(other, other) < ALPHA * max) width = 2;
      }
    }
    const moved = k + width - 1;
    swapRows(w, moved, pivot, k);
    swapColumns(w, moved, pivot, k);
    pivots.fill(width === 1 ? pivot + 1 : -pivot - 1, k, k + width);
    const end = k + width;
    // F D = A[end.., k..end): the columns as rows, divided by D^T.
    for (let j = k; j < end; j++) takeColumn(columns, j - k, w, j, end, n);
    if (width === 1) divideRow(columns, 0, w.re[k * n + k]!, imAt(w, k * n + k), end, n);
    else divideByBlock(columns, 0, end, w, k, hermitian, true);
    for (let i = end; i < n; i++)
      for (let j = k; j < end; j++) {
        const at = (j - k) * n + i;
        const re = columns.re[at]!;
        const im = imAt(columns, at);
        addRow(w, i, w, j, -re, -im, end, n);
        put(w, i * n + j, re, im);
      }
    k = end;
  }
  if (hermitian) for (let i = 0; i < n; i++) put(w, i * n + i, w.re[i * n + i]!, 0);
  return { ld: triangle(w, false), pivots, info };
}

function swapColumns(a: Matrix, j: number, k: number, from: number): void {
  for (let i = from * a.cols; i < a.re.length; i += a.cols) {
    const re = a.re[i + j]!;
    const im = imAt(a, i + j);
    put(a, i + j, a.re[i + k]!, imAt(a, i + k));
    put(a, i + k, re, im);
  }
}

/** Multiplies rows i and i + 1 of x, from a column on, by D^-1 (or D^-T); D is the 2 x 2 block at k, read from the lower triangle. */
function divideByBlock(
  x: Matrix,
  i: number,
  from: number,
  ld: Matrix,
  k: number,
  hermitian: boolean,
  transposed: boolean,
): void {
  const at = k * ld.cols + k;
  const below = at + ld.cols;
  const im = imAt(ld, below);
  const lowIm = hermitian && transposed ? -im : im;
  const upIm = hermitian && !transposed ? -im : im;
  const re = ld.re[below]!;
  const dr = ld.re[below + 1]!;
  const di = imAt(ld, below + 1);
  const to = x.cols;
  // Elimination with the element below the diagonal, the largest, as the pivot.
  const t = divide(ld.re[at]!, imAt(ld, at), re, lowIm);
  const td = times(t.re, t.im, dr, di);
  addRow(x, i, x, i + 1, -t.re, -t.im, from, to);
  divideRow(x, i, re - td.re, upIm - td.im, from, to);
  addRow(x, i + 1, x, i, -dr, -di, from, to);
  divideRow(x, i + 1, re, lowIm, from, to);
  swapRows(x, i, i + 1, from, to);
}

/** Solves A X = B from the packed factors of A. */
export function ldlSolve(ld: Matrix, pivots: ArrayLike<number>, b: Matrix, hermitian = false): Matrix {
  const n = ld.cols;
  const x = corner(b);
  for (let k = 0; k < n; ) {
    const width = pivots[k]! > 0 ? 1 : 2;
    const end = k + width;
    swapRows(x, end - 1, Math.abs(pivots[k]!) - 1);
    for (let i = end; i < n; i++)
      for (let j = k; j < end; j++) addRow(x, i, x, j, -ld.re[i * n + j]!, -imAt(ld, i * n + j), 0, x.cols);
    if (width === 1) divideRow(x, k, ld.re[k * n + k]!, imAt(ld, k * n + k), 0, x.cols);
    else divideByBlock(x, k, 0, ld, k, hermitian, false);
    k = end;
  }
  for (let k = n - 1; k >= 0; ) {
    const start = pivots[k]! > 0 ? k : k - 1;
    for (let j = start; j <= k; j++)
      for (let i = k + 1; i < n; i++) {
        const im = imAt(ld, i * n + j);
        addRow(x, j, x, i, -ld.re[i * n + j]!, hermitian ? im : -im, 0, x.cols);
      }
    swapRows(x, k, Math.abs(pivots[k]!) - 1);
    k = start - 1;
  }
  return x;
}
