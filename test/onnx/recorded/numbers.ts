/** Inputs of recorded cases, which are the same in each run. */
import { type DType, fromFunction, type Tensor, tensor } from "../../../src/index.ts";
import { numbersFrom } from "../../support/seeded-numbers.ts";

/** A source of inputs: each call continues one sequence of numbers. */
export function inputsFrom(seed: number) {
  const next = numbersFrom(seed);
  const integers = (dtype: DType, low: number, high: number, ...shape: number[]): Tensor =>
    fromFunction(shape, () => low + next(high - low + 1)).to(dtype) as Tensor;
  return {
    /** Numbers in [-1, 1), multiples of 2^-10. */
    real: (...shape: number[]): Tensor => fromFunction(shape, () => next(2048) / 1024 - 1),
    /** Integers in [low, high]. */
    integers,
    bytes: (...shape: number[]): Tensor => integers("uint8", 0, 255, ...shape),
    signed: (...shape: number[]): Tensor => integers("int8", -128, 127, ...shape),
    /** Positive numbers, for scales. */
    scales: (...shape: number[]): Tensor => fromFunction(shape, () => (next(64) + 1) / 1024),
  };
}

export const scalar = (value: number, dtype: DType = "float32"): Tensor => tensor(value, { dtype });
export const list = (values: readonly unknown[], dtype: DType = "int32"): Tensor =>
  tensor(values as number[], { dtype });
