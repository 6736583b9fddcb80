/**
 * Matrix norms, and what is read off the singular values: condition number and rank.
 * A value that is not finite makes a spectral norm NaN.
 */
import { eigh } from "./eigh.ts";
import { inverse } from "./lu.ts";
import { adjoint, type Matrix } from "./matrix.ts";
import { imAt, rowNorm } from "./rows.ts";
import { svd } from "./svd.ts";

/** Frobenius, nuclear (sum of singular values), or 1 (columns), 2 (spectral), Infinity (rows), where a negative number asks for the smallest. */
export type MatrixNorm = "fro" | "nuc" | number;

/** One norm of a matrix. Of no elements it is 0, or for the negative orders Infinity. */
export function matrixNorm(a: Matrix, order: MatrixNorm): number {
  if (order === "fro") return rowNorm({ ...a, rows: 1, cols: a.re.length }, 0, 0, a.re.length);
  const sizes =
    order === "nuc" || Math.abs(order) === 2 ? svd(a, "values").s : rowSums(Math.abs(order) === 1 ? adjoint(a) : a);
  if (order === "nuc") return sizes.reduce((sum, s) => sum + s, 0);
  return order > 0 ? sizes.reduce((x, y) => Math.max(x, y), 0) : sizes.reduce((x, y) => Math.min(x, y), Infinity);
}

function rowSums(a: Matrix): Float64Array {
  const sums = new Float64Array(a.rows);
  for (let i = 0; i < a.re.length; i++) sums[Math.floor(i / a.cols)]! += Math.hypot(a.re[i]!, imAt(a, i));
  return sums;
}

/** The norm of A times the norm of its inverse; Infinity if A is singular. Orders 2 and -2 serve any m x n matrix. */
export function cond(a: Matrix, order: MatrixNorm = 2): number {
  if (order === 2 || order === -2) {
    const { s } = svd(a, "values");
    if (s.length === 0) return 0;
    const ratio = order === 2 ? s[0]! / s[s.length - 1]! : s[s.length - 1]! / s[0]!;
    return Number.isNaN(ratio) && !Number.isNaN(s[0]!) ? Infinity : ratio;
  }
  const { x, info } = inverse(a);
  return info === 0 ? matrixNorm(a, order) * matrixNorm(x, order) : Infinity;
}

/** How many singular values (with `hermitian`, absolute eigenvalues of the lower triangle) lie above max(atol, rtol * largest). */
export function matrixRank(a: Matrix, atol: number, rtol: number, hermitian = false): number {
  const sizes = hermitian ? eigh(a, false, false).values.map(Math.abs) : svd(a, "values").s;
  const bound = Math.max(atol, rtol * sizes.reduce((x, y) => Math.max(x, y), 0));
  return sizes.reduce((count, s) => (s > bound ? count + 1 : count), 0);
}
