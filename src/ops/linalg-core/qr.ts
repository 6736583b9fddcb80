/**
 * QR factorization by Householder reflections, packed and with signs as in LAPACK's geqrf:
 * R on and above the diagonal, the vectors below it (their first element, 1, is not stored), and tau separately.
 */
import { listOf } from "../../base/list-of.ts";
import { type Block, blockedSize, halfOf, load, part, rowsOf, turned, unload, withBlocks } from "./block.ts";
import { adjoint, corner, identity, type Matrix, triangle, zeros } from "./matrix.ts";
import { conj, makeReflection, reflectColumns, reflectRows, takeColumn } from "./reflector.ts";
import { applyReflections } from "./reflector-block.ts";
import { type Complex, imAt, put } from "./rows.ts";

/** A packed factorization; tau is one row. */
export interface PackedQr {
  readonly packed: Matrix;
  readonly tau: Matrix;
}

/** Returns the packed QR factors of any m x n matrix. */
export function qrFactor(a: Matrix): PackedQr {
  const { rows, cols } = a;
  const complex = a.im !== null;
  const tau = zeros(1, Math.min(rows, cols), complex);
  const taus: Complex[] = [];
  // The columns of A are the rows of its adjoint, which the reflections multiply from the right.
  const columns = adjoint(a);
  let packed = columns;
  if (tau.cols < blockedSize) reflectPanel(columns, 0, tau.cols, cols, rows, taus);
  else
    packed = withBlocks([[cols, rows, complex]], (block) => {
      load(block, columns);
      factorRows(block, 0, tau.cols, taus);
      if (cols > tau.cols) reflectRest(block, 0, tau.cols, cols, taus);
      return unload(block);
    });
  for (const [k, { re, im }] of taus.entries()) put(tau, k, re, im);
  return { packed: adjoint(packed), tau };
}

/** Factors rows from <= k < to of the adjoint: the first half, its reflections of the second half, the second half. */
function factorRows(a: Block, from: number, to: number, taus: Complex[]): void {
  if (to - from <= 8) {
    reflectPanel(rowsOf(a), from, to, to, a.cols, taus);
    return;
  }
  const middle = from + halfOf(to - from);
  factorRows(a, from, middle, taus);
  reflectRest(a, from, middle, to, taus);
  factorRows(a, middle, to, taus);
}

/** Applies the reflections of rows from <= k < middle to rows middle <= i < to. */
function reflectRest(a: Block, from: number, middle: number, to: number, taus: readonly Complex[]): void {
  const n = a.cols;
  const rowAt = (k: number): Block => part(a, from + k, from + k + 1, from, n);
  applyReflections(part(a, middle, to, from, n), rowAt, taus.slice(from, middle), 0, false);
}

/** Forms the reflections of rows from <= k < to, of `width` elements, and applies them to the following rows before `end`. */
function reflectPanel(a: Matrix, from: number, to: number, end: number, width: number, taus: Complex[]): void {
  for (let k = from; k < to; k++) {
    const { beta, tau } = makeReflection(a, k, k, width);
    // Row k is the conjugate of a column, so its reflection from the right has the conjugate tau.
    taus.push(conj(tau));
    reflectColumns(a, k + 1, end, a, k, k, width, conj(tau));
    put(a, k * a.cols + k, beta, 0);
  }
}

/** Returns Q C for the m x m matrix Q of packed reflections; with `adjointed` Q^H C, without `left` C Q. */
export function applyQ(factors: PackedQr, c: Matrix, left = true, adjointed = false): Matrix {
  if (!left) return adjoint(applyQ(factors, adjoint(c), true, !adjointed));
  return reflectAll(factors, corner(c), adjointed, false);
}

/** Returns Q C, or Q^H C if `adjointed`, where C may be overwritten. With `stairs`, C is an identity, and reflection k changes no column before k. */
function reflectAll({ packed, tau }: PackedQr, c: Matrix, adjointed: boolean, stairs: boolean): Matrix {
  if (tau.cols >= blockedSize && c.cols > 0) return reflectBlocks({ packed, tau }, c, adjointed, stairs);
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

/** The same for a large matrix, in the heap: (Q C)^H = C^H Q^H. */
function reflectBlocks({ packed, tau }: PackedQr, c: Matrix, adjointed: boolean, stairs: boolean): Matrix {
  const m = packed.rows;
  const taus = listOf(tau.cols, (k) => ({ re: tau.re[k]!, im: imAt(tau, k) }));
  return withBlocks(
    [
      [m, tau.cols, packed.im !== null],
      [m, c.cols, c.im !== null],
    ],
    (vectors, block) => {
      load(vectors, corner(packed, m, tau.cols));
      load(block, c);
      applyReflections(turned(block), (k) => turned(part(vectors, 0, m, k, k + 1)), taus, 0, !adjointed, stairs);
      return unload(block);
    },
  );
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
