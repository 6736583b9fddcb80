/**
 * How layers start: parameters and buffers of a shape, with the values that PyTorch's have.
 */
import { type DType, empty, full, getDefaultDType, type Tensor } from "../index.ts";
import { uniform_ } from "./init.ts";
import { buffer, parameter } from "./parameter.ts";

export interface DTypeOption {
  /** The dtype of the parameters: the default dtype unless given. */
  readonly dtype?: DType | undefined;
}

/** A parameter of numbers uniform in [-bound, bound). */
export const uniformParameter = (shape: readonly number[], bound: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(uniform_(empty(shape, { dtype }) as Tensor, -bound, bound));

/** A parameter of equal numbers. */
export const constantParameter = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  parameter(full(shape, value, { dtype }) as Tensor);

/** A buffer of equal numbers. */
export const constantBuffer = (shape: readonly number[], value: number, dtype: DType = getDefaultDType()): Tensor =>
  buffer(full(shape, value, { dtype }) as Tensor);
