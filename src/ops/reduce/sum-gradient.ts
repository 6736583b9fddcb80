/** Gradients of sums and means: every element that was added gets the gradient of its sum, or its share of that of the mean. */
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { div } from "../elementwise/arithmetic.ts";
import { expand, to } from "../views.ts";
import { reducedCall } from "./reduced-call.ts";

export const sumGradient: GradientRule = (call) => {
  const { shape, dtype, beside } = reducedCall(call);
  return ([g]) => [to(expand(beside(g), shape), dtype)];
};

export const meanGradient: GradientRule = (call) => {
  const { shape, dtype, count, beside } = reducedCall(call);
  return ([g]) => [to(expand(beside(div(g, count)), shape), dtype)];
};
