/**
 * The reduction of a Hermitian matrix to a real tridiagonal one by Householder reflections, and the product of a matrix with all of them.
 *
 * A large matrix is reduced in panels, as in LAPACK's latrd: the reflections of a panel are formed from products with the matrix as it
 * was before the panel, corrected by the vectors so far, and the rest of the matrix is updated by one product at the end of the panel.
 * All loops and products run over rows: row k is the conjugate of column k.
 */
import { type Block, blockedSize, copyBlock, part, rowsOf, turned, withBlocks } from "./block.ts";
import { addProduct, setProduct } from "./block-product.ts";
import { type Matrix, zeros } from "./matrix.ts";
import { makeReflection } from "./reflector.ts";
import { addRow, type Complex, dotIm, dotRe, imAt, put } from "./rows.ts";

/** A real tridiagonal matrix: n elements of the diagonal, and n - 1 beside it, followed by a 0. */
export interface Tridiagonal {
  readonly diagonal: Float64Array;
  readonly offDiagonal: Float64Array;
}

const panelRows = 16;

/** Reduces a block in place; row k, from column k + 1 on, keeps the vector of reflection k. Returns the tau of each. */
export function tridiagonalizeBlock(a: Block, t: Tridiagonal): Complex[] {
  const n = a.rows;
  const taus: Complex[] = [];
  let k = 0;
  withBlocks([[3 * panelRows, n, a.im >= 0]], (panel) => {
    for (; n - k > blockedSize; k += panelRows) {
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

/** Forms the reflections of rows k0 ... and, as rows of `panel`, their vectors u and the vectors y: the matrix minus u^H y + y^H u is the reflected one. */
function reducePanel(
  a: Block,
  k0: number,
  panel: Block,
  { diagonal, offDiagonal }: Tridiagonal,
  taus: Complex[],
): void {
  const n = a.rows;
  for (let j = 0; j < panelRows; j++) {
    const k = k0 + j;
    let [rows, vectors] = [rowsOf(a), rowsOf(panel)];
    for (let i = 0; i < j; i++) {
      const [u, y] = [i, panelRows + i];
      addRow(rows, k, vectors, y, -vectors.re[u * vectors.cols + k]!, imAt(vectors, u * vectors.cols + k), k, n);
      addRow(rows, k, vectors, u, -vectors.re[y * vectors.cols + k]!, imAt(vectors, y * vectors.cols + k), k, n);
    }
    diagonal[k] = rows.re[k * rows.cols + k]!;
    const reflection = makeReflection(rows, k, k + 1, n);
    offDiagonal[k] = reflection.beta;
    // Row k is the conjugate of column k, so its reflection from the right has the conjugate tau.
    const tau = { re: reflection.tau.re, im: -reflection.tau.im };
    taus.push(tau);
    const [uRow, yRow] = [j, panelRows + j];
    const u = part(panel, uRow, uRow + 1, k + 1, n);
    copyBlock(u, part(a, k, k + 1, k + 1, n));
    const y = part(panel, yRow, yRow + 1, k + 1, n);
    setProduct(y, u, part(a, k + 1, n, k + 1, n));
    [rows, vectors] = [rowsOf(a), rowsOf(panel)];
    for (let i = 0; i < j; i++) {
      const uu = dotOf(vectors, uRow, i, k + 1, n);
      const uy = dotOf(vectors, uRow, panelRows + i, k + 1, n);
      addRow(vectors, yRow, vectors, panelRows + i, -uu.re, -uu.im, k + 1, n);
      addRow(vectors, yRow, vectors, i, -uy.re, -uy.im, k + 1, n);
    }
    finishVector(vectors, yRow, vectors, uRow, tau, k + 1, n);
  }
}

function dotOf(x: Matrix, i: number, k: number, from: number, to: number): Complex {
  return { re: dotRe(x, i, x, k, from, to), im: x.im === null ? 0 : dotIm(x, i, x, k, from, to) };
}

/** y = conj(tau) y - (|tau|^2 y u^H / 2) u, where y holds u A and y u^H is real. */
function finishVector(y: Matrix, yRow: number, u: Matrix, uRow: number, tau: Complex, from: number, to: number): void {
  const form = dotRe(y, yRow, u, uRow, from, to);
  for (let at = yRow * y.cols + from; at < yRow * y.cols + to; at++) {
    const [re, im] = [y.re[at]!, imAt(y, at)];
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
