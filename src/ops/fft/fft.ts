/**
 * Fourier transforms: along one axis, over two, over any. `n` or `sizes` cut or pad with zeros first; `norm` says which way is scaled:
 * "backward" (the inverse by 1/n), "ortho" (both by its root), "forward" (the forward one).
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
  readonly norm?: Norm | null;
}

/** What a transform is multiplied by. */
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

/** The tensor in a dtype that transforms take; integers become float32. */
function floating(who: string, x: Tensor): Tensor {
  const { category } = dtypes[x.dtype];
  if (isHalf(x.dtype)) throw notImplemented(who, x.dtype);
  return category === "float" || category === "complex" ? x : to(x, "float32");
}

function complexed(who: string, x: Tensor): Tensor {
  const float = floating(who, x);
  return isComplexTensor(float) ? float : to(float, complexDType(float.dtype));
}

function real(who: string, x: Tensor): Tensor {
  const float = floating(who, x);
  if (isComplexTensor(float)) throw new DTypeError(`${who}: expects a real tensor, got ${x.dtype}. Use fft`);
  return float;
}

/** A transform along one axis. */
export interface Fourier extends OpFunction {
  (x: Tensor, n?: number | null, axis?: Axis, options?: FourierOptions): Tensor;
}
/** A transform over several axes. */
export interface FourierN extends OpFunction {
  (
    x: Tensor,
    sizes?: number | readonly number[] | null,
    axes?: Axis | readonly Axis[] | null,
    options?: FourierOptions,
  ): Tensor;
}

/** How many real values half of a Hermitian line stands for. */
const wholeOf = (n: number | null | undefined, size: number): number => n ?? 2 * (size - 1);

function checkPoints(who: string, n: number): number {
  if (!Number.isInteger(n) || n < 1)
    throw new StridewiseError(`${who}: Invalid number of data points (${n}) specified. Give a positive n`);
  return n;
}

type Kind = "complex" | "real" | "half";

/** Real input gives half of a Hermitian result, complex halves give real results; `isForward` is the direction of the exponent. */
function along(name: string, kind: Kind, isForward: boolean): Fourier {
  return compositeOp(
    `${name}(x: Tensor, n, axis; norm)`,
    (x: Tensor, n: number | null = null, axis: Axis = -1, { norm }: FourierOptions = {}) => {
      const source = kind === "real" ? real(name, x) : complexed(name, x);
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

/** The axes of a transform over several, and how many points each has. */
function placesOf(
  who: string,
  x: Tensor,
  sizes: readonly number[] | null,
  axes: readonly Axis[] | null,
  isHalf: boolean,
): { at: number[]; points: number[] } {
  if (x.rank === 0 && axes !== null && axes.length > 0)
    throw new IndexError(`${who}: the tensor has no axis ${axes[0]}, it has none`);
  const at =
    axes !== null
      ? axesOf(who, x, axes)
      : Array.from({ length: sizes?.length ?? x.rank }, (_, k) => x.rank - (sizes?.length ?? x.rank) + k);
  if (sizes !== null && sizes.length !== at.length)
    throw new ShapeError(`${who}: axes and sizes must have the same length, got ${at.length} and ${sizes.length}`);
  if (at.some((axis) => axis < 0)) throw new ShapeError(`${who}: got ${sizes?.length} sizes for ${x.rank} axes`);
  const points = at.map((axis, k) => {
    const size = sizesOf(x)[axis];
    const given = sizes === null || sizes[k] === -1 ? null : sizes[k];
    return checkPoints(who, isHalf && k === at.length - 1 ? wholeOf(given, size) : (given ?? size));
  });
  return { at, points };
}

const listOf = <T>(given: T | readonly T[] | null): readonly T[] | null =>
  given === null ? null : ([given].flat() as readonly T[]);

function over(name: string, kind: Kind, isForward: boolean, both: boolean): FourierN {
  return compositeOp(
    `${name}(x: Tensor, sizes, axes; norm)`,
    (
      x: Tensor,
      sizes: number | readonly number[] | null = null,
      axes: Axis | readonly Axis[] | null = both ? [-2, -1] : null,
      { norm }: FourierOptions = {},
    ) => {
      let result = kind === "real" ? real(name, x) : complexed(name, x);
      const { at, points } = placesOf(name, result, listOf(sizes), listOf(axes), kind === "half");
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

/** The discrete Fourier transform along an axis. */
export const fft: Fourier = /* @__PURE__ */ along("fft", "complex", true);
/** The inverse of fft. */
export const ifft: Fourier = /* @__PURE__ */ along("ifft", "complex", false);
/** The transform of real values: the first half of it, since the rest mirrors it. */
export const rfft: Fourier = /* @__PURE__ */ along("rfft", "real", true);
/** The inverse of rfft: real values from the first half of their transform. */
export const irfft: Fourier = /* @__PURE__ */ along("irfft", "half", false);
/** The real transform of values of which the first half is given, since the rest mirrors it. */
export const hfft: Fourier = /* @__PURE__ */ along("hfft", "half", true);
/** The inverse of hfft. */
export const ihfft: Fourier = /* @__PURE__ */ along("ihfft", "real", false);
/** fft over the last two axes. */
export const fft2: FourierN = /* @__PURE__ */ over("fft2", "complex", true, true);
/** The inverse of fft2. */
export const ifft2: FourierN = /* @__PURE__ */ over("ifft2", "complex", false, true);
/** rfft over the last two axes. */
export const rfft2: FourierN = /* @__PURE__ */ over("rfft2", "real", true, true);
/** The inverse of rfft2. */
export const irfft2: FourierN = /* @__PURE__ */ over("irfft2", "half", false, true);
/** hfft over the last two axes. */
export const hfft2: FourierN = /* @__PURE__ */ over("hfft2", "half", true, true);
/** The inverse of hfft2. */
export const ihfft2: FourierN = /* @__PURE__ */ over("ihfft2", "real", false, true);
/** fft over any axes, all of them unless told. */
export const fftn: FourierN = /* @__PURE__ */ over("fftn", "complex", true, false);
/** The inverse of fftn. */
export const ifftn: FourierN = /* @__PURE__ */ over("ifftn", "complex", false, false);
/** rfft over any axes, the last of them halved. */
export const rfftn: FourierN = /* @__PURE__ */ over("rfftn", "real", true, false);
/** The inverse of rfftn. */
export const irfftn: FourierN = /* @__PURE__ */ over("irfftn", "half", false, false);
/** hfft over any axes. */
export const hfftn: FourierN = /* @__PURE__ */ over("hfftn", "half", true, false);
/** The inverse of hfftn. */
export const ihfftn: FourierN = /* @__PURE__ */ over("ihfftn", "real", false, false);

/** Moving the middle. */
export interface Shift extends OpFunction {
  (x: Tensor, axes?: Axis | readonly Axis[] | null): Tensor;
}
function shift(name: string, half: (size: number) => number): Shift {
  return compositeOp(
    `${name}(x: Tensor, ...)`,
    (x: Tensor, axes: Axis | readonly Axis[] | null = null) => {
      const list =
        axes === null ? Array.from({ length: x.rank }, (_, axis) => axis) : Array.isArray(axes) ? axes : [axes];
      const at = axesOf(name, x, list as Axis[]);
      return roll(
        x,
        at.map((axis) => half(sizesOf(x)[axis])),
        at,
      );
    },
    "routine",
  );
}
/** The frequency 0 moved to the middle. */
export const fftshift: Shift = /* @__PURE__ */ shift("fftshift", (size) => Math.floor(size / 2));
/** The frequency 0 moved back to the front. */
export const ifftshift: Shift = /* @__PURE__ */ shift("ifftshift", (size) => Math.ceil(size / 2));

/** The frequencies of fft over n samples at a distance d. */
export function fftfreq(n: number, d = 1): Tensor {
  checkResultBytes("fftfreq", checkPoints("fftfreq", n));
  const up = Math.ceil(n / 2);
  const numbers = arange(-Math.floor(n / 2), up, 1, { dtype: "float32" });
  return mul(roll(numbers, up, 0), 1 / (n * d));
}
/** The frequencies of rfft over n samples at a distance d. */
export function rfftfreq(n: number, d = 1): Tensor {
  checkResultBytes("rfftfreq", checkPoints("rfftfreq", n) / 2);
  return mul(arange(0, Math.floor(n / 2) + 1, 1, { dtype: "float32" }), 1 / (n * d));
}
