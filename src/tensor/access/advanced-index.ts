/**
 * Indexing by tensors, as in PyTorch: integer tensors are broadcast together, a bool mask means the indices where it is true.
 * Adjacent indexed axes keep their position in the result; others move to the front. Reads copy; writes go to the elements themselves.
 *
 * Everything runs on kernels: a mask becomes the indices where it is true (`true-elements.ts`), indices are checked by their smallest and
 * largest, and the elements are moved by index (`index-lists.ts`).
 */

import { IndexError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { exactValue } from "../../kernel/checked-value.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { isUnderscore } from "../../layout/coord.ts";
import { isIntegerDType, type Value } from "../../storage/dtype.ts";
import { Storage } from "../../storage/storage.ts";
import { type Axis, properAxisOf } from "../axes.ts";
import { allocateLike, to, withFlatModes } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { isMeta } from "../copy-all.ts";
import { describeValue } from "../describe-value.ts";
import type { Allocate, PlannedCall } from "../dispatch/operator.ts";
import { isFlat, showShape, sizeOf, sizesOf, stridesOf } from "../geometry.ts";
import { broadcastTo, copy_, fill_ } from "../in-place.ts";
import { lowerCopyAll, lowerFillAll, lowerTo, scratchTensor } from "../lowering.ts";
import { setNames } from "../names.ts";
import { bumpVersion, checkWritable } from "../operand.ts";
import { ProgramCache } from "../program-cache.ts";
import { storageOf, Tensor, tensorOver, viewOf } from "../tensor.ts";
import { select } from "../views/views-parts.ts";
import { type Arrangement, arrange, type IndexLists, lowerSelected } from "./index-lists.ts";
import { lowerIndexCheck } from "./index-range.ts";
import { axisBehind, ellipsis, type Index, indexed } from "./indexing.ts";
import { elementsWhere, fillWhere, nonzeroCoordinates, nonzeroIndices } from "./true-elements.ts";

/** The index along an axis; null for none. */
type Chooser = Tensor | null;

/** The call, for messages and for the program cache. */
interface Asking {
  readonly who: string;
  /** The axis of the tensor for each axis of the view. */
  readonly axisFor: (axis: number) => number;
  /** The key of the program; null if it serves this call only. */
  readonly key: readonly unknown[] | null;
}

/** Index tensors on the axes of a view, and the indexed shape. */
interface Chosen {
  /** The view with flat modes; the axes of a mask may be one. */
  readonly view: Tensor;
  readonly names: readonly (string | null)[] | null;
  readonly lists: IndexLists;
  readonly arrangement: Arrangement;
  /** Indices of masks, which are in range, and are freed after the call. */
  readonly temporaries: readonly Tensor[];
}

/** The programs of reads, and those of writes, whose target is the slot of `out`. */
const reads = /* @__PURE__ */ new ProgramCache();
const writes = /* @__PURE__ */ new ProgramCache();

/**
 * Returns items as parts of a key; null if the program depends on elements (of masks and of 0-d tensors), or on numbers, which are different in
 * most calls.
 */
function keyOf(items: readonly Index[]): unknown[] | null {
  const key: unknown[] = [];
  let count = 0;
  for (let k = 0; k < items.length; k++) {
    const item = items[k];
    if (item instanceof Tensor) {
      if (item.rank === 0 || item.type === "bool" || item.type === "uint8") return null;
      count++;
      key.push(item);
    } else if (item === null) key.push(null);
    else if (item === ellipsis || isUnderscore(item)) key.push(`${item}`);
    else return null;
  }
  return count === 0 ? null : key;
}

const temporary = "a copy for the length of one call";

/** bool and uint8 tensors are masks. */
export const isMask = (t: Tensor): boolean => t.dtype === "bool" || t.dtype === "uint8";

/** Throws unless a mask has the sizes of the axes that it indexes. */
function checkMask(who: string, mask: Tensor, sizes: readonly number[], axis: number): void {
  if (sizesOf(mask).some((size, k) => size !== sizes[axis + k]))
    throw new IndexError(
      `${who}: a mask ${showShape(mask)} at axis ${axis} does not fit a tensor of shape ${show(sizes)}`,
    );
}

function checkInteger(who: string, { dtype }: Tensor): void {
  if (!isIntegerDType(dtype))
    throw new IndexError(
      `${who}: index tensors must be integers or bool, got ${dtype}. Create it with { dtype: "int32" }, or pass a list to pick([...])`,
    );
}

/** True if the axes from `axis` on are one axis in memory: each stride steps over the axis after it. */
const isOneAxis = (sizes: readonly number[], strides: readonly number[], axis: number, count: number): boolean =>
  sizes
    .slice(axis, axis + count - 1)
    .every((_, k) => strides[axis + k] === sizes[axis + k + 1] * strides[axis + k + 1]);

function choose(t: Tensor, tensors: readonly Chooser[], { who }: Asking): Chosen {
  const [from, steps] = [sizesOf(t), stridesOf(t, who)];
  const sizes: number[] = [];
  const strides: number[] = [];
  const names: (string | null)[] = [];
  const lists: (Tensor | null)[] = [];
  const temporaries: Tensor[] = [];
  const addAxis = (axis: number, list: Tensor | null, size = from[axis], stride = steps[axis]): void => {
    sizes.push(size);
    strides.push(stride);
    names.push(t.names?.[axis] ?? null);
    lists.push(list);
  };
  for (let axis = 0; axis < from.length; ) {
    const index = tensors[axis] ?? null;
    if (index === null || !isMask(index)) {
      if (index !== null) checkInteger(who, index);
      addAxis(axis++, index === null ? null : withFlatModes(index));
      continue;
    }
    checkMask(who, index, from, axis);
    const { rank } = index;
    if (isOneAxis(from, steps, axis, rank)) {
      const flat = nonzeroIndices(index, who);
      temporaries.push(flat);
      addAxis(axis, flat, sizeOf(sizesOf(index)), steps[axis + rank - 1]);
    } else {
      const coordinates = nonzeroCoordinates(index, who, false);
      temporaries.push(coordinates);
      for (let k = 0; k < rank; k++) addAxis(axis + k, select(coordinates, 0, k));
    }
    axis += rank;
  }
  const view = viewOf(t, sizes, strides, t.start);
  const arrangement = arrange(who, sizes, lists);
  return { view, names: t.names === null ? null : names, lists, arrangement, temporaries };
}

/** Moves the selected elements to values of the indexed shape ("take"), or the values to them. */
function move(
  kind: "take" | "set",
  target: Tensor,
  chosen: Chosen,
  values: Tensor,
  { who, axisFor, key }: Asking,
): void {
  const { view, lists, temporaries } = chosen;
  if (!isMeta(view)) {
    const lower = (builder: ProgramBuilder): void => lowerMove(builder, kind, chosen, values, who, axisFor);
    if (key !== null) (kind === "take" ? reads : writes).build({ args: key, results: [target], isList: false, lower });
    else {
      const stored = (t: Tensor): { readonly storage: Storage } => ({ storage: storageOf(t, who) });
      const indices = lists.filter((list) => list !== null);
      execute([stored(target)], [kind === "take" ? view : values, ...indices].map(stored), lower);
    }
  }
  for (const t of temporaries) t.endWith(temporary);
}

/** Adds the checks of indices, and the moves. */
function lowerMove(
  builder: ProgramBuilder,
  kind: "take" | "set",
  { view, lists, arrangement, temporaries }: Chosen,
  values: Tensor,
  who: string,
  axisFor: (axis: number) => number,
): void {
  const isTemporary = (list: Tensor): boolean => temporaries.some(({ source }) => source === list.source);
  for (const [axis, list] of lists.entries())
    if (list !== null && !isTemporary(list)) lowerCheck(builder, who, list, sizesOf(view)[axis], axisFor(axis));
  if (values.size > 0) lowerSelected(builder, who, kind, view, values, lists, arrangement);
}

/** Adds a check that all indices are in range of an axis. */
function lowerCheck(builder: ProgramBuilder, who: string, list: Tensor, size: number, axis: number): void {
  lowerIndexCheck(builder, who, list, {
    size,
    isNegativeAllowed: true,
    outside: "out of range",
    what: `axis ${axis} with size ${size}`,
  });
}

/** The part of a tensor that the items select: a view, or a copy if one of them is a tensor. */
export function at(t: Tensor, items: readonly Index[]): Tensor {
  const indices = keyOf(items);
  const key = indices === null ? null : [t, ...indices];
  const cached = key === null ? undefined : reads.run(key, null);
  if (cached !== undefined) return cached as Tensor;
  const { view, tensors } = indexed(t, items);
  if (tensors === null) return view;
  return gather(view, tensors, { who: "at", axisFor: (axis) => axisBehind(t, items, axis), key });
}

/** A new row-major tensor of this shape, with the dtype and the device of a view. */
const emptyLike = (view: Tensor, shape: readonly number[]): Tensor =>
  tensorOver(allocateLike(view, sizeOf(shape) * view.itemsize), view.dtype, 0, shape, rowMajorStrides(shape));

/** A copy of the elements that index tensors select. */
function gather(view: Tensor, tensors: readonly Chooser[], asking: Asking): Tensor {
  const [mask] = tensors;
  if (mask instanceof Tensor && isMask(mask) && mask.rank === view.rank && view.isContiguous() && !isMeta(view)) {
    checkMask(asking.who, mask, sizesOf(view), 0);
    return elementsWhere(view, mask, asking.who);
  }
  const chosen = choose(view, tensors, asking);
  const { shape, rest, before, common } = chosen.arrangement;
  const result = emptyLike(view, shape);
  move("take", result, chosen, result, asking);
  if (chosen.names !== null) {
    const keptNames = rest.map((axis) => chosen.names?.[axis] ?? null);
    setNames("at", result, keptNames.toSpliced(before, 0, ...common.map(() => null)));
  }
  return result;
}

/** Stores a value, or a tensor broadcast to the part, in the part that the items select. One in-place operation. */
export function assignAt(t: Tensor, items: readonly Index[], value: Value | Tensor, _who?: string): Tensor {
  const who = "assignAt";
  checkWritable(t, who);
  if (!Array.isArray(items))
    throw new IndexError(`assignAt: the indices must be a list, assignAt([0, _], value), got ${describeValue(items)}`);
  const indices = keyOf(items);
  const applied = indices === null ? indexed(t, items) : null;
  if (applied !== null && applied.tensors === null) {
    if (value instanceof Tensor) copy_(applied.view, value, who);
    else fill_(applied.view, value, who);
    return t;
  }
  const source = value instanceof Tensor ? value : fill_(emptyLike(t, []), value, who);
  const key = indices === null ? null : [source, ...indices, { out: t }];
  if (key === null || writes.run(key, t) === undefined) {
    const { view, tensors } = applied ?? indexed(t, items);
    writeSelected(t, view, tensors as readonly Chooser[], source, {
      who,
      axisFor: (axis) => axisBehind(t, items, axis),
      key,
    });
    bumpVersion(t);
  }
  if (source !== value) source.endWith(temporary);
  return t;
}

/** Stores a value in the elements of a view of `t` that index tensors select. */
function writeSelected(t: Tensor, view: Tensor, tensors: readonly Chooser[], value: Tensor, asking: Asking): void {
  if (fillByMask(view, tensors, value, asking.who)) return;
  const chosen = choose(view, tensors, asking);
  move("set", t, chosen, sourceFor(chosen, value), asking);
}

/** The values in the indexed shape, in the dtype of the view. */
function sourceFor({ view, arrangement: { shape } }: Chosen, value: Tensor): Tensor {
  const converted = to(withFlatModes(value), view.dtype);
  try {
    return broadcastTo(shape, converted, "assignAt");
  } catch {
    throw new ShapeError(`assignAt: values ${showShape(value)} do not broadcast to the indexed shape ${show(shape)}`);
  }
}

/** Stores one element where a mask is true, if the indices are one mask; false if they are not. */
function fillByMask(view: Tensor, tensors: readonly Chooser[], value: Tensor, who: string): boolean {
  const axes = tensors.flatMap((t, axis) => (t === null ? [] : [axis]));
  const [axis] = axes;
  const mask = tensors[axis] as Tensor;
  if (value.size !== 1 || axes.length > 1 || !isMask(mask) || !isFlat(view) || isMeta(view)) return false;
  checkMask(who, mask, sizesOf(view), axis);
  fillWhere(view, axis, mask, to(withFlatModes(value), view.dtype), who);
  return true;
}

/** The elements with the listed indices on one axis, in their order; a copy. */
export function pick(t: Tensor, indices: readonly number[] | Tensor, axis: Axis = 0): Tensor {
  const axisIndex = properAxisOf("pick", t, axis);
  const view = indexed(t, []).view;
  const list = Array.isArray(indices) ? listTensor(indices, sizesOf(t)[axisIndex], axisIndex) : indices;
  if (!(list instanceof Tensor))
    throw new IndexError(
      `pick: the indices must be a list or a tensor, got ${describeValue(list)}. For one index use select(...)`,
    );
  const tensors = new Array<Chooser>(t.rank).fill(null);
  tensors[axisIndex] = list;
  const key = isMask(list) ? null : [axisIndex, t, list];
  const cached = key === null ? undefined : reads.run(key, null);
  const result = (cached as Tensor | undefined) ?? gather(view, tensors, { who: "pick", axisFor: (axis) => axis, key });
  if (list !== indices) list.endWith(temporary);
  return result;
}

/** A list of indices along an axis as a tensor; throws if one is out of range. */
function listTensor(indices: readonly number[], size: number, axis: number): Tensor {
  const wrong = indices.find((index) => !Number.isInteger(index) || index < -size || index >= size);
  if (wrong !== undefined)
    throw new IndexError(`pick: index ${wrong} is out of range for axis ${axis} with size ${size}`);
  const storage = Storage.allocate(4 * indices.length);
  storage
    .writable()
    .array("i32")
    .set(indices, storage.byteOffset / 4);
  return tensorOver(storage, "int32", 0, [indices.length], [1]);
}

/** Throws if one of the indices is a mask: the shape then depends on its elements. */
function refuseMasks(who: string, tensors: readonly Chooser[]): void {
  if (tensors.some((t) => t !== null && isMask(t)))
    throw new IndexError(
      `${who}: the result shape depends on the values of the mask, which are not known yet. Use where(mask, x, other)`,
    );
}

/** Plans `at`; null if it is a view. */
export function planAt([x, items]: readonly unknown[], allocate: Allocate = Storage.allocate): PlannedCall | null {
  const [t, indices] = [x as Tensor, items as readonly Index[]];
  const { view, tensors } = indexed(t, indices);
  if (tensors === null) return null;
  return planTake(view, tensors, { who: "at", axisFor: (axis) => axisBehind(t, indices, axis), key: null }, allocate);
}

/** Plans `pick` with a tensor of indices; null for a list, which is a constant. */
export function planPick([x, index, axis = 0]: readonly unknown[], allocate: Allocate = Storage.allocate): PlannedCall {
  const t = x as Tensor;
  const at = properAxisOf("pick", t, axis as Axis);
  const list = Array.isArray(index) ? listTensor(index as number[], sizesOf(t)[at], at) : (index as Tensor);
  const tensors = new Array<Chooser>(t.rank).fill(null);
  tensors[at] = list;
  return planTake(indexed(t, []).view, tensors, { who: "pick", axisFor: (each) => each, key: null }, allocate);
}

function planTake(view: Tensor, tensors: readonly Chooser[], asking: Asking, allocate: Allocate): PlannedCall {
  const { who, axisFor } = asking;
  refuseMasks(who, tensors);
  const chosen = choose(view, tensors, asking);
  const { shape } = chosen.arrangement;
  const storage = allocate(sizeOf(shape) * view.itemsize);
  const result = tensorOver(storage, view.dtype, 0, shape, rowMajorStrides(shape));
  return { results: [result], lower: (builder) => lowerMove(builder, "take", chosen, result, who, axisFor) };
}

/** Plans `assignAt`. */
export function planAssign([x, items, value]: readonly unknown[]): PlannedCall {
  const [t, indices, who] = [x as Tensor, items as readonly Index[], "assignAt"];
  checkWritable(t, who);
  const { view, tensors } = indexed(t, indices);
  const lower = (builder: ProgramBuilder): void => {
    const number = value instanceof Tensor ? null : exactValue(who, value as Value, t.dtype);
    if (tensors === null) {
      if (number === null) lowerCopyAll(builder, broadcastTo(sizesOf(view), value as Tensor, who), view, who);
      else lowerFillAll(builder, view, number, who);
      return;
    }
    const axisFor = (axis: number): number => axisBehind(t, indices, axis);
    const chosen = choose(view, tensors, { who, axisFor, key: null });
    const source =
      number === null ? lowerTo(builder, value as Tensor, t.dtype, who) : scratchTensor(builder, t.dtype, []);
    if (number !== null) lowerFillAll(builder, source, number, who);
    lowerMove(builder, "set", chosen, sourceFor(chosen, source), who, axisFor);
  };
  if (tensors !== null) refuseMasks(who, tensors);
  return { results: [t], lower };
}
