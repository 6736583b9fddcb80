/**
 * Pooling: the largest element, the mean or a norm of each window over the last axes.
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
import { compositeOp, fresh } from "../op.ts";
import { positionDType } from "../positions.ts";
import type { ValuesIndices } from "../reduce/reduce-types.ts";
import { floating } from "../routine/sequence.ts";
import { reshape, to } from "../views.ts";
import { largestTap, windowMax, windowSum } from "./window-sums.ts";
import { perAxis, placesIn, type Windows } from "./windows.ts";

type PerAxis = number | readonly number[];

export interface PoolOptions {
  /** The size of the windows unless given. */
  readonly stride?: PerAxis | null;
  /** How far windows reach over the edges: 0 unless given. */
  readonly padding?: PerAxis;
  /** How far the elements of a window are apart: 1 unless given. */
  readonly dilation?: PerAxis;
  /** Rounds the number of windows up: false unless given. */
  readonly ceilMode?: boolean;
}
export interface MaxPoolOptions extends PoolOptions {
  /** Gives the places of the largest elements, too: false unless given. */
  readonly returnIndices?: boolean;
}
export interface AveragePoolOptions extends Omit<PoolOptions, "dilation"> {
  /** Counts elements of the padding: true unless given. */
  readonly countIncludePad?: boolean;
  /** What sums are divided by, in place of the number of elements. */
  readonly divisorOverride?: number | null;
}

/** The windows of a pooling, and how many there are along each axis. */
function windowsOf(
  name: string,
  x: Tensor,
  kernelSize: PerAxis,
  options: PoolOptions,
  axes: number,
): [Windows, number[]] {
  if (x.rank !== axes + 1 && x.rank !== axes + 2)
    throw new ShapeError(`${name}: Expected ${axes + 1}D or ${axes + 2}D input, but got ${showShape(x)}`);
  if (
    sizesOf(x)
      .slice(x.rank === axes + 2 ? 1 : 0)
      .includes(0)
  )
    throw new ShapeError(`${name}: the axes behind the batch must not be empty, got ${showShape(x)}`);
  const kernel = perAxis(name, "kernelSize", kernelSize, axes, 1);
  const { stride: given = null } = options;
  const stride =
    given === null || (Array.isArray(given) && given.length === 0) ? kernel : perAxis(name, "stride", given, axes, 1);
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
    // The last window begins inside the input or its left border.
    if (options.ceilMode === true && (count - 1) * s >= size + p) count--;
    if (count < 1)
      throw new ShapeError(`${name}: an input ${showShape(x)} gives an output of size ${count}, which is too small`);
    after.push(Math.max(p, (count - 1) * s + d * (k - 1) + 1 - size - p));
    return count;
  });
  return [{ kernel, stride, dilation, before: padding, after }, counts];
}

/** A pooling with the largest elements. */
export interface MaxPool extends OpFunction {
  /** The largest element of each window, and its place in the plane. */
  (x: Tensor, kernelSize: PerAxis, options: MaxPoolOptions & { readonly returnIndices: true }): ValuesIndices;
  /** The largest element of each window. */
  (x: Tensor, kernelSize: PerAxis, options?: MaxPoolOptions & { readonly returnIndices?: false }): Tensor;
}

function maxPool(axes: number): MaxPool {
  const name = `maxPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, kernelSize: ints; stride, padding, dilation, ceilMode, returnIndices)`,
    (x: Tensor, kernelSize: PerAxis, options: MaxPoolOptions = {}) => {
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      const values = windowMax(x, windows, counts);
      if (options.returnIndices !== true) return values;
      const within = to(largestTap(x, windows, values), positionDType);
      return { values, indices: placesIn(x, within, windows, counts) };
    },
  );
}

/** A pooling with means. */
export interface AveragePool extends OpFunction {
  (x: Tensor, kernelSize: PerAxis, options?: AveragePoolOptions): Tensor;
}

function averagePool(axes: number): AveragePool {
  const name = `avgPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, kernelSize: ints; stride, padding, ceilMode, countIncludePad, divisorOverride)`,
    (x: Tensor, kernelSize: PerAxis, options: AveragePoolOptions = {}) => {
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      const { countIncludePad = true, divisorOverride = null } = options;
      const total = windowSum(x, null, windows, counts);
      if (divisorOverride === 0) throw new ShapeError(`${name}: divisor must be not zero`);
      const divisor = divisorOverride ?? elementsIn(x, windows, counts, countIncludePad);
      return div(total, divisor, isWhole(x.dtype) ? { rounding: "trunc" } : undefined);
    },
  );
}

const isWhole = (dtype: DType): boolean => isIntegerDType(dtype);

/** How many elements each window has: of the input, and of its border if that counts, never of what lies beyond it. */
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

/** A tensor of a few numbers. */
function listTensor(numbers: readonly number[], dtype: DType, like: Tensor): Tensor {
  const t = fresh(dtype, [numbers.length], like);
  numbers.forEach((value, i) => {
    fillUnchecked(narrow(t, 0, i, 1), value, "pool");
  });
  return t;
}

/** A pooling with norms. */
export interface NormPool extends OpFunction {
  (x: Tensor, power: number, kernelSize: PerAxis, options?: Omit<PoolOptions, "padding" | "dilation">): Tensor;
}

function normPool(axes: number): NormPool {
  const name = `lpPool${axes}d`;
  return compositeOp(
    `${name}(x: Tensor, power: any, kernelSize: ints; stride, ceilMode)`,
    (given: Tensor, power: number, kernelSize: PerAxis, options: PoolOptions = {}) => {
      if (power === 0) throw new StridewiseError(`${name}: the power must not be 0.`);
      // Powers of integers would wrap around.
      const x = floating(given);
      const [windows, counts] = windowsOf(name, x, kernelSize, options, axes);
      let total = windowSum(pow(x, power), null, windows, counts);
      // Windows that reach over the end count as if they were full, as in PyTorch.
      const { kernel } = windows;
      if (options.ceilMode === true) total = mul(total, div(product(kernel), elementsIn(x, windows, counts, true)));
      return pow(mul(sign(total), relu(abs(total))), 1 / power);
    },
  );
}

/** The largest element of each window of a signal. */
export const maxPool1d: MaxPool = /* @__PURE__ */ maxPool(1);
/** The largest element of each window of an image. */
export const maxPool2d: MaxPool = /* @__PURE__ */ maxPool(2);
/** The largest element of each window of a volume. */
export const maxPool3d: MaxPool = /* @__PURE__ */ maxPool(3);
/** The mean of each window of a signal. */
export const avgPool1d: AveragePool = /* @__PURE__ */ averagePool(1);
/** The mean of each window of an image. */
export const avgPool2d: AveragePool = /* @__PURE__ */ averagePool(2);
/** The mean of each window of a volume. */
export const avgPool3d: AveragePool = /* @__PURE__ */ averagePool(3);
/** The norm of each window of a signal. */
export const lpPool1d: NormPool = /* @__PURE__ */ normPool(1);
/** The norm of each window of an image. */
export const lpPool2d: NormPool = /* @__PURE__ */ normPool(2);
