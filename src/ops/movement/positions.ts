/**
 * Positions of elements, read from memory and written to it as lists of integers.
 */
import type { DType } from "../../storage/dtype.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unbind } from "../../tensor/views/views-parts.ts";
import { fresh } from "../op.ts";
import { positionDType } from "../positions.ts";
import { nonzeroIndices, unravelIndices } from "../routine/nonzero.ts";

/** A new tensor of these 32-bit integers. */
export function integersOf(values: Int32Array, shape: readonly number[], dtype: DType = positionDType): Tensor {
  const list = fresh("int32", shape);
  const { storage } = list;
  storage
    .writable()
    .array("i32")
    .set(values, storage.byteOffset / 4);
  return to(list, dtype);
}

/** The positions of elements that are not 0, in row-major order. */
export function positionsOf(t: Tensor): Int32Array {
  const dense = contiguous(to(t, "bool"));
  const bytes = dense.storage.readable().array("u8");
  const start = dense.storage.byteOffset + dense.start;
  return nonzeroIndices(bytes.subarray(start, start + dense.size));
}

/** One list of positions for each axis. */
export function nonzeroColumns(t: Tensor): Tensor[] {
  const found = positionsOf(t);
  return unbind(integersOf(unravelIndices(found, sizesOf(t), true), [t.rank, found.length]), 0);
}
