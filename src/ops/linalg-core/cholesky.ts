/**
 * The Cholesky factorization of a Hermitian positive-definite matrix: A = L L^H, or U^H U with `upper`.
 * Only that triangle is read. `info` is 0, or the order of the first leading minor that is not positive.
 */
import { type Block, blockedSize, halfOf, load, part, rowsOf, turned, unload, withBlocks } from "./block.ts";
import { addProduct } from "./block-product.ts";
import { adjoint, identity, type Matrix, triangle } from "./matrix.ts";
import { divide, dotIm, dotRe, imAt, put } from "./rows.ts";
import { triangularSolve } from "./triangular.ts";

/** Returns the factor, with zeros in its other triangle. If info is not 0, rows from `info` on are undefined. */
export function cholesky(a: Matrix, upper = false): { factor: Matrix; info: number } {
  const lower = triangle(upper ? adjoint(a) : a, false);
  const { l, info } = factorLower(lower);
  return { factor: upper ? adjoint(l) : l, info };
}

function factorLower(l: Matrix): { l: Matrix; info: number } {
  const n = l.cols;
  // The loops are half those of LU, and so are the products.
  if (n < 2 * blockedSize) return { l, info: factorRows(l, n) };
  return withBlocks([[n, n, l.im !== null]], (block) => {
    load(block, l);
    const info = factorBlock(block);
    return { l: triangle(unload(block), false), info };
  });
}

/** Factors the first n rows in place, reading and writing the lower triangle. */
function factorRows(l: Matrix, n: number): number {
  for (let i = 0; i < n; i++) {
    divideByFactor(l, i, l, i);
    const at = i * l.cols + i;
    const square = l.re[at]! - dotRe(l, i, l, i, 0, i);
    if (!(square > 0)) return i + 1;
    put(l, at, Math.sqrt(square), 0);
  }
  return 0;
}

/** Solves y L^H = x for the first n elements of row i of `x`, in place. */
function divideByFactor(x: Matrix, i: number, l: Matrix, n: number): void {
  for (let j = 0; j < n; j++) {
    const at = i * x.cols + j;
    const re = x.re[at]! - dotRe(x, i, l, j, 0, j);
    const im = imAt(x, at) - (x.im === null ? 0 : dotIm(x, i, l, j, 0, j));
    const f = divide(re, im, l.re[j * l.cols + j]!, 0);
    put(x, at, f.re, f.im);
  }
}

/** Factors a block in place; its upper triangle is undefined afterward. */
function factorBlock(a: Block): number {
  const n = a.rows;
  if (n <= 16) return factorRows(rowsOf(a), n);
  const half = halfOf(n);
  const first = part(a, 0, half, 0, half);
  const below = part(a, half, n, 0, half);
  const last = part(a, half, n, half, n);
  const info = factorBlock(first);
  if (info !== 0) return info;
  divideBlock(below, first);
  subtractSquare(last, below);
  const rest = factorBlock(last);
  return rest === 0 ? 0 : half + rest;
}

/** X = X L^-H, in place. */
function divideBlock(x: Block, l: Block): void {
  const n = l.rows;
  if (n <= 16) {
    const [rows, factor] = [rowsOf(x), rowsOf(l)];
    for (let i = 0; i < x.rows; i++) divideByFactor(rows, i, factor, n);
    return;
  }
  const half = halfOf(n);
  const [left, right] = [part(x, 0, x.rows, 0, half), part(x, 0, x.rows, half, n)];
  divideBlock(left, part(l, 0, half, 0, half));
  addProduct(right, left, turned(part(l, half, n, 0, half)), -1);
  divideBlock(right, part(l, half, n, half, n));
}

/** The lower triangle of C -= A A^H, and some elements above it. */
function subtractSquare(c: Block, a: Block): void {
  const n = c.rows;
  if (n <= 64) {
    addProduct(c, a, turned(a), -1);
    return;
  }
  const half = halfOf(n);
  const [top, bottom] = [part(a, 0, half, 0, a.cols), part(a, half, n, 0, a.cols)];
  subtractSquare(part(c, 0, half, 0, half), top);
  addProduct(part(c, half, n, 0, half), bottom, turned(top), -1);
  subtractSquare(part(c, half, n, half, n), bottom);
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
