/**
 * Convolutions of batches, and what their gradients are: three ops of one sum of products, over an input x, a weight w and an output y,
 * of which each gives one from the other two. So each has the two others for its gradients, to any order.
 */

import { ShapeError } from "../../base/errors.ts";
import type { Int } from "../../layout/int.ts";
import { contiguous } from "../../tensor/clone.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { structuredOp } from "../op.ts";
import { mayEqual, type Sizes, shapeOf, show } from "../shape-rules.ts";
import { narrow } from "../views.ts";
import { fillConvolution } from "./convolution-fill.ts";
import { fillTransposed } from "./convolution-transposed.ts";
import { fillWeight } from "./convolution-weight.ts";
import { positions, unpositions, type Windows } from "./windows.ts";

/** How long axes are of which windows have so many positions; `more` is added to their ends. */
export const transposedSizes = (sizes: Sizes, windows: Windows, more: readonly number[] = []): Int[] =>
  windows.kernel.map((kernel, axis) => {
    const padding = windows.before[axis] + windows.after[axis] - (more[axis] ?? 0);
    const [stride, dilation] = [windows.stride[axis], windows.dilation[axis]];
    return unpositions(sizes[axis + 2], kernel, stride, dilation, padding);
  });

/** How much longer each axis of an input is than the windows at so many positions need it. */
const leftOver = (sizes: readonly number[], counts: readonly number[], windows: Windows): number[] =>
  transposedSizes(counts, windows).map((size, axis) => sizes[axis + 2] - (size as number));

/** The first positions of a result, as many as another has. */
const firstOf = (t: Tensor, sizes: readonly number[]): Tensor =>
  sizesOf(t).reduce(
    (part, size, axis) => (axis < 2 || size === sizes[axis] ? part : narrow(part, axis, 0, sizes[axis])),
    t,
  );

type Forward = [x: Tensor, weight: Tensor, windows: Windows, groups: number];
interface Convolution extends OpFunction {
  (...args: Forward): Tensor;
}

const forwardGradient: GradientRule = (call) => {
  const [x, weight, windows, groups] = call.args as unknown as Forward;
  const more = leftOver(sizesOf(x), sizesOf(call.results[0]), windows);
  const input = call.needs(weight) ? call.save(x) : null;
  const filters = call.needs(x) ? call.save(weight) : null;
  return ([g]) => [
    filters && convolutionTransposed(g, conjugate(filters()), windows, groups, more),
    input && convolutionWeight(conjugate(input()), g, windows, groups),
  ];
};

/** A convolution of a batch, without bias. */
export const convolution: Convolution = /* @__PURE__ */ structuredOp<Convolution, Forward>(
  "convolution(x: Tensor, weight: Tensor, ...)",
  "contract",
  {
    linear: "0|1",
    batch: "convolution",
    infer(x, weight, windows, groups) {
      const [sizes, filters] = [shapeOf(x), shapeOf(weight)];
      const name = `conv${windows.kernel.length}d`;
      const [batch, channels] = sizes as [Int, Int];
      const [outputs, inputs] = filters as [Int, Int];
      if (!mayEqual(channels, (inputs as number) * groups))
        throw new ShapeError(
          `${name}: weight ${show(filters)} with groups=${groups} needs an input with ${(inputs as number) * groups} channels, got ${show(sizes)}`,
        );
      const counts = windows.kernel.map((kernel, axis) => {
        const padding = windows.before[axis] + windows.after[axis];
        const size = sizes[axis + 2] as number;
        if (size + padding < windows.dilation[axis] * (kernel - 1) + 1)
          throw new ShapeError(
            `${name}: the kernel (${windows.kernel.join(" x ")}) can't be larger than the padded input (${windows.kernel.map((_, k) => (sizes[k + 2] as number) + windows.before[k] + windows.after[k]).join(" x ")})`,
          );
        return positions(size, kernel, windows.stride[axis], windows.dilation[axis], padding);
      });
      return { dtype: x.dtype, shape: [batch, outputs, ...counts] };
    },
    fill([out], x, weight, windows, groups) {
      fillConvolution(out, x, contiguous(weight), windows, groups);
    },
    gradient: forwardGradient,
  },
);

type Transposed = [y: Tensor, weight: Tensor, windows: Windows, groups: number, more: readonly number[]];
interface ConvolutionTransposed extends OpFunction {
  (...args: Transposed): Tensor;
}

const transposedGradient: GradientRule = (call) => {
  const [y, weight, windows, groups] = call.args as unknown as Transposed;
  const counts = sizesOf(y);
  const output = call.needs(weight) ? call.save(y) : null;
  const filters = call.needs(y) ? call.save(weight) : null;
  return ([g]) => [
    filters && firstOf(convolution(g, conjugate(filters()), windows, groups), counts),
    output && convolutionWeight(g, conjugate(output()), windows, groups),
  ];
};

/** The transpose of a convolution of a batch, without bias; `more` is added to the ends of the axes. */
export const convolutionTransposed: ConvolutionTransposed = /* @__PURE__ */ structuredOp<
  ConvolutionTransposed,
  Transposed
>("convolutionTransposed(x: Tensor, weight: Tensor, ...)", "contract", {
  linear: "0|1",
  batch: "convolution",
  infer(x, weight, windows, groups, more) {
    const [sizes, filters] = [shapeOf(x), shapeOf(weight)];
    if (!mayEqual(sizes[1], filters[0]))
      throw new ShapeError(
        `convTranspose${windows.kernel.length}d: weight ${show(filters)} needs an input with ${filters[0]} channels, got ${show(sizes)}`,
      );
    const counts = transposedSizes(sizes, windows, more);
    return { dtype: x.dtype, shape: [sizes[0], (filters[1] as number) * groups, ...counts] };
  },
  fill([out], x, weight, windows, groups, more) {
    fillTransposed(out, contiguous(x), contiguous(weight), windows, groups, more);
  },
  gradient: transposedGradient,
});

type ForWeight = [x: Tensor, y: Tensor, windows: Windows, groups: number];
interface ConvolutionWeight extends OpFunction {
  (...args: ForWeight): Tensor;
}

const weightGradient: GradientRule = (call) => {
  const [x, y, windows, groups] = call.args as unknown as ForWeight;
  const counts = sizesOf(y);
  const more = leftOver(sizesOf(x), counts, windows);
  const input = call.needs(y) ? call.save(x) : null;
  const output = call.needs(x) ? call.save(y) : null;
  return ([g]) => [
    output && convolutionTransposed(conjugate(output()), g, windows, groups, more),
    input && firstOf(convolution(conjugate(input()), g, windows, groups), counts),
  ];
};

/** The sums of the products of an output with what the windows of an input have at its positions, for each element of a window. */
export const convolutionWeight: ConvolutionWeight = /* @__PURE__ */ structuredOp<ConvolutionWeight, ForWeight>(
  "convolutionWeight(x: Tensor, y: Tensor, ...)",
  "contract",
  {
    linear: "0|1",
    batch: "convolutionWeight",
    infer: (x, y, windows, groups) => ({
      dtype: x.dtype,
      shape: [shapeOf(y)[1], (shapeOf(x)[1] as number) / groups, ...windows.kernel],
    }),
    fill([out], x, y, windows, groups) {
      fillWeight(out, x, y, windows, groups);
    },
    gradient: weightGradient,
  },
);
