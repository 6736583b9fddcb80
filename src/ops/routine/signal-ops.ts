/**
 * Signals, as NumPy has them: convolution and correlation of two lists, linear interpolation between points, and phases without jumps.
 * Functions only, no methods; all made of other ops.
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

/** Which sums are given: wherever the two meet, as many as the longer one has, or only where they meet in full. */
export type ConvolveMode = "full" | "same" | "valid";
/** The type of convolve and correlate. */
export interface Convolve extends OpFunction {
  <A extends Tensor, V extends Tensor>(
    a: A,
    v: V,
    mode?: ConvolveMode | { readonly mode?: ConvolveMode | undefined },
  ): Tensor<[number], Promote<A["dtype"], V["dtype"]>, "none">;
}
interface ConvolveGiven {
  readonly a: Tensor;
  readonly v: Tensor;
  readonly mode: ConvolveMode;
}

/** Sums of products of a kernel with what it covers of a list that is not shorter, as it slides from one end to the other. */
type Slide = (list: Tensor, kernel: Tensor) => Tensor;

function sliding(who: string, mode: ConvolveMode, compute: (a: Tensor, v: Tensor, slide: Slide) => Tensor): Convolve {
  return routineOfOps(`${who}(a, v, mode = ${mode})`, (given: ConvolveGiven) => {
    const [a, v] = together(sequence(who, "a", given.a, true), sequence(who, "v", given.v, true));
    return compute(a, v, (list, kernel) => {
      const [n, k] = [list.size, kernel.size];
      const padding = [k - 1, k >> 1, 0][["full", "same", "valid"].indexOf(given.mode)];
      if (padding === undefined)
        throw new StridewiseError(`${who}: mode is "full", "same" or "valid", got ${describeValue(given.mode)}`);
      const sums = conv1d(reshape(list, [1, 1, n]), reshape(kernel, [1, 1, k]), null, { padding });
      // The padding of an even kernel makes one sum too many.
      return narrow(reshape(sums, [-1]), 0, 0, given.mode === "same" ? n : sums.size);
    });
  });
}
/** The convolution of two lists: the sums of products of one with the other turned round, as it slides along. */
export const convolve: Convolve = /* @__PURE__ */ sliding("convolve", "full", (a, v, slide) =>
  a.size < v.size ? slide(v, flip(a, [0])) : slide(a, flip(v, [0])),
);
/** The correlation of two lists: the sums of products of a with the conjugate of v, as it slides along. */
export const correlate: Convolve = /* @__PURE__ */ sliding("correlate", "valid", (a, v, slide) =>
  a.size < v.size ? flip(slide(conj(v), a), [0]) : slide(a, conj(v)),
);

/** What interp gives outside of the points. */
export interface InterpOptions {
  /** The value before the first point: that of the first unless given. */
  readonly left?: number | Complex | undefined;
  /** The value behind the last point: that of the last unless given. */
  readonly right?: number | Complex | undefined;
  /** The length after which all repeats; points are in any order then, and left and right do not matter. */
  readonly period?: number | undefined;
}
/** The type of interp. */
export interface Interp extends OpFunction {
  <X extends Tensor, P extends Tensor, F extends Tensor>(
    x: X,
    xp: P,
    fp: F,
    options?: InterpOptions,
  ): Tensor<X["shape"], Promote<FloatOf<F["dtype"]>, FloatOf<Promote<X["dtype"], P["dtype"]>>>, "none">;
}
interface InterpGiven {
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

/** A list with its last element before it and its first one behind, shifted by a period. */
const around = (t: Tensor, shift: number): Tensor =>
  cat([sub(narrow(t, 0, t.size - 1, 1), shift), t, add(narrow(t, 0, 0, 1), shift)], 0);

/** Linear interpolation at x between the values fp at the points xp, which are increasing; outside of them it gives the nearest value. */
export const interp: Interp = /* @__PURE__ */ routineOfOps(
  "interp(x, xp, fp; left = null, right = null, period = null)",
  (given: InterpGiven) => {
    checkReal("interp", given.x);
    const points = sequence("interp", "xp", given.xp, true);
    let fp = floating(sequence("interp", "fp", given.fp));
    checkPaired("interp", "fp and xp", fp, points);
    // Places are as exact as the values are.
    const isWide = fp.dtype === "float64" || fp.dtype === "complex128";
    let [x, xp] = isWide ? [to(given.x, "float64"), to(points, "float64")] : floatsTogether(given.x, points);
    if (given.period !== null) {
      const period = checkPeriod("interp", given.period);
      const { values, indices } = sort(remainder(xp, period));
      x = remainder(x, period);
      xp = around(values, period);
      fp = around(take(fp, indices), 0);
    }
    const [first, last] = [select(xp, 0, 0), select(xp, 0, xp.size - 1)];
    const above = searchsorted(xp, x, { right: true });
    // Outside of the points both neighbours are the same one.
    const [low, high] = [clampMin(sub(above, 1), 0), clampMax(above, xp.size - 1)];
    const [start, value] = [take(xp, low), take(fp, low)];
    const [end, next] = [take(xp, high), take(fp, high)];
    const place = clamp(x, first, last);
    const width = sub(end, start);
    const isOpen = isinf(start);
    const inside = div(sub(place, start), where(isOpen, 1, add(width, eq(width, 0))));
    // All that is behind an infinite point is at the next one; if that is infinite, too, only equal values tell where.
    const isNear = isfinite(end);
    const isKnown = logicalOr(isNear, logicalAnd(eq(next, value), eq(place, place)));
    const share: Tensor = where(isOpen, to(where(ne(place, start), div(isNear, isKnown), 0), inside.dtype), inside);
    const rise: Tensor = sub(next, value);
    // At a point itself the next value does not matter, infinite or NaN as it may be; nor does the way between two equal ones.
    const counts = logicalAnd(ne(next, value), logicalOr(ne(share, 0), isfinite(rise)));
    const counted: Tensor = where(counts, rise, 0);
    const forward: Tensor = addcmul(value, share, counted);
    // From an infinite value the way leads back from the next one, and so it does where that is reached.
    const isBack = logicalOr(logicalAnd(isinf(value), ne(share, 0)), eq(share, 1));
    let result: Tensor = where(isBack, addcmul(next, sub(share, 1), counted), forward);
    const outside = (name: "left" | "right", isThere: Tensor<Shape, "bool">): void => {
      const filling = given[name];
      if (filling === null) return;
      const isFloat = typeof filling === "number" || (isComplex(filling) && isComplexDType(fp.dtype));
      if (!isFloat)
        throw new DTypeError(`interp: ${name} is a number as fp has them, ${fp.dtype}, got ${describeValue(filling)}`);
      result = maskedFill(result, isThere, filling);
    };
    outside("left", lt(x, first));
    outside("right", gt(x, last));
    return result;
  },
);

/** What a jump is. */
export interface UnwrapOptions {
  /** The least difference that is a jump: half a period unless given, and never less than that. */
  readonly discont?: number | undefined;
  /** The last unless given. */
  readonly axis?: Axis | undefined;
  /** How long a turn is: 2 pi unless given. */
  readonly period?: number | undefined;
}
/** The type of unwrap. */
export interface Unwrap extends OpFunction {
  <X extends Tensor>(p: X, options?: UnwrapOptions): Tensor<X["shape"], IfFloat<X["dtype"]>, "none">;
}
interface UnwrapGiven {
  readonly p: Tensor;
  readonly discont: number | null;
  readonly axis: Axis;
  readonly period: number | null;
}
/** Phases along an axis with multiples of a period added, so that no two neighbours differ by more than half of it. */
export const unwrap: Unwrap = /* @__PURE__ */ routineOfOps(
  "unwrap(p; discont = null, axis = -1, period = null)",
  (given: UnwrapGiven) => {
    const { discont } = given;
    checkReal("unwrap", given.p);
    if (typeof (discont ?? 0) !== "number")
      throw new StridewiseError(`unwrap: discont is a number, got ${describeValue(discont)}`);
    const axis = properAxisOf("unwrap", given.p, given.axis);
    if (given.p.dtype.startsWith("uint"))
      throw new DTypeError(`unwrap: phases go below 0, which ${given.p.dtype} does not. Convert them: to('int32')`);
    const period = checkPeriod("unwrap", given.period ?? 2 * Math.PI);
    const p = Number.isInteger(period) ? given.p : floating(given.p);
    const isFloat = isFloatDType(p.dtype);
    const half = isFloat ? period / 2 : Math.floor(period / 2);
    const steps = diff(p, 1, axis);
    const lengths = abs(steps);
    // Turns are counted and multiplied once, so that many of them round no more than one.
    const turns: Tensor = mul(sign(steps), div(rsub(lengths, half), period, { rounding: "floor" }));
    const jumps: Tensor =
      discont === null ? turns : maskedFill(turns, lt(lengths, isFloat ? discont : Math.ceil(discont)), 0);
    const [size, ahead] = [sizeAt(p, axis), Math.min(sizeAt(p, axis), 1)];
    const shifts = mul(cumsum(jumps, axis, { dtype: jumps.dtype }), period);
    return cat([narrow(p, axis, 0, ahead), add(narrow(p, axis, ahead, size - ahead), shifts)], axis);
  },
);
