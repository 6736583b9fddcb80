/**
 * Triangular systems by substitution over rows; transposed forms and systems from the right are reduced to it by transposing.
 * A zero on the diagonal gives infinities, as in LAPACK; nothing is checked.
 */
import { adjoint, corner, type Matrix } from "./matrix.ts";
import { addRow, divideRow, imAt } from "./rows.ts";

/** The triangle that is read, and the form of the system. */
interface TriangularForm {
  readonly upper: boolean;
  /** The diagonal is taken as ones and not read. */
  readonly unit?: boolean;
  /** A^T ("transpose") or A^H ("adjoint") in place of A. */
  readonly form?: "plain" | "transpose" | "adjoint";
  /** If false, the system is X A = B. */
  readonly left?: boolean;
}

/** Solves op(A) X = B, or X op(A) = B; only one triangle of A is read. */
export function triangularSolve(
  a: Matrix,
  b: Matrix,
  { upper, unit = false, form = "plain", left = true }: TriangularForm,
): Matrix {
  if (!left) {
    // X A = B is A^T X^T = B^T, and X A^H = B is A X^H = B^H.
    const conjugate = form === "adjoint";
    const next = form === "plain" ? "transpose" : "plain";
    return adjoint(triangularSolve(a, adjoint(b, conjugate), { upper, unit, form: next }), conjugate);
  }
  if (form !== "plain") return substitute(adjoint(a, form === "adjoint"), corner(b), !upper, unit);
  return substitute(a, corner(b), upper, unit);
}

/** Solves A X = B in place of B. */
export function substitute(a: Matrix, b: Matrix, upper: boolean, unit: boolean): Matrix {
  const n = a.cols;
  const size = Math.min(n, b.rows);
  for (let step = 0; step < size; step++) {
    const i = upper ? size - 1 - step : step;
    const to = upper ? size : i;
    for (let k = upper ? i + 1 : 0; k < to; k++) addRow(b, i, b, k, -a.re[i * n + k]!, -imAt(a, i * n + k), 0, b.cols);
    if (!unit) divideRow(b, i, a.re[i * n + i]!, imAt(a, i * n + i), 0, b.cols);
  }
  return b;
}
