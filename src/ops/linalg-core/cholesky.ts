/**
 * The Cholesky factorization of a Hermitian positive-definite matrix: A = L L^H, or U^H U with `upper`.
 * Only that triangle is read. `info` is 0, or the order of the first leading minor that is not positive.
 */
import { adjoint, identity, type Matrix, triangle } from "./matrix.ts";
import { divide, dotIm, dotRe, imAt, put } from "./rows.ts";
import { triangularSolve } from "./triangular.ts";

/** Returns the factor, with zeros in its other triangle. If info is not 0, rows from `info` on are undefined. */
export function cholesky(a: Matrix, upper = false): { factor: Matrix; info: number } {
  const l = triangle(upper ? adjoint(a) : a, false);
  const n = l.cols;
  let info = 0;
  for (let i = 0; i < n && info === 0; i++) {
    for (let j = 0; j < i; j++) {
      const at = i * n + j;
      const re = l.re[at]! - dotRe(l, i, l, j, 0, j);
      const im = imAt(l, at) - (l.im === null ? 0 : dotIm(l, i, l, j, 0, j));
      const f = divide(re, im, l.re[j * n + j]!, 0);
      put(l, at, f.re, f.im);
    }
    const square = l.re[i * n + i]! - dotRe(l, i, l, i, 0, i);
    if (square > 0) put(l, i * n + i, Math.sqrt(square), 0);
    else info = i + 1;
  }
  return { factor: upper ? adjoint(l) : l, info };
}

/** Solves A X = B from the Cholesky factor of A. */
export function choleskySolve(b: Matrix, factor: Matrix, upper = false): Matrix {
  const half = triangularSolve(factor, b, { upper, form: upper ? "adjoint" : "plain" });
  return triangularSolve(factor, half, { upper, form: upper ? "plain" : "adjoint" });
}

/** Returns the inverse of A from its Cholesky factor. */
export function choleskyInverse(factor: Matrix, upper = false): Matrix {
  return choleskySolve(identity(factor.rows, factor.rows, factor.im !== null), factor, upper);
}
