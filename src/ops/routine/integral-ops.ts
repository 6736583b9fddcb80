/**
 * Integrals by the trapezoidal rule and derivatives by differences, of samples along an axis. All are composite ops.
 */

import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { sizeAt } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import { add, div, mul, neg, sub } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { cat } from "../movement/join.ts";
import { sum } from "../reduce/reduce.ts";
import { cumsum } from "../reduce/scan.ts";
import { narrow, raiseRank, reshape } from "../views.ts";
import { routineOfOps } from "./routine-op.ts";
import { floating } from "./sequence.ts";

/** Returns elements `start` to size - `less` along an axis. */
const part = (t: Tensor, axis: number, start: number, less: number): Tensor =>
  narrow(t, axis, start, Math.max(sizeAt(t, axis) - start - less, 0));

/** The options of trapezoid. */
export interface TrapezoidOptions {
  /** The distance between samples. Default: 1. */
  readonly dx?: number | undefined;
  /** The axis of the samples. Default: -1, the last. */
  readonly axis?: Axis | undefined;
}
/** The type of trapezoid and trapz. */
export interface Trapezoid extends OpFunction {
  /** Returns the integral of y along an axis by the trapezoidal rule, for samples with spacing dx. */
  (y: Tensor, options?: TrapezoidOptions): Tensor;
  /** Returns the integral of y along an axis by the trapezoidal rule, for samples at the points x. */
  (y: Tensor, x: Tensor | undefined, options?: TrapezoidOptions): Tensor;
}
/** The type of cumulativeTrapezoid. */
export interface CumulativeTrapezoid extends OpFunction {
  /** Returns the cumulative integral of y along an axis by the trapezoidal rule, for samples at the points x, or with spacing dx if x is omitted. */
  (y: Tensor, options?: TrapezoidOptions): Tensor;
  /** Returns the cumulative integral of y along an axis by the trapezoidal rule, for samples at the points x, or with spacing dx if x is omitted. */
  (y: Tensor, x: Tensor | undefined, options?: TrapezoidOptions): Tensor;
}
interface TrapezoidArguments {
  readonly y: Tensor;
  readonly x: Tensor | null;
  readonly dx: number;
  readonly axis: Axis;
}

/** Returns the distances between samples, in a shape that broadcasts with y. */
function distances(who: string, y: Tensor, x: Tensor, axis: number): Tensor {
  if (x.rank === 1 && x.size !== sizeAt(y, axis))
    throw new ShapeError(`${who}: x must have a value for each of ${sizeAt(y, axis)} samples, got ${x.size}`);
  const points = x.rank === 1 ? alongAxis(x, axis, y.rank) : raiseRank(x, y.rank);
  // x may have more axes than y; the axis is then counted from the end.
  const at = axis + Math.max(points.rank - y.rank, 0);
  return sub(part(points, at, 1, 0), part(points, at, 0, 1));
}

/** Reshapes a list to run along one of `rank` axes. */
const alongAxis = (t: Tensor, axis: number, rank: number): Tensor =>
  reshape(
    t,
    listOf(rank, (d) => (d === axis ? t.size : 1)),
  );

/** Returns the area of each trapezoid. */
function areas(who: string, { y, x, dx }: TrapezoidArguments, axis: number): Tensor {
  const values = floating(y);
  const heights = div(add(part(values, axis, 1, 0), part(values, axis, 0, 1)), 2);
  return mul(heights, x === null ? dx : distances(who, y, floating(x), axis));
}

function checkSamples(who: string, { y, x, axis }: TrapezoidArguments): number {
  checkTensor(who, y);
  if (x !== null) checkTensor(who, x);
  if (y.rank === 0) throw new IndexError(`${who}: y has no axis ${axis}; its shape is []`);
  if (y.dtype === "bool" || x?.dtype === "bool") throw notImplemented(who, "bool");
  return axisOf(who, y, axis);
}

function trapezoidOp(who: string): Trapezoid {
  return routineOfOps(`${who}(y, x = null; dx = 1, axis = -1)`, (args: TrapezoidArguments) => {
    const at = checkSamples(who, args);
    const { y } = args;
    if (sizeAt(y, at) === 0) return sum(y, at, { dtype: y.dtype });
    return sum(areas(who, args, at), at);
  });
}
/** Returns the integral of y along an axis by the trapezoidal rule, for samples at the points x, or with spacing dx if x is omitted. */
export const trapezoid: Trapezoid = /* @__PURE__ */ trapezoidOp("trapezoid");
/** Returns the integral of y along an axis by the trapezoidal rule; an alias of trapezoid. */
export const trapz: Trapezoid = /* @__PURE__ */ trapezoidOp("trapz");
/** Returns the cumulative integral of y along an axis by the trapezoidal rule, for samples at the points x, or with spacing dx if x is omitted. */
export const cumulativeTrapezoid: CumulativeTrapezoid = /* @__PURE__ */ routineOfOps(
  "cumulativeTrapezoid(y, x = null; dx = 1, axis = -1)",
  (args: TrapezoidArguments) => {
    const at = checkSamples("cumulativeTrapezoid", args);
    return cumsum(areas("cumulativeTrapezoid", args, at), at);
  },
);

/** The options of gradient. */
export interface GradientOptions {
  /** The distance between samples, for all axes or for each, or the coordinates along each axis. Default: 1. */
  readonly spacing?: number | readonly (number | Tensor)[] | undefined;
  /** One axis or several. Default: all. */
  readonly axis?: Axis | readonly Axis[] | undefined;
  /** The order of the differences at both ends: 1 or 2. */
  readonly edgeOrder?: 1 | 2 | undefined;
}
/** The type of gradient. */
export interface GradientOf extends OpFunction {
  (x: Tensor, options?: GradientOptions): Tensor[];
}
interface GradientArguments {
  readonly x: Tensor;
  readonly spacing: GradientOptions["spacing"] | null;
  readonly axis: Axis | readonly Axis[] | null;
  readonly edgeOrder: number;
}

function gradientAxes({ x, spacing, axis, edgeOrder }: GradientArguments): number[] {
  checkTensor("gradient", x);
  if (x.dtype === "uint8") throw notImplemented("gradient", "uint8", "int32");
  if (edgeOrder !== 1 && edgeOrder !== 2)
    throw new StridewiseError(`gradient: edgeOrder must be 1 or 2, got ${edgeOrder}`);
  const args = axis === null ? listOf(x.rank, (d) => d) : [axis].flat();
  const axes = args.map((one) => axisOf("gradient", x, one));
  if (Array.isArray(spacing) && spacing.length !== axes.length)
    throw new ShapeError(
      `gradient: spacing must be a number or a list of ${axes.length}, one for each axis, got ${spacing.length}`,
    );
  axes.forEach((at, k) => {
    if (axes.indexOf(at) !== k) throw new IndexError(`gradient: axis ${at} is repeated`);
    if (sizeAt(x, at) < edgeOrder + 1)
      throw new ShapeError(
        `gradient: axis ${at} must have at least edgeOrder + 1 = ${edgeOrder + 1} elements, got ${sizeAt(x, at)}`,
      );
  });
  return axes;
}

/** Returns the sum of tensors times weights. */
function combined(terms: readonly (readonly [t: Tensor, weight: Tensor | number])[]): Tensor {
  return terms.map(([t, weight]) => mul(t, weight)).reduce((a, b) => add(a, b));
}

/** Returns the derivative for evenly spaced samples. */
function evenly(x: Tensor, axis: number, edgeOrder: number, distance: number): Tensor {
  const size = sizeAt(x, axis);
  const at = (i: number): Tensor => narrow(x, axis, i < 0 ? size + i : i, 1);
  const ends =
    edgeOrder === 1
      ? [sub(at(1), at(0)), sub(at(-1), at(-2))]
      : [
          combined([
            [at(0), -1.5],
            [at(1), 2],
            [at(2), -0.5],
          ]),
          combined([
            [at(-3), 0.5],
            [at(-2), -2],
            [at(-1), 1.5],
          ]),
        ];
  const middle = div(sub(part(x, axis, 2, 0), part(x, axis, 0, 2)), 2);
  return div(cat([ends[0], middle, ends[1]], axis), distance);
}

/** Returns the derivative for samples at given coordinates. */
function unevenly(x: Tensor, axis: number, edgeOrder: number, coordinates: Tensor): Tensor {
  if (coordinates.rank !== 1 || coordinates.size !== sizeAt(x, axis))
    throw new ShapeError(
      `gradient: spacing of axis ${axis} must be a list of ${sizeAt(x, axis)} coordinates, got ${coordinates.rank} axes and ${coordinates.size} elements`,
    );
  const size = coordinates.size;
  const points = alongAxis(coordinates, axis, x.rank);
  const steps = sub(part(points, axis, 1, 0), part(points, axis, 0, 1));
  const step = (i: number): Tensor => narrow(steps, axis, i < 0 ? size - 1 + i : i, 1);
  const at = (i: number): Tensor => narrow(x, axis, i < 0 ? size + i : i, 1);
  // The weights of three neighbors, a and b apart, in the derivative at one of them.
  const weights = (a: Tensor, b: Tensor, index: 0 | 1 | 2): [Tensor, Tensor, Tensor] => {
    const both = add(a, b);
    const [ab, aBoth, bBoth] = [mul(a, b), mul(a, both), mul(b, both)] as [Tensor, Tensor, Tensor];
    if (index === 1) return [div(neg(b), aBoth), div(sub(b, a), ab), div(a, bBoth)];
    if (index === 0) return [div(neg(add(both, a)), aBoth), div(both, ab), div(neg(a), bBoth)];
    return [div(b, aBoth), div(neg(both), ab), div(add(both, b), bBoth)];
  };
  const three = (parts: readonly [Tensor, Tensor, Tensor], by: readonly [Tensor, Tensor, Tensor]): Tensor =>
    combined(parts.map((t, k) => [t, by[k]] as const));
  const middle = three(
    [part(x, axis, 0, 2), part(x, axis, 1, 1), part(x, axis, 2, 0)],
    weights(part(steps, axis, 0, 1), part(steps, axis, 1, 0), 1),
  );
  const ends =
    edgeOrder === 1
      ? [div(sub(at(1), at(0)), step(0)), div(sub(at(-1), at(-2)), step(-1))]
      : [
          three([at(0), at(1), at(2)], weights(step(0), step(1), 0)),
          three([at(-3), at(-2), at(-1)], weights(step(-2), step(-1), 2)),
        ];
  return cat([ends[0], middle, ends[1]], axis);
}

/** Estimates the derivatives of x along each axis by second-order central differences, and one-sided differences at the edges. */
export const gradient: GradientOf = /* @__PURE__ */ routineOfOps(
  "gradient(x; spacing = null, axis = null, edgeOrder = 1)",
  (args: GradientArguments) => {
    const axes = gradientAxes(args);
    const { edgeOrder } = args;
    const spacing = args.spacing ?? 1;
    const x = floating(args.x);
    return axes.map((axis, k) => {
      const distance = typeof spacing === "number" ? spacing : spacing[k];
      return distance instanceof Tensor ? unevenly(x, axis, edgeOrder, distance) : evenly(x, axis, edgeOrder, distance);
    });
  },
);
