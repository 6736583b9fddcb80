/**
 * QR factorization by Householder reflections, packed and with signs as in LAPACK's geqrf:
 * R on and above the diagonal, the vectors below it (their first element, 1, is not stored), and tau separately.
 */
import { adjoint, corner, identity, type Matrix, triangle, zeros } from "./matrix.ts";
import { conj, makeReflection, reflectRows, takeColumn } from "./reflector.ts";
import { imAt, put } from "./rows.ts";

/** A packed factorization; tau is one row. */
export interface PackedQr {
  readonly packed: Matrix;
  readonly tau: Matrix;
}

/** Returns the packed QR factors of any m x n matrix. */
export function qrFactor(a: Matrix): PackedQr {
  const packed = corner(a);
  const { rows, cols } = a;
  const complex = a.im !== null;
  const tau = zeros(1, Math.min(rows, cols), complex);
  const v = zeros(1, rows, complex);
  const work = zeros(1, cols, complex);
  for (let k = 0; k < tau.cols; k++) {
    takeColumn(v, 0, packed, k, k, rows);
    const reflection = makeReflection(v, 0, k, rows);
    put(tau, k, reflection.tau.re, reflection.tau.im);
    reflectRows(packed, 0, k + 1, cols, v, 0, k, rows, conj(reflection.tau), work);
    put(packed, k * cols + k, reflection.beta, 0);
    for (let i = k + 1; i < rows; i++) put(packed, i * cols + k, v.re[i]!, imAt(v, i));
  }
  return { packed, tau };
}

/** Returns Q C for the m x m matrix Q of packed reflections; with `adjointed` Q^H C, without `left` C Q. */
export function applyQ(factors: PackedQr, c: Matrix, left = true, adjointed = false): Matrix {
  if (!left) return adjoint(applyQ(factors, adjoint(c), true, !adjointed));
  return reflectAll(factors, corner(c), adjointed, false);
}

/** Applies all reflections to C in place. With `stairs`, C is the identity at first, and reflection k changes no column before k. */
function reflectAll({ packed, tau }: PackedQr, c: Matrix, adjointed: boolean, stairs: boolean): Matrix {
  const v = zeros(1, packed.rows, packed.im !== null);
  const work = zeros(1, c.cols, c.im !== null);
  for (let step = 0; step < tau.cols; step++) {
    const k = adjointed ? step : tau.cols - 1 - step;
    takeColumn(v, 0, packed, k, k + 1, packed.rows);
    put(v, k, 1, 0);
    const t = { re: tau.re[k]!, im: imAt(tau, k) };
    reflectRows(c, 0, stairs ? k : 0, c.cols, v, 0, k, packed.rows, adjointed ? conj(t) : t, work);
  }
  return c;
}

/** Returns the first `cols` columns of Q, by default as many as `packed` has. */
export function householderProduct(factors: PackedQr, cols = factors.packed.cols): Matrix {
  return reflectAll(factors, identity(factors.packed.rows, cols, factors.packed.im !== null), false, true);
}

/** Factors A = Q R: "reduced" m x k and k x n with k = min(m, n), "complete" m x m and m x n, "r" without Q (m x 0). */
export function qr(a: Matrix, mode: "reduced" | "complete" | "r" = "reduced"): { q: Matrix; r: Matrix } {
  const factors = qrFactor(a);
  const k = mode === "complete" ? a.rows : Math.min(a.rows, a.cols);
  const q = mode === "r" ? zeros(a.rows, 0, a.im !== null) : householderProduct(factors, k);
  return { q, r: triangle(corner(factors.packed, k, a.cols), true) };
}
