/**
 * Fourier transforms over one axis, two axes, or any axes. The input is truncated or zero-padded to `n` or `sizes`. `norm` is the scaling:
 * "backward" (the inverse by 1/n), "ortho" (both directions by 1/sqrt(n)), "forward" (the forward transform by 1/n).
 */

import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { complexDType, DTypeError, dtypes, isHalf } from "../../storage/dtype.ts";
import { type Axis, axesOf, properAxisOf } from "../../tensor/axes.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { mul } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { roll } from "../movement/rearrange.ts";
import { compositeOp } from "../op.ts";
import { to } from "../views.ts";
import { complexToComplex, complexToReal, realToComplex } from "./transforms.ts";

export type Norm = "backward" | "ortho" | "forward";
export interface FourierOptions {
  /** The direction that is divided by the number of elements, or "ortho" for both by its square root. Default: "backward". */
  readonly norm?: Norm | null;
}

/** Returns the factor of a transform. */
function scaleOf(who: string, norm: Norm | null | undefined, count: number, isForward: boolean): number {
  switch (norm ?? "backward") {
    case "backward":
      return isForward ? 1 : 1 / count;
    case "ortho":
      return 1 / Math.sqrt(count);
    case "forward":
      return isForward ? 1 / count : 1;
    default:
      throw new StridewiseError(`${who}: norm must be "backward", "ortho" or "forward", got "${norm}"`);
  }
}

/** The tensor as floats or complex numbers; integers become float32. */
function floating(who: string, x: Tensor): Tensor {
  const { category } = dtypes[x.dtype];
  if (isHalf(x.dtype)) throw notImplemented(who, x.dtype);
  return category === "float" || category === "complex" ? x : to(x, "float32");
}

function asComplex(who: string, x: Tensor): Tensor {
  const float = floating(who, x);
  return isComplexTensor(float) ? float : to(float, complexDType(float.dtype));
}

function real(who: string, x: Tensor): Tensor {
  const float = floating(who, x);
  if (isComplexTensor(float)) throw new DTypeError(`${who}: x must be real, got ${x.dtype}. Use fft`);
  return float;
}

/** The type of transforms over one axis. */
export interface Fourier extends OpFunction {
  (x: Tensor, n?: number | null, axis?: Axis, options?: FourierOptions): Tensor;
}
/** The type of transforms over several axes. */
export interface FourierN extends OpFunction {
  (
    x: Tensor,
    sizes?: number | readonly number[] | null,
    axes?: Axis | readonly Axis[] | null,
    options?: FourierOptions,
  ): Tensor;
}

/** The number of real values that half of a Hermitian line represents. */
const wholeOf = (n: number | null | undefined, size: number): number => n ?? 2 * (size - 1);

function checkPoints(who: string, n: number): number {
  if (!Number.isInteger(n) || n < 1) throw new StridewiseError(`${who}: n must be a positive integer, got ${n}`);
  return n;
}

type Kind = "complex" | "real" | "half";

/**
 * A transform over one axis. Kind "real" returns half of a Hermitian result, kind "half" takes one and returns real values; `isForward` is
 * the direction of the exponent.
 */
function along(name: string, kind: Kind, isForward: boolean): Fourier {
  return compositeOp(
    `${name}(x: Tensor, n, axis; norm)`,
    (x: Tensor, n: number | null = null, axis: Axis = -1, { norm }: FourierOptions = {}) => {
      const source = kind === "real" ? real(name, x) : asComplex(name, x);
      const at = properAxisOf(name, source, axis);
      const size = sizesOf(source)[at];
      const points = checkPoints(name, kind === "half" ? wholeOf(n, size) : (n ?? size));
      const scale = scaleOf(name, norm, points, isForward);
      if (kind === "complex") return complexToComplex(source, at, points, !isForward, scale);
      if (kind === "real") return realToComplex(source, at, points, !isForward, scale);
      return complexToReal(source, at, points, isForward, scale);
    },
    "routine",
  );
}

/** Returns the axes of a transform over several, and the number of points of each. */
function pointsOf(
  who: string,
  x: Tensor,
  sizes: readonly number[] | null,
  axes: readonly Axis[] | null,
  isHalf: boolean,
): { at: number[]; points: number[] } {
  if (x.rank === 0 && axes !== null && axes.length > 0)
    throw new IndexError(`${who}: x has no axis ${axes[0]}; its shape is []`);
  const at =
    axes !== null
      ? axesOf(who, x, axes)
      : Array.from({ length: sizes?.length ?? x.rank }, (_, k) => x.rank - (sizes?.length ?? x.rank) + k);
  if (sizes !== null && sizes.length !== at.length)
    throw new ShapeError(`${who}: axes and sizes must have the same length, got ${at.length} and ${sizes.length}`);
  if (at.some((axis) => axis < 0)) throw new ShapeError(`${who}: got ${sizes?.length} sizes for ${x.rank} axes`);
  const points = at.map((axis, k) => {
    const size = sizesOf(x)[axis];
    const n = sizes === null || sizes[k] === -1 ? null : sizes[k];
    return checkPoints(who, isHalf && k === at.length - 1 ? wholeOf(n, size) : (n ?? size));
  });
  return { at, points };
}

const listOf = <T>(value: T | readonly T[] | null): readonly T[] | null =>
  value === null ? null : ([value].flat() as readonly T[]);

/** A transform over several axes, by default the last two or all. */
function over(name: string, kind: Kind, isForward: boolean, isTwo: boolean): FourierN {
  return compositeOp(
    `${name}(x: Tensor, sizes, axes; norm)`,
    (
      x: Tensor,
      sizes: number | readonly number[] | null = null,
      axes: Axis | readonly Axis[] | null = isTwo ? [-2, -1] : null,
      { norm }: FourierOptions = {},
    ) => {
      let result = kind === "real" ? real(name, x) : asComplex(name, x);
      const { at, points } = pointsOf(name, result, listOf(sizes), listOf(axes), kind === "half");
      const last = at.length - 1;
      if (last < 0) return result;
      const scale = (k: number): number => scaleOf(name, norm, points[k], isForward);
      if (kind === "real") result = realToComplex(result, at[last], points[last], !isForward, scale(last));
      const end = kind === "complex" ? last : last - 1;
      for (let k = end; k >= 0; k--) result = complexToComplex(result, at[k], points[k], !isForward, scale(k));
      if (kind === "half") result = complexToReal(result, at[last], points[last], isForward, scale(last));
      return result;
    },
    "routine",
  );
}

/** Returns the one-dimensional discrete Fourier transform of x along an axis. */
export const fft: Fourier = /* @__PURE__ */ along("fft", "complex", true);
/** Returns the inverse of fft. */
export const ifft: Fourier = /* @__PURE__ */ along("ifft", "complex", false);
/** Returns the first floor(n / 2) + 1 frequencies of the discrete Fourier transform of real values; the others are their conjugates. */
export const rfft: Fourier = /* @__PURE__ */ along("rfft", "real", true);
/** Returns the inverse of rfft: real values from the first half of their transform. */
export const irfft: Fourier = /* @__PURE__ */ along("irfft", "half", false);
/** Returns the real discrete Fourier transform of a Hermitian-symmetric signal, of which x is the first half. */
export const hfft: Fourier = /* @__PURE__ */ along("hfft", "half", true);
/** Returns the inverse of hfft. */
export const ihfft: Fourier = /* @__PURE__ */ along("ihfft", "real", false);
/** Returns the two-dimensional discrete Fourier transform over the last two axes. */
export const fft2: FourierN = /* @__PURE__ */ over("fft2", "complex", true, true);
/** Returns the inverse of fft2. */
export const ifft2: FourierN = /* @__PURE__ */ over("ifft2", "complex", false, true);
/** Returns the two-dimensional rfft, over the last two axes. */
export const rfft2: FourierN = /* @__PURE__ */ over("rfft2", "real", true, true);
/** Returns the inverse of rfft2. */
export const irfft2: FourierN = /* @__PURE__ */ over("irfft2", "half", false, true);
/** Returns the two-dimensional hfft, over the last two axes. */
export const hfft2: FourierN = /* @__PURE__ */ over("hfft2", "half", true, true);
/** Returns the inverse of hfft2. */
export const ihfft2: FourierN = /* @__PURE__ */ over("ihfft2", "real", false, true);
/** Returns the discrete Fourier transform over the given axes, by default all. */
export const fftn: FourierN = /* @__PURE__ */ over("fftn", "complex", true, false);
/** Returns the inverse of fftn. */
export const ifftn: FourierN = /* @__PURE__ */ over("ifftn", "complex", false, false);
/** Returns the multidimensional rfft over the given axes, by default all. The last of them keeps its first floor(n / 2) + 1 frequencies. */
export const rfftn: FourierN = /* @__PURE__ */ over("rfftn", "real", true, false);
/** Returns the inverse of rfftn. */
export const irfftn: FourierN = /* @__PURE__ */ over("irfftn", "half", false, false);
/** Returns the multidimensional hfft over the given axes, by default all. */
export const hfftn: FourierN = /* @__PURE__ */ over("hfftn", "half", true, false);
/** Returns the inverse of hfftn. */
export const ihfftn: FourierN = /* @__PURE__ */ over("ihfftn", "real", false, false);

/** The type of fftshift and ifftshift. */
export interface Shift extends OpFunction {
  (x: Tensor, axes?: Axis | readonly Axis[] | null): Tensor;
}
function shift(name: string, half: (size: number) => number): Shift {
  return compositeOp(
    `${name}(x: Tensor, ...)`,
    (x: Tensor, axes: Axis | readonly Axis[] | null = null) => {
      const at = axesOf(name, x, listOf(axes) ?? Array.from({ length: x.rank }, (_, axis) => axis));
      return roll(
        x,
        at.map((axis) => half(sizesOf(x)[axis])),
        at,
      );
    },
    "routine",
  );
}
/** Returns x rolled so that frequency 0 is in the middle of each axis. */
export const fftshift: Shift = /* @__PURE__ */ shift("fftshift", (size) => Math.floor(size / 2));
/** Returns the inverse of fftshift: frequency 0 is first again. */
export const ifftshift: Shift = /* @__PURE__ */ shift("ifftshift", (size) => Math.ceil(size / 2));

/** Returns the sample frequencies of fft for n samples that are d apart. */
export function fftfreq(n: number, d = 1): Tensor {
  checkResultBytes("fftfreq", checkPoints("fftfreq", n));
  const up = Math.ceil(n / 2);
  const numbers = arange(-Math.floor(n / 2), up, 1, { dtype: "float32" });
  return mul(roll(numbers, up, 0), 1 / (n * d));
}
/** Returns the sample frequencies of rfft for n samples that are d apart. */
export function rfftfreq(n: number, d = 1): Tensor {
  checkResultBytes("rfftfreq", checkPoints("rfftfreq", n) / 2);
  return mul(arange(0, Math.floor(n / 2) + 1, 1, { dtype: "float32" }), 1 / (n * d));
}
