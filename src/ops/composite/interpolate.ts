/**
 * Interpolation: resizes the last axes of [N, C, ...], one axis after the other. `resample.ts` computes indices and weights, `resample-axis.ts` applies
 * them.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { isFloatDType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { compositeOp } from "../op.ts";
import { show } from "../shape-rules.ts";
import { to } from "../views.ts";
import type { DynamicShapeOp } from "./composite-types.ts";
import { type Axis, areaTaps, cubicTaps, linearTaps, nearestTaps, type Taps } from "./resample.ts";
import { resampled } from "./resample-axis.ts";

export type InterpolateMode = "nearest" | "nearest-exact" | "linear" | "bilinear" | "bicubic" | "trilinear" | "area";

interface SizeOptions {
  /** The sizes of the axes after the channels: a list, or one number for all. */
  readonly size?: number | readonly number[] | undefined;
  /** The factors of these axes, instead of sizes. */
  readonly scaleFactor?: number | readonly number[] | undefined;
}
export interface InterpolateOptions extends SizeOptions {
  /** The interpolation between elements. Default: "nearest". */
  readonly mode?: InterpolateMode | undefined;
  /** Aligns the centers of the first and last elements; otherwise their outer edges are aligned. Only for modes linear, bilinear, bicubic and trilinear. */
  readonly alignCorners?: boolean | undefined;
  /** Computes positions from the sizes instead of the scale factor. Default: false. */
  readonly recomputeScaleFactor?: boolean | undefined;
}

/** The numbers of axes after the channels that a mode accepts, and its taps. */
const modes: Readonly<Record<InterpolateMode, readonly [axes: readonly number[], taps: (axis: Axis) => Taps]>> = {
  nearest: [[1, 2, 3], (axis) => nearestTaps(axis, false)],
  "nearest-exact": [[1, 2, 3], (axis) => nearestTaps(axis, true)],
  linear: [[1], linearTaps],
  bilinear: [[2], linearTaps],
  trilinear: [[3], linearTaps],
  bicubic: [[2], cubicTaps],
  area: [[1, 2, 3], areaTaps],
};

const listOf = (value: number | readonly number[], axes: number): readonly number[] =>
  typeof value === "number" ? Array.from({ length: axes }, () => value) : value;

/** Returns the axes after the channels with their sizes before and after, and the distance between positions. */
function axesOf(who: string, x: Tensor, options: InterpolateOptions): Axis[] {
  const { alignCorners = false, recomputeScaleFactor = false } = options;
  const [size, scaleFactor] = [options.size ?? undefined, options.scaleFactor ?? undefined];
  for (const one of [size, scaleFactor])
    if (one !== undefined && typeof one !== "number" && !Array.isArray(one))
      throw new StridewiseError(
        `${who}: size and scaleFactor must be numbers or lists of numbers, got ${describeValue(one)}`,
      );
  const sizes = sizesOf(x).slice(2);
  if ((size === undefined) === (scaleFactor === undefined))
    throw new StridewiseError(`${who}: pass ${size === undefined ? "" : "only one of "}{ size } or { scaleFactor }`);
  const numbers = listOf((size ?? scaleFactor) as number | readonly number[], sizes.length);
  if (numbers.length !== sizes.length)
    throw new ShapeError(`${who}: expected one number for each of the axes ${show(sizes)}, got ${show(numbers)}`);
  return sizes.map((length, k) => {
    const factor = numbers[k];
    const count = size === undefined ? Math.floor(length * factor) : factor;
    checkResultBytes(who, count);
    if (!(count > 0) || !Number.isInteger(count))
      throw new ShapeError(`${who}: sizes must be above 0, got ${show(sizes)} to ${count}`);
    const scale = size === undefined && !recomputeScaleFactor ? 1 / factor : length / count;
    return { size: length, count, scale, alignCorners };
  });
}

function interpolated(who: string, x: Tensor, options: InterpolateOptions): Tensor {
  const { mode = "nearest", alignCorners } = options;
  if (!Object.hasOwn(modes, mode))
    throw new StridewiseError(
      `${who}: mode must be one of ${Object.keys(modes).join(", ")}, got ${describeValue(mode)}`,
    );
  const [ranks, taps] = modes[mode];
  if (!ranks.includes(x.rank - 2))
    throw new ShapeError(
      `${who}: mode ${mode} requires ${ranks.map((rank) => rank + 2).join(" or ")} axes, got shape ${showShape(x)}`,
    );
  const isNearest = mode.startsWith("nearest");
  if (alignCorners !== undefined && (isNearest || mode === "area"))
    throw new StridewiseError(`${who}: alignCorners requires mode linear, bilinear, bicubic or trilinear, got ${mode}`);
  if (!isNearest && !isFloatDType(x.dtype)) throw notImplemented(who, x.dtype);
  return to(
    axesOf(who, x, options).reduce((part, axis, k) => resampled(part, 2 + k, taps(axis)), x),
    x.dtype,
  );
}

/** Resizes the axes after the channels to the given size or by the given scaleFactor. The modes are "nearest" (the default), "nearest-exact", "linear", "bilinear", "bicubic", "trilinear" and "area". */
export const interpolate: DynamicShapeOp<[options: InterpolateOptions]> = /* @__PURE__ */ compositeOp(
  "interpolate(x: Tensor; size, scaleFactor, mode, alignCorners, recomputeScaleFactor)",
  (x: Tensor, options: InterpolateOptions = {}) => interpolated("interpolate", x, options),
);
/** Resizes the axes after the channels; an alias of interpolate. */
export const upsample: DynamicShapeOp<[options: InterpolateOptions]> = /* @__PURE__ */ compositeOp(
  "upsample(x: Tensor; size, scaleFactor, mode, alignCorners, recomputeScaleFactor)",
  (x: Tensor, options: InterpolateOptions = {}) => interpolated("upsample", x, options),
);
/** Resizes the axes after the channels with nearest-neighbor interpolation. */
export const upsampleNearest: DynamicShapeOp<[options: SizeOptions]> = /* @__PURE__ */ compositeOp(
  "upsampleNearest(x: Tensor; size, scaleFactor)",
  (x: Tensor, options: SizeOptions) => interpolated("upsampleNearest", x, { ...options, mode: "nearest" }),
);
/** Resizes the two axes after the channels by bilinear interpolation with aligned corners. */
export const upsampleBilinear: DynamicShapeOp<[options: SizeOptions]> = /* @__PURE__ */ compositeOp(
  "upsampleBilinear(x: Tensor; size, scaleFactor)",
  (x: Tensor, options: SizeOptions) =>
    interpolated("upsampleBilinear", x, { ...options, mode: "bilinear", alignCorners: true }),
);
