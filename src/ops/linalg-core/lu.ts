/**
 * LU factorization with partial pivoting, A = P L U, and linear systems, inverses and determinants from it.
 * Factors are packed as in LAPACK's getrf: L below the diagonal (without its ones), U on and above it.
 * `info` is 0, or the order of the first pivot that is exactly zero; nothing throws.
 */
import { type Block, blockedSize, clear, elementsOf, halfOf, load, part, rowsOf, unload, withBlocks } from "./block.ts";
import { addProduct } from "./block-product.ts";
import { adjoint, corner, identity, type Matrix, takeRows, triangle, zeros } from "./matrix.ts";
import { addRow, type Complex, divide, imAt, put, swapRows, times } from "./rows.ts";
import { invertUnitLower, substitute, substituteBlock } from "./triangular.ts";

/** A packed factorization; step i swapped rows i and pivots[i] - 1. */
interface Lu {
  readonly lu: Matrix;
  readonly pivots: Int32Array;
  readonly info: number;
}

/** Returns the packed LU factors of any m x n matrix. */
export function luFactor(a: Matrix): Lu {
  const { rows, cols } = a;
  const pivots = new Int32Array(Math.min(rows, cols));
  if (pivots.length < blockedSize) {
    const lu = corner(a);
    return { lu, pivots, info: factorPanel(lu, 0, pivots.length, cols, cols, pivots) };
  }
  return withBlocks([[rows, cols, a.im !== null]], (block) => {
    load(block, a);
    const info = factorBlock(block, pivots);
    return { lu: unload(block), pivots, info };
  });
}

/** Factors a block in place; returns `info`. */
function factorBlock(a: Block, pivots: Int32Array): number {
  const k = pivots.length;
  const info = factorColumns(a, 0, k, pivots);
  if (a.cols > k) substituteBlock(part(a, 0, k, 0, k), part(a, 0, k, k, a.cols), false, true);
  return info;
}

/** Factors columns left <= j < right, from row `left` on: the left half, its product, the right half (Toledo, Locality of Reference in LU). */
function factorColumns(a: Block, left: number, right: number, pivots: Int32Array): number {
  if (right - left <= 8) return factorPanel(rowsOf(a), left, right, right, a.cols, pivots);
  const middle = left + halfOf(right - left);
  const first = factorColumns(a, left, middle, pivots);
  const above = part(a, left, middle, middle, right);
  substituteBlock(part(a, left, middle, left, middle), above, false, true);
  addProduct(part(a, middle, a.rows, middle, right), part(a, middle, a.rows, left, middle), above, -1);
  const second = factorColumns(a, middle, right, pivots);
  return first === 0 ? second : first;
}

/** Factors columns left <= j < right and updates those before `end`; swaps rows of `width` elements. */
function factorPanel(lu: Matrix, left: number, right: number, end: number, width: number, pivots: Int32Array): number {
  const { rows, cols: n, re, im } = lu;
  let info = 0;
  for (let j = left; j < right; j++) {
    let pivot = j;
    let max = -1;
    for (let i = j; i < rows; i++) {
      const size = Math.abs(re[i * n + j]!) + Math.abs(imAt(lu, i * n + j));
      if (size > max) {
        max = size;
        pivot = i;
      }
    }
    pivots[j] = pivot + 1;
    swapRows(lu, j, pivot, 0, width);
    if (max === 0) {
      if (info === 0) info = j + 1;
      continue;
    }
    const at = j * n + j;
    for (let i = j + 1; i < rows; i++) {
      if (im === null) {
        const f = re[i * n + j]! / re[at]!;
        re[i * n + j] = f;
        addRow(lu, i, lu, j, -f, 0, j + 1, end);
      } else {
        const f = divide(re[i * n + j]!, im[i * n + j]!, re[at]!, im[at]!);
        put(lu, i * n + j, f.re, f.im);
        addRow(lu, i, lu, j, -f.re, -f.im, j + 1, end);
      }
    }
  }
  return info;
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
  const n = a.rows;
  const complex = a.im !== null;
  if (!(n >= blockedSize)) return solve(a, identity(n, n, complex));
  const pivots = new Int32Array(n);
  return withBlocks(
    [
      [n, n, complex],
      [n, n, complex],
    ],
    (lu, x) => {
      load(lu, a);
      const info = factorBlock(lu, pivots);
      // A^-1 = U^-1 L^-1 P, and the inverse of L is a triangle.
      clear(x);
      const all = elementsOf(x);
      for (let i = 0; i < n; i++) all[x.re + i * x.row + i] = 1;
      invertUnitLower(lu, x);
      substituteBlock(lu, x, true, false);
      return { x: takeColumns(unload(x), pivotOrder(pivots, n)), info };
    },
  );
}

/** Moves columns: result[., order[j]] = a[., j]. */
function takeColumns(a: Matrix, order: Int32Array): Matrix {
  const { rows, cols } = a;
  const result = zeros(rows, cols, a.im !== null);
  const plane = (to: Float64Array, from: Float64Array): void => {
    for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) to[i * cols + order[j]!] = from[i * cols + j]!;
  };
  plane(result.re, a.re);
  if (a.im !== null) plane(result.im!, a.im);
  return result;
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
