/**
 * Rules for shapes, on `Int`: the same for numbers and for sizes that are only known by a name. A question that a symbolic size leaves
 * open counts as yes; whoever runs the op checks the numbers.
 */
import { add, type Int, mul } from "../layout/int.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Sizes } from "../tensor/views/view-shape.ts";

export { show } from "../base/show.ts";
export { broadcastSizes, mayEqual, type Sizes } from "../tensor/views/view-shape.ts";

/** The sizes of a tensor. */
export const shapeOf = (t: Tensor): Sizes => sizesOf(t);

/** How many elements a shape has. */
export const countOf = (shape: Sizes): Int => shape.reduce((count: Int, size) => mul(count, size), 1);

/** The sum of sizes. */
export const sumOfSizes = (sizes: Sizes): Int => sizes.reduce((sum: Int, size) => add(sum, size), 0);
