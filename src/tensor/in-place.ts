/**
 * Writing whole tensors in place: copy_, fill_, zero_, and PyTorch's set_, resize_ and setData on the storage.
 * Each bumps the version once. Writing several elements to one address throws, except in fill_, where it does no harm.
 * set_, resize_, transpose_ and similar functions call `become`.
 */

import { ShapeError } from "../base/errors.ts";
import { show } from "../base/show.ts";
import { exactValue } from "../kernel/checked-value.ts";
import { fillElements } from "../kernel/copy.ts";
import { DTypeError, dtypes, type Value } from "../storage/dtype.ts";
import { Storage, StorageError } from "../storage/storage.ts";
import { VersionCounter } from "../storage/version.ts";
import { rowMajorStrides } from "./contiguity.ts";
import { copyAll } from "./copy-all.ts";
import { describeValue } from "./describe-value.ts";
import { DisposedSource } from "./disposed.ts";
import { indexWriter, type ScalarLike, scalarOf } from "./elements.ts";
import { hasSizes, isComposedTensor, sizeOf, sizesOf, stridesOf } from "./geometry.ts";
import { detachedBits, identityBits, identityMask, ownershipMask } from "./identity.ts";
import { carryNames, setNames, unifyNames } from "./names.ts";
import {
  bumpVersion,
  checkNoPartialOverlap,
  checkNoSelfOverlap,
  checkTensor,
  checkWritable,
  operandOf,
} from "./operand.ts";
import { computedEngine, counterOf, sameView, storageOf, Tensor, tensorOver } from "./tensor.ts";
import { broadcastTwo, checkReach, checkShape } from "./views/view-shape.ts";
import { squeeze } from "./views/views-axes.ts";
import { expand } from "./views/views-shape.ts";

/** Sets every element to one value, or to the element of a tensor that has just one; the dtype must hold it. */
export function fill_(t: Tensor, value: ScalarLike, who = "fill_"): Tensor {
  checkWritable(t, who);
  fillUnchecked(t, exactValue(who, scalarOf(who, value), t.dtype), who);
  bumpVersion(t);
  return t;
}

/** Sets every element, without checks and without a change of the version. */
export function fillUnchecked(t: Tensor, value: Value, who: string): void {
  if (t.device.type === "meta") return;
  if (computedEngine(t, who) === null && !isComposedTensor(t)) {
    fillElements(operandOf(t, who), value);
    return;
  }
  const write = indexWriter(t, who);
  for (let i = 0; i < t.size; i++) write(i, value);
}

/** Copies the elements of `from`, broadcast to the shape of `t` and converted to its dtype. */
export function copy_(t: Tensor, from: Tensor, who = "copy_"): Tensor {
  checkTensor(who, from);
  checkWritable(t, who);
  checkNoSelfOverlap(t, who);
  checkNoPartialOverlap(t, from, who);
  copyAll(broadcastInto(t, from, who), t, who);
  bumpVersion(t);
  return t;
}

/** `from` expanded to the shape of the tensor that is written. */
export function broadcastInto(t: Tensor, from: Tensor, who: string): Tensor {
  if (t.extras !== null && from.extras !== null) unifyNames(who, t, from);
  return broadcastTo(sizesOf(t), from, who);
}

/** `from` expanded to a shape that is written. */
export function broadcastTo(shape: readonly number[], from: Tensor, who: string): Tensor {
  if (hasSizes(from, shape)) return from;
  const sizes = sizesOf(from);
  // Leading axes of size 1 may be more than the target has.
  let extra = 0;
  while (sizes.length - extra > shape.length && sizes[extra] === 1) extra++;
  const expected = broadcastTwo(who, shape, sizes.slice(extra));
  if (expected.length !== shape.length || expected.some((size, axis) => size !== shape[axis]))
    throw new ShapeError(`${who}: cannot broadcast ${show(sizes)} to ${show(shape)}`);
  let source = from;
  for (; extra > 0; extra--) source = squeeze(source, 0);
  return expand(source, shape, who);
}

/** Makes a tensor a view of a storage, with these sizes, strides and offset; a storage that is too short grows. */
export function set_(
  t: Tensor,
  source: Storage | Tensor,
  offset = 0,
  sizes?: readonly number[],
  strides?: readonly number[],
): Tensor {
  if (source instanceof Tensor) {
    if (source.dtype !== t.dtype)
      throw new DTypeError(
        `set_: the tensor is ${t.dtype} and the source ${source.dtype}; view the source as ${t.dtype} first`,
      );
    const bits = source.ownership === "const" ? identityBits("const", t.space) : t.bits & identityMask;
    const own = storageOf(source, "set_");
    return rebound(t, own, source.start, sizesOf(source), stridesOf(source, "set_"), bits);
  }
  if (!(source instanceof Storage))
    throw new StorageError(`set_: the source must be a storage or a tensor, got ${describeValue(source)}`);
  const { itemsize } = dtypes[t.dtype];
  const shape = sizes ?? [Math.floor(source.nbytes / itemsize) - offset];
  checkShape("set_", shape);
  const steps = strides ?? rowMajorStrides(shape);
  const [, high] = checkReach("set_", shape, steps, offset);
  const needed = shape.includes(0) ? 0 : (high + 1) * itemsize;
  if (needed > source.nbytes) source.resize(needed, "set_");
  if (source.byteOffset % itemsize !== 0)
    throw new StorageError(
      `set_: the storage starts at byte ${source.byteOffset}, which is not a multiple of the ${itemsize} bytes of ${t.dtype}. Clone it first`,
    );
  return rebound(t, source, offset, shape, steps);
}

function rebound(
  t: Tensor,
  storage: Storage,
  start: number,
  sizes: readonly number[],
  strides: readonly number[],
  bits: number = t.bits & identityMask,
): Tensor {
  const counter = counterOf(t);
  become(t, tensorOver(storage.retain(), t.dtype, start, sizes, strides, bits));
  t.counter = counter;
  bumpVersion(t);
  return t;
}

/** Gives a tensor a different shape, row-major. The first elements in memory stay; a storage that is too short grows, and none shrinks. */
export function resize_(t: Tensor, shape: readonly number[]): Tensor {
  checkShape("resize_", shape);
  checkWritable(t, "resize_");
  const storage = storageOf(t, "resize_");
  const size = sizeOf(shape);
  const needed = size === 0 ? 0 : (t.start + size) * t.itemsize;
  if (needed > storage.nbytes) storage.resize(needed, "resize_");
  return rebound(t, storage, t.start, shape, rowMajorStrides(shape));
}

/** Gives a tensor the axes of a view of itself, for transpose_ and similar methods. The elements do not move. */
export function takeAxes(t: Tensor, view: Tensor, _who?: string): Tensor {
  const { bits, root } = t;
  const { names } = view;
  become(t, view);
  t.bits = (t.bits & ~identityMask) | (bits & identityMask);
  t.root = root;
  setNames("names", t, names);
  bumpVersion(t);
  return t;
}

/** The same elements without a history: storage and version are shared, but it does not count as a view. */
export function detach(t: Tensor): Tensor {
  const result = sameView(t);
  result.root = null;
  result.bits = detachedBits(result.bits);
  return carryNames(result, t);
}

/** A view of the same elements that may not write. */
export function readonly(t: Tensor): Tensor {
  const view = sameView(t);
  view.bits = (view.bits & ~ownershipMask) | identityBits("const", "none");
  return carryNames(view, t);
}

/** The same elements with a new version counter: writes to the result do not change the version of the tensor. */
export function dataOf(t: Tensor): Tensor {
  const result = detach(t);
  result.counter = new VersionCounter();
  return result;
}

/** Makes the tensor use the memory of another. It keeps its own version counter, as in PyTorch. */
export function setData(t: Tensor, from: Tensor): void {
  storageOf(from, "setData");
  const counter = counterOf(t);
  const root = t.root;
  become(t, detach(from));
  t.counter = counter;
  t.root = root;
}

/** Moves the state of another tensor into a tensor; the other is disposed. */
function become(t: Tensor, other: Tensor): void {
  const old = t.source;
  const { extras, history } = t;
  Object.assign(t, other);
  t.extras = extras;
  t.history = history;
  if (extras !== null && extras.names !== null && extras.names.length !== t.rank) extras.names = null;
  other.source = new DisposedSource("moved into another tensor");
  if (old instanceof Storage) old.release();
}
