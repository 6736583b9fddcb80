/**
 * Elements in the order of memory: a tensor as a list, and coordinates as indices into one, the inverse of unravelIndex.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { add, clamp, remainder } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { positionDType } from "../positions.ts";
import { to } from "../views.ts";
import { checkedIndices, checkIndexDType, type IndexRule } from "./index-range.ts";
import { onTensors } from "./tensor-list.ts";
import { flatten } from "./view-functions.ts";

/** Same as flatten. */
export const ravel: typeof flatten = flatten;

/** How coordinates are read. */
export interface RavelOptions {
  /** What happens to a coordinate that is out of range: an error unless given, else it is taken around, or to the nearest end. */
  readonly mode?: "raise" | "wrap" | "clip" | undefined;
  /** Which axis goes fastest: the last, C, unless given, or the first. */
  readonly order?: "C" | "F" | undefined;
}
/** The type of ravelMultiIndex. */
export interface RavelMultiIndex extends OpFunction {
  (
    coords: readonly Tensor[],
    shape: readonly number[],
    options?: RavelOptions,
  ): Tensor<Shape, "int32" | "int64", "none">;
}

/** Coordinates of an axis as int64, all of them in range. */
function inRange(coords: Tensor, size: number, axis: number, mode: string): Tensor {
  const rule: IndexRule = {
    outside: (index) =>
      `index ${index} is out of range for axis ${axis} with size ${size}. Give mode: "wrap" or "clip"`,
  };
  checkIndexDType("ravelMultiIndex", coords);
  const wide = to(coords, "int64");
  if (mode !== "raise" && size > 0) return mode === "wrap" ? remainder(wide, size) : clamp(wide, 0, size - 1);
  return coords.device.type === "meta" ? wide : checkedIndices("ravelMultiIndex", wide, size, rule);
}

/** The indices into a tensor of this shape, in row-major order or with "F" in column-major order, of coordinates, one tensor for each axis. */
export const ravelMultiIndex: RavelMultiIndex = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ compositeOp(
    "ravelMultiIndex(coords: any, shape: int[]; mode, order)",
    (coords: readonly Tensor[], shape: readonly number[], { mode = "raise", order = "C" }: RavelOptions = {}) => {
      if (!/^(raise|wrap|clip)[CF]$/.test(mode + order))
        throw new StridewiseError(
          `ravelMultiIndex: mode is "raise", "wrap" or "clip" and order "C" or "F", got ${describeValue([mode, order])}`,
        );
      if (coords.length !== shape.length)
        throw new ShapeError(`ravelMultiIndex: needs a tensor for each axis of ${show(shape)}, got ${coords.length}`);
      if (shape.reduce((a, b) => a * b, 1) >= 2 ** 63)
        throw new ShapeError(
          `ravelMultiIndex: a tensor of shape ${show(shape)} has more elements than an int64 counts`,
        );
      const fitted = coords.map((each, axis) => inRange(each, shape[axis], axis, mode));
      const sizes = order === "C" ? shape : shape.toReversed();
      if (order === "F") fitted.reverse();
      const index = fitted.reduce((sum, each, k) => add(each, sum, { alpha: sizes[k] }));
      const isWide = shape.reduce((a, b) => a * b) > 2 ** 31 || coords.some((each) => each.dtype === "int64");
      return to(index, isWide ? "int64" : positionDType);
    },
    "movement",
  ),
);
