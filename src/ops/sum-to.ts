/** The gradient of broadcasting: the sum over the broadcast axes. */
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { sum } from "./reduce/reduce.ts";
import { reshape } from "./views.ts";

/** Sums a tensor to a shape that broadcasts to its own. */
export function sumTo(t: Tensor, shape: readonly number[]): Tensor {
  if (hasSizes(t, shape)) return t;
  const from = sizesOf(t);
  const added = from.length - shape.length;
  const axes: number[] = [];
  for (let axis = 0; axis < from.length; axis++)
    if (axis < added || (shape[axis - added] === 1 && from[axis] !== 1)) axes.push(axis);
  const total = axes.length === 0 ? t : sum(t, axes, { keepdims: true });
  return reshape(total, shape);
}
