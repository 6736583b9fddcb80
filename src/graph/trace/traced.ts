/**
 * Traced tensors: they have a type and no memory. The state of a storage is the value that its memory has at this point of the trace; tensors of the
 * storage are views of that value by their geometry.
 */
import { meta } from "../../storage/device.ts";
import { dtypes } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import type { Arguments } from "../../tensor/dispatch/operator.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../../tensor/tensor.ts";
import type { Argument, TensorType, Value } from "../ir.ts";

/** The current value of a storage. */
export interface StorageState {
  /** The geometry of the tensor with this value; other tensors of the storage are views of it. */
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly start: number;
  value: Value;
  /** The number of writes so far. */
  writes: number;
  /** The value at the start, if the storage is an input. */
  readonly input: Value | null;
}

/** Returns the type of a tensor. */
export function typeOf(t: Tensor): TensorType {
  const [shape, strides] = [sizesOf(t), flatStrides(t)];
  const isRowMajor = `${rowMajorStrides(shape)}` === `${strides}`;
  return { dtype: t.dtype, shape, strides: isRowMajor ? null : strides };
}

/** True if a tensor covers its storage from start to end. */
export const isWhole = (t: Tensor, storage: Storage): boolean =>
  t.start === 0 && t.isNonOverlappingAndDense && t.size * t.itemsize === storage.nbytes;

/** A storage without memory. */
export const scratch = (bytes: number): Storage => Storage.inWorkspace(bytes, 0);

/** Returns a tensor of the same geometry over a new storage of the same number of bytes. */
export const inStorage = (t: Tensor, allocate: (bytes: number) => Storage): Tensor =>
  tensorOver(allocate((t.source as Storage).nbytes), t.dtype, t.start, sizesOf(t), flatStrides(t));

/** Returns a tensor of the same geometry on the meta device. */
export const onMeta = (t: Tensor): Tensor => inStorage(t, (bytes) => Storage.allocate(bytes, { device: meta }));

/** The offset of element 0 of a tensor in separate memory; it is above 0 if strides are negative. */
export const firstIn = (sizes: readonly number[], strides: readonly number[]): number =>
  sizes.reduce((first, size, axis) => first + Math.max(0, size - 1) * Math.max(0, -strides[axis]), 0);

/** The number of elements from the first to the last one in memory, gaps included. */
export const spanIn = (sizes: readonly number[], strides: readonly number[]): number =>
  sizes.includes(0) ? 0 : sizes.reduce((span, size, axis) => span + (size - 1) * Math.abs(strides[axis]), 1);

/** A traced tensor in separate memory. */
export function scratchOf({ dtype, shape, strides }: TensorType): Tensor {
  const sizes = shape.map(Number);
  const steps = strides?.map(Number) ?? rowMajorStrides(sizes);
  return tensorOver(scratch(spanIn(sizes, steps) * dtypes[dtype].itemsize), dtype, firstIn(sizes, steps), sizes, steps);
}

/** True if a tensor is the value of its storage itself. */
export const isGeometry = ({ sizes, strides, start, value }: StorageState, t: Tensor): boolean =>
  t.dtype === value.type.dtype &&
  t.start === start &&
  `${sizesOf(t)}` === `${sizes}` &&
  `${flatStrides(t)}` === `${strides}`;

/** The geometry of a tensor as a part of a value: sizes, strides, the offset from the first element, and the dtype if it differs. */
export function partOf({ start, value }: StorageState, t: Tensor): Argument[] {
  const { dtype } = value.type;
  const first = (start * dtypes[dtype].itemsize) / t.itemsize;
  const part = [sizesOf(t), flatStrides(t), t.start - first];
  return dtype === t.dtype ? part : [...part, t.dtype];
}

/** The arguments of asStrided with an offset that counts from the first element of the tensor, as graphs have it. */
export const relative = ([x, sizes, strides, offset]: readonly Argument[], args: Arguments): Argument[] => {
  const { start } = args[0] as Tensor;
  return [x, sizes, strides, typeof offset === "number" ? offset - start : 0];
};
