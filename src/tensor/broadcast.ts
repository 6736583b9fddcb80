/**
 * Broadcasting: shapes are compared from the back, and a size of 1 (or a missing axis) goes with any other size.
 */
import { ShapeError } from "../base/errors.ts";
import { checkShape } from "./views/view-shape.ts";

/** The shape that all the given shapes broadcast to. */
export function broadcastShapes(...shapes: readonly (readonly number[])[]): number[] {
  for (const shape of shapes) checkShape("broadcastShapes", shape);
  return shapes.reduce<number[]>((a, b) => broadcastTwo("broadcastShapes", a, b), []);
}

/** The shape that two shapes broadcast to. */
export function broadcastTwo(who: string, a: readonly number[], b: readonly number[]): number[] {
  const rank = Math.max(a.length, b.length);
  const result = new Array<number>(rank);
  for (let back = 1; back <= rank; back++) {
    const x = back <= a.length ? (a[a.length - back] as number) : 1;
    const y = back <= b.length ? (b[b.length - back] as number) : 1;
    if (x !== y && x !== 1 && y !== 1)
      throw new ShapeError(
        `${who}: The size of tensor a (${x}) must match the size of tensor b (${y}) at non-singleton dimension ${rank - back}, [${a.join(", ")}] and [${b.join(", ")}]`,
      );
    result[rank - back] = x === 1 ? y : x;
  }
  return result;
}
