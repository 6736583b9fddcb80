/**
 * Views that rearrange axes: permute, transpose, movedim, squeeze, unsqueeze. Nested and static modes stay unchanged; only their order changes,
 * or modes of size 1 are added or removed.
 */

import { ShapeError } from "../../base/errors.ts";
import { makeLayout } from "../../layout/layout.ts";
import { type Axis, axesOf, axisOf } from "../axes.ts";
import { describeValue } from "../describe-value.ts";
import { flatStrides, formsOf, heldBit, isHeld, setMode, showShape, sizeAt, sizesOf, strideAt } from "../geometry.ts";
import { carryNames } from "../names.ts";
import { bareView, type Tensor, viewOf } from "../tensor.ts";
import { isShort, withAxesSwapped } from "./flat-views.ts";

function reorder(t: Tensor, who: string, order: readonly number[]): Tensor {
  const sizes = sizesOf(t);
  const strides = flatStrides(t);
  const count = order.length;
  const newSizes = new Array<number>(count);
  const newStrides = new Array<number>(count);
  for (let i = 0; i < count; i++) {
    newSizes[i] = sizes[order[i]];
    newStrides[i] = strides[order[i]];
  }
  const forms = !isHeld(t) ? null : formsOf(t, who);
  const view = viewOf(t, newSizes, newStrides, t.start, forms && order.map((axis) => forms[axis]));
  return t.extras === null ? view : carryNames(view, t, (names) => order.map((axis) => names[axis] ?? null));
}

/** The axes of a short tensor in a different order; null if `order` does not list each axis once, as numbers. */
function withAxesOrdered(t: Tensor, order: readonly unknown[]): Tensor | null {
  const { rank } = t;
  if (order.length !== rank) return null;
  let seen = 0;
  for (let i = 0; i < rank; i++) {
    const axis = axisIn(order[i], rank);
    if (axis < 0) return null;
    seen |= 1 << axis;
  }
  if (seen !== (1 << rank) - 1) return null;
  const view = bareView(t, t.start, rank, t.size);
  for (let i = 0; i < rank; i++) {
    const axis = axisIn(order[i], rank);
    setMode(view, i, sizeAt(t, axis), strideAt(t, axis));
  }
  return view;
}

/** The axis counted from the front, or -1 if it is not one. */
function axisIn(axis: unknown, rank: number): number {
  if (typeof axis !== "number" || (axis | 0) !== axis || axis >= rank || axis < -rank) return -1;
  return axis < 0 ? axis + rank : axis;
}

/** The axes in a different order: axis i of the result is axis `order[i]` of the tensor. */
export function permute(t: Tensor, order: readonly Axis[]): Tensor {
  const short = isShort(t) && t.extras === null ? withAxesOrdered(t, order) : null;
  if (short !== null) return short;
  if (order.length !== t.rank)
    throw new ShapeError(`permute: the order must contain all ${t.rank} axes, got ${describeValue(order)}`);
  return reorder(t, "permute", axesOf("permute", t, order));
}

/** Two axes exchanged. */
export function transpose(t: Tensor, a: Axis, b: Axis): Tensor {
  const i = axisOf("transpose", t, a);
  const j = axisOf("transpose", t, b);
  if (isShort(t) && t.rank > 0 && t.extras === null) return withAxesSwapped(t, i, j);
  const order = new Array<number>(t.rank);
  for (let axis = 0; axis < t.rank; axis++) order[axis] = axis;
  if (t.rank > 0) {
    order[i] = j;
    order[j] = i;
  }
  return reorder(t, "transpose", order);
}

/** All axes in reverse order. */
export function reversed(t: Tensor): Tensor {
  if (t.rank === 2 && (t.bits & heldBit) === 0 && t.extras === null) {
    const view = bareView(t, t.start, 2, t.size);
    view.s0 = t.s1;
    view.s1 = t.s0;
    view.d0 = t.d1;
    view.d1 = t.d0;
    return view;
  }
  const order = new Array<number>(t.rank);
  for (let axis = 0; axis < t.rank; axis++) order[axis] = t.rank - 1 - axis;
  return reorder(t, "T", order);
}

/** The last two axes exchanged: each matrix of a batch transposed. */
export function matrixTranspose(t: Tensor): Tensor {
  if (t.rank < 2) throw new ShapeError(`mT: needs at least two axes, ${showShape(t)} has ${t.rank}`);
  return transpose(t, -2, -1);
}

/** Axes moved to new indices, the others kept in their order. */
export function movedim(t: Tensor, from: Axis | readonly Axis[], to: Axis | readonly Axis[]): Tensor {
  const sources = axesOf("movedim", t, Array.isArray(from) ? from : [from]);
  const targets = axesOf("movedim", t, Array.isArray(to) ? to : [to]);
  if (sources.length !== targets.length)
    throw new ShapeError(`movedim: needs one target for each of ${sources.length} axes, got ${targets.length}`);
  if (t.rank === 0) return reorder(t, "movedim", []);
  const order = new Array<number>(t.rank).fill(-1);
  for (let i = 0; i < targets.length; i++) order[targets[i]] = sources[i];
  let next = 0;
  for (let i = 0; i < order.length; i++) {
    if (order[i] !== -1) continue;
    while (sources.includes(next)) next++;
    order[i] = next++;
  }
  return reorder(t, "movedim", order);
}

/** Without axes of size 1: all of them, or those named if their size is 1. */
export function squeeze(t: Tensor, axis?: Axis | readonly Axis[]): Tensor {
  const sizes = sizesOf(t);
  const chosen = axis === undefined ? null : axesOf("squeeze", t, Array.isArray(axis) ? axis : [axis]);
  const order: number[] = [];
  for (let i = 0; i < sizes.length; i++) if (sizes[i] !== 1 || (chosen !== null && !chosen.includes(i))) order.push(i);
  return reorder(t, "squeeze", order);
}

/** With a new axis of size 1 at `axis`. */
export function unsqueeze(t: Tensor, axis: Axis): Tensor {
  const at = axisOf("unsqueeze", t, axis, 1);
  const sizes = sizesOf(t);
  const strides = flatStrides(t);
  const forms = formsOf(t, "unsqueeze");
  const step = at < sizes.length ? sizes[at] * strides[at] + 0 : 1;
  for (let axis = sizes.length; axis > at; axis--) {
    sizes[axis] = sizes[axis - 1];
    strides[axis] = strides[axis - 1];
  }
  sizes[at] = 1;
  strides[at] = step;
  forms?.splice(at, 0, makeLayout(1, 0));
  const view = viewOf(t, sizes, strides, t.start, forms);
  return t.extras === null ? view : carryNames(view, t, (names) => names.toSpliced(at, 0, null));
}
