/**
 * Views that regroup or repeat axes: view, flatten, unflatten, expand, asStrided. Each shares the storage, or throws.
 */

import { LayoutError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { reachOf } from "../../layout/flat.ts";
import { formatLayout } from "../../layout/format.ts";
import { type Layout, makeLayout } from "../../layout/layout.ts";
import { dtypes } from "../../storage/dtype.ts";
import { StorageError } from "../../storage/storage.ts";
import { type Axis, axisOf, properAxisOf } from "../axes.ts";
import { describeValue } from "../describe-value.ts";
import {
  flatStrides,
  formsOf,
  isFlat,
  isHeld,
  rowMajorLeaves,
  setMode,
  sizeAt,
  sizesOf,
  strideAt,
} from "../geometry.ts";
import { carryNames } from "../names.ts";
import { bareView, storageOf, type Tensor, viewOf } from "../tensor.ts";
import { isShort } from "./flat-views.ts";
import { checkArray, checkStrided, inferShape, viewStrides } from "./view-shape.ts";

/** The view with this shape (one size may be -1), or null if the elements would have to move. */
export function tryView(t: Tensor, who: string, shape: readonly number[]): Tensor | null {
  const to = inferShape(who, shape, t.size);
  const leaves = rowMajorLeaves(t);
  if (leaves === null) return null;
  const result = viewStrides(leaves[0], leaves[1], to);
  return result === null ? null : viewOf(t, to.slice(), result, t.start);
}

/** The same elements in row-major order under a different shape, sharing the storage; throws if that needs a copy. */
export function view(t: Tensor, shape: readonly number[]): Tensor {
  const result = tryView(t, "view", shape);
  if (result !== null) return result;
  throw new LayoutError(
    `view: the layout ${formatLayout(t.layout)} cannot be viewed as shape ${show(shape)} without a copy. Use reshape(...)`,
  );
}

/** The shape after the axes from `start` to `end` became one. */
export function flattenedShape(t: Tensor, start: Axis, end: Axis): number[] {
  const first = axisOf("flatten", t, start);
  const last = axisOf("flatten", t, end);
  if (first > last) throw new ShapeError(`flatten: the first axis ${start} comes after the last axis ${end}`);
  const sizes = sizesOf(t);
  if (sizes.length === 0) return [1];
  let merged = 1;
  for (let i = first; i <= last; i++) merged *= sizes[i];
  return [...sizes.slice(0, first), merged, ...sizes.slice(last + 1)];
}

/** One axis split into several; one of the sizes may be -1. */
export function unflatten(t: Tensor, axis: Axis, sizes: readonly number[]): Tensor {
  const at = properAxisOf("unflatten", t, axis);
  checkArray("unflatten", sizes);
  if (sizes.length === 0) throw new ShapeError("unflatten: needs at least one size");
  const parts = inferShape("unflatten", sizes, sizeAt(t, at));
  // An axis with one stride can always be split without a copy.
  const result = isHeld(t)
    ? splitAxis(t, at, parts)
    : (tryView(t, "unflatten", sizesOf(t).toSpliced(at, 1, ...parts)) as Tensor);
  return carryNames(result, t, (names) => [
    ...names.slice(0, at),
    ...new Array<null>(parts.length).fill(null),
    ...names.slice(at + 1),
  ]);
}

/** One mode of a layout split without a copy, the others unchanged; a nested one if its leaves allow it. */
function splitAxis(t: Tensor, at: number, parts: readonly number[]): Tensor {
  const forms = formsOf(t, "unflatten") as (Layout | null)[] | null;
  const strides = flatStrides(t);
  const sizes = sizesOf(t);
  const axis = !isFlat(t)
    ? rowMajorLeaves(viewOf(t, [sizes[at]], [0], t.start, [(forms as Layout[])[at]]))
    : ([[sizes[at]], [strides[at]]] as const);
  const steps = axis && viewStrides(axis[0], axis[1], parts);
  if (steps === null)
    throw new LayoutError(
      `unflatten: mode ${at} is ${formatLayout((forms as Layout[])[at])}, which does not split into ${show(parts)} without a copy. Use reshape(...) instead`,
    );
  sizes.splice(at, 1, ...parts);
  strides.splice(at, 1, ...steps);
  forms?.splice(at, 1, ...parts.map(() => null));
  return viewOf(t, sizes, strides, t.start, forms);
}

/** The shape after `expand`: -1 keeps a size. Throws for a shape that does not match. */
export function expandedShape(who: string, from: readonly number[], to: readonly number[]): number[] {
  const added = to.length - from.length;
  if (added < 0)
    throw new ShapeError(
      `${who}: the new shape must have at least as many axes, got ${show(from)} to ${show(to.map(String))}`,
    );
  return to.map((requested, i) => {
    const has = i < added ? undefined : from[i - added];
    if (requested === -1) {
      if (has === undefined) throw new ShapeError(`${who}: -1 is not allowed for the new axis ${i}`);
      return has;
    }
    if (!Number.isSafeInteger(requested) || requested < 0)
      throw new ShapeError(
        `${who}: ${describeValue(requested)} is not a size in ${show(to.map(String))}; sizes must be non-negative integers, or -1 to keep one`,
      );
    if (has !== undefined && has !== 1 && has !== requested)
      throw new ShapeError(
        `${who}: axis ${i - to.length} of size ${has} cannot expand to ${requested}, ${show(from)} to ${show(to)}. Only axes of size 1 expand`,
      );
    return requested;
  });
}

/** A short tensor repeated by stride 0; null if the shape has more than five sizes or does not fit. */
function withAxesRepeated(t: Tensor, shape: readonly number[]): Tensor | null {
  const rank = shape.length;
  const added = rank - t.rank;
  if (rank > 5 || added < 0) return null;
  let size = 1;
  for (let i = 0; i < rank; i++) {
    const requested = shape[i];
    const has = i < added ? 1 : sizeAt(t, i - added);
    if (requested === -1 && i >= added) size *= has;
    else if (Number.isSafeInteger(requested) && requested >= 0 && (has === 1 || has === requested)) size *= requested;
    else return null;
  }
  const view = bareView(t, t.start, rank, size);
  let compact = 1;
  for (let i = rank - 1; i >= 0; i--) {
    const has = i < added ? 1 : sizeAt(t, i - added);
    const requested = shape[i];
    const expected = requested === -1 ? has : requested;
    // A new axis of size 1 has the stride of a compact one, except over a scalar; other new or repeated axes have stride 0.
    const stride = expected !== has || t.rank === 0 ? 0 : i >= added ? strideAt(t, i - added) : compact;
    setMode(view, i, expected, stride);
    compact = expected * stride + 0;
  }
  return view;
}

/** Axes of size 1 repeated, and new axes in front, by stride 0. -1 keeps a size. */
export function expand(t: Tensor, shape: readonly number[], who = "expand"): Tensor {
  const short = isShort(t) && t.extras === null ? withAxesRepeated(t, shape) : null;
  if (short !== null) return short;
  const from = sizesOf(t);
  const to = expandedShape(who, from, shape);
  const added = to.length - from.length;
  const strides = flatStrides(t);
  const forms = formsOf(t, who);
  const steps = new Array<number>(to.length);
  const newForms = forms === null ? null : new Array<Layout | null>(to.length);
  for (let i = to.length - 1; i >= 0; i--) {
    const has = i >= added ? from[i - added] : 1;
    if (i >= added && (has !== 1 || to[i] === 1)) {
      steps[i] = strides[i - added];
      if (newForms !== null) newForms[i] = (forms as Layout[])[i - added];
      continue;
    }
    // A new axis of size 1 has the stride of a compact one; every other repeats its element, and so do all axes over a scalar.
    steps[i] = to[i] !== 1 || from.length === 0 ? 0 : i + 1 < to.length ? to[i + 1] * steps[i + 1] + 0 : 1;
    if (newForms !== null) newForms[i] = makeLayout(to[i], 0);
  }
  const result = viewOf(t, to, steps, t.start, newForms);
  return t.extras === null
    ? result
    : carryNames(result, t, (names) => [...new Array<null>(added).fill(null), ...names]);
}

/** Any sizes and strides over the storage, from `offset` (default: that of the tensor). Throws if they reach outside the storage. */
export function asStrided(
  t: Tensor,
  sizes: readonly number[],
  strides: readonly number[],
  offset: number = t.start,
): Tensor {
  checkStrided("asStrided", sizes, strides, offset);
  checkBounds("asStrided", t, sizes, strides, offset);
  return viewOf(t, sizes.slice(), strides.slice(), offset);
}

/** Throws for a geometry that reaches outside the storage. One without elements never does. */
export function checkBounds(
  who: string,
  t: Tensor,
  sizes: readonly number[],
  strides: readonly number[],
  offset: number,
): void {
  if (sizes.includes(0)) return;
  const [low, high] = reachOf(sizes, strides, offset);
  const { itemsize } = dtypes[t.dtype];
  const available = storageOf(t, who).nbytes;
  if (low < 0 || (high + 1) * itemsize > available)
    throw new StorageError(
      `${who}: offsets ${low} to ${high} reach outside the storage (${Math.floor(available / itemsize)} elements)`,
    );
}
