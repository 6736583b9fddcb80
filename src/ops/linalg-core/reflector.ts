/**
 * Householder reflections with LAPACK's signs. A column v and a number tau represent H = I - tau v v^H, v[0] = 1.
 * A row u represents v^H, so that a product from the right runs over contiguous rows, too.
 */
import type { Matrix } from "./matrix.ts";
import { addRow, type Complex, conjugateRow, divideRow, dotIm, dotRe, imAt, put, rowNorm } from "./rows.ts";

const TINY = 2 ** -960;

/** A reflection that maps its vector to (beta, 0, ..., 0) with beta real. */
interface Reflection {
  readonly beta: number;
  readonly tau: Complex;
}

/**
 * Turns x = v[row][from..to) into the vector of a reflection, in place.
 *
 * Postconditions: H^H x = (beta, 0, ..., 0), beta real, and of the sign opposite to x[0] unless x is (x[0], 0, ..., 0) and real: then tau = 0.
 */
export function makeReflection(v: Matrix, row: number, from: number, to: number): Reflection {
  const at = row * v.cols + from;
  const re = v.re[at]!;
  const im = imAt(v, at);
  const rest = rowNorm(v, row, from + 1, to);
  const norm = im === 0 ? Math.hypot(re, rest) : Math.hypot(re, im, rest);
  if (norm < TINY && norm > 0) {
    // Too near to the smallest number for exact quotients.
    divideRow(v, row, TINY, 0, from, to);
    const { beta, tau } = makeReflection(v, row, from, to);
    return { beta: beta * TINY, tau };
  }
  put(v, at, 1, 0);
  if (rest === 0 && im === 0) return { beta: re, tau: { re: 0, im: 0 } };
  const beta = re < 0 || Object.is(re, -0) ? norm : -norm;
  divideRow(v, row, re - beta, im, from + 1, to);
  return { beta, tau: { re: (beta - re) / beta, im: -im / beta } };
}

/** A = (I - tau v v^H) A on rows top + from ... and columns left <= j < right; v is a row of `v`, `work` a scratch row. */
export function reflectRows(
  a: Matrix,
  top: number,
  left: number,
  right: number,
  v: Matrix,
  row: number,
  from: number,
  to: number,
  tau: Complex,
  work: Matrix,
): void {
  if (tau.re === 0 && tau.im === 0) return;
  work.re.fill(0, left, right);
  work.im?.fill(0, left, right);
  const at = row * v.cols;
  for (let i = from; i < to; i++) addRow(work, 0, a, top + i, v.re[at + i]!, -imAt(v, at + i), left, right);
  for (let i = from; i < to; i++) {
    const re = v.re[at + i]!;
    const im = imAt(v, at + i);
    addRow(a, top + i, work, 0, im * tau.im - re * tau.re, -re * tau.im - im * tau.re, left, right);
  }
}

/** A = A (I - tau u^H u) on rows top <= i < bottom; u is columns from <= j < to of a row of `u`. */
export function reflectColumns(
  a: Matrix,
  top: number,
  bottom: number,
  u: Matrix,
  row: number,
  from: number,
  to: number,
  tau: Complex,
): void {
  if (tau.re === 0 && tau.im === 0) return;
  for (let i = top; i < bottom; i++) {
    const re = dotRe(a, i, u, row, from, to);
    const im = a.im === null ? 0 : dotIm(a, i, u, row, from, to);
    addRow(a, i, u, row, im * tau.im - re * tau.re, -re * tau.im - im * tau.re, from, to);
  }
}

/**
 * Computes (H_0 H_1 ...)^H in `start`, which holds an identity; H_k = I - taus[k] u_k^H u_k and u_k is columns k + shift ... of row k of `u`.
 * The result is the adjoint of the unitary matrix, so that later rotations of its columns run over rows.
 */
export function accumulate(u: Matrix, taus: readonly Complex[], shift: number, start: Matrix): Matrix {
  for (let k = taus.length - 1; k >= 0; k--)
    reflectColumns(start, k + shift, start.rows, u, k, k + shift, u.cols, conj(taus[k]!));
  return start;
}

/** Returns the complex conjugate. */
export function conj(z: Complex): Complex {
  return { re: z.re, im: -z.im };
}

/** Copies column `j` of `a`, rows from <= i < to, into a row of `v`. */
export function takeColumn(v: Matrix, row: number, a: Matrix, j: number, from: number, to: number): void {
  for (let i = from; i < to; i++) put(v, row * v.cols + i, a.re[i * a.cols + j]!, imAt(a, i * a.cols + j));
}

/**
 * Zeroes column j of `a` below row `from` by a reflection, applied to the columns after j. Its vector is written as u = v^H to row k
 * of `u`, and beta to a[from][j]. The elements below are not written; callers treat them as zeros.
 */
export function reflectColumnAway(a: Matrix, from: number, j: number, u: Matrix, k: number, work: Matrix): Reflection {
  takeColumn(u, k, a, j, from, a.rows);
  const reflection = makeReflection(u, k, from, a.rows);
  reflectRows(a, 0, j + 1, a.cols, u, k, from, a.rows, conj(reflection.tau), work);
  put(a, from * a.cols + j, reflection.beta, 0);
  conjugateRow(u, k, from, a.rows);
  return reflection;
}
