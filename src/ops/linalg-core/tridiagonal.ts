/**
 * The reduction of a Hermitian matrix to a real tridiagonal one by Householder reflections, and the product of a matrix with all of them.
 *
 * A large matrix is reduced in panels, as in LAPACK's latrd: the reflections of a panel are formed from products with the matrix as it
 * was before the panel, corrected by the vectors so far, and the rest of the matrix is updated by one product at the end of the panel.
 * All loops and products run over rows: row k is the conjugate of column k.
 */
import { type Block, copyBlock, part, restSize, rowsOf, turned, withBlocks } from "./block.ts";
import { addProduct, setProduct } from "./block-product.ts";
import { type Matrix, zeros } from "./matrix.ts";
import { makeReflection } from "./reflector.ts";
import { addRow, type Complex, dotIm, dotRe, imAt, put } from "./rows.ts";

/** A real tridiagonal matrix: n elements of the diagonal, and n - 1 next to it, followed by a 0. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly offDiagonal: Float64Array;
}

const panelRows = 8;

/** Reduces a block in place; row k, from column k + 1 on, keeps the vector of reflection k. Returns the tau of each. */
export function tridiagonalizeBlock(a: Block, t: Tridiagonal): Complex[] {
  const n = a.rows;
  const taus: Complex[] = [];
  let k = 0;
  withBlocks([[3 * panelRows, n, a.im >= 0]], (panel) => {
    for (; n - k > restSize; k += panelRows) {
      reducePanel(a, k, panel, t, taus);
      const end = k + panelRows;
      copyBlock(part(panel, 2 * panelRows, 3 * panelRows, end, n), part(panel, 0, panelRows, end, n));
      const vectors = part(panel, 0, 2 * panelRows, end, n);
      addProduct(part(a, end, n, end, n), turned(vectors), part(panel, panelRows, 3 * panelRows, end, n), -1);
    }
  });
  tridiagonalize(rowsOf(a), k, t, taus);
  return taus;
}

/**
 * Forms the reflections of rows k0 ..., and their vectors u and the vectors y as rows of `panel`: the reflected matrix is the one before the
 * panel minus the sum of u^H y + y^H u.
 */
function reducePanel(
  a: Block,
  k0: number,
  panel: Block,
  { diagonal, offDiagonal }: Tridiagonal,
  taus: Complex[],
): void {
  const n = a.rows;
  withBlocks([[2, panelRows, a.im >= 0]], (dots) => {
    for (let j = 0; j < panelRows; j++) {
      const k = k0 + j;
      const us = (from: number): Block => part(panel, 0, j, from, n);
      const ys = (from: number): Block => part(panel, panelRows, panelRows + j, from, n);
      const own = part(a, k, k + 1, k, n);
      addProduct(own, turned(part(panel, 0, j, k, k + 1)), ys(k), -1);
      addProduct(own, turned(part(panel, panelRows, panelRows + j, k, k + 1)), us(k), -1);
      const rows = rowsOf(a);
      diagonal[k] = rows.re[k * rows.cols + k]!;
      const reflection = makeReflection(rows, k, k + 1, n);
      offDiagonal[k] = reflection.beta;
      // Row k is the conjugate of column k, so its reflection from the right has the conjugate tau.
      const tau = { re: reflection.tau.re, im: -reflection.tau.im };
      taus.push(tau);
      const u = part(panel, j, j + 1, k + 1, n);
      copyBlock(u, part(a, k, k + 1, k + 1, n));
      const y = part(panel, panelRows + j, panelRows + j + 1, k + 1, n);
      setProduct(y, u, part(a, k + 1, n, k + 1, n));
      const [uu, uy] = [part(dots, 0, 1, 0, j), part(dots, 1, 2, 0, j)];
      setProduct(uu, u, turned(us(k + 1)));
      setProduct(uy, u, turned(ys(k + 1)));
      addProduct(y, uu, ys(k + 1), -1);
      addProduct(y, uy, us(k + 1), -1);
      const vectors = rowsOf(panel);
      finishVector(vectors, panelRows + j, vectors, j, tau, k + 1, n);
    }
  });
}

/** y = conj(tau) y - (|tau|^2 y u^H / 2) u, where y holds u A and y u^H is real. */
function finishVector(y: Matrix, yRow: number, u: Matrix, uRow: number, tau: Complex, from: number, to: number): void {
  const form = dotRe(y, yRow, u, uRow, from, to);
  for (let at = yRow * y.cols + from; at < yRow * y.cols + to; at++) {
    const re = y.re[at]!;
    const im = imAt(y, at);
    put(y, at, tau.re * re + tau.im * im, tau.re * im - tau.im * re);
  }
  addRow(y, yRow, u, uRow, (-(tau.re * tau.re + tau.im * tau.im) * form) / 2, 0, from, to);
}

/** Reduces rows k0 ... of `a`, whose rows have `t.diagonal.length` elements, in place. Row k, from column k + 1 on, keeps the vector of reflection k. */
export function tridiagonalize(a: Matrix, k0: number, { diagonal, offDiagonal }: Tridiagonal, taus: Complex[]): void {
  const n = diagonal.length;
  const stride = a.cols;
  const y = zeros(1, n, a.im !== null);
  for (let k = k0; k < n; k++) {
    diagonal[k] = a.re[k * stride + k]!;
    if (k === n - 1) break;
    const reflection = makeReflection(a, k, k + 1, n);
    const tau = { re: reflection.tau.re, im: -reflection.tau.im };
    offDiagonal[k] = reflection.beta;
    taus.push(tau);
    if (tau.re === 0 && tau.im === 0) continue;
    for (let i = k + 1; i < n; i++)
      put(y, i, dotRe(a, i, a, k, k + 1, n), a.im === null ? 0 : 0 - dotIm(a, i, a, k, k + 1, n));
    finishVector(y, 0, a, k, tau, k + 1, n);
    for (let i = k + 1; i < n; i++) {
      addRow(a, i, a, k, -y.re[i]!, imAt(y, i), k + 1, n);
      addRow(a, i, y, 0, -a.re[k * stride + i]!, imAt(a, k * stride + i), k + 1, n);
    }
  }
}
