/**
 * Sliding windows over the last axes of a tensor: their number, and a view with an axis for the windows and an axis for the elements of
 * a window along each of these axes. Convolutions and pooling are products and reductions over such views.
 */

import { ShapeError } from "../../base/errors.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { add, div, type Int, mul, sub } from "../../layout/int.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { indicesLike } from "../composite/tensors-like.ts";
import { floorDivide, add as plus, remainder, mul as times } from "../elementwise/arithmetic.ts";
import { reshape } from "../views.ts";

export interface Windows {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  /** Elements added before and after each axis. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/** Returns one number for each axis; a single number applies to all of them. */
export function perAxis(who: string, what: string, value: number | readonly number[], axes: number, min = 0): number[] {
  const list = typeof value === "number" ? new Array<number>(axes).fill(value) : Array.isArray(value) ? value : [];
  if (list.length === 1 && axes > 1) return perAxis(who, what, list[0] as number, axes, min);
  if (list.length !== axes || list.some((one) => !Number.isInteger(one) || one < min))
    throw new ShapeError(
      `${who}: ${what} must be an integer of at least ${min}, or ${axes} of them, got ${describeValue(value)}`,
    );
  return list;
}

/** The number of windows along one axis. */
export const positions = (size: Int, kernel: number, stride: number, dilation: number, padding: Int): Int =>
  add(div(sub(add(size, padding), dilation * (kernel - 1) + 1), stride), 1);

/** The smallest size of an axis with this number of windows. */
export const unpositions = (count: Int, kernel: number, stride: number, dilation: number, padding: number): Int =>
  sub(add(mul(sub(count, 1), stride), dilation * (kernel - 1) + 1), padding);

/** Pads the last axes of a tensor with one value, in the workspace; returns the tensor if there is nothing to add. */
export function lowerPadded(
  builder: ProgramBuilder,
  t: Tensor,
  before: readonly number[],
  after: readonly number[],
  value: number,
): Tensor {
  if (before.every((count) => count === 0) && after.every((count) => count === 0)) return t;
  const sizes = sizesOf(t);
  const first = sizes.length - before.length;
  const grown = sizes.map((size, axis) => (axis < first ? size : size + before[axis - first] + after[axis - first]));
  const result = scratchTensor(builder, t.dtype, grown);
  lowerFillAll(builder, result, value, "pad");
  lowerCopyAll(builder, t, insideOf(result, before, sizes), "pad");
  return result;
}

/** The part of a padded tensor that has these sizes, after the padding before each of its last axes. */
export function insideOf(t: Tensor, before: readonly number[], sizes: readonly number[]): Tensor {
  const first = sizes.length - before.length;
  return before.reduce((inside, low, axis) => narrow(inside, first + axis, low, sizes[first + axis]), t);
}

/** A view of a padded tensor: its first axes, then the axes of windows with sizes `counts`, then the axes of a window. */
export function windowView(t: Tensor, { kernel, stride, dilation }: Windows, counts: readonly number[]): Tensor {
  const [sizes, strides] = [sizesOf(t), flatStrides(t)];
  const first = sizes.length - kernel.length;
  const steps = strides.slice(first);
  return asStrided(
    t,
    [...sizes.slice(0, first), ...counts, ...kernel],
    [
      ...strides.slice(0, first),
      ...steps.map((step, axis) => step * stride[axis]),
      ...steps.map((step, axis) => step * dilation[axis]),
    ],
    t.start,
  );
}

/** Converts indices in windows to indices in the input, row-major over its last axes. */
export function indicesIn(
  x: Tensor,
  within: Tensor,
  { kernel, stride, dilation, before }: Windows,
  counts: readonly number[],
): Tensor {
  const sizes = sizesOf(x).slice(-counts.length);
  let index: Tensor | null = null;
  let left = within;
  let scale = 1;
  for (let axis = counts.length - 1; axis >= 0; axis--) {
    const k = kernel[axis];
    const shape = counts.map((count, other) => (other === axis ? count : 1));
    const start = reshape(indicesLike(x, counts[axis]), shape);
    const tap = times(remainder(left, k), dilation[axis]);
    const at = plus(tap, plus(times(start, stride[axis]), -before[axis]));
    const part = times(at, scale);
    index = index === null ? part : plus(index, part);
    left = floorDivide(left, k);
    scale *= sizes[axis];
  }
  return index as Tensor;
}
