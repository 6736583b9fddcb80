/**
 * Shape computations on `Int`, for numbers and symbolic sizes. Conditions that a symbolic size leaves undecided count as true; they are
 * checked when the op runs.
 */
import { type Int, mul } from "../layout/int.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Sizes } from "../tensor/views/view-shape.ts";

export { show } from "../base/show.ts";
export { broadcastSizes, mayEqual, type Sizes } from "../tensor/views/view-shape.ts";

/** Returns the sizes of a tensor. */
export const shapeOf = (t: Tensor): Sizes => sizesOf(t);

/** Returns the number of elements of a shape. */
export const countOf = (shape: Sizes): Int => shape.reduce((count: Int, size) => mul(count, size), 1);
