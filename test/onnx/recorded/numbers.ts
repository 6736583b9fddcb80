/** Inputs of recorded cases, which are the same in each run. */
import { type DType, fromFunction, type Tensor, tensor } from "../../../src/index.ts";
import { numbersFrom } from "../../support/seeded-numbers.ts";

/** A source of inputs: each call continues one sequence of numbers. */
export function inputsFrom(seed: number) {
  const next = numbersFrom(seed);
  return {
    /** Numbers in [-1, 1), multiples of 2^-10. */
    real: (...shape: number[]): Tensor => fromFunction(shape, () => next(2048) / 1024 - 1),
    /** Integers in [0, bound). */
    integers: (dtype: DType, bound: number, ...shape: number[]): Tensor =>
      fromFunction(shape, () => next(bound)).to(dtype) as Tensor,
    /** Positive numbers, for scales. */
    scales: (...shape: number[]): Tensor => fromFunction(shape, () => (next(64) + 1) / 1024),
  };
}

export const scalar = (value: number, dtype: DType = "float32"): Tensor => tensor(value, { dtype });
export const list = (values: readonly unknown[], dtype: DType = "int32"): Tensor =>
  tensor(values as number[], { dtype });
