/** Gradients of sums: every element that was added gets the gradient of its sum. */
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { isOptions } from "../options.ts";
import { expand, reshape, to } from "../views.ts";
import { type Axes, reducedAxes, reducedShape } from "./axes.ts";

/** The axes that a call of a reduction goes over. */
export function axesOfCall({ args }: RecordedCall, who: string): readonly number[] {
  const [x, axis] = args as [Tensor, Axes];
  return reducedAxes(who, x, isOptions(axis) ? undefined : axis);
}

/** A result of a reduction as the argument had it: with the axes that are gone, of size 1. */
export function withAxes(t: Tensor, shape: readonly number[], reduced: readonly number[]): Tensor {
  return reshape(t, reducedShape(shape, reduced, true) as number[]);
}

export const sumGradient: GradientRule = (call) => {
  const x = call.args[0] as Tensor;
  const { dtype } = x;
  const shape = sizesOf(x);
  const reduced = axesOfCall(call, "sum");
  return ([g]) => [to(expand(withAxes(g as Tensor, shape, reduced), shape), dtype)];
};
