/** Views and copies as ops, for composite ops. */
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { reshape } from "../tensor/views/view-ops.ts";

export * from "../tensor/views/view-ops.ts";

/** Prepends axes of size 1, as broadcasting does, until the tensor has `rank` axes. */
export const raiseRank = (t: Tensor, rank: number): Tensor =>
  t.rank >= rank ? t : reshape(t, [...new Array<number>(rank - t.rank).fill(1), ...sizesOf(t)]);
