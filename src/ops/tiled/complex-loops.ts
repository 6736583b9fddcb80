/**
 * complexLoops: a loop nest over variables _0, _1, ..., which visits the elements whose indices are expressions of them.
 * It runs in row-major order on the calling thread, and checks bounds once, before the first iteration. Any layout with storage is supported: an
 * index into a nested mode counts its elements as the layout does.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { offsetAt } from "../../layout/queries.ts";
import type { DType, TypedArray } from "../../storage/dtype.ts";
import { flatStrides, isFlat, sizesOf } from "../../tensor/geometry.ts";
import { bumpVersion } from "../../tensor/operand.ts";
import { describeBriefly, type Tensor } from "../../tensor/tensor.ts";
import type { WindowFor } from "../../tensor/types/shape-arrays.ts";
import { checkLoopOptions, currentWindow, type ElementWindow, openWindow } from "./element-window.ts";
import { checkExtents, type LoopIndex, loopIndices, nextTuple } from "./loop-indices.ts";

/**
 * One round: `data` is the tensor's storage, valid during the call; the element is `data[position]` (a complex one starts there);
 * `coords` are the values of the expressions, in an array that is reused.
 */
export type LoopBody<D extends DType = DType> = (data: WindowFor<D>, position: number, coords: number[]) => void;

export interface LoopOptions {
  /** The number of values of each variable; by default the sizes of the axes that have an expression. */
  readonly extents?: readonly number[] | undefined;
  /** False if the function only reads: const views are then allowed, and the version does not change. The default is true. */
  readonly write?: boolean | undefined;
}

type Body = (data: TypedArray, position: number, coords: number[]) => void;

/** Runs the loops; see `TiledTensor.complexLoops`. */
export function complexLoops(t: Tensor, expressions: readonly string[], body: Body, options: LoopOptions = {}): void {
  const who = "complexLoops";
  checkArguments(who, t, expressions, body);
  checkLoopOptions(who, options, ["extents", "write"]);
  const shape = sizesOf(t);
  const extents = options.extents ?? shape.slice(0, expressions.length);
  checkExtents(who, extents);
  const write = options.write ?? true;
  const window = openWindow(t, who, write);
  if (t.size === 0 || extents.includes(0)) return;
  const indices = loopIndices(who, expressions, extents, shape);
  try {
    if (isFlat(t) && indices.every(({ affine }) => affine !== undefined)) runAffine(t, indices, extents, window, body);
    else runAny(t, indices, extents, window, body);
  } finally {
    // Even after an error in the function, because some elements may be written.
    if (write) bumpVersion(t);
  }
}

function checkArguments(who: string, t: Tensor, expressions: readonly string[], body: unknown): void {
  if (!Array.isArray(expressions) || !expressions.every((text) => typeof text === "string"))
    throw new ShapeError(
      `${who}: expects a list of index expressions such as "_0 * 2 + 1", got ${String(expressions)}`,
    );
  if (expressions.length > t.rank)
    throw new ShapeError(
      `${who}: ${expressions.length} index expressions, ${show(expressions)}, for the ${t.rank} axes of ${describeBriefly(t)}`,
    );
  if (typeof body !== "function")
    throw new StridewiseError(`${who}: expects a function (data, position, coords) => ..., got ${String(body)}`);
}

/** Runs loops whose indices are all affine: along the last variable, indices and position move by fixed steps. */
function runAffine(
  t: Tensor,
  indices: readonly LoopIndex[],
  extents: readonly number[],
  window: ElementWindow,
  body: Body,
): void {
  const strides = flatStrides(t);
  const { parts } = window.info;
  const last = extents.length - 1;
  const rows = extents.slice(0, Math.max(last, 0));
  const count = last < 0 ? 1 : extents[last];
  const values = extents.map(() => 0);
  const first = indices.map(() => 0);
  const steps = indices.map(({ affine }) => (last < 0 ? 0 : (affine?.coefficients[last] as number)));
  const coords = indices.map(() => 0);
  let step = 0;
  for (let axis = 0; axis < indices.length; axis++) step += steps[axis] * strides[axis] * parts;
  do {
    let position = t.start * parts;
    for (let axis = 0; axis < indices.length; axis++) {
      first[axis] = indices[axis].at(values);
      position += first[axis] * strides[axis] * parts;
    }
    for (let k = 0; k < count; k++) {
      for (let axis = 0; axis < coords.length; axis++) coords[axis] = first[axis] + k * steps[axis];
      body(currentWindow(window), position, coords);
      position += step;
    }
  } while (nextTuple(values, rows));
}

function runAny(
  t: Tensor,
  indices: readonly LoopIndex[],
  extents: readonly number[],
  window: ElementWindow,
  body: Body,
): void {
  const { parts } = window.info;
  const values = extents.map(() => 0);
  const coords = indices.map(() => 0);
  const offset = offsetOf(t);
  // Axes without an expression stay at 0.
  const full = sizesOf(t).map(() => 0);
  do {
    for (let axis = 0; axis < indices.length; axis++) {
      coords[axis] = indices[axis].at(values);
      full[axis] = coords[axis];
    }
    body(currentWindow(window), (t.start + offset(full)) * parts, coords);
  } while (nextTuple(values, extents));
}

/** Returns the function from a coordinate, with one index for each top-level mode, to its offset. */
function offsetOf(t: Tensor): (coord: readonly number[]) => number {
  if (isFlat(t)) {
    const strides = flatStrides(t);
    return (coord) => {
      let sum = 0;
      for (let axis = 0; axis < coord.length; axis++) sum += coord[axis] * strides[axis];
      return sum;
    };
  }
  const { layout } = t;
  const { shape } = "inner" in layout ? layout.inner : layout;
  return Array.isArray(shape) ? (coord) => offsetAt(layout, coord) : (coord) => offsetAt(layout, coord[0]);
}
