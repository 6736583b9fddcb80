/**
 * In what products of matrices are computed: the dtype that factors are packed in and sums are kept in, and the size of a tile.
 *
 * Halves are multiplied and added as float32; integers of up to 16 bits as int32, which wraps to the same result; complex numbers as
 * two floats side by side. A tile has as many rows and vectors of columns as their sums fit into 8 of the 16 vector registers.
 */
import { remember } from "../../base/remember.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { kernelBackend } from "../backend.ts";

export interface Working {
  /** Of one part of a sum. */
  readonly dtype: DType;
  /** 2 of complex numbers, else 1. */
  readonly parts: 1 | 2;
  /** Sums in one vector. */
  readonly lanes: number;
}

/** The rows of a tile, and its vectors of columns. */
export interface TileShape {
  readonly rows: number;
  readonly vectors: number;
}

const known = new Map<DType, Working>();

/** What elements of a dtype are multiplied and added in. */
export const workingOf = (dtype: DType): Working => remember(known, dtype, findWorking);

function findWorking(dtype: DType): Working {
  const { category, itemsize } = dtypes[dtype];
  if (category === "complex")
    return itemsize === 8 ? { dtype: "float32", parts: 2, lanes: 4 } : { dtype: "float64", parts: 2, lanes: 2 };
  if (itemsize <= 2) return { dtype: category === "float" ? "float32" : "int32", parts: 1, lanes: 4 };
  return { dtype, parts: 1, lanes: 16 / itemsize };
}

/** The dtype of a sum of whole elements: complex numbers stay what they are. */
export const sumDType = (dtype: DType): DType => (workingOf(dtype).parts === 2 ? dtype : workingOf(dtype).dtype);

/** The tile of packed factors. Vectors that are joined in pairs leave room for three times as many sums. */
export const packedTile = ({ parts }: Working): TileShape =>
  kernelBackend().joinsVectors === true ? { rows: 6 / parts, vectors: 4 } : { rows: 4 / parts, vectors: 2 };
