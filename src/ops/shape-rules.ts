/**
 * Rules for shapes, on `Int`: the same for numbers and for sizes that are only known by a name. A question that a symbolic size leaves
 * open counts as yes; whoever runs the op checks the numbers.
 */
import { ShapeError } from "../base/errors.ts";
import { add, equalInt, type Int, isOne, mul } from "../layout/int.ts";
import { sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";

export type Sizes = readonly Int[];

/** The sizes of a tensor. */
export const shapeOf = (t: Tensor): Sizes => sizesOf(t);

/** True unless two sizes are known to differ. */
export const mayEqual = (a: Int, b: Int): boolean => equalInt(a, b) !== false;

/** A shape as text. */
export const show = (shape: Sizes): string => `[${shape.join(", ")}]`;

/** The shape that two shapes broadcast to. */
export function broadcastSizes(who: string, a: Sizes, b: Sizes): Int[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, axis) => {
    const x = a[axis - rank + a.length] ?? 1;
    const y = b[axis - rank + b.length] ?? 1;
    if (isOne(x)) return y;
    if (isOne(y) || mayEqual(x, y)) return x;
    throw new ShapeError(
      `${who}: The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${axis}, ${show(a)} and ${show(b)}`,
    );
  });
}

/** How many elements a shape has. */
export const countOf = (shape: Sizes): Int => shape.reduce((count: Int, size) => mul(count, size), 1);

/** The sum of sizes. */
export const sumOfSizes = (sizes: Sizes): Int => sizes.reduce((sum: Int, size) => add(sum, size), 0);
