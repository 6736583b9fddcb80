/**
 * A product of matrices, or a batch of products of one size: the input of every algorithm for products.
 *
 * out[m, n] = sum over k of a[m, k] * b[k, n], for each coordinate of the batch. Starts and strides count elements of the dtype, and the
 * backend can address all three matrices. A product is also the transposed product with its factors swapped, so an algorithm may require
 * something of one factor only.
 */
import type { DType } from "../../storage/dtype.ts";
import type { ElementStorage } from "../operand.ts";

/** A matrix: its first element, and its row and column strides. */
export interface StridedMatrix {
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
  readonly out: StridedMatrix;
  readonly a: StridedMatrix;
  readonly b: StridedMatrix;
  /** The number of products. */
  readonly count: number;
  /** The modes of the batch, rows of (size, stride in out, in a, in b), the fastest first. */
  readonly batch: readonly number[];
  /** True if the product is added to the previous values of out. */
  readonly accumulates: boolean;
  /** The dtypes of a and b if they are not that of the product: integers of 8 or 16 bits, but not uint16, in a product of int32. */
  readonly factors?: readonly [a: DType, b: DType];
}

const turned = (matrix: StridedMatrix): StridedMatrix => ({ ...matrix, row: matrix.column, column: matrix.row });

/** The same elements as a product of the transposed matrices. */
export function transposed(product: Product): Product {
  const { m, n, out, a, b, batch, factors } = product;
  const swapped = batch.slice();
  for (let at = 0; at < batch.length; at += 4) {
    swapped[at + 2] = batch[at + 3];
    swapped[at + 3] = batch[at + 2];
  }
  return {
    ...product,
    m: n,
    n: m,
    out: turned(out),
    a: turned(b),
    b: turned(a),
    batch: swapped,
    ...(factors && { factors: [factors[1], factors[0]] as const }),
  };
}

/** A part of the rows, columns and k of a product. Parts of k after the first one accumulate. */
export function partOf(
  product: Product,
  [m0, m]: readonly [from: number, count: number],
  [n0, n]: readonly [from: number, count: number],
  [k0, k]: readonly [from: number, count: number],
): Product {
  const { out, a, b, accumulates } = product;
  const moved = (matrix: StridedMatrix, row: number, column: number): StridedMatrix => ({
    ...matrix,
    start: matrix.start + row * matrix.row + column * matrix.column,
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
