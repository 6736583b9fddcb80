/**
 * Triangular systems by substitution over rows, in halves that are joined by a product if they are large; transposed forms and
 * systems from the right are reduced to it by transposing. A zero on the diagonal gives infinities, as in LAPACK; nothing is checked.
 */
import { type Block, blockedSize, halfOf, load, part, rowsOf, unload, withBlocks } from "./block.ts";
import { addProduct } from "./block-product.ts";
import { adjoint, corner, type Matrix } from "./matrix.ts";
import { addRows, divideRow, imAt } from "./rows.ts";

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

/** Solves A X = B, where X may take the place of B. */
export function substitute(a: Matrix, b: Matrix, upper: boolean, unit: boolean): Matrix {
  const size = Math.min(a.cols, b.rows);
  if (size < blockedSize || b.cols === 0) {
    substituteRows(a, b, size, b.cols, upper, unit);
    return b;
  }
  return withBlocks(
    [
      [size, size, a.im !== null],
      [size, b.cols, b.im !== null],
    ],
    (triangle, x) => {
      load(triangle, corner(a, size, size));
      load(x, b);
      substituteBlock(triangle, x, upper, unit);
      return unload(x);
    },
  );
}

/** Solves A X = B for the first `size` rows and `width` columns of B, in place. */
function substituteRows(a: Matrix, b: Matrix, size: number, width: number, upper: boolean, unit: boolean): void {
  const n = a.cols;
  for (let step = 0; step < size; step++) {
    const i = upper ? size - 1 - step : step;
    const to = upper ? size : i;
    const from = upper ? i + 1 : 0;
    subtractRows(b, i, a, i * n + from, from, to - from, width);
    if (!unit) divideRow(b, i, a.re[i * n + i]!, imAt(a, i * n + i), 0, width);
  }
}

/** b[i] -= the sum of rows `from` ... of b times the elements of `a` from an index on. */
function subtractRows(b: Matrix, i: number, a: Matrix, at: number, from: number, count: number, width: number): void {
  const { cols, re, im } = b;
  const [to, first] = [i * cols, from * cols];
  addRows(re, to, a.re, at, 1, re, first, cols, count, width, -1);
  if (im !== null) addRows(im, to, a.re, at, 1, im, first, cols, count, width, -1);
  if (a.im === null || im === null) return;
  addRows(re, to, a.im, at, 1, im, first, cols, count, width, 1);
  addRows(im, to, a.im, at, 1, re, first, cols, count, width, -1);
}

/** Solves A X = B in place of B. */
export function substituteBlock(a: Block, b: Block, upper: boolean, unit: boolean): void {
  const n = a.rows;
  if (n <= 16) {
    substituteRows(rowsOf(a), rowsOf(b), n, b.cols, upper, unit);
    return;
  }
  const half = halfOf(n);
  const halves = [
    { from: 0, to: half },
    { from: half, to: n },
  ] as const;
  const [first, last] = upper ? [halves[1], halves[0]] : halves;
  const rows = ({ from, to }: { from: number; to: number }): Block => part(b, from, to, 0, b.cols);
  substituteBlock(part(a, first.from, first.to, first.from, first.to), rows(first), upper, unit);
  addProduct(rows(last), part(a, last.from, last.to, first.from, first.to), rows(first), -1);
  substituteBlock(part(a, last.from, last.to, last.from, last.to), rows(last), upper, unit);
}

/** Computes the inverse of a lower triangle with ones on the diagonal in `x`, which holds an identity. */
export function invertUnitLower(a: Block, x: Block): void {
  const n = a.rows;
  if (n <= 16) {
    substituteBlock(a, x, false, true);
    return;
  }
  const half = halfOf(n);
  const corner = part(x, 0, half, 0, half);
  const below = part(x, half, n, 0, half);
  const last = part(a, half, n, half, n);
  invertUnitLower(part(a, 0, half, 0, half), corner);
  addProduct(below, part(a, half, n, 0, half), corner, -1);
  substituteBlock(last, below, false, true);
  invertUnitLower(last, part(x, half, n, half, n));
}
