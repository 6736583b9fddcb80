/**
 * Products of Householder reflections as blocks (Schreiber and Van Loan, A Storage-Efficient WY Representation): H_0 H_1 ... = I - V T V^H,
 * where column k of V is the vector of H_k = I - tau_k v_k v_k^H and T is an upper triangle. Here the vectors are the rows u_k = v_k^H of U.
 */
import { type Block, clear, copyBlock, elementsOf, part, rowsOf, turned, withBlocks } from "./block.ts";
import { addProduct, setProduct } from "./block-product.ts";
import { type Complex, imAt, put } from "./rows.ts";

/** The number of reflections in a block. */
export const reflectionsTogether = 32;

/** Writes T of the reflections with rows U and columns V to `t`. */
function triangleOf(u: Block, v: Block, taus: readonly Complex[], t: Block): void {
  const count = taus.length;
  withBlocks([[count, count, u.im >= 0]], (square) => {
    setProduct(square, u, v);
    clear(t);
    const [products, rows] = [rowsOf(square), rowsOf(t)];
    // Column j of T is -tau_j T (V^H v_j) above the diagonal.
    for (let j = 0; j < count; j++) {
      const tau = taus[j]!;
      for (let i = 0; i < j; i++) {
        let re = 0;
        let im = 0;
        for (let k = i; k < j; k++) {
          const left = i * rows.cols + k;
          const right = k * products.cols + j;
          re += rows.re[left]! * products.re[right]! - imAt(rows, left) * imAt(products, right);
          im += rows.re[left]! * imAt(products, right) + imAt(rows, left) * products.re[right]!;
        }
        put(rows, i * rows.cols + j, tau.im * im - tau.re * re, -tau.re * im - tau.im * re);
      }
      put(rows, j * rows.cols + j, tau.re, tau.im);
    }
  });
}

/** X = X (H_0 H_1 ...)^H for the reflections with rows U, or X = X H_0 H_1 ... if `adjointed` is false. */
function reflectBlock(x: Block, u: Block, taus: readonly Complex[], adjointed: boolean): void {
  const count = taus.length;
  const complex = x.im >= 0;
  withBlocks(
    [
      [count, count, u.im >= 0],
      [u.cols, count, u.im >= 0],
      [x.rows, count, complex],
      [x.rows, count, complex],
    ],
    (t, v, products, factors) => {
      // A copy, because products read the rows of their right factor.
      copyBlock(v, turned(u));
      triangleOf(u, v, taus, t);
      setProduct(products, x, v);
      setProduct(factors, products, adjointed ? turned(t) : t);
      addProduct(x, factors, u, -1);
    },
  );
}

/**
 * X = X (H_0 H_1 ...)^H, or X = X H_0 H_1 ... if `adjointed` is false, in place. `rowAt(k)` returns row k of the vectors as a 1 x n block,
 * whose elements before k + shift are not read, and whose element there is taken as 1. With `stairs`, rows and columns of X before
 * k + shift are those of an identity, until reflection k is applied.
 */
export function applyReflections(
  x: Block,
  rowAt: (k: number) => Block,
  taus: readonly Complex[],
  shift: number,
  adjointed: boolean,
  stairs = false,
): void {
  const n = x.cols;
  const blocks = Math.ceil(taus.length / reflectionsTogether);
  for (let step = 0; step < blocks; step++) {
    const from = reflectionsTogether * (adjointed ? blocks - 1 - step : step);
    const to = Math.min(taus.length, from + reflectionsTogether);
    const left = from + shift;
    withBlocks([[to - from, n - left, rowAt(from).im >= 0]], (u) => {
      for (let k = from; k < to; k++) takeVector(u, k - from, part(rowAt(k), 0, 1, left, n), k - from);
      reflectBlock(part(x, stairs ? left : 0, x.rows, left, n), u, taus.slice(from, to), adjointed);
    });
  }
}

/** Copies a vector to row k of `u`, with zeros before element `first` and a one there. */
function takeVector(u: Block, k: number, vector: Block, first: number): void {
  const row = part(u, k, k + 1, 0, u.cols);
  clear(part(row, 0, 1, 0, first));
  copyBlock(part(row, 0, 1, first, u.cols), part(vector, 0, 1, first, u.cols));
  const all = elementsOf(u);
  all[row.re + first] = 1;
  if (u.im >= 0) all[row.im + first] = 0;
}
