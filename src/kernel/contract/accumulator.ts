/**
 * The working dtype of matrix products, in which factors are packed and sums are kept, and the sizes of tiles.
 *
 * Halves are multiplied and added as float32, integers of up to 16 bits as int32, which wraps to the same result, and complex numbers as
 * two floats. The sums of a tile fit into 8 of the 16 vector registers.
 *
 * The error of a sum over k: no partial sum takes more than `summing.block` terms in sequence. The sums of blocks are added in order, in
 * chunks of at most `summing.chunk` terms of k, and the sums of chunks as `sum` adds (`../reduce/spec.ts`). With u = 2^-24 for
 * float32 (2^-53 for float64, and the same for complex numbers of such parts):
 *
 *   |computed - exact| <= (block + chunk / block + 100) u * sum over k of |a[m, k] b[k, n]| = 1124 u * sum |a b|
 *
 * for any k, as long as the chunks' sums fit into `ways.staged` elements. Halves are added as float32, without chunks, in blocks of
 * max(block, sqrt(k)): 2 max(block, sqrt(k)) u * sum |a b|, and one rounding at the end.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { kernelBackend } from "../backend.ts";

export interface AccumulatorType {
  /** The dtype of one part of a sum. */
  readonly dtype: DType;
  /** 2 for complex dtypes, else 1. */
  readonly parts: 1 | 2;
  /** The number of sums in one vector. */
  readonly lanes: number;
  /** The number of terms of k in one packed element: 2 for terms of 16 bits in an int32, else 1. */
  readonly terms: 1 | 2;
}

/** Factors that are integers of 8 or 16 bits: pairs of terms are multiplied and added at once, exactly modulo 2^32. */
export const pairs: AccumulatorType = { dtype: "int32", parts: 1, lanes: 4, terms: 2 };

/** The number of rows of a tile, and of vectors in a row. */
export interface ProductTile {
  readonly rows: number;
  readonly vectors: number;
}

/** The largest number of terms that are added in sequence, and of terms of k in one chunk. Only tests change them. */
export const summing = { block: 512, chunk: 2 ** 18 };

/** The length of the blocks of a sum over k. */
export const blockFor = (k: number): number => Math.max(summing.block, Math.ceil(Math.sqrt(k)));

const cache = new Map<DType, AccumulatorType>();

/** Returns the working dtype of products over a dtype. */
export const accumulatorOf = (dtype: DType): AccumulatorType => getOrCompute(cache, dtype, chooseAccumulator);

function chooseAccumulator(dtype: DType): AccumulatorType {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex")
    return itemsize === 8
      ? { dtype: "float32", parts: 2, lanes: 4, terms: 1 }
      : { dtype: "float64", parts: 2, lanes: 2, terms: 1 };
  if (itemsize <= 2) return { dtype: category === "float" ? "float32" : "int32", parts: 1, lanes: 4, terms: 1 };
  return { dtype, parts: 1, lanes: 16 / itemsize, terms: 1 };
}

/** The dtype of a sum of whole elements: the working dtype, or a complex dtype itself. */
export const sumDType = (dtype: DType): DType =>
  accumulatorOf(dtype).parts === 2 ? dtype : accumulatorOf(dtype).dtype;

/** The tile of packed factors. Backends that join vectors in pairs have registers for three times as many sums. */
export const packedTile = ({ parts }: AccumulatorType): ProductTile =>
  kernelBackend().joinsVectors === true ? { rows: 6 / parts, vectors: 4 } : { rows: 4 / parts, vectors: 2 };
