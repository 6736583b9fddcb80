/**
 * Views of a part: select, narrow, slice with a step, split into pieces, diagonal, unfold (sliding windows).
 * A slice may step backwards, as in NumPy; its first element is then the last of the range.
 *
 * Tensors whose offsets are coordinates have parts too: one index of an axis, or a range of it. The layout keeps its coordinates as strides,
 * and the engine moves on by a coordinate instead of a number.
 */

import { IndexError, ShapeError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { show } from "../../base/show.ts";
import { composition } from "../../layout/algebra/composition.ts";
import { isBasis, scale } from "../../layout/basis.ts";
import { crd2idx } from "../../layout/coord.ts";
import { joinModes, type Layout, makeLayout, modesOf, rawLayout } from "../../layout/layout.ts";
import { offsetAt } from "../../layout/queries.ts";
import { isTuple } from "../../layout/tuple.ts";
import { type Axis, axisOf, properAxisOf } from "../axes.ts";
import { describeValue } from "../describe-value.ts";
import { hasCoordOffsets } from "../elements.ts";
import type { Engine } from "../engine.ts";
import { flatStrides, formsOf, isFlat, isHeld, sizeAt, sizesOf, stridesOf } from "../geometry.ts";
import { carryNames } from "../names.ts";
import { advancedView, computedEngine, heldView, type Tensor, viewOf } from "../tensor.ts";
import { isShort, withAxisCut, withoutAxis } from "./flat-views.ts";
import { checkArray } from "./view-shape.ts";

const integer = (who: string, what: string, value: number): number => {
  if (Number.isSafeInteger(value)) return value;
  throw new IndexError(`${who}: the ${what} must be an integer, got ${describeValue(value)}`);
};

/** The index from 0 to size - 1; negative ones count from the end. */
export function indexIn(who: string, index: number, size: number, axis: number | string): number {
  const at = index < 0 ? index + size : index;
  if (Number.isInteger(index) && at >= 0 && at < size) return at;
  if (typeof index === "number" && !Number.isInteger(index))
    throw new IndexError(`${who}: index ${index} is not an integer`);
  throw new IndexError(
    `${who}: index ${index} is out of range for axis ${axis} with size ${size}${size === 0 ? "" : ` (valid: ${-size} to ${size - 1})`}`,
  );
}

/** The elements with index `index` on one axis, which disappears. */
export function select(t: Tensor, axis: Axis, index: number, who = "select"): Tensor {
  const at = properAxisOf(who, t, axis);
  const i = indexIn(who, index, sizeAt(t, at), at);
  if (isShort(t)) return t.extras === null ? withoutAxis(t, at, i) : withoutName(withoutAxis(t, at, i), t, at);
  if (hasCoordOffsets(t)) return withoutName(selectCoords(t, at, i), t, at);
  const sizes = sizesOf(t);
  const strides = flatStrides(t);
  const forms = !isHeld(t) ? null : formsOf(t, who);
  const offset = isFlat(t) ? i * strides[at] : offsetAt((forms as Layout[])[at], i);
  for (let k = at + 1; k < sizes.length; k++) {
    sizes[k - 1] = sizes[k];
    strides[k - 1] = strides[k];
  }
  sizes.length--;
  strides.length--;
  forms?.splice(at, 1);
  const view = viewOf(t, sizes, strides, t.start + offset, forms);
  return withoutName(view, t, at);
}

const withoutName = (view: Tensor, t: Tensor, at: number): Tensor =>
  carryNames(view, t, (names) => names.toSpliced(at, 1));

/** One axis cut to `size` elements from its element `first` on, `step` apart. */
function cut(t: Tensor, who: string, at: number, first: number, size: number, step: number): Tensor {
  if (isShort(t) && t.extras === null) return withAxisCut(t, at, first, size, step);
  if (hasCoordOffsets(t)) return carryNames(cutCoords(t, at, first, size, step), t);
  const sizes = sizesOf(t);
  const forms = !isHeld(t) ? null : (formsOf(t, who) as (Layout | null)[]);
  const strides = isFlat(t) ? flatStrides(t) : stridesAround(t, who, at);
  const stride = strides[at];
  sizes[at] = size;
  // Plus 0, because 0 * -1 is -0.
  strides[at] = stride * step + 0;
  if (forms !== null) forms[at] = null;
  const view = viewOf(t, sizes, strides, t.start + first * stride, forms);
  return t.extras === null ? view : carryNames(view, t);
}

/** The strides, where only that of one axis has to be a number. */
function stridesAround(t: Tensor, who: string, at: number): number[] {
  const forms = formsOf(t, who) as Layout[];
  const strides = flatStrides(t);
  strides[at] = stridesOf(viewOf(t, [sizeAt(t, at)], [0], t.start, [forms[at]]), who)[0];
  return strides;
}

/** `length` elements of one axis from `start` on; a negative start counts from the end. */
export function narrow(t: Tensor, axis: Axis, start: number, length: number): Tensor {
  const at = properAxisOf("narrow", t, axis);
  const size = sizeAt(t, at);
  if (!(length >= 0)) throw new ShapeError(`narrow: length must be non-negative, got ${length}`);
  if (start < -size || start > size)
    throw new IndexError(
      `narrow: start out of range (expected to be in range of [${-size}, ${size}], but got ${start})`,
    );
  const first = integer("narrow", "start", start < 0 ? start + size : start);
  if (first + integer("narrow", "length", length) > size)
    throw new ShapeError(`narrow: start (${first}) + length (${length}) exceeds axis size (${size}).`);
  return cut(t, "narrow", at, first, length, 1);
}

/** A bound of a slice, counted from the end if negative, and clamped. */
function boundIn(who: string, what: string, bound: number, size: number, low: number, high: number): number {
  if (bound === Infinity) return high;
  if (bound === -Infinity) return low;
  const at = integer(who, what, bound) < 0 ? bound + size : bound;
  return Math.max(low, Math.min(at, high));
}

/** First element, count and step of a slice; bounds are clamped. A negative step walks from the end to the start. */
export function sliceRange(
  who: string,
  size: number,
  start: number | null | undefined,
  stop: number | null | undefined,
  step = 1,
): { readonly first: number; readonly count: number } {
  integer(who, "step", step);
  if (step === 0) throw new ShapeError(`${who}: step must not be 0`);
  const low = step > 0 ? 0 : -1;
  const high = step > 0 ? size : size - 1;
  const first = start == null ? (step > 0 ? 0 : high) : boundIn(who, "start", start, size, low, high);
  const last = stop == null ? (step > 0 ? size : -1) : boundIn(who, "stop", stop, size, low, high);
  const count = step > 0 ? Math.ceil((last - first) / step) : Math.ceil((first - last) / -step);
  return { first: Math.max(first, 0), count: Math.max(count, 0) };
}

/** Every `step`-th element of one axis from `start` up to, not including, `stop`. Negative bounds count from the end. */
export function slice(t: Tensor, axis: Axis, start?: number | null, stop?: number | null, step = 1): Tensor {
  const at = properAxisOf("slice", t, axis);
  const { first, count } = sliceRange("slice", sizeAt(t, at), start, stop, step);
  return cut(t, "slice", at, first, count, step);
}

/** Pieces of `size` elements along an axis (the last may be shorter), or of a list of sizes. */
export function split(t: Tensor, size: number | readonly number[], axis: Axis = 0): Tensor[] {
  const at = properAxisOf("split", t, axis);
  const total = sizeAt(t, at);
  if (typeof size === "number") return cutAll(t, "split", at, equalPieces(size, total));
  if (!Array.isArray(size))
    throw new ShapeError(`split: pass a split size or an array of sizes, got ${describeValue(size)}`);
  const sum = size.reduce((a, b) => a + b, 0);
  if (sum !== total || size.some((piece) => !Number.isSafeInteger(piece) || piece < 0))
    throw new ShapeError(`split: sizes must add up to ${total}, the size of axis ${at}, got ${show(size)}`);
  return cutAll(t, "split", at, size);
}

function equalPieces(size: number, total: number): number[] {
  if (!Number.isSafeInteger(size) || size < 0 || (size === 0 && total !== 0))
    throw new ShapeError(`split: split size must be positive, got ${size}`);
  checkPieces("split", total / size);
  const pieces: number[] = [];
  for (let rest = total; rest > 0; rest -= size) pieces.push(Math.min(size, rest));
  return pieces.length === 0 ? [total] : pieces;
}

/** Throws where a call would return more than 2^20 tensors. */
function checkPieces(who: string, count: number): void {
  if (count > 2 ** 20) throw new ShapeError(`${who}: at most 2^20 pieces are possible, got ${count}`);
}

function cutAll(t: Tensor, who: string, at: number, sizes: readonly number[]): Tensor[] {
  let first = 0;
  return sizes.map((size) => {
    const piece = cut(t, who, at, first, size, 1);
    first += size;
    return piece;
  });
}

/** At most `count` pieces of equal size (the last may be shorter). */
export function chunk(t: Tensor, count: number, axis: Axis = 0): Tensor[] {
  const at = properAxisOf("chunk", t, axis);
  if (!Number.isSafeInteger(count) || count < 1)
    throw new ShapeError(`chunk: the number of chunks must be a positive integer, got ${describeValue(count)}`);
  const total = sizeAt(t, at);
  if (total === 0) checkPieces("chunk", count);
  const size = Math.ceil(total / count);
  if (size === 0) return cutAll(t, "chunk", at, new Array<number>(count).fill(0));
  return cutAll(t, "chunk", at, equalPieces(size, total));
}

/** Exactly `count` pieces whose sizes differ by at most one, or pieces cut before the given indices. */
export function tensorSplit(t: Tensor, sections: number | readonly number[], axis: Axis = 0): Tensor[] {
  if (typeof sections !== "number") checkArray("tensorSplit", sections);
  const at = properAxisOf("tensorSplit", t, axis);
  const total = sizeAt(t, at);
  if (typeof sections === "number") {
    if (!Number.isSafeInteger(sections) || sections < 1)
      throw new ShapeError(`tensorSplit: sections must be positive, got ${sections}`);
    checkPieces("tensorSplit", sections);
    const small = Math.floor(total / sections);
    const more = total % sections;
    return cutAll(
      t,
      "tensorSplit",
      at,
      listOf(sections, (i) => (i < more ? small + 1 : small)),
    );
  }
  const bounds = [...sections, total];
  let first = 0;
  return bounds.map((bound, i) => {
    const piece = slice(t, at, first, i === bounds.length - 1 ? null : bound);
    first = bound;
    return piece;
  });
}

/** One view for each index of an axis. */
export function unbind(t: Tensor, axis: Axis = 0): Tensor[] {
  const at = properAxisOf("unbind", t, axis);
  checkPieces("unbind", sizeAt(t, at));
  return listOf(sizeAt(t, at), (i) => select(t, at, i));
}

/** The elements whose indices on two axes differ by `offset`; the two axes disappear, the diagonal is the last. */
export function diagonal(t: Tensor, offset = 0, axis1: Axis = 0, axis2: Axis = 1): Tensor {
  const first = axisOf("diagonal", t, axis1);
  const second = axisOf("diagonal", t, axis2);
  if (first === second)
    throw new ShapeError(`diagonal: the axes must differ, got ${String(axis1)} and ${String(axis2)}`);
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "diagonal");
  const rows = sizes[first];
  const columns = sizes[second];
  integer("diagonal", "offset", offset);
  const size = Math.max(offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns), 0);
  const step = offset >= 0 ? offset * strides[second] : -offset * strides[first];
  const rest = sizes.map((_, axis) => axis).filter((axis) => axis !== first && axis !== second);
  const view = viewOf(
    t,
    [...rest.map((axis) => sizes[axis]), size],
    [...rest.map((axis) => strides[axis]), strides[first] + strides[second]],
    size === 0 ? t.start : t.start + step,
  );
  return carryNames(view, t, (names) => [...rest.map((axis) => names[axis] ?? null), null]);
}

/** All windows of `size` elements along an axis, `step` apart; the window is the new last axis. */
export function unfold(t: Tensor, axis: Axis, size: number, step: number): Tensor {
  const at = axisOf("unfold", t, axis);
  const sizes = sizesOf(t);
  const strides = stridesOf(t, "unfold");
  const total = t.rank === 0 ? 1 : sizes[at];
  if (!(integer("unfold", "size", size) >= 0)) throw new ShapeError(`unfold: size must be non-negative, got ${size}`);
  if (size > total) throw new ShapeError(`unfold: size must be at most ${total}, the size of axis ${at}, got ${size}`);
  if (!(integer("unfold", "step", step) > 0)) throw new ShapeError(`unfold: step must be positive, got ${step}`);
  const stride = t.rank === 0 ? 1 : strides[at];
  if (t.rank > 0) {
    sizes[at] = Math.floor((total - size) / step) + 1;
    strides[at] = stride * step;
  }
  const view = viewOf(t, [...sizes, size], [...strides, stride], t.start);
  return carryNames(view, t, (names) => [...names, null]);
}

/** The elements with index `index` on one axis, which disappears. */
function selectCoords(t: Tensor, axis: number, index: number): Tensor {
  const modes = modesOf(t.layout as Layout);
  const [fixed] = modes.splice(axis, 1) as [Layout];
  return movedOn(t, joinModes(modes), fixed, index);
}

/** One axis cut to `size` elements from its element `first` on, `step` apart. */
function cutCoords(t: Tensor, axis: number, first: number, size: number, step: number): Tensor {
  const modes = modesOf(t.layout as Layout);
  const mode = modes[axis];
  modes[axis] = isBasis(mode.stride)
    ? rawLayout(size, scale(step, mode.stride))
    : composition(mode, makeLayout(size, step));
  return movedOn(t, joinModes(modes), mode, first);
}

/** The view with this layout whose element 0 is where `mode` has index `index`. */
function movedOn(t: Tensor, layout: Layout, mode: Layout, index: number): Tensor {
  const offset = crd2idx(index, mode.shape, mode.stride);
  const engine = computedEngine(t, "view") as Engine;
  return isTuple(offset) ? advancedView(t, layout, engine.advance(offset)) : heldView(t, layout, t.start);
}
