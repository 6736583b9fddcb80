/** The gradient of broadcasting: the sum over the broadcast axes. */
import type { ProgramBuilder } from "../kernel/program/builder.ts";
import { hasSizes, sizesOf } from "../tensor/geometry.ts";
import { lowerReshape } from "../tensor/lowering.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { lowerOp } from "./op.ts";
import { sum } from "./reduce/reduce.ts";
import { reshape } from "./views.ts";

/** The axes over which a tensor is summed to a shape that broadcasts to its own. */
function broadcastAxes(t: Tensor, shape: readonly number[]): number[] {
  const from = sizesOf(t);
  const added = from.length - shape.length;
  return [...from.keys()].filter((axis) => axis < added || (shape[axis - added] === 1 && from[axis] !== 1));
}

/** Sums a tensor to a shape that broadcasts to its own. */
export function sumTo(t: Tensor, shape: readonly number[]): Tensor {
  if (hasSizes(t, shape)) return t;
  const axes = broadcastAxes(t, shape);
  return reshape(axes.length === 0 ? t : sum(t, axes, { keepdims: true }), shape);
}

/** Adds the steps of the same sum; returns the sum, or the tensor itself if it has the shape. */
export function lowerSumTo(builder: ProgramBuilder, t: Tensor, shape: readonly number[]): Tensor {
  const axes = broadcastAxes(t, shape);
  const total = axes.length === 0 ? t : lowerOp(builder, sum, t, axes, { keepdims: true });
  return lowerReshape(builder, total, shape, "sum");
}
