/**
 * Convolutions of batches and their gradients: three ops of one sum of products over an input x, a weight w and an output y. Each op
 * computes one of them from the other two, so the gradients of each are the other two ops, to any order.
 */

import { ShapeError } from "../../base/errors.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import type { Int } from "../../layout/int.ts";
import type { DType } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { conjugate } from "../conjugate.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type Result, structuredOp } from "../op.ts";
import { mayEqual, type Sizes, shapeOf, show } from "../shape-rules.ts";
import { narrow } from "../views.ts";
import { lowerConvolution } from "./convolution-forward.ts";
import { lowerTransposed } from "./convolution-transposed.ts";
import { lowerWeight } from "./convolution-weight.ts";
import { positions, unpositions, type Windows } from "./windows.ts";

/** The sizes of axes with these numbers of windows; `more` is added to their ends. */
export const transposedSizes = (sizes: Sizes, windows: Windows, more: readonly number[] = []): Int[] =>
  windows.kernel.map((kernel, axis) => {
    const padding = windows.before[axis] + windows.after[axis] - (more[axis] ?? 0);
    const [stride, dilation] = [windows.stride[axis], windows.dilation[axis]];
    return unpositions(sizes[axis + 2], kernel, stride, dilation, padding);
  });

/** The number of elements at the end of each axis of an input that no window reaches. */
const leftOver = (sizes: readonly number[], counts: readonly number[], windows: Windows): number[] =>
  transposedSizes(counts, windows).map((size, axis) => sizes[axis + 2] - (size as number));

/** Crops a result to the sizes of another. */
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

/** The result of a convolution; throws if the shapes do not fit. */
export function resultOf(dtype: DType, x: Tensor, weight: Tensor, windows: Windows, groups: number): Result {
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
        `${name}: the kernel (${windows.kernel.join(" x ")}) must not be larger than the padded input (${windows.kernel.map((_, k) => (sizes[k + 2] as number) + windows.before[k] + windows.after[k]).join(" x ")})`,
      );
    return positions(size, kernel, windows.stride[axis], windows.dilation[axis], padding);
  });
  return { dtype, shape: [batch, outputs, ...counts] };
}

/** Adds a convolution of a batch. */
export const lowerForward = (
  builder: ProgramBuilder,
  [out]: readonly Tensor[],
  x: Tensor,
  weight: Tensor,
  windows: Windows,
  groups: number,
): void => lowerConvolution(builder, out, x, lowerContiguous(builder, weight, "conv"), windows, groups);

/** A convolution of a batch, without bias. */
export const convolution: Convolution = /* @__PURE__ */ structuredOp<Convolution, Forward>(
  "convolution(x: Tensor, weight: Tensor, ...)",
  "contract",
  {
    linear: "0|1",
    batch: "convolution",
    infer: (x, weight, windows, groups) => resultOf(x.dtype, x, weight, windows, groups),
    lower: lowerForward,
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

/** A transposed convolution of a batch, without bias; `more` is added to the ends of the axes. */
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
  lower(builder, [out], x, weight, windows, groups, more) {
    const [inputs, filters] = [x, weight].map((t) => lowerContiguous(builder, t, "conv")) as [Tensor, Tensor];
    lowerTransposed(builder, out, inputs, filters, windows, groups, more);
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

/** The gradient of the weight: for each element of a window, the sum of products of outputs and inputs. */
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
    lower(builder, [out], x, y, windows, groups) {
      lowerWeight(builder, out, x, y, windows, groups);
    },
    gradient: weightGradient,
  },
);
