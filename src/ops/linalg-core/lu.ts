/**
 * LU factorization with partial pivoting, A = P L U, and linear systems, inverses and determinants from it.
 * Factors are packed as in LAPACK's getrf: L below the diagonal (without its ones), U on and above it.
 * `info` is 0, or the order of the first pivot that is exactly zero; nothing throws.
 */
import { adjoint, corner, identity, type Matrix, takeRows, triangle } from "./matrix.ts";
import { addRow, type Complex, divide, imAt, put, swapRows, times } from "./rows.ts";
import { substitute } from "./triangular.ts";

/** A packed factorization; step i swapped rows i and pivots[i] - 1. */
interface Lu {
  readonly lu: Matrix;
  readonly pivots: Int32Array;
  readonly info: number;
}

/** Returns the packed LU factors of any m x n matrix. */
export function luFactor(a: Matrix): Lu {
  const lu = corner(a);
  const { rows, cols: n, re } = lu;
  const pivots = new Int32Array(Math.min(rows, n));
  let info = 0;
  for (let j = 0; j < pivots.length; j++) {
    let pivot = j;
    let most = -1;
    for (let i = j; i < rows; i++) {
      const size = Math.abs(re[i * n + j]!) + Math.abs(imAt(lu, i * n + j));
      if (size > most) {
        most = size;
        pivot = i;
      }
    }
    pivots[j] = pivot + 1;
    swapRows(lu, j, pivot);
    if (most === 0) {
      if (info === 0) info = j + 1;
      continue;
    }
    const at = j * n + j;
    for (let i = j + 1; i < rows; i++) {
      const f = divide(re[i * n + j]!, imAt(lu, i * n + j), re[at]!, imAt(lu, at));
      put(lu, i * n + j, f.re, f.im);
      addRow(lu, i, lu, j, -f.re, -f.im, j + 1, n);
    }
  }
  return { lu, pivots, info };
}

/** Returns the order of the rows 0 ... rows - 1 after the swaps of the pivots. */
function pivotOrder(pivots: ArrayLike<number>, rows: number): Int32Array {
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  for (let i = 0; i < pivots.length; i++) {
    const p = pivots[i]! - 1;
    const row = order[i]!;
    order[i] = order[p]!;
    order[p] = row;
  }
  return order;
}

/** Returns P, L and U with A = P L U; L is m x k and U is k x n, k = min(m, n). */
export function luUnpack(lu: Matrix, pivots: ArrayLike<number>): { p: Matrix; l: Matrix; u: Matrix } {
  const { rows, cols } = lu;
  const k = Math.min(rows, cols);
  const l = triangle(corner(lu, rows, k), false);
  for (let i = 0; i < k; i++) put(l, i * k + i, 1, 0);
  const p = adjoint(takeRows(identity(rows, rows, false), pivotOrder(pivots, rows)));
  return { p, l, u: triangle(corner(lu, k, cols), true) };
}

/** Solves A X = B from the factors of A; with `adjointed` A^H X = B, without `left` X A = B. */
export function luSolve(lu: Matrix, pivots: ArrayLike<number>, b: Matrix, left = true, adjointed = false): Matrix {
  if (!left) return adjoint(luSolve(lu, pivots, adjoint(b), true, !adjointed));
  const order = pivotOrder(pivots, lu.rows);
  if (!adjointed) return substitute(lu, substitute(lu, takeRows(b, order), false, true), true, false);
  const transposed = adjoint(lu);
  const x = substitute(transposed, substitute(transposed, corner(b), false, false), true, true);
  const back = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) back[order[i]!] = i;
  return takeRows(x, back);
}

/** Solves A X = B, or X A = B without `left`; the result is defined only if info is 0. */
export function solve(a: Matrix, b: Matrix, left = true): { x: Matrix; info: number } {
  const { lu, pivots, info } = luFactor(a);
  return { x: luSolve(lu, pivots, b, left), info };
}

/** Returns the inverse, which is defined only if info is 0. */
export function inverse(a: Matrix): { x: Matrix; info: number } {
  return solve(a, identity(a.rows, a.rows, a.im !== null));
}

/** Returns the determinant as sign * e^logabs: sign has absolute value 1, or is 0 with logabs -Infinity. */
export function slogdet(a: Matrix): { sign: Complex; logabs: number } {
  let sign: Complex = { re: 1, im: 0 };
  let logabs = 0;
  eachPivot(a, (re, im) => {
    const size = im === 0 ? Math.abs(re) : Math.hypot(re, im);
    sign = size === 0 ? { re: 0, im: 0 } : times(sign.re, sign.im, re / size, im / size);
    logabs += Math.log(size);
  });
  return { sign, logabs };
}

/** Returns the determinant. */
export function determinant(a: Matrix): Complex {
  let product: Complex = { re: 1, im: 0 };
  eachPivot(a, (re, im) => {
    product = times(product.re, product.im, re, im);
  });
  return product;
}

/** Calls back for each diagonal element of U, times -1 for a swap of rows. */
function eachPivot(a: Matrix, call: (re: number, im: number) => void): void {
  const { lu, pivots } = luFactor(a);
  for (let i = 0; i < pivots.length; i++) {
    const flip = pivots[i] === i + 1 ? 1 : -1;
    call(flip * lu.re[i * lu.cols + i]!, flip * imAt(lu, i * lu.cols + i));
  }
}
