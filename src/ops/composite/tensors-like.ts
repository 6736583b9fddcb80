/**
 * Helper tensors on the device of an operand: ranges, lists of indices and weights, random numbers. On the meta device they have no
 * elements.
 */
import type { DType } from "../../storage/dtype.ts";
import { toDevice } from "../../tensor/convert/to-device.ts";
import { empty } from "../../tensor/create/create.ts";
import { rand } from "../../tensor/create/create-ops.ts";
import { fromData } from "../../tensor/create/from-data.ts";
import type { RandomOptions } from "../../tensor/create/random.ts";
import { arange } from "../../tensor/create/ranges.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { indexDType } from "../indices.ts";

/** Returns a new tensor of this dtype and shape on the device of an operand: that of `make`, without elements on the meta device. */
export function onDeviceOf(x: Tensor, dtype: DType, shape: readonly number[], make: () => Tensor): Tensor {
  const { device } = x;
  if (device.type === "meta") return empty(shape, { dtype, device: "meta" });
  return device.type === "cpu" ? make() : toDevice(make(), device);
}

/** Returns 0, 1, ..., count - 1 as int64. */
export const arangeLike = (x: Tensor, count: number): Tensor =>
  onDeviceOf(x, "int64", [count], () => arange(0, count, 1, { dtype: "int64" }));

/** Returns the same as indices. */
export const indicesLike = (x: Tensor, count: number): Tensor =>
  onDeviceOf(x, indexDType, [count], () => arange(0, count, 1, { dtype: indexDType }));

/** Returns a list of numbers as a tensor. */
export const listLike = (x: Tensor, list: readonly number[] | Float64Array, dtype: DType): Tensor =>
  onDeviceOf(x, dtype, [list.length], () => fromData(list as number[], { dtype }));

/** Returns random numbers, uniform in [0, 1), as float32. */
export const randomLike = (x: Tensor, shape: readonly number[], options: RandomOptions = {}): Tensor =>
  onDeviceOf(x, "float32", shape, () => rand(shape, { ...options, dtype: "float32" }));
