/**
 * Eigenvalues and eigenvectors of a general matrix, A V = V diag(w): the matrix is balanced and reduced to its Schur form, then each
 * vector takes one back substitution. Results are complex; those of a real matrix are real or in exact conjugate pairs.
 * Each vector has norm 1, and the largest element of a complex one is real and positive. `info` is as in `eigh.ts`.
 */
import { adjoint, largest, type Matrix, takeRows, tame, zeros } from "./matrix.ts";
import { addRow, divide, divideRow, dotIm, dotRe, imAt, put, rowNorm, times } from "./rows.ts";
import { hessenberg, schur } from "./schur.ts";

/** n complex eigenvalues as one row; `vectors` is n x n with one vector per column, or null if not requested. */
interface Eig {
  readonly values: Matrix;
  readonly vectors: Matrix | null;
  readonly info: number;
}

/** Computes the eigenvalues of any square matrix, and its eigenvectors if requested. */
export function eig(a: Matrix, withVectors = true): Eig {
  const n = a.rows;
  const values = zeros(1, n, true);
  const vectors = withVectors ? zeros(n, n, true) : null;
  const start = tame(a);
  if (start === null) {
    values.re.fill(NaN);
    return { values, vectors, info: -1 };
  }
  const { matrix: t, order, scales } = balance(start.matrix);
  const zh = hessenberg(t, withVectors);
  const info = schur(t, zh);
  const floor = Math.max(largest(t) * 1e-100, 1e-150);
  for (let k = 0; k < n; k++) {
    const at = k * n + k;
    put(values, k, t.re[at]!, imAt(t, at));
    if (!startsPair(t, k)) continue;
    const mean = (t.re[at]! + t.re[at + n + 1]!) / 2;
    const p = (t.re[at]! - t.re[at + n + 1]!) / 2;
    const im = Math.sqrt(-(p * p + t.re[at + 1]! * t.re[at + n]!));
    put(values, k, mean, im);
    put(values, ++k, mean, -im);
  }
  if (vectors !== null && zh !== null && info === 0)
    for (let k = 0; k < n; k++) {
      const pair = startsPair(t, k);
      const row = vectorOf(t, zh, scales, k, pair, values.re[k]!, values.im![k]!, floor);
      for (let i = 0; i < n; i++) {
        const at = order[i]! * n + k;
        put(vectors, at, row.re[i]!, 0 - imAt(row, i));
        if (pair) put(vectors, at + 1, row.re[i]!, imAt(row, i));
      }
      if (pair) k++;
    }
  for (let k = 0; k < n; k++) put(values, k, values.re[k]! * start.factor, values.im![k]! * start.factor);
  return { values, vectors, info };
}

function startsPair(t: Matrix, k: number): boolean {
  return t.im === null && k + 1 < t.rows && t.re[(k + 1) * t.cols + k] !== 0;
}

/** The conjugate of the eigenvector for diagonal element k of T, as a row. */
function vectorOf(
  t: Matrix,
  zh: Matrix,
  scales: Float64Array,
  k: number,
  pair: boolean,
  wr: number,
  wi: number,
  floor: number,
): Matrix {
  const n = t.rows;
  const complex = t.im !== null || pair;
  // y is conj(x) with (T - w) x = 0.
  const y = zeros(1, n, complex);
  const end = pair ? k + 2 : k + 1;
  put(y, end - 1, 1, 0);
  if (pair) {
    const at = (k + 1) * n + k;
    put(y, k, (wr - t.re[at + 1]!) / t.re[at]!, -wi / t.re[at]!);
  }
  const tiny = Math.max(Number.EPSILON * (Math.abs(wr) + Math.abs(wi)), floor);
  for (let i = k - 1; i >= 0; i--) {
    const right = (row: number) => ({
      re: -dotRe(t, row, y, 0, i + 1, end),
      im: complex ? -dotIm(t, row, y, 0, i + 1, end) : 0,
    });
    const at = i * n + i;
    const b = right(i);
    let d = { re: t.re[at]! - wr, im: imAt(t, at) - wi };
    let x: { re: number; im: number };
    if (i > 0 && startsPair(t, i - 1)) {
      // Rows i - 1 and i together: Cramer's rule.
      const a = right(i - 1);
      const e = { re: t.re[at - n - 1]! - wr, im: -wi };
      const product = times(e.re, e.im, d.re, d.im);
      const up = t.re[at - n]!;
      const low = t.re[at - 1]!;
      d = { re: product.re - up * low, im: product.im };
      if (Math.abs(d.re) + Math.abs(d.im) < tiny * tiny) d = { re: tiny * tiny, im: 0 };
      const own = times(e.re, e.im, b.re, b.im);
      x = divide(own.re - low * a.re, own.im - low * a.im, d.re, d.im);
      const dd = times(t.re[at]! - wr, -wi, a.re, a.im);
      const above = divide(dd.re - up * b.re, dd.im - up * b.im, d.re, d.im);
      put(y, i, x.re, -x.im);
      put(y, --i, above.re, -above.im);
      x = above;
    } else {
      if (Math.abs(d.re) + Math.abs(d.im) < tiny) d = { re: tiny, im: 0 };
      x = divide(b.re, b.im, d.re, d.im);
      put(y, i, x.re, -x.im);
    }
    const size = Math.abs(x.re) + Math.abs(x.im);
    if (size > 1e100) divideRow(y, 0, size, 0, i, end);
  }
  const row = zeros(1, n, complex);
  for (let j = 0; j < end; j++) addRow(row, 0, zh, j, y.re[j]!, imAt(y, j), 0, n);
  for (let i = 0; i < n; i++) put(row, i, row.re[i]! * scales[i]!, imAt(row, i) * scales[i]!);
  normalize(row);
  return row;
}

function normalize(row: Matrix): void {
  const n = row.cols;
  divideRow(row, 0, rowNorm(row, 0, 0, n), 0, 0, n);
  if (row.im === null) return;
  let max = 0;
  let best = 0;
  for (let i = 0; i < n; i++) {
    const size = Math.hypot(row.re[i]!, row.im[i]!);
    if (size > max) {
      max = size;
      best = i;
    }
  }
  if (row.im[best] === 0) return;
  divideRow(row, 0, row.re[best]! / max, row.im[best]! / max, 0, n);
  row.im[best] = 0;
}

/** matrix[i][j] = a[order[i]][order[j]] * scales[j] / scales[i]; element i of its vector times scales[i] is element order[i] of a's. */
interface Balanced {
  readonly matrix: Matrix;
  readonly order: Int32Array;
  readonly scales: Float64Array;
}

/**
 * The balanced form of a square matrix, which is easier for the eigenvalue methods: a similarity without rounding that moves isolated
 * eigenvalues (a row or column of zeros off the diagonal) to the ends, and scales rows and columns by powers of 2.
 *
 * Rows and columns are compared by their 2-norms with the diagonal, which bounds the scales: without it, those of a matrix such as Frank's
 * grow until eigenvectors are lost (James, Langou and Lowery, On matrix balancing and eigenvector computation).
 */
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

/** Finds an order in which the matrix is triangular before `low` and from `high` on. */
function isolate(a: Matrix): { order: Int32Array; low: number; high: number } {
  const n = a.rows;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let low = 0;
  let high = n;
  const swap = (i: number, j: number) => {
    const row = order[i]!;
    order[i] = order[j]!;
    order[j] = row;
  };
  const isIsolated = (i: number, byRow: boolean) => {
    for (let j = low; j < high; j++) {
      const at = byRow ? order[i]! * n + order[j]! : order[j]! * n + order[i]!;
      if (j !== i && (a.re[at] !== 0 || imAt(a, at) !== 0)) return false;
    }
    return true;
  };
  for (let i = high - 1; i >= 0; i--)
    if (isIsolated(i, true)) {
      swap(i, --high);
      i = high;
    }
  for (let i = low; i < high; i++)
    if (isIsolated(i, false)) {
      swap(i, low++);
      i = low - 1;
    }
  return { order, low, high };
}
