/**
 * Indexing by tensors, as in PyTorch: integer tensors are broadcast together, a bool mask means the indices where it is true.
 * Adjacent indexed axes keep their position in the result; others move to the front. Reads copy; writes go to the elements themselves.
 *
 * Index tensors are read into plain lists: integers checked against their axis, masks as the indices where they are true.
 */

import { IndexError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { visitElements } from "../../kernel/callbacks.ts";
import { moveScattered, offsetsOf } from "../../kernel/gather.ts";
import { isIntegerDType, type Value } from "../../storage/dtype.ts";
import { type Axis, properAxisOf } from "../axes.ts";
import { allocateLike } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { isMeta } from "../copy-all.ts";
import { describeValue } from "../describe-value.ts";
import { showShape, sizeOf, sizesOf, stridesOf } from "../geometry.ts";
import { broadcastInto, copy_, fill_ } from "../in-place.ts";
import { setNames } from "../names.ts";
import { bumpVersion, checkWritable, operandOf } from "../operand.ts";
import { storageOf, Tensor, tensorOver } from "../tensor.ts";
import { broadcastTwo } from "../views/view-shape.ts";
import { wholeMemory } from "../whole-memory.ts";
import { axisBehind, type Index, indexed } from "./indexing.ts";

/** The offsets of the elements that index tensors select, and the shape of the result. */
interface Chosen {
  readonly shape: readonly number[];
  /** Offset from the view's element 0 of each combination of indices. */
  readonly outer: Float64Array;
  /** Offset of each element of the axes that are not indexed. */
  readonly inner: Float64Array;
  /** The same elements in a row-major tensor of `shape`. */
  readonly targetOuter: Float64Array;
  readonly targetInner: Float64Array;
  /** The axes of the view that stay, and the number of those before the indexed ones. */
  readonly rest: readonly number[];
  readonly before: number;
  readonly count: number;
}

/** The index along an axis; null for none. */
type Chooser = Tensor | IndexList | null;

/** The name of the caller, and the axes of the tensor behind those of the view, for messages. */
interface Asking {
  readonly who: string;
  readonly axisFor: (axis: number) => number;
}

/** One list of indices for each indexed axis; masks become the indices where they are true. */
function listsFor(view: Tensor, tensors: readonly Chooser[], { who, axisFor }: Asking): (IndexList | null)[] {
  const sizes = sizesOf(view);
  const lists: (IndexList | null)[] = new Array(view.rank).fill(null);
  for (let axis = 0; axis < tensors.length; axis++) {
    const given = tensors[axis];
    if (given == null) continue;
    if (!(given instanceof Tensor)) {
      lists[axis] = given;
      continue;
    }
    if (!isMask(given)) {
      lists[axis] = indexList(who, given, sizes[axis], isMeta(view) ? null : () => axisFor(axis));
      continue;
    }
    for (let k = 0; k < given.rank; k++)
      if (sizesOf(given)[k] !== sizes[axis + k])
        throw new IndexError(
          `${who}: a mask ${showShape(given)} at axis ${axis} does not fit a tensor of shape ${show(sizes)}`,
        );
    for (const [k, positions] of positionsOf(given).entries()) lists[axis + k] = positions;
  }
  return lists;
}

/** All lists repeated to one shape. */
function broadcastLists(
  who: string,
  lists: readonly IndexList[],
): { readonly shape: number[]; readonly values: Float64Array[] } {
  let shape: number[] = [];
  for (const list of lists) {
    try {
      shape = broadcastTwo(who, shape, list.shape);
    } catch {
      throw new IndexError(
        `${who}: the indices do not broadcast, they have shapes ${lists.map((each) => `${show(each.shape)}`).join(", ")}`,
      );
    }
  }
  const values = lists.map((list) => {
    const strides = rowMajorStrides(list.shape);
    const added = shape.length - list.shape.length;
    const steps = shape.map((_, i) => (i < added || list.shape[i - added] === 1 ? 0 : strides[i - added]));
    return offsetsOf(shape, steps).map((at) => list.values[at]);
  });
  return { shape, values };
}

function choose(view: Tensor, tensors: readonly Chooser[], asking: Asking): Chosen {
  const sizes = sizesOf(view);
  const strides = stridesOf(view, asking.who);
  const lists = listsFor(view, tensors, asking);
  const axes = lists.flatMap((list, axis) => (list === null ? [] : [axis]));
  const { shape: common, values } = broadcastLists(
    asking.who,
    axes.map((axis) => lists[axis] as IndexList),
  );
  const count = sizeOf(common);
  const outer = new Float64Array(count);
  for (const [i, axis] of axes.entries()) {
    const step = strides[axis];
    const list = values[i];
    for (let k = 0; k < count; k++) outer[k] = outer[k] + list[k] * step;
  }
  const rest = sizes.map((_, axis) => axis).filter((axis) => lists[axis] === null);
  const first = axes[0];
  const areNeighbors = axes.every((axis, i) => axis === first + i);
  const before = areNeighbors ? first : 0;
  const restSizes = rest.map((axis) => sizes[axis]);
  const shape = [...restSizes.slice(0, before), ...common, ...restSizes.slice(before)];
  const target = rowMajorStrides(shape);
  return {
    shape,
    outer,
    inner: offsetsOf(
      restSizes,
      rest.map((axis) => strides[axis]),
    ),
    targetOuter: offsetsOf(common, target.slice(before, before + common.length)),
    targetInner: offsetsOf(restSizes, [...target.slice(0, before), ...target.slice(before + common.length)]),
    rest,
    before,
    count: common.length,
  };
}

/** The part of a tensor that the items select: a view, or a copy if one of them is a tensor. */
export function at(t: Tensor, items: readonly Index[]): Tensor {
  const { view, tensors } = indexed(t, items);
  return tensors === null ? view : gather(view, tensors, { who: "at", axisFor: (axis) => axisBehind(t, items, axis) });
}

/** A new row-major tensor of this shape, with the dtype and the device of a view. */
const emptyLike = (view: Tensor, shape: readonly number[]): Tensor =>
  tensorOver(allocateLike(view, sizeOf(shape) * view.itemsize), view.dtype, 0, shape, rowMajorStrides(shape));

/** Copies the selected elements of a view to a row-major tensor, or from it. */
function move(view: Tensor, chosen: Chosen, other: Tensor, who: string, isWrite: boolean): void {
  if (isMeta(view)) return;
  const there = { storage: wholeMemory(view, who), start: view.start, outer: chosen.outer, inner: chosen.inner };
  const here = {
    storage: storageOf(other, who),
    start: other.start,
    outer: chosen.targetOuter,
    inner: chosen.targetInner,
  };
  moveScattered(isWrite ? here : there, isWrite ? there : here, view.dtype);
}

/** A copy of the elements that index tensors select. */
function gather(view: Tensor, tensors: readonly Chooser[], asking: Asking): Tensor {
  const chosen = choose(view, tensors, asking);
  const result = emptyLike(view, chosen.shape);
  move(view, chosen, result, asking.who, false);
  if (view.names !== null) {
    const kept = chosen.rest.map((axis) => view.names?.[axis] ?? null);
    setNames("at", result, kept.toSpliced(chosen.before, 0, ...new Array<null>(chosen.count).fill(null)));
  }
  return result;
}

/** Stores a value, or a tensor broadcast to the part, in the part that the items select. One in-place operation. */
export function assignAt(t: Tensor, items: readonly Index[], value: Value | Tensor, _who?: string): Tensor {
  checkWritable(t, "assignAt");
  if (!Array.isArray(items))
    throw new IndexError(`assignAt: the indices must be a list, assignAt([0, _], value), got ${describeValue(items)}`);
  const { view, tensors } = indexed(t, items);
  if (tensors === null) {
    if (value instanceof Tensor) copy_(view, value, "assignAt");
    else fill_(view, value, "assignAt");
    return t;
  }
  const chosen = choose(view, tensors, { who: "assignAt", axisFor: (axis) => axisBehind(t, items, axis) });
  const source = sourceFor(view, chosen, value);
  move(view, chosen, source, "assignAt", true);
  source.endWith("a copy for the length of one call");
  bumpVersion(t);
  return t;
}

/** The value as a row-major tensor of the selected shape, in the dtype of the view. */
function sourceFor(view: Tensor, chosen: Chosen, value: Value | Tensor): Tensor {
  const fresh = emptyLike(view, chosen.shape);
  if (!(value instanceof Tensor)) return fill_(fresh, value, "assignAt");
  try {
    broadcastInto(fresh, value, "assignAt");
  } catch {
    throw new ShapeError(
      `assignAt: values ${showShape(value)} do not broadcast to the indexed shape ${show(chosen.shape)}`,
    );
  }
  return copy_(fresh, value, "assignAt");
}

/** The elements with the listed indices on one axis, in their order; a copy. */
export function pick(t: Tensor, indices: readonly number[] | Tensor, axis: Axis = 0): Tensor {
  const place = properAxisOf("pick", t, axis);
  const view = indexed(t, []).view;
  const size = sizesOf(t)[place];
  const list = Array.isArray(indices)
    ? { shape: [indices.length], values: Float64Array.from(indices, (at) => placeOf("pick", at, size, () => place)) }
    : (indices as Tensor);
  if (!Array.isArray(indices) && !(list instanceof Tensor))
    throw new IndexError(
      `pick: the indices must be a list or a tensor, got ${describeValue(list)}. For one index use select(...)`,
    );
  const tensors = new Array<Chooser>(t.rank).fill(null);
  tensors[place] = list;
  return gather(view, tensors, { who: "pick", axisFor: (axis) => axis });
}

/** Indices in row-major order of their own shape, non-negative. */
interface IndexList {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** bool and uint8 tensors are masks. */
export const isMask = (t: Tensor): boolean => t.dtype === "bool" || t.dtype === "uint8";

/** An index counted from the front; throws if it is out of range. */
function placeOf(who: string, given: number, size: number, axisFor: () => number): number {
  if (!Number.isInteger(given) || given < -size || given >= size)
    throw new IndexError(`${who}: index ${given} is out of range for axis ${axisFor()} with size ${size}`);
  return given < 0 ? given + size : given;
}

/** The indices in a tensor, negative ones counted from the end of the axis, which is `axisFor()` in messages; unchecked if that is null. */
function indexList(who: string, t: Tensor, size: number, axisFor: (() => number) | null): IndexList {
  if (!isIntegerDType(t.dtype))
    throw new IndexError(
      `${who}: index tensors must be integers or bool, got ${t.dtype}. Create it with { dtype: "int32" }, or pass a list to pick([...])`,
    );
  const values = new Float64Array(t.size);
  if (axisFor !== null)
    visitElements(operandOf(t, who), (value, i) => {
      values[i] = placeOf(who, Number(value), size, axisFor);
    });
  return { shape: sizesOf(t), values };
}

/** One list for each axis of a mask: where it is true, in row-major order. */
function positionsOf(mask: Tensor): IndexList[] {
  const sizes = sizesOf(mask);
  const found: number[] = [];
  visitElements(operandOf(mask, "at"), (value, i) => {
    if (value !== false && value !== 0) found.push(i);
  });
  const lists = sizes.map(() => new Float64Array(found.length));
  for (let k = 0; k < found.length; k++) {
    let rest = found[k];
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      const size = sizes[axis];
      (lists[axis] as Float64Array)[k] = rest % size;
      rest = Math.floor(rest / size);
    }
  }
  return lists.map((values) => ({ shape: [found.length], values }));
}
