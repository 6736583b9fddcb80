/** Helpers for tests of vmap: batches, their samples, and samples stacked to a batch. */
import { randn, stack, type Tensor } from "../../src/index.ts";

/** Normal numbers in float64. */
export const drawn = (...shape: number[]): Tensor => randn(shape, { dtype: "float64" }) as Tensor;
/** The samples of a batch. */
export const rows = (x: Tensor): Tensor[] =>
  Array.from({ length: x.shape[0] as number }, (_, k) => x.select(0, k) as Tensor);
/** Samples as a batch. */
export const side = (list: readonly Tensor[]): Tensor => stack(list) as Tensor;
export const dot = (a: Tensor, b: Tensor): Tensor => a.mul(b as never).sum() as Tensor;
