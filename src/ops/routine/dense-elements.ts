/**
 * Tensors as the dense arrays that routines read and write, and back: the axis that matters last, halves as float32.
 * A window lasts until the next allocation, so it is asked for anew after each; a result that is no such array gets a copy of one.
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
import { fresh } from "../op.ts";
import { positionDType } from "../positions.ts";
import { bitsOf } from "./values.ts";

/** Throws unless `x` is a tensor of real numbers. */
export function checkReal(who: string, x: unknown): asserts x is Tensor {
  checkTensor(who, x);
  if (isComplexDType(x.dtype))
    throw new DTypeError(
      `${who}: not implemented for '${x.dtype}', complex numbers have no order. Take real(x), imag(x) or abs(x)`,
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

/** The tensor row-major in a dtype that routines read, or in another, the axis moved last if one is given. */
export const denseOf = (x: Tensor, axis: number | null = null, dtype: DType = computedAs(x.dtype)): Tensor =>
  contiguous(withAxisLast(to(x, dtype), axis));

/** How many elements a row along an axis has; one without axes is a row of one. */
export const rowLength = (shape: readonly Int[], axis: number): number => (shape[axis] ?? 1) as number;

/**
 * Lets `write` fill a dense tensor of the dtype, its axis last, with what the result shall have: the result itself where it is one, or
 * one that is copied to it.
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

/** Writes positions or counts to a result of int32, or of int64. */
export function writePositions(
  positions: Int32Array,
  result: Tensor,
  axis: number | null,
  who: string,
  dtype: "int64" | "int32" = positionDType,
): void {
  writeTo(result, dtype, axis, who, (dense) => {
    const words = bitsOf(elementsIn(dense, who, true));
    if (dtype === "int32") words.set(positions);
    else
      for (let i = 0; i < positions.length; i++) {
        words[2 * i] = positions[i]!;
        words[2 * i + 1] = 0;
      }
  });
}

/** A new tensor of positions, or of counts. */
export function positionsTensor(
  positions: Int32Array,
  shape: readonly number[],
  dtype: "int64" | "int32" = positionDType,
): Tensor {
  const result = fresh(dtype, shape);
  writePositions(positions, result, null, "positions", dtype);
  return result;
}
