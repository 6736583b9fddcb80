/**
 * Tensors that an op makes beside its operands: numbers in order, lists of indices and weights, random numbers. On the meta device they
 * have no elements, like everything there.
 */
import type { DType } from "../../storage/dtype.ts";
import { empty } from "../../tensor/create/create.ts";
import { rand } from "../../tensor/create/create-ops.ts";
import { fromData } from "../../tensor/create/from-data.ts";
import type { RandomOptions } from "../../tensor/create/random.ts";
import { arange } from "../../tensor/create/ranges.ts";
import type { Tensor } from "../../tensor/tensor.ts";

const beside = (x: Tensor, dtype: DType, shape: readonly number[], make: () => Tensor): Tensor =>
  x.device.type === "meta" ? empty(shape, { dtype, device: "meta" }) : make();

/** 0, 1, 2, ... up to count - 1. */
export const numbersBeside = (x: Tensor, count: number): Tensor =>
  beside(x, "int64", [count], () => arange(0, count, 1, { dtype: "int64" }));

/** A list of numbers. */
export const listBeside = (x: Tensor, list: readonly number[] | Float64Array, dtype: DType): Tensor =>
  beside(x, dtype, [list.length], () => fromData(list as number[], { dtype }));

/** Random numbers, uniform from 0 to 1, in float32. */
export const randomBeside = (x: Tensor, shape: readonly number[], options: RandomOptions = {}): Tensor =>
  beside(x, "float32", shape, () => rand(shape, { ...options, dtype: "float32" }));
