/**
 * How layers start: parameters and buffers of a shape, with the values that PyTorch's have.
 */
import { type DType, empty, full, type Tensor } from "../index.ts";
import { uniform_ } from "./init.ts";
import { buffer, parameter } from "./parameter.ts";

export interface DTypeOption {
  /** The dtype of the parameters: float32 unless given. */
  readonly dtype?: DType | undefined;
}

/** A parameter of numbers uniform in [-bound, bound). */
export const uniformParameter = (shape: readonly number[], bound: number, dtype: DType = "float32"): Tensor =>
  parameter(uniform_(empty(shape, { dtype }) as Tensor, -bound, bound));

/** A parameter of equal numbers. */
export const constantParameter = (shape: readonly number[], value: number, dtype: DType = "float32"): Tensor =>
  parameter(full(shape, value, { dtype }) as Tensor);

/** A buffer of equal numbers. */
export const constantBuffer = (shape: readonly number[], value: number, dtype: DType = "float32"): Tensor =>
  buffer(full(shape, value, { dtype }) as Tensor);
