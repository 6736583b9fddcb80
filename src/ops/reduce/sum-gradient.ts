/** Gradients of sums and means: every element gets the gradient of its sum, or its share of the gradient of its mean. */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { expand, to } from "../views.ts";
import { type ReducedCall, reducedCall } from "./reduced-call.ts";

/** The gradient of a result, repeated for all elements that were reduced to it. */
function repeated(g: Tensor, { shape, dtype, beside }: ReducedCall): Tensor {
  const whole = expand(g.rank === 0 ? g : beside(g), shape);
  return whole.type === dtype ? whole : to(whole, dtype);
}

export const sumGradient: GradientRule = (call) => {
  const reduced = reducedCall(call);
  return ([g]) => [repeated(g, reduced)];
};

export const meanGradient: GradientRule = (call) => {
  const reduced = reducedCall(call);
  return ([g]) => [repeated(div(g, reduced.count), reduced)];
};
