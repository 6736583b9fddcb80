/** Gradients of joins: each tensor gets its part. */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { GradientRule, RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow, reshape, select, to } from "../views.ts";

/** A rule that knows how to cut out the part of a tensor, given the sizes of all and how many come before. */
const joining =
  (partsFor: (call: RecordedCall, shapes: readonly (readonly number[])[]) => (g: Tensor, k: number) => Tensor) =>
  (call: RecordedCall): ReturnType<GradientRule> => {
    const tensors = call.args[0] as readonly Tensor[];
    const needed = tensors.map((t) => call.needs(t));
    const [shapes, types] = [tensors.map(sizesOf), tensors.map((t) => t.dtype)];
    const part = partsFor(call, shapes);
    return ([g]) => [shapes.map((shape, k) => (needed[k] ? to(reshape(part(g, k), shape), types[k]) : null))];
  };

/** What all numbers before each one add up to. */
function startsOf(sizes: readonly number[]): number[] {
  let total = 0;
  return sizes.map((size) => {
    total += size;
    return total - size;
  });
}

/** The axis that a call joins along. */
const axisIn = ({ args, results }: RecordedCall): number =>
  axisOf("join", results[0], (args[1] as Axis | undefined) ?? 0);

export const catGradient: GradientRule = /* @__PURE__ */ joining((call, shapes) => {
  const axis = axisIn(call);
  const { rank } = call.results[0];
  // A tensor of shape [0] has no part.
  const sizes = shapes.map((shape) => (shape.length === rank ? shape[axis] : 0));
  const starts = startsOf(sizes);
  return (g, k) =>
    shapes[k].length === rank && sizes[k] !== 0
      ? narrow(g, axis, starts[k], sizes[k])
      : narrow(reshape(g, [-1]), 0, 0, 0);
});

export const stackGradient: GradientRule = /* @__PURE__ */ joining((call) => {
  const axis = axisIn(call);
  return (g, k) => select(g, axis, k);
});

export const blockGradient: GradientRule = /* @__PURE__ */ joining((_call, shapes) => {
  const blocks = shapes.map(([m = 1, n]) => (n === undefined ? [1, m] : [m, n]));
  const [rows, columns] = [startsOf(blocks.map(([m]) => m)), startsOf(blocks.map(([, n]) => n))];
  return (g, k) => {
    const [m, n] = blocks[k];
    return narrow(narrow(g, 0, rows[k], m), 1, columns[k], n);
  };
});
