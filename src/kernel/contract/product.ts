/**
 * A product of matrices, or of many of one size: what all ways to compute it start from.
 *
 * out[m, n] = sum over k of a[m, k] * b[k, n], for each coordinate of the batch. Every matrix is a place in memory and two strides, in
 * elements of the dtype; all lie where the backend reaches them. The transposed product is the same work with the factors changed
 * over, so each way may assume of one side what it likes.
 */
import type { DType } from "../../storage/dtype.ts";
import type { ElementStorage } from "../operand.ts";

/** A matrix: its first element, and the steps to the next row and column. */
export interface Matrix {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly row: number;
  readonly column: number;
}

export interface Product {
  readonly dtype: DType;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly out: Matrix;
  readonly a: Matrix;
  readonly b: Matrix;
  /** How many products, and rows of (size, step in out, in a, in b), the fastest first. */
  readonly count: number;
  readonly batch: readonly number[];
  /** Whether it is added to what is in out. */
  readonly accumulates: boolean;
}

const turned = ({ storage, start, row, column }: Matrix): Matrix => ({ storage, start, row: column, column: row });

/** The same elements as a product of the transposed matrices. */
export function transposed(product: Product): Product {
  const { m, n, out, a, b, batch } = product;
  const changed = batch.slice();
  for (let at = 0; at < batch.length; at += 4) {
    changed[at + 2] = batch[at + 3];
    changed[at + 3] = batch[at + 2];
  }
  return { ...product, m: n, n: m, out: turned(out), a: turned(b), b: turned(a), batch: changed };
}

/** A part of the rows and columns of a product, or of k; what comes after the first part of k is added. */
export function partOf(
  product: Product,
  [m0, m]: readonly [from: number, count: number],
  [n0, n]: readonly [from: number, count: number],
  [k0, k]: readonly [from: number, count: number],
): Product {
  const { out, a, b, accumulates } = product;
  const moved = (of: Matrix, row: number, column: number): Matrix => ({
    ...of,
    start: of.start + row * of.row + column * of.column,
  });
  return {
    ...product,
    m,
    n,
    k,
    out: moved(out, m0, n0),
    a: moved(a, m0, k0),
    b: moved(b, k0, n0),
    accumulates: accumulates || k0 > 0,
  };
}
