/**
 * Copies: clone and contiguous, reshape where it must copy, conversion to a different dtype, and mlvm's value modes
 * (by copy, by move, as alias). A clone has as many elements as its source, whatever the source's strides are.
 */

import { StridewiseError } from "../base/errors.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { type Axis, axisOf } from "./axes.ts";
import { type CopyFormat, formatStrides, preservedStrides, rowMajorStrides } from "./contiguity.ts";
import { copyAll } from "./copy-all.ts";
import { describeValue } from "./describe-value.ts";
import { isFlat, modeStrides, sizesOf } from "./geometry.ts";
import { carryNames } from "./names.ts";
import { computedEngine, describeBriefly, sameView, storageOf, type Tensor, tensorOver } from "./tensor.ts";
import { inferShape } from "./views/view-shape.ts";
import { flattenedShape, tryView } from "./views/views-shape.ts";

/** The strides of a copy of a tensor. */
export function copyStrides(who: string, t: Tensor, format: CopyFormat): number[] {
  const sizes = sizesOf(t);
  if (format !== "preserve") return formatStrides(who, format, sizes);
  const strides = modeStrides(t);
  return strides === null ? rowMajorStrides(sizes) : preservedStrides(sizes, strides);
}

/** A new tensor with the shape, the names and (by default) the dtype of another, with uninitialized elements. */
export function emptyFor(who: string, t: Tensor, format: CopyFormat, dtype: DType = t.dtype): Tensor {
  const storage = allocateLike(t, t.size * dtypes[dtype].itemsize);
  const fresh = tensorOver(storage, dtype, 0, sizesOf(t), copyStrides(who, t, format));
  return carryNames(fresh, t);
}

/** Allocates bytes on the device of a tensor. */
export function allocateLike(t: Tensor, bytes: number): Storage {
  const { source } = t;
  return source instanceof Storage && source.keys !== 0
    ? Storage.allocate(bytes, { device: source.device })
    : Storage.allocate(bytes);
}

/** A new tensor with the same elements. */
export function clone(t: Tensor, format: CopyFormat = "preserve", dtype: DType = t.dtype): Tensor {
  const fresh = emptyFor("clone", t, format, dtype);
  copyAll(t, fresh, "clone");
  return fresh;
}

/** The tensor itself if it is contiguous in the format, else a copy that is. */
export function contiguous(t: Tensor, format: Exclude<CopyFormat, "preserve"> = "contiguous"): Tensor {
  formatStrides("contiguous", format, sizesOf(t));
  storageOf(t, "contiguous");
  return t.isContiguous(format) ? t : clone(t, format);
}

/** The tensor itself if its memory is the library's, or it has none; a copy if its memory is the user's. */
export function resident(t: Tensor): Tensor {
  // Throws if the tensor is disposed.
  computedEngine(t, "resident");
  return isForeign(t) ? clone(t) : t;
}

/** True if and only if the elements of a tensor are in memory of the user. */
export function isForeign({ source }: Tensor): boolean {
  return source instanceof Storage && source.keys === 0 && !source.isScratch && source.readable().kind === "external";
}

/** The tensor itself if its modes are flat, else a contiguous copy. */
export const withFlatModes = (t: Tensor): Tensor => (isFlat(t) ? t : contiguous(t));

/** The same elements in row-major order under a different shape: a view if the strides allow it, else a copy. */
export function reshape(t: Tensor, shape: readonly number[]): Tensor {
  const view = tryView(t, "reshape", shape);
  if (view !== null) return view;
  return tryView(clone(t, "contiguous"), "reshape", inferShape("reshape", shape, t.size)) as Tensor;
}

/** The axes from `start` to `end` as one: a view if the strides allow it, else a copy. The names of the other axes stay. */
export function flatten(t: Tensor, start: Axis, end: Axis): Tensor {
  const shape = flattenedShape(t, start, end);
  if (shape.length === t.rank && isFlat(t)) return carryNames(sameView(t), t);
  return keepFlatNames(reshape(t, shape), t, start);
}

/** Copies the names of a tensor to its flattened form. */
export function keepFlatNames(result: Tensor, t: Tensor, start: Axis): Tensor {
  return carryNames(result, t, (names) => {
    const first = axisOf("flatten", t, start);
    return [...names.slice(0, first), null, ...names.slice(first + t.rank - result.rank + 1)];
  });
}

/** The tensor itself if it has the dtype, else a copy in it. */
export function to(t: Tensor, dtype: DType, copy = false): Tensor {
  return t.dtype === dtype && !copy ? t : clone(t, "preserve", dtype);
}

/** copy: new memory; move: the memory of the source, which is disposed; alias: shared memory. */
export type ValueMode = "copy" | "move" | "alias";

/** A copy, a moved tensor or an alias, by the value mode. */
export function cloneBy(t: Tensor, mode: ValueMode): Tensor {
  switch (mode) {
    case "copy":
      return clone(t);
    case "alias":
      return carryNames(sameView(t), t);
    case "move":
      return move(t);
    default:
      throw new StridewiseError(
        `cloneBy: mode must be "copy", "move" or "alias", got ${describeValue(mode satisfies never)}`,
      );
  }
}

/** Moves a tensor into a new one; later use of the tensor throws. */
export function move(t: Tensor): Tensor {
  storageOf(t, "move");
  if (t.ownership !== "owning")
    throw new StridewiseError(
      `move: ${describeBriefly(t)} is a ${t.ownership === "const" ? "const view" : "view"}. Move its base, or clone it`,
    );
  const moved = sameView(t);
  carryNames(moved, t);
  if (t.label !== null) moved.label = t.label;
  moved.bits = t.bits;
  moved.root = null;
  t.endWith("moved into another tensor");
  return moved;
}
