/**
 * `at(...)`: always a tensor. Integers remove an axis, `_` keeps it, a range slices it, null adds one, "..." means all axes not mentioned, a
 * nested array is a coordinate of one nested mode. All of these are views. Index and mask tensors copy (`advanced-index.ts`); this file computes
 * the view to which they are applied.
 */

import { IndexError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { show } from "../../base/show.ts";
import { sliceAndOffset } from "../../layout/algebra/swizzled.ts";
import { _, isUnderscore, type SliceCoord, type Underscore } from "../../layout/coord.ts";
import { type Int, type Static, valueOf } from "../../layout/int.ts";
import { size } from "../../layout/queries.ts";
import { type IntTuple, isTuple } from "../../layout/tuple.ts";
import { isIntegerDType } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { describeValue } from "../describe-value.ts";
import { plainArgument } from "../dispatch/static-arguments.ts";
import { readAt, writeAt } from "../elements.ts";
import { flatStrides, isHeld, showShape, sizesOf } from "../geometry.ts";
import { setNames } from "../names.ts";
import { advancedView, computedEngine, heldView, Tensor, tensorOver, viewOf } from "../tensor.ts";
import { unsqueeze } from "../views/views-axes.ts";
import { indexIn, select, slice, sliceRange } from "../views/views-parts.ts";

/** Every `step`-th index from `start` up to, not including, `stop`; null or absent: from the end of the axis. */
export interface Range<B = number | null, E = number | null, Step = number> {
  readonly kind: "range";
  readonly start: B;
  readonly stop: E;
  readonly step: Step;
}

type Bound = number | Static | null;
/** The value of a static integer. */
type Plain<B> = B extends Static<infer N> ? N : B;

/** A range of indices for `at`: range(2, 5), range(null, null, -1) for all of them backwards, range(5) for the first five. */
export function range<const E extends Bound>(stop: E): Range<null, Plain<E>, 1>;
export function range<const B extends Bound, const E extends Bound, const Step extends number | Static = 1>(
  start: B,
  stop: E,
  step?: Step,
): Range<Plain<B>, Plain<E>, Plain<Step>>;
export function range(...bounds: readonly [Bound, Bound?, (number | Static)?]): Range {
  const [first, second, step = 1] = bounds.map(plainArgument) as [number | null, (number | null)?, number?];
  if (bounds.length === 1) return { kind: "range", start: null, stop: first, step };
  return { kind: "range", start: first, stop: second ?? null, step };
}

/** All axes that the other arguments do not mention. */
export const ellipsis = "...";
/** A new axis of size 1. */
export const newaxis = null;

/** A coordinate of a nested mode: integers and `_`, nested as the mode is. */
export type ModeCoord = number | Static | Underscore | readonly ModeCoord[];

/** An argument of `at`. */
export type Index = number | Static | Underscore | Range | null | "..." | readonly ModeCoord[] | Tensor | boolean;

const isRange = (item: unknown): item is Range =>
  typeof item === "object" && item !== null && (item as Range).kind === "range";

/** The number of axes of the tensor that an item of `at` indexes. */
function axesUsed(item: Index): number {
  if (item === null || item === ellipsis || typeof item === "boolean") return 0;
  if (item instanceof Tensor) return item.dtype === "bool" ? item.rank : 1;
  return 1;
}

/** The items with "..." written out, one for each axis of the tensor (and null for each new one). */
function spelledOut(t: Tensor, items: readonly Index[]): Index[] {
  let used = 0;
  let dots = -1;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item === ellipsis) {
      if (dots >= 0) throw new IndexError("at: an index can only have a single ellipsis ('...')");
      dots = i;
    }
    used += axesUsed(item);
  }
  if (used > t.rank)
    throw new IndexError(`at: too many indices for ${t.rank} axes, got ${used}; the shape is ${showShape(t)}`);
  const rest = new Array<Index>(t.rank - used).fill(_);
  return dots < 0 ? [...items, ...rest] : [...items.slice(0, dots), ...rest, ...items.slice(dots + 1)];
}

/** True if all items are integers, `_` or nested coordinates, by which a layout can be sliced. */
function isSlice(items: readonly Index[]): boolean {
  return items.every((item) => typeof item === "number" || isUnderscore(item) || isTuple(item));
}

/** The layout's own slice, nesting and static integers kept. */
export function sliceLayout(t: Tensor, coord: SliceCoord): Tensor {
  const [layout, offset] = sliceAndOffset(coord, t.layout);
  return moveTo(t, layout, offset);
}

/** The view with this layout whose element 0 is `offset` elements further. */
export function moveTo(t: Tensor, layout: Tensor["layout"], offset: IntTuple): Tensor {
  const engine = computedEngine(t, "at");
  if (engine !== null && isTuple(offset)) return advancedView(t, layout, engine.advance(offset));
  return heldView(t, layout, t.start + valueOf(offset as Int));
}

/** Non-negative indices, checked against the shape of the mode; nested coordinates likewise. */
function checkedCoord(item: SliceCoord, shape: IntTuple, axis: number): SliceCoord {
  if (typeof item === "number") return indexIn("at", item, size(shape), axis);
  if (!isTuple(item)) return item;
  const parts = item;
  if (!isTuple(shape) || shape.length !== parts.length)
    throw new IndexError(
      `at: an array is a coordinate of a nested axis, but axis ${axis} has rank ${isTuple(shape) ? shape.length : 1}, got ${show(parts.map(String))}. For a list of indices use pick(...)`,
    );
  return parts.map((part, i) => checkedCoord(part, shape[i], axis));
}

/** The view of the items that are not tensors, and the index tensors for its axes. */
export interface Indexed {
  readonly view: Tensor;
  /** One entry for each axis of the view, null for an axis without an index tensor. Null as a whole if no item is a tensor. */
  readonly tensors: readonly (Tensor | null)[] | null;
}

/** Applies every item that is not a tensor. */
export function indexed(t: Tensor, indices: readonly Index[]): Indexed {
  let list = indices;
  for (let i = 0; i < indices.length; i++) if (isScalarIndex(indices[i])) list = indices.map(integerOf);
  computedEngine(t, "at"); // throws for a disposed tensor, with the right name
  if (!isHeld(t)) return indexedFlat(t, list);
  const items = spelledOut(t, list);
  return isSlice(items)
    ? { view: sliceHeld(t, items as readonly SliceCoord[]), tensors: null }
    : indexedStepwise(t, items);
}

/** A 0-d integer tensor is the integer that it holds, as in PyTorch: it selects a view. */
const isScalarIndex = (index: Index): boolean =>
  index instanceof Tensor &&
  index.rank === 0 &&
  index.type !== null &&
  isIntegerDType(index.type) &&
  // A traced tensor has no elements yet: it is an index tensor.
  !(index.source instanceof Storage && index.source.isScratch);

const integerOf = (index: Index): Index => (isScalarIndex(index) ? Number(readAt(index as Tensor, 0)) : index);

/** Applies all items in one pass over the axes of a tensor that does not hold a layout. */
function indexedFlat(t: Tensor, raw: readonly Index[]): Indexed {
  const oldSizes = sizesOf(t);
  const oldStrides = flatStrides(t);
  const items = needsSpelling(t, raw) ? spelledOut(t, raw) : raw;
  const sizes: number[] = [];
  const strides: number[] = [];
  const names: (string | null)[] | null = t.extras === null || t.extras.names === null ? null : [];
  let tensors: (Tensor | null)[] | null = null;
  let start = t.start;
  let axis = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    const size = oldSizes[axis];
    const stride = oldStrides[axis];
    if (typeof item === "number") {
      start += indexIn("at", item, size, axis) * stride;
      axis++;
      continue;
    }
    if (item === _) {
      sizes.push(size);
      strides.push(stride);
      names?.push(t.extras?.names?.[axis] ?? null);
      tensors?.push(null);
      axis++;
    } else if (item === null || isWholeMask(item)) {
      sizes.push(1);
      strides.push(axis < oldSizes.length ? size * stride + 0 : 1);
      names?.push(null);
      if (item === null) tensors?.push(null);
      else tensors = noted(tensors, sizes.length - 1, wholeMask(item));
    } else if (isRange(item)) {
      const { first, count } = sliceRange("at", size, item.start, item.stop, item.step);
      start += first * stride;
      sizes.push(count);
      // Plus 0, because 0 * -1 is -0.
      strides.push(stride * item.step + 0);
      names?.push(t.extras?.names?.[axis] ?? null);
      tensors?.push(null);
      axis++;
    } else if (item instanceof Tensor) {
      tensors = noted(tensors, sizes.length, item);
      for (let used = axesUsed(item), k = 0; k < used; k++, axis++) {
        sizes.push(oldSizes[axis]);
        strides.push(oldStrides[axis]);
        names?.push(t.extras?.names?.[axis] ?? null);
        if (k > 0) tensors.push(null);
      }
    } else throw refusedItem(t, item, axis);
  }
  for (; axis < oldSizes.length; axis++) {
    sizes.push(oldSizes[axis]);
    strides.push(oldStrides[axis]);
    names?.push(t.extras?.names?.[axis] ?? null);
    tensors?.push(null);
  }
  const view = viewOf(t, sizes, strides, start);
  if (names !== null) setNames("at", view, names);
  return { view, tensors };
}

/** The axis of the tensor for an axis of its view, for messages. */
export function axisBehind(t: Tensor, items: readonly Index[], viewAxis: number): number {
  let axis = 0;
  let before = 0;
  for (const item of spelledOut(t, items.map(integerOf))) {
    if (typeof item === "number") {
      axis++;
      continue;
    }
    const used = axesUsed(item);
    if (viewAxis < before + Math.max(used, 1)) return axis + viewAxis - before;
    before += Math.max(used, 1);
    axis += used;
  }
  return axis + viewAxis - before;
}

/** True if the items need `spelledOut`: too many, or with "...". */
function needsSpelling(t: Tensor, items: readonly Index[]): boolean {
  let used = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (item === ellipsis) return true;
    used += axesUsed(item);
  }
  return used > t.rank;
}

/** Appends an index tensor at an index of the list. */
function noted(tensors: (Tensor | null)[] | null, index: number, tensor: Tensor): (Tensor | null)[] {
  const list = tensors ?? new Array<Tensor | null>(index).fill(null);
  list.push(tensor);
  return list;
}

const isWholeMask = (item: Index): item is Tensor | boolean =>
  typeof item === "boolean" || (item instanceof Tensor && axesUsed(item) === 0);

function refusedItem(t: Tensor, item: unknown, axis: number): IndexError {
  if (Array.isArray(item)) {
    checkedCoord(item as SliceCoord, sizesOf(t)[axis], axis);
  }
  return new IndexError(
    `at: ${describeValue(item)} is not an index; use integers, _, range(...), null, "...", tensors, or arrays for nested modes${typeof item === "string" && item.includes(":") ? ". A slice is written range(start, stop, step), and : is _" : ""}`,
  );
}

/** Applies the items one by one to a tensor that holds its layout. */
function indexedStepwise(t: Tensor, items: readonly Index[]): Indexed {
  let view: Tensor = t;
  let axis = 0;
  let tensors = null as (Tensor | null)[] | null;
  for (let i = 0; i < items.length; i++) {
    const item = items[i];
    if (typeof item === "number") {
      view = select(view, axis, item, "at");
      continue;
    }
    let keptSize = 1;
    if (item === null || isWholeMask(item)) {
      view = unsqueeze(view, axis);
      if (item !== null) tensors = noted(tensors, axis, wholeMask(item));
    } else if (isRange(item)) view = slice(view, axis, item.start, item.stop, item.step);
    else if (item instanceof Tensor) {
      tensors = noted(tensors, axis, item);
      keptSize = axesUsed(item);
    } else if (isTuple(item)) {
      // One nested mode among other items: a slice of that mode alone.
      const coord = listOf(view.rank, (k): SliceCoord => (k === axis ? (item as SliceCoord) : _));
      const before = view.rank;
      view = sliceHeld(view, coord);
      keptSize = view.rank - before + 1;
    } else if (!isUnderscore(item)) throw refusedItem(t, item, axis);
    axis += keptSize;
    if (tensors !== null) while (tensors.length < axis) tensors.push(null);
  }
  return { view, tensors };
}

/** A 0-d mask as a mask of one element. */
function wholeMask(item: Tensor | boolean): Tensor {
  if (item instanceof Tensor) return unsqueeze(item, 0);
  const mask = tensorOver(Storage.allocate(1), "bool", 0, [1], [1]);
  writeAt(mask, 0, item);
  return mask;
}

function sliceHeld(t: Tensor, items: readonly SliceCoord[]): Tensor {
  const layout = t.layout;
  const shape = "inner" in layout ? layout.inner.shape : layout.shape;
  if (!isTuple(shape)) {
    const only = checkedCoord(items[0], shape, 0);
    return sliceLayout(t, only);
  }
  return sliceLayout(
    t,
    items.map((item, axis) => checkedCoord(item, shape[axis], axis)),
  );
}
