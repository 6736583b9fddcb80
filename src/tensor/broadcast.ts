/**
 * Broadcasting: shapes are compared from the back, and a size of 1 (or a missing axis) goes with any other size.
 */

import { ShapeError } from "../base/errors.ts";
import { listOf } from "../base/list-of.ts";
import { show } from "../base/show.ts";
import { equalInt, type Int, isOne } from "../layout/int.ts";
import { checkShape } from "./views/view-shape.ts";

/** The shape that all the given shapes broadcast to. */
export function broadcastShapes(...shapes: readonly (readonly number[])[]): number[] {
  for (const shape of shapes) checkShape("broadcastShapes", shape);
  return shapes.reduce<number[]>((a, b) => broadcastTwo("broadcastShapes", a, b), []);
}

/** Sizes that are numbers, or known by a name only. */
export type Sizes = readonly Int[];

/** True unless two sizes are known to differ. */
export const mayEqual = (a: Int, b: Int): boolean => equalInt(a, b) !== false;

/** The shape that two shapes broadcast to. */
export function broadcastSizes(who: string, a: Sizes, b: Sizes): Int[] {
  const rank = Math.max(a.length, b.length);
  return listOf(rank, (axis) => {
    const x = a[axis - rank + a.length] ?? 1;
    const y = b[axis - rank + b.length] ?? 1;
    if (isOne(x)) return y;
    if (isOne(y) || mayEqual(x, y)) return x;
    throw new ShapeError(
      `${who}: the size of a (${x}) must match the size of b (${y}) at axis ${axis}, ${show(a)} and ${show(b)}`,
    );
  });
}

/** The same of shapes that are numbers. */
export const broadcastTwo = broadcastSizes as (who: string, a: readonly number[], b: readonly number[]) => number[];
