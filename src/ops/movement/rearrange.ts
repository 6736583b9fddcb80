/**
 * Copies of a tensor with its elements in a different order, or repeated, by strided kernels.
 */

import { IndexError, ShapeError } from "../../base/errors.ts";
import { floorMod } from "../../base/ints.ts";
import { show } from "../../base/show.ts";
import { type Axis, axesOf, axisOf } from "../../tensor/axes.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous, lowerCopyAll, lowerReshape, lowerThrough } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import { checkShape } from "../../tensor/views/view-shape.ts";
import { expand, view } from "../../tensor/views/views-shape.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { sum } from "../reduce/reduce.ts";
import { isOptions } from "../signature.ts";
import * as views from "../views.ts";
import { selfGradient } from "./gather-scatter.ts";
import type { Keeps, Moves, SameShape } from "./movement-types.ts";
import { lowerRuns, reversed } from "./runs.ts";

const same = (x: Tensor) => ({ dtype: x.dtype, shape: sizesOf(x), names: x.names });
const listed = <T>(one: T | readonly T[]): readonly T[] => (Array.isArray(one) ? (one as readonly T[]) : [one as T]);

/** The type of flip. */
export interface Flip extends OpFunction {
  <X extends Tensor, const A extends Axis | readonly Axis[]>(
    x: X,
    axes: CheckedAxis<X["shape"], A>,
    options?: OutOption,
  ): SameShape<X>;
  readonly method: <X extends Tensor, const A extends Axis | readonly Axis[]>(
    this: X,
    axes: CheckedAxis<X["shape"], A>,
    options?: OutOption,
  ) => SameShape<X>;
}
/** Reverses the order of elements along the given axes; the result is a copy. */
export const flip: Flip = /* @__PURE__ */ structuredOp("flip(x: Tensor, ...)", "movement", {
  linear: "0",
  batch: "along 1",
  infer(x: Tensor, axes: Axis | readonly Axis[]) {
    axesOf("flip", x, listed(axes));
    return same(x);
  },
  lower(builder, [result], x: Tensor, axes: Axis | readonly Axis[]) {
    const at = x.rank === 0 ? [] : axesOf("flip", x, listed(axes));
    lowerRuns(
      builder,
      x,
      result,
      sizesOf(x).map((_, d) => (at.includes(d) ? reversed(x, d) : null)),
    );
  },
  gradient: selfGradient,
});

const flipAxis = (who: string, axis: number) =>
  compositeOp<Keeps<[options?: OutOption]>>(
    `${who}(x: Tensor, ...; out)`,
    (x: Tensor, options?: OutOption) => {
      if (x.rank <= axis) throw new ShapeError(`${who}: expected at least ${axis + 1} axes, got ${x.rank}`);
      return flip(x, axis, options);
    },
    "movement",
  );

/** Reverses the order of columns. */
export const fliplr: Keeps<[options?: OutOption]> = /* @__PURE__ */ flipAxis("fliplr", 1);
/** Reverses the order of rows. */
export const flipud: Keeps<[options?: OutOption]> = /* @__PURE__ */ flipAxis("flipud", 0);

type RollArguments = [shifts: number | readonly number[], axes?: Axis | readonly Axis[] | null, options?: OutOption];

function rollShifts(x: Tensor, shifts: number | readonly number[], axes: RollArguments[1]): (number | null)[] {
  if (shifts === undefined) throw new ShapeError("roll: shifts is missing. Write roll(x, shifts, axes)");
  if (x.rank === 0 && listed(axes ?? []).length > 0) throw new IndexError("roll: the tensor has no axes. Omit axes.");
  const [by, at] = [listed(shifts), listed(axes ?? []).map((axis) => axisOf("roll", x, axis))];
  if (!by.every(Number.isInteger))
    throw new ShapeError(`roll: shifts must be integers, got ${by.map(String).join(", ")}`);
  if (by.length === 0) throw new ShapeError("roll: shifts must not be empty");
  if (at.length !== by.length && !(at.length === 0 && by.length === 1))
    throw new ShapeError(`roll: needs a shift for each axis, got ${by.length} for ${at.length}`);
  const result = new Array<number | null>(x.rank).fill(null);
  at.forEach((axis, k) => {
    result[axis] = (result[axis] ?? 0) + by[k];
  });
  return result;
}

/** Rolls elements along axes; those shifted past the end reappear at the start. Without axes, the tensor is rolled as if flattened. */
export const roll: Keeps<RollArguments> = /* @__PURE__ */ structuredOp("roll(x: Tensor, shifts, axes)", "movement", {
  linear: "0",
  batch: "roll",
  infer(x: Tensor, shifts: number | readonly number[], axes?: RollArguments[1]) {
    rollShifts(x, shifts, axes);
    return same(x);
  },
  lower(builder, [result], x: Tensor, shifts: number | readonly number[], axes?: RollArguments[1]) {
    if (x.size === 0) return;
    if (listed(axes ?? []).length === 0) {
      const row = view(lowerContiguous(builder, x, "roll"), [x.size]);
      lowerThrough(builder, result, result.dtype, result.isContiguous(), "roll", (target) =>
        lowerRuns(builder, row, view(target, [x.size]), [rolledRuns(x.size, listed(shifts)[0])]),
      );
      return;
    }
    const by = rollShifts(x, shifts, axes);
    lowerRuns(
      builder,
      x,
      result,
      by.map((shift, d) => (shift === null ? null : rolledRuns(sizeAt(x, d), shift))),
    );
  },
  gradient(call) {
    const [, shifts, axes] = call.args as [Tensor, number | readonly number[], unknown];
    const back = [shifts].flat().map((by) => -by);
    return ([g]) => [call.again(g, back, axes) as Tensor];
  },
});

function rolledRuns(size: number, shift: number) {
  const by = size === 0 ? 0 : floorMod(shift, size);
  return [
    { at: by, first: 0, count: size - by, step: 1 },
    { at: 0, first: size - by, count: by, step: 1 },
  ] as const;
}

/** Rotates the tensor k times by 90 degrees in the plane of two axes, from the first toward the second. */
export const rot90: Moves<[k?: number, axes?: readonly [Axis, Axis] | readonly Axis[]]> = /* @__PURE__ */ compositeOp(
  "rot90(x: Tensor, ...)",
  (x: Tensor, k = 1, axes: readonly Axis[] = [0, 1]) => {
    if (axes?.length !== 2) throw new ShapeError(`rot90: needs 2 axes to rotate, got ${axes?.length}`);
    if (!Number.isInteger(k)) throw new ShapeError(`rot90: k must be an integer, got ${String(k)}`);
    if (x.rank < 2) throw new ShapeError(`rot90: expected at least 2 axes, got ${x.rank}`);
    const [a, b] = axesOf("rot90", x, axes) as [number, number];
    switch (floorMod(k, 4)) {
      case 0:
        return flip(x, []);
      case 1:
        return views.transpose(flip(x, b), a, b);
      case 2:
        return flip(x, [a, b]);
      default:
        return views.transpose(flip(x, a), a, b);
    }
  },
  "movement",
);

/** The shape of x repeated by one number for each axis of the result. */
function repeatedShape(who: string, x: Tensor, repeats: readonly number[]): number[] {
  checkShape(who, repeats);
  if (repeats.length < x.rank)
    throw new ShapeError(`${who}: needs a number for each axis, got ${show(repeats)} for ${showShape(x)}`);
  const added = repeats.length - x.rank;
  return repeats.map((times, d) => (d < added ? times : times * sizeAt(x, d - added)));
}

/** `f(x, 2, 3)` and `f(x, [2, 3])` are the same call; options may follow. */
const numbersIn = (args: readonly unknown[]): number[] =>
  args.flatMap((arg) => (arg === undefined || isOptions(arg) ? [] : (arg as number | number[])));

/** Repeats the tensor along each axis; if there are more numbers than axes, axes are added in front. */
export const repeat: Moves<[repeats: number | readonly number[], ...more: (number | OutOption)[]]> =
  /* @__PURE__ */ structuredOp("repeat(x: Tensor, ...)", "movement", {
    linear: "0",
    batch: "repeat",
    infer(x: Tensor, ...args: unknown[]) {
      return { dtype: x.dtype, shape: repeatedShape("repeat", x, numbersIn(args)) };
    },
    lower(builder, [result], x: Tensor, ...args: unknown[]) {
      if (result.size === 0) return;
      const repeats = numbersIn(args);
      const added = repeats.length - x.rank;
      const size = (d: number): number => (d < added ? 1 : sizeAt(x, d - added));
      const source = lowerReshape(
        builder,
        x,
        repeats.flatMap((_, d) => [1, size(d)]),
        "repeat",
      );
      const shape = repeats.flatMap((times, d) => [times, size(d)]);
      lowerCopyAll(builder, expand(source, shape), view(result, shape), "repeat");
    },
    gradient(call) {
      const shape = sizesOf(call.args[0] as Tensor);
      const times = numbersIn(call.args.slice(1));
      const added = times.length - shape.length;
      const parts = times.flatMap((count, d) => [count, d < added ? 1 : shape[d - added]]);
      const repeated = times.map((_, d) => 2 * d);
      return ([g]) => [
        repeated.length === 0 ? g : views.reshape(sum(views.reshape(g, parts), repeated) as Tensor, shape),
      ];
    },
  });

/** Repeats the tensor along each axis; missing leading repeats count as 1. */
export const tile: Moves<[repeats: number | readonly number[], ...more: number[]]> = /* @__PURE__ */ compositeOp(
  "tile(x: Tensor, ...)",
  (x: Tensor, ...args: unknown[]) => {
    const repeats = numbersIn(args);
    const missing = Math.max(0, x.rank - repeats.length);
    return repeat(x, [...new Array<number>(missing).fill(1), ...repeats]);
  },
  "movement",
);

/** The ops that are methods of tensors. */
export default [flip, fliplr, flipud, roll, rot90, repeat, tile];
