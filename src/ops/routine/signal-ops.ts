/**
 * Signals, as in NumPy: convolution and correlation of lists, linear interpolation, and phase unwrapping. All are composite ops.
 */
import { StridewiseError } from "../../base/errors.ts";
import { type Complex, DTypeError, isComplex, isComplexDType, isFloatDType } from "../../storage/dtype.ts";
import { type Axis, properAxisOf } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { conv1d } from "../contract/conv.ts";
import {
  abs,
  add,
  addcmul,
  clamp,
  clampMax,
  clampMin,
  div,
  mul,
  remainder,
  rsub,
  sign,
  sub,
} from "../elementwise/arithmetic.ts";
import { maskedFill, where } from "../elementwise/choose.ts";
import { eq, gt, isfinite, isinf, logicalAnd, logicalOr, lt, ne } from "../elementwise/comparison.ts";
import { conj } from "../elementwise/functions.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { take } from "../movement/gather.ts";
import { cat } from "../movement/join.ts";
import { flip } from "../movement/rearrange.ts";
import type { FloatOf, IfFloat, Promote } from "../op-types.ts";
import { cumsum } from "../reduce/scan.ts";
import { narrow, reshape, select, to } from "../views.ts";
import { checkReal } from "./dense-elements.ts";
import { routineOfOps } from "./routine-op.ts";
import { searchsorted } from "./search-ops.ts";
import { checkPaired, floating, floatsTogether, sequence, together } from "./sequence.ts";
import { sort } from "./sort-ops.ts";
import { diff } from "./statistics-ops.ts";

/** The part of the result: every overlap, as many as the longer list, or full overlaps only. */
export type ConvolveMode = "full" | "same" | "valid";
/** The type of convolve and correlate. */
export interface Convolve extends OpFunction {
  <A extends Tensor, V extends Tensor>(
    a: A,
    v: V,
    mode?: ConvolveMode | { readonly mode?: ConvolveMode | undefined },
  ): Tensor<[number], Promote<A["dtype"], V["dtype"]>>;
}
interface ConvolveArguments {
  readonly a: Tensor;
  readonly v: Tensor;
  readonly mode: ConvolveMode;
}

/** Slides a kernel over a list that is at least as long, and sums the products. */
type Slide = (list: Tensor, kernel: Tensor) => Tensor;

function sliding(who: string, mode: ConvolveMode, compute: (a: Tensor, v: Tensor, slide: Slide) => Tensor): Convolve {
  return routineOfOps(`${who}(a, v, mode = ${mode})`, (args: ConvolveArguments) => {
    const [a, v] = together(sequence(who, "a", args.a, true), sequence(who, "v", args.v, true));
    return compute(a, v, (list, kernel) => {
      const [n, k] = [list.size, kernel.size];
      const padding = [k - 1, k >> 1, 0][["full", "same", "valid"].indexOf(args.mode)];
      if (padding === undefined)
        throw new StridewiseError(`${who}: mode must be "full", "same" or "valid", got ${describeValue(args.mode)}`);
      const sums = conv1d(reshape(list, [1, 1, n]), reshape(kernel, [1, 1, k]), null, { padding });
      // The padding of an even kernel adds one sum too many.
      return narrow(reshape(sums, [-1]), 0, 0, args.mode === "same" ? n : sums.size);
    });
  });
}
/** Returns the discrete convolution of two one-dimensional tensors. */
export const convolve: Convolve = /* @__PURE__ */ sliding("convolve", "full", (a, v, slide) =>
  a.size < v.size ? slide(v, flip(a, [0])) : slide(a, flip(v, [0])),
);
/** Returns the cross-correlation of two one-dimensional tensors; v is conjugated. */
export const correlate: Convolve = /* @__PURE__ */ sliding("correlate", "valid", (a, v, slide) =>
  a.size < v.size ? flip(slide(conj(v), a), [0]) : slide(a, conj(v)),
);

/** The options of interp. */
export interface InterpOptions {
  /** The value before the first point. Default: that of the first. */
  readonly left?: number | Complex | undefined;
  /** The value after the last point. Default: that of the last. */
  readonly right?: number | Complex | undefined;
  /** The period of the function; points may then be in any order, and left and right are ignored. */
  readonly period?: number | undefined;
}
/** The type of interp. */
export interface Interp extends OpFunction {
  <X extends Tensor, P extends Tensor, F extends Tensor>(
    x: X,
    xp: P,
    fp: F,
    options?: InterpOptions,
  ): Tensor<X["shape"], Promote<FloatOf<F["dtype"]>, FloatOf<Promote<X["dtype"], P["dtype"]>>>>;
}
interface InterpArguments {
  readonly x: Tensor;
  readonly xp: Tensor;
  readonly fp: Tensor;
  readonly left: number | Complex | null;
  readonly right: number | Complex | null;
  readonly period: number | null;
}

function checkPeriod(who: string, period: number): number {
  if (Number.isFinite(period) && period !== 0) return Math.abs(period);
  throw new StridewiseError(`${who}: period must be a finite number that is not 0, got ${describeValue(period)}`);
}

/** Extends a list by its last element before it and its first one after it, shifted by a period. */
const around = (t: Tensor, shift: number): Tensor =>
  cat([sub(narrow(t, 0, t.size - 1, 1), shift), t, add(narrow(t, 0, 0, 1), shift)], 0);

/** Returns the linear interpolation at x of values fp at increasing points xp; outside of the points it is the nearest value. */
export const interp: Interp = /* @__PURE__ */ routineOfOps(
  "interp(x, xp, fp; left = null, right = null, period = null)",
  (args: InterpArguments) => {
    checkReal("interp", args.x);
    const points = sequence("interp", "xp", args.xp, true);
    let fp = floating(sequence("interp", "fp", args.fp));
    checkPaired("interp", "fp and xp", fp, points);
    // Points have the precision of the values.
    const isWide = fp.dtype === "float64" || fp.dtype === "complex128";
    let [x, xp] = isWide ? [to(args.x, "float64"), to(points, "float64")] : floatsTogether(args.x, points);
    if (args.period !== null) {
      const period = checkPeriod("interp", args.period);
      const { values, indices } = sort(remainder(xp, period));
      x = remainder(x, period);
      xp = around(values, period);
      fp = around(take(fp, indices), 0);
    }
    const [first, last] = [select(xp, 0, 0), select(xp, 0, xp.size - 1)];
    const above = searchsorted(xp, x, { right: true });
    // Outside of the points both neighbors are the same.
    const [low, high] = [clampMin(sub(above, 1), 0), clampMax(above, xp.size - 1)];
    const [start, value] = [take(xp, low), take(fp, low)];
    const [end, next] = [take(xp, high), take(fp, high)];
    const point = clamp(x, first, last);
    const width = sub(end, start);
    const isOpen = isinf(start);
    const inside = div(sub(point, start), where(isOpen, 1, add(width, eq(width, 0))));
    // After an infinite point the value is that of the next point; if that is infinite, too, it is known only for equal values.
    const isNear = isfinite(end);
    const isKnown = logicalOr(isNear, logicalAnd(eq(next, value), eq(point, point)));
    const share: Tensor = where(isOpen, to(where(ne(point, start), div(isNear, isKnown), 0), inside.dtype), inside);
    const rise: Tensor = sub(next, value);
    // At a point itself the next value does not matter, even if it is infinite or NaN; nor does it between equal values.
    const counts = logicalAnd(ne(next, value), logicalOr(ne(share, 0), isfinite(rise)));
    const counted: Tensor = where(counts, rise, 0);
    const forward: Tensor = addcmul(value, share, counted);
    // Starting from an infinite value, and at the next point, the result is computed backward from the next value.
    const isBack = logicalOr(logicalAnd(isinf(value), ne(share, 0)), eq(share, 1));
    let result: Tensor = where(isBack, addcmul(next, sub(share, 1), counted), forward);
    const outside = (name: "left" | "right", isOutside: Tensor<Shape, "bool">): void => {
      const filling = args[name];
      if (filling === null) return;
      const isFloat = typeof filling === "number" || (isComplex(filling) && isComplexDType(fp.dtype));
      if (!isFloat)
        throw new DTypeError(
          `interp: ${name} must be a number of the dtype of fp, ${fp.dtype}, got ${describeValue(filling)}`,
        );
      result = maskedFill(result, isOutside, filling);
    };
    outside("left", lt(x, first));
    outside("right", gt(x, last));
    return result;
  },
);

/** The options of unwrap. */
export interface UnwrapOptions {
  /** The smallest difference that is a jump. Default, and at least: half a period. */
  readonly discont?: number | undefined;
  /** The axis of the phases. Default: the last. */
  readonly axis?: Axis | undefined;
  /** The period. Default: 2 pi. */
  readonly period?: number | undefined;
}
/** The type of unwrap. */
export interface Unwrap extends OpFunction {
  <X extends Tensor>(p: X, options?: UnwrapOptions): Tensor<X["shape"], IfFloat<X["dtype"]>>;
}
interface UnwrapArguments {
  readonly p: Tensor;
  readonly discont: number | null;
  readonly axis: Axis;
  readonly period: number | null;
}
/** Unwraps phases along an axis: adds multiples of the period, so that adjacent elements differ by at most half a period. */
export const unwrap: Unwrap = /* @__PURE__ */ routineOfOps(
  "unwrap(p; discont = null, axis = -1, period = null)",
  (args: UnwrapArguments) => {
    const { discont } = args;
    checkReal("unwrap", args.p);
    if (typeof (discont ?? 0) !== "number")
      throw new StridewiseError(`unwrap: discont must be a number, got ${describeValue(discont)}`);
    const axis = properAxisOf("unwrap", args.p, args.axis);
    if (args.p.dtype.startsWith("uint"))
      throw new DTypeError(
        `unwrap: phases may become negative, which ${args.p.dtype} cannot be. Convert them: to("int32")`,
      );
    const period = checkPeriod("unwrap", args.period ?? 2 * Math.PI);
    const p = Number.isInteger(period) ? args.p : floating(args.p);
    const isFloat = isFloatDType(p.dtype);
    const half = isFloat ? period / 2 : Math.floor(period / 2);
    const steps = diff(p, 1, axis);
    const lengths = abs(steps);
    // Turns are counted and multiplied once, so that many of them have the rounding error of one.
    const turns: Tensor = mul(sign(steps), div(rsub(lengths, half), period, { roundingMode: "floor" }));
    const jumps: Tensor =
      discont === null ? turns : maskedFill(turns, lt(lengths, isFloat ? discont : Math.ceil(discont)), 0);
    const [size, ahead] = [sizeAt(p, axis), Math.min(sizeAt(p, axis), 1)];
    const shifts = mul(cumsum(jumps, axis, { dtype: jumps.dtype }), period);
    return cat([narrow(p, axis, 0, ahead), add(narrow(p, axis, ahead, size - ahead), shifts)], axis);
  },
);
