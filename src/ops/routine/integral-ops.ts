/**
 * Integrals by the trapezoidal rule and derivatives by differences, of samples along an axis. Functions only, no methods; all made of
 * other ops.
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
import { raised } from "../raised.ts";
import { sum } from "../reduce/reduce.ts";
import { cumsum } from "../reduce/scan.ts";
import { narrow, reshape } from "../views.ts";
import { routineOfOps } from "./routine-op.ts";
import { floating } from "./sequence.ts";

/** Elements `start` to size - `less` along an axis. */
const part = (t: Tensor, axis: number, start: number, less: number): Tensor =>
  narrow(t, axis, start, Math.max(sizeAt(t, axis) - start - less, 0));

/** Where the samples lie, unless they are one apart. */
export interface TrapezoidOptions {
  /** The distance of two samples: 1 unless given. */
  readonly dx?: number | undefined;
  /** The last unless given. */
  readonly axis?: Axis | undefined;
}
/** The type of integrals. */
export interface Trapezoid extends OpFunction {
  /** By trapezoids along an axis, the values y at equal distances. */
  (y: Tensor, options?: TrapezoidOptions): Tensor;
  /** By trapezoids along an axis, the values y at the points x. */
  (y: Tensor, x: Tensor | undefined, options?: TrapezoidOptions): Tensor;
}
/** The type of cumulativeTrapezoid. */
export interface CumulativeTrapezoid extends OpFunction {
  /** The integrals from the first sample to each of the others, by the trapezoidal rule; the samples lie at x, or dx apart. */
  (y: Tensor, options?: TrapezoidOptions): Tensor;
  /** The integrals from the first sample to each of the others, by the trapezoidal rule; the samples lie at x, or dx apart. */
  (y: Tensor, x: Tensor | undefined, options?: TrapezoidOptions): Tensor;
}
interface TrapezoidGiven {
  readonly y: Tensor;
  readonly x: Tensor | null;
  readonly dx: number;
  readonly axis: Axis;
}

/** The distances of samples, in a shape that broadcasts with theirs. */
function distances(who: string, y: Tensor, x: Tensor, axis: number): Tensor {
  if (x.rank === 1 && x.size !== sizeAt(y, axis))
    throw new ShapeError(`${who}: x needs a value for each sample, got ${x.size} for ${sizeAt(y, axis)}`);
  const places = x.rank === 1 ? alongAxis(x, axis, y.rank) : raised(x, y.rank);
  // The axis counts from the back where there are more axes of places than of samples.
  const at = axis + Math.max(places.rank - y.rank, 0);
  return sub(part(places, at, 1, 0), part(places, at, 0, 1));
}

/** A list along one of `rank` axes. */
const alongAxis = (t: Tensor, axis: number, rank: number): Tensor =>
  reshape(
    t,
    listOf(rank, (d) => (d === axis ? t.size : 1)),
  );

/** The area between each two neighbours. */
function areas(who: string, { y, x, dx }: TrapezoidGiven, axis: number): Tensor {
  const values = floating(y);
  const heights = div(add(part(values, axis, 1, 0), part(values, axis, 0, 1)), 2);
  return mul(heights, x === null ? dx : distances(who, y, floating(x), axis));
}

function checkSamples(who: string, { y, x, axis }: TrapezoidGiven): number {
  checkTensor(who, y);
  if (x !== null) checkTensor(who, x);
  if (y.rank === 0) throw new IndexError(`${who}: the tensor has no axis ${axis}, it has none`);
  if (y.dtype === "bool" || x?.dtype === "bool") throw notImplemented(who, "bool");
  return axisOf(who, y, axis);
}

function trapezoidOp(who: string): Trapezoid {
  return routineOfOps(`${who}(y, x = null; dx = 1, axis = -1)`, (given: TrapezoidGiven) => {
    const at = checkSamples(who, given);
    const { y } = given;
    if (sizeAt(y, at) === 0) return sum(y, at, { dtype: y.dtype });
    return sum(areas(who, given, at), at);
  });
}
/** The integral along an axis, by the trapezoidal rule; the samples lie at x, or dx apart. */
export const trapezoid: Trapezoid = /* @__PURE__ */ trapezoidOp("trapezoid");
/** The same as trapezoid. */
export const trapz: Trapezoid = /* @__PURE__ */ trapezoidOp("trapz");
/** The integrals from the first sample to each of the others, by the trapezoidal rule; the samples lie at x, or dx apart. */
export const cumulativeTrapezoid: CumulativeTrapezoid = /* @__PURE__ */ routineOfOps(
  "cumulativeTrapezoid(y, x = null; dx = 1, axis = -1)",
  (given: TrapezoidGiven) => {
    const at = checkSamples("cumulativeTrapezoid", given);
    return cumsum(areas("cumulativeTrapezoid", given, at), at);
  },
);

/** Where the samples lie, and how their ends are treated. */
export interface GradientOptions {
  /** The distance of two samples, one for all axes or one for each, or the coordinates along each axis: 1 unless given. */
  readonly spacing?: number | readonly (number | Tensor)[] | undefined;
  /** One axis or several: all unless given. */
  readonly axis?: Axis | readonly Axis[] | undefined;
  /** How many neighbours the derivatives at both ends are made of: 1, or 2. */
  readonly edgeOrder?: 1 | 2 | undefined;
}
/** The type of gradient. */
export interface GradientOf extends OpFunction {
  (x: Tensor, options?: GradientOptions): Tensor[];
}
interface GradientGiven {
  readonly x: Tensor;
  readonly spacing: GradientOptions["spacing"] | null;
  readonly axis: Axis | readonly Axis[] | null;
  readonly edgeOrder: number;
}

function gradientAxes({ x, spacing, axis, edgeOrder }: GradientGiven): number[] {
  checkTensor("gradient", x);
  if (x.dtype === "uint8") throw notImplemented("gradient", "uint8", "int32");
  if (edgeOrder !== 1 && edgeOrder !== 2)
    throw new StridewiseError(`gradient: edgeOrder must be 1 or 2, got ${edgeOrder}`);
  const given = axis === null ? listOf(x.rank, (d) => d) : [axis].flat();
  const axes = given.map((one) => axisOf("gradient", x, one));
  if (Array.isArray(spacing) && spacing.length !== axes.length)
    throw new ShapeError(
      `gradient: spacing must be a number, or one for each of ${axes.length} axes, got ${spacing.length}`,
    );
  axes.forEach((at, k) => {
    if (axes.indexOf(at) !== k) throw new IndexError(`gradient: axis ${at} is given twice`);
    if (sizeAt(x, at) < edgeOrder + 1)
      throw new ShapeError(
        `gradient: axes need a size of at least ${edgeOrder + 1}, edgeOrder + 1, got ${sizeAt(x, at)} for axis ${at}`,
      );
  });
  return axes;
}

/** The sum of terms, each a tensor times a weight. */
function combined(terms: readonly (readonly [t: Tensor, weight: Tensor | number])[]): Tensor {
  return terms.map(([t, weight]) => mul(t, weight)).reduce((a, b) => add(a, b));
}

/** The derivative where samples are one distance apart. */
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

/** The derivative where samples lie at given coordinates. */
function unevenly(x: Tensor, axis: number, edgeOrder: number, coordinates: Tensor): Tensor {
  if (coordinates.rank !== 1 || coordinates.size !== sizeAt(x, axis))
    throw new ShapeError(
      `gradient: spacing of axis ${axis} must be a tensor with one axis and ${sizeAt(x, axis)} coordinates, got ${coordinates.rank} axes and ${coordinates.size} elements`,
    );
  const size = coordinates.size;
  const places = alongAxis(coordinates, axis, x.rank);
  const steps = sub(part(places, axis, 1, 0), part(places, axis, 0, 1));
  const step = (i: number): Tensor => narrow(steps, axis, i < 0 ? size - 1 + i : i, 1);
  const at = (i: number): Tensor => narrow(x, axis, i < 0 ? size + i : i, 1);
  // The weights of three neighbours, a and b apart, in the derivatives at the first, the second and the third of them.
  const weights = (a: Tensor, b: Tensor, place: 0 | 1 | 2): [Tensor, Tensor, Tensor] => {
    const both = add(a, b);
    const [ab, aBoth, bBoth] = [mul(a, b), mul(a, both), mul(b, both)] as [Tensor, Tensor, Tensor];
    if (place === 1) return [div(neg(b), aBoth), div(sub(b, a), ab), div(a, bBoth)];
    if (place === 0) return [div(neg(add(both, a)), aBoth), div(both, ab), div(neg(a), bBoth)];
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

/** The derivatives along each axis, by the differences of neighbours. */
export const gradient: GradientOf = /* @__PURE__ */ routineOfOps(
  "gradient(x; spacing = null, axis = null, edgeOrder = 1)",
  (given: GradientGiven) => {
    const axes = gradientAxes(given);
    const { edgeOrder } = given;
    const spacing = given.spacing ?? 1;
    const x = floating(given.x);
    return axes.map((axis, k) => {
      const distance = typeof spacing === "number" ? spacing : spacing[k];
      return distance instanceof Tensor ? unevenly(x, axis, edgeOrder, distance) : evenly(x, axis, edgeOrder, distance);
    });
  },
);
