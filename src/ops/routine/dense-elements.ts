/**
 * Tensors as the dense arrays that routines read and write: the axis of a routine last, halves as float32. A result that is not dense is
 * written through a dense copy.
 */
import type { Int } from "../../layout/int.ts";
import { computedAs, type DType, DTypeError, dtypes, isComplexDType, type TypedArray } from "../../storage/dtype.ts";
import { contiguous, to } from "../../tensor/clone.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { movedim } from "../../tensor/views/views-axes.ts";
import { wholeMemory } from "../../tensor/whole-memory.ts";
import { indexDType } from "../indices.ts";
import { fresh } from "../op.ts";
import { bitsOf } from "./values.ts";

/** Throws unless `x` is a tensor of real numbers. */
export function checkReal(who: string, x: unknown): asserts x is Tensor {
  checkTensor(who, x);
  if (isComplexDType(x.dtype))
    throw new DTypeError(
      `${who}: not implemented for '${x.dtype}', complex numbers have no order. Use real(x), imag(x) or abs(x)`,
    );
}

/** Returns the elements of a dense tensor: bool as bytes, complex numbers as pairs. The array is valid until the next allocation. */
export function elementsIn(t: Tensor, who: string, write = false): TypedArray {
  const storage = wholeMemory(t, who);
  const { array, itemsize, parts } = dtypes[t.dtype];
  const whole = (write ? storage.writable() : storage.readable()).array(array);
  const first = (storage.byteOffset / itemsize + t.start) * parts;
  return whole.subarray(first, first + t.size * parts) as TypedArray;
}

const withAxisLast = (t: Tensor, axis: number | null): Tensor =>
  axis === null || axis >= t.rank - 1 ? t : movedim(t, axis, -1);

/** Returns the tensor in row-major order, by default in a dtype that routines read, with the given axis moved last. */
export const denseOf = (x: Tensor, axis: number | null = null, dtype: DType = computedAs(x.dtype)): Tensor =>
  contiguous(withAxisLast(to(x, dtype), axis));

/** Returns the number of elements of a row along an axis; a 0-d tensor is a row of one. */
export const rowLength = (shape: readonly Int[], axis: number): number => (shape[axis] ?? 1) as number;

/**
 * Calls `write` to fill a dense tensor of the dtype with the given axis last: the result itself if it is one, otherwise a new tensor
 * that is copied to the result.
 */
export function writeTo(
  result: Tensor,
  dtype: DType,
  axis: number | null,
  who: string,
  write: (dense: Tensor) => void,
): void {
  const moved = withAxisLast(result, axis);
  const isDense = result.dtype === dtype && moved.isContiguous();
  const dense = isDense ? moved : fresh(dtype, sizesOf(moved));
  write(dense);
  if (!isDense) copyAll(dense, moved, who);
}

/** Writes indices or counts to a result of int32 or int64. */
export function writeIndices(
  indices: Int32Array,
  result: Tensor,
  axis: number | null,
  who: string,
  dtype: "int64" | "int32" = indexDType,
): void {
  writeTo(result, dtype, axis, who, (dense) => {
    const words = bitsOf(elementsIn(dense, who, true));
    if (dtype === "int32") words.set(indices);
    else
      for (let i = 0; i < indices.length; i++) {
        words[2 * i] = indices[i]!;
        words[2 * i + 1] = 0;
      }
  });
}

/** Returns a new tensor of indices or counts. */
export function indexTensor(
  indices: Int32Array,
  shape: readonly number[],
  dtype: "int64" | "int32" = indexDType,
): Tensor {
  const result = fresh(dtype, shape);
  writeIndices(indices, result, null, "indices", dtype);
  return result;
}
