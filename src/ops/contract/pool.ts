/**
 * Pooling: the maximum, the mean or a norm of each window over the last axes.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { product } from "../../base/ints.ts";
import { listOf } from "../../base/list-of.ts";
import { type DType, isIntegerDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { relu } from "../elementwise/activation.ts";
import { abs, div, mul, pow, sign } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { compositeOp, freshLike } from "../op.ts";
import type { ValuesIndices } from "../reduce/reduce-types.ts";
import { floating } from "../routine/sequence.ts";
import { reshape, to } from "../views.ts";
import type { FloatOverWindows, OverWindows, Pooled, PooledShape, WindowRank } from "./contract-types.ts";
import { largestTap, windowMax, windowSum } from "./window-sums.ts";
import { indicesIn, perAxis, type Windows } from "./windows.ts";

type PerAxis = number | readonly number[];

export interface PoolOptions {
  /** The distance between windows. Default: `kernelSize`. */
  readonly stride?: PerAxis | null;
  /** The number of elements by which windows extend over the edges. Default: 0. */
  readonly padding?: PerAxis;
  /** The distance between elements of a window. Default: 1. */
  readonly dilation?: PerAxis;
  /** Rounds the number of windows up instead of down. Default: false. */
  readonly ceilMode?: boolean;
}
export interface MaxPoolOptions extends PoolOptions {
  /** Also returns the indices of the maxima. Default: false. */
  readonly returnIndices?: boolean;
}
export interface AveragePoolOptions extends Omit<PoolOptions, "dilation"> {
  /** Counts elements of the padding. Default: true. */
  readonly countIncludePad?: boolean;
  /** The divisor of sums, instead of the number of elements. */
  readonly divisorOverride?: number | null;
}

/** The windows of a pooling, and their number along each axis. */
function windowsOf(
  name: string,
  x: Tensor,
  kernelSize: PerAxis,
  options: PoolOptions,
  axes: number,
): [Windows, number[]] {
  if (x.rank !== axes + 1 && x.rank !== axes + 2)
    throw new ShapeError(`${name}: expected ${axes + 1} or ${axes + 2} axes, got shape ${showShape(x)}`);
  if (
    sizesOf(x)
      .slice(x.rank === axes + 2 ? 1 : 0)
      .includes(0)
  )
    throw new ShapeError(`${name}: the axes after the batch must not be empty, got ${showShape(x)}`);
  const kernel = perAxis(name, "kernelSize", kernelSize, axes, 1);
  const { stride: step = null } = options;
  const stride =
    step === null || (Array.isArray(step) && step.length === 0) ? kernel : perAxis(name, "stride", step, axes, 1);
  const padding = perAxis(name, "padding", options.padding ?? 0, axes);
  const dilation = perAxis(name, "dilation", options.dilation ?? 1, axes, 1);
  padding.forEach((size, axis) => {
    if (size * 2 > kernel[axis])
      throw new ShapeError(
        `${name}: padding must be at most half of the dilated kernel, got padding ${size}, kernel ${kernel[axis]} and dilation ${dilation[axis]}`,
      );
  });
  const sizes = sizesOf(x).slice(-axes);
  const after: number[] = [];
  const counts = sizes.map((size, axis) => {
    const [k, s, d, p] = [kernel, stride, dilation, padding].map((list) => list[axis]) as [
      number,
      number,
      number,
      number,
    ];
    let count = Math[options.ceilMode === true ? "ceil" : "floor"]((size + 2 * p - d * (k - 1) - 1) / s) + 1;
    // The last window starts inside the input or its left border.
    if (options.ceilMode === true && (count - 1) * s >= size + p) count--;
    if (count < 1)
      throw new ShapeError(
        `${name}: the dilated kernel (${d * (k - 1) + 1}) must not be larger than the padded input (${size + 2 * p})`,
      );
    after.push(Math.max(p, (count - 1) * s + d * (k - 1) + 1 - size - p));
    return count;
  });
  return [{ kernel, stride, dilation, before: padding, after }, counts];
}

/** The type of max pooling. */
export interface MaxPool<N extends WindowRank = WindowRank> extends OpFunction {
  /** Returns the maximum of each window and its index in the plane. */
  <X extends Tensor>(
    x: X,
    kernelSize: PerAxis,
    options: MaxPoolOptions & { readonly returnIndices: true },
  ): ValuesIndices<PooledShape<X["shape"], N>, X["dtype"]>;
  /** Returns the maximum of each window. */
  <X extends Tensor>(
    x: X,
    kernelSize: PerAxis,
    options?: MaxPoolOptions & { readonly returnIndices?: false },
  ): Pooled<X, N>;
}

function maxPool<N extends WindowRank>(axes: N): MaxPool<N> {
  const name = `maxPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, kernelSize: ints; stride, padding, dilation, ceilMode, returnIndices)`,
    (x: Tensor, kernelSize: PerAxis, options: MaxPoolOptions = {}) => {
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      const values = windowMax(x, windows, counts);
      if (options.returnIndices !== true) return values;
      const tapIndex = to(largestTap(x, windows, values), indexDType);
      return { values, indices: indicesIn(x, tapIndex, windows, counts) };
    },
  );
}

/** The type of average pooling. */
export type AveragePool<N extends WindowRank = WindowRank> = OverWindows<
  [kernelSize: PerAxis, options?: AveragePoolOptions],
  N
>;

function averagePool<N extends WindowRank>(axes: N): AveragePool<N> {
  const name = `avgPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, kernelSize: ints; stride, padding, ceilMode, countIncludePad, divisorOverride)`,
    (x: Tensor, kernelSize: PerAxis, options: AveragePoolOptions = {}) => {
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      const { countIncludePad = true, divisorOverride = null } = options;
      const total = windowSum(x, null, windows, counts);
      if (divisorOverride === 0) throw new ShapeError(`${name}: divisorOverride must not be 0`);
      const divisor = divisorOverride ?? elementsIn(x, windows, counts, countIncludePad);
      return div(total, divisor, isIntegerDType(x.dtype) ? { roundingMode: "trunc" } : undefined);
    },
  );
}

/** The number of elements of each window in the input, or with its border, but not beyond that. */
function elementsIn(
  x: Tensor,
  { kernel, stride, before }: Windows,
  counts: readonly number[],
  withBorder: boolean,
): Tensor {
  const sizes = sizesOf(x).slice(-counts.length);
  let elements: Tensor | null = null;
  counts.forEach((count, axis) => {
    const [p, size] = [before[axis], sizes[axis]];
    const [low, high] = withBorder ? [-p, size + p] : [0, size];
    const each = listOf(count, (i) => {
      const start = i * stride[axis] - p;
      return Math.min(start + kernel[axis], high) - Math.max(start, low);
    });
    const shape = counts.map((own, other) => (other === axis ? own : 1));
    const part = reshape(listTensor(each, x.dtype, x), shape);
    elements = elements === null ? part : mul(elements, part);
  });
  return elements as unknown as Tensor;
}

/** A tensor of a few numbers on the device of another. */
function listTensor(numbers: readonly number[], dtype: DType, like: Tensor): Tensor {
  const t = freshLike(like, dtype, [numbers.length]);
  numbers.forEach((value, i) => {
    fillUnchecked(narrow(t, 0, i, 1), value, "pool");
  });
  return t;
}

/** The type of norm pooling. */
export type NormPool<N extends WindowRank = WindowRank> = FloatOverWindows<
  [normType: number, kernelSize: PerAxis, options?: Omit<PoolOptions, "padding" | "dilation">],
  N
>;

function normPool<N extends WindowRank>(axes: N): NormPool<N> {
  const name = `lpPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, normType: any, kernelSize: ints; stride, ceilMode)`,
    (input: Tensor, power: number, kernelSize: PerAxis, options: PoolOptions = {}) => {
      if (power === 0) throw new StridewiseError(`${name}: the power must not be 0.`);
      // Powers of integers would wrap around.
      const x = floating(input);
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      let total = windowSum(pow(x, power), null, windows, counts);
      // Windows that extend over the end count as full ones, as in PyTorch.
      const { kernel } = windows;
      if (options.ceilMode === true) total = mul(total, div(product(kernel), elementsIn(x, windows, counts, true)));
      return pow(mul(sign(total), relu(abs(total))), 1 / power);
    },
  );
}

/** Applies max pooling to signals [N, C, L] or [C, L]. */
export const maxPool1d: MaxPool<1> = /* @__PURE__ */ maxPool(1);
/** Applies max pooling to images [N, C, H, W] or [C, H, W]. */
export const maxPool2d: MaxPool<2> = /* @__PURE__ */ maxPool(2);
/** Applies max pooling to volumes [N, C, D, H, W] or [C, D, H, W]. */
export const maxPool3d: MaxPool<3> = /* @__PURE__ */ maxPool(3);
/** Applies average pooling to signals [N, C, L] or [C, L]. */
export const avgPool1d: AveragePool<1> = /* @__PURE__ */ averagePool(1);
/** Applies average pooling to images [N, C, H, W] or [C, H, W]. */
export const avgPool2d: AveragePool<2> = /* @__PURE__ */ averagePool(2);
/** Applies average pooling to volumes [N, C, D, H, W] or [C, D, H, W]. */
export const avgPool3d: AveragePool<3> = /* @__PURE__ */ averagePool(3);
/** Applies power-average pooling to signals [N, C, L] or [C, L]: each output is the norm of order `normType` of its window. */
export const lpPool1d: NormPool<1> = /* @__PURE__ */ normPool(1);
/** Applies power-average pooling to images [N, C, H, W] or [C, H, W]: each output is the norm of order `normType` of its window. */
export const lpPool2d: NormPool<2> = /* @__PURE__ */ normPool(2);
