/**
 * Axes of size 1 in front, as broadcasting adds them.
 */
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { reshape } from "./views.ts";

/** The tensor with axes of size 1 in front, until it has so many. */
export const raised = (t: Tensor, rank: number): Tensor =>
  t.rank >= rank ? t : reshape(t, [...new Array<number>(rank - t.rank).fill(1), ...sizesOf(t)]);
