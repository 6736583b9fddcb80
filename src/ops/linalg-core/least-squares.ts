/**
 * Least squares and the pseudoinverse, from the singular value decomposition or the eigenvalues of a Hermitian matrix. Singular
 * values up to max(atol, rtol * largest) are treated as zero.
 */
import { eigh } from "./eigh.ts";
import { adjoint, corner, type Matrix, takeRows } from "./matrix.ts";
import { multiply } from "./power.ts";
import { addRow, divideRow, dotRe } from "./rows.ts";
import { svd } from "./svd.ts";

/** The solution of smallest norm, the sum of squared residuals for each column of B, the rank, and the singular values. */
interface LeastSquares {
  readonly x: Matrix;
  readonly residuals: Float64Array;
  readonly rank: number;
  readonly s: Float64Array;
  readonly info: number;
}

/** Returns the X of smallest norm among those that minimize |A X - B|. */
export function lstsq(a: Matrix, b: Matrix, rtol: number): LeastSquares {
  const { u, s, vh, info } = svd(a);
  const rank = countAbove(s, 0, rtol);
  const x = multiplyInverse(u!, s, vh!, rank, b);
  const rest = multiply(a, x);
  for (let i = 0; i < b.rows; i++) addRow(rest, i, b, i, -1, 0, 0, b.cols);
  const columns = adjoint(rest);
  const residuals = Float64Array.from({ length: b.cols }, (_, j) => dotRe(columns, j, columns, j, 0, b.rows));
  return { x, residuals, rank, s, info };
}

/** V diag(1 / s) U^H B over the first `rank` singular values. */
function multiplyInverse(u: Matrix, s: Float64Array, vh: Matrix, rank: number, b: Matrix | null): Matrix {
  const uh = adjoint(corner(u, u.rows, rank));
  const inner = b === null ? uh : multiply(uh, b);
  for (let k = 0; k < rank; k++) divideRow(inner, k, s[k]!, 0, 0, inner.cols);
  return multiply(adjoint(corner(vh, rank, vh.cols)), inner);
}

function countAbove(s: Float64Array, atol: number, rtol: number): number {
  const bound = Math.max(atol, rtol * (s[0] ?? 0));
  let count = 0;
  while (count < s.length && s[count]! > bound) count++;
  return count;
}

/** Returns the Moore-Penrose inverse; with `hermitian`, only the lower triangle is read. */
export function pseudoInverse(a: Matrix, atol: number, rtol: number, hermitian = false): { x: Matrix; info: number } {
  if (!hermitian) {
    const { u, s, vh, info } = svd(a);
    return { x: multiplyInverse(u!, s, vh!, countAbove(s, atol, rtol), null), info };
  }
  const { values, vectors, info } = eigh(a);
  const order = Array.from(values.keys()).sort((i, j) => Math.abs(values[j]!) - Math.abs(values[i]!));
  const vh = takeRows(adjoint(vectors!), order);
  const sorted = Float64Array.from(order, (i) => values[i]!);
  return { x: multiplyInverse(adjoint(vh), sorted, vh, countAbove(sorted.map(Math.abs), atol, rtol), null), info };
}
