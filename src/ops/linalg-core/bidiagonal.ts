/**
 * The reduction of a matrix with at least as many rows as columns to a real upper bidiagonal one by Householder reflections of columns and
 * rows in turn.
 *
 * A large matrix is reduced in panels, as in LAPACK's labrd: the reflections of a panel are formed from products with the matrix as it was
 * before the panel, corrected by the vectors so far, and the rest of the matrix is updated by one product at the end of the panel.
 */
import { type Block, copyBlock, load, part, restSize, rowsOf, turned, unload, withBlocks } from "./block.ts";
import { addProduct, setProduct } from "./block-product.ts";
import { type Matrix, zeros } from "./matrix.ts";
import { conj, makeReflection, reflectColumnAway, reflectColumns } from "./reflector.ts";
import { type Complex, imAt, put } from "./rows.ts";

/** The diagonal, and the elements right of it, followed by a 0. */
export interface Bidiagonal {
  readonly d: Float64Array;
  readonly e: Float64Array;
}

/** The tau of each reflection, of columns and of rows. */
interface Taus {
  readonly leftTaus: Complex[];
  readonly rightTaus: Complex[];
}

/** Reduces `a` in place; row k of `left` is the vector of the k-th reflection of columns, row k of `a` that of rows. */
export function bidiagonalize(a: Matrix, { d, e }: Bidiagonal): Taus & { left: Matrix } {
  const { rows: m, cols: n } = a;
  const left = zeros(n, m, a.im !== null);
  const work = zeros(1, n, a.im !== null);
  const leftTaus: Complex[] = [];
  const rightTaus: Complex[] = [];
  for (let k = 0; k < n; k++) {
    const column = reflectColumnAway(a, k, k, left, k, work);
    d[k] = column.beta;
    leftTaus.push(column.tau);
    if (k === n - 1) break;
    const row = makeReflection(a, k, k + 1, n);
    e[k] = row.beta;
    rightTaus.push(conj(row.tau));
    reflectColumns(a, k + 1, m, a, k, k + 1, n, conj(row.tau));
  }
  return { left, leftTaus, rightTaus };
}

const panelRows = 8;

/**
 * Reduces a block in place. Row k of `left` (n x m), from column k on, becomes the vector of the k-th reflection of columns; row k of `a`,
 * from column k + 1 on, keeps that of rows.
 */
export function bidiagonalizeBlock(a: Block, left: Block, { d, e }: Bidiagonal): Taus {
  const { rows: m, cols: n } = a;
  const complex = a.im >= 0;
  const taus: Taus = { leftTaus: [], rightTaus: [] };
  let k = 0;
  withBlocks(
    [
      [2 * panelRows, m, complex],
      [2 * panelRows, n, complex],
    ],
    (tall, wide) => {
      for (; n - k > restSize; k += panelRows) {
        reducePanel(a, k, tall, wide, { d, e }, taus);
        const end = k + panelRows;
        copyBlock(part(left, k, end, k, m), { ...part(tall, 0, panelRows, k, m), isConjugate: true });
        addProduct(
          part(a, end, m, end, n),
          turned(part(tall, 0, 2 * panelRows, end, m), false),
          part(wide, 0, 2 * panelRows, end, n),
          -1,
        );
      }
    },
  );
  const corner = part(a, k, m, k, n);
  const rest = unload(corner);
  const last = bidiagonalize(rest, { d: d.subarray(k), e: e.subarray(k) });
  load(corner, rest);
  load(part(left, k, n, k, m), last.left);
  taus.leftTaus.push(...last.leftTaus);
  taus.rightTaus.push(...last.rightTaus);
  return taus;
}

/**
 * Forms the reflections of columns and rows k0 ... The reflected matrix is the one before minus the sum of v y + x u, where v and x are
 * columns, kept as the rows of `tall`, and y and u are the rows of `wide`: first all v and all y, then all x and all u.
 */
function reducePanel(a: Block, k0: number, tall: Block, wide: Block, { d, e }: Bidiagonal, taus: Taus): void {
  const { rows: m, cols: n } = a;
  withBlocks([[1, panelRows, a.im >= 0]], (dots) => {
    // y -= (z V) Y for the first `count` pairs of rows V and Y from row `first` on.
    const subtract = (y: Block, z: Block, of: Block, times: Block, first: number, count: number): void => {
      const products = part(dots, 0, 1, 0, count);
      setProduct(products, z, turned(part(of, first, first + count, of.cols - z.cols, of.cols), false));
      addProduct(y, products, part(times, first, first + count, times.cols - y.cols, times.cols), -1);
    };
    for (let j = 0; j < panelRows; j++) {
      const k = k0 + j;
      const second = panelRows;
      const v = part(tall, j, j + 1, k, m);
      copyBlock(v, turned(part(a, k, m, k, k + 1), false));
      for (const first of [0, second])
        addProduct(v, turned(part(wide, first, first + j, k, k + 1), false), part(tall, first, first + j, k, m), -1);
      const column = makeReflection(rowsOf(tall), j, k, m);
      d[k] = column.beta;
      taus.leftTaus.push(column.tau);
      const y = part(wide, j, j + 1, k + 1, n);
      const vh = { ...v, isConjugate: true };
      setProduct(y, vh, part(a, k, m, k + 1, n));
      for (const first of [0, second]) subtract(y, vh, tall, wide, first, j);
      scaleRow(rowsOf(wide), j, conj(column.tau), k + 1, n);
      const row = part(a, k, k + 1, k + 1, n);
      addProduct(row, turned(part(tall, 0, j + 1, k, k + 1), false), part(wide, 0, j + 1, k + 1, n), -1);
      addProduct(
        row,
        turned(part(tall, second, second + j, k, k + 1), false),
        part(wide, second, second + j, k + 1, n),
        -1,
      );
      const reflection = makeReflection(rowsOf(a), k, k + 1, n);
      e[k] = reflection.beta;
      const tau = conj(reflection.tau);
      taus.rightTaus.push(tau);
      const u = part(wide, second + j, second + j + 1, k + 1, n);
      copyBlock(u, row);
      const x = part(tall, second + j, second + j + 1, k + 1, m);
      const uh = { ...u, isConjugate: true };
      setProduct(x, uh, turned(part(a, k + 1, m, k + 1, n), false));
      subtract(x, uh, wide, tall, 0, j + 1);
      subtract(x, uh, wide, tall, second, j);
      scaleRow(rowsOf(tall), second + j, tau, k + 1, m);
    }
  });
}

/** x[i] *= f */
function scaleRow(x: Matrix, i: number, f: Complex, from: number, to: number): void {
  for (let at = i * x.cols + from; at < i * x.cols + to; at++) {
    const re = x.re[at]!;
    const im = imAt(x, at);
    put(x, at, f.re * re - f.im * im, f.re * im + f.im * re);
  }
}
