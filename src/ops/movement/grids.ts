/**
 * Broadcasting of several tensors, grids of coordinates, Cartesian products, and conversion between coordinates and flat indices.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError, isIntegerDType } from "../../storage/dtype.ts";
import { checkIndices, indexRange } from "../../tensor/access/index-range.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { add, clamp, floorDivide, remainder } from "../elementwise/arithmetic.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { indexDType } from "../indices.ts";
import { compositeOp } from "../op.ts";
import { expand, reshape, to, view } from "../views.ts";
import { stack } from "./join.ts";
import { checkTensors, onTensors } from "./tensor-list.ts";

/** `f(a, b)` and `f([a, b])` are the same call. */
const listed = (who: string, args: readonly unknown[]): readonly Tensor[] => {
  const list = Array.isArray(args[0]) ? args[0] : args;
  checkTensors(who, list);
  return list;
};

/** The type of broadcastTensors. */
export interface ManyToMany extends OpFunction {
  /** Expands tensors to their common broadcast shape; the results are views. */
  (...tensors: readonly Tensor[]): Tensor[];
  /** Expands tensors to their common broadcast shape; the results are views. */
  (tensors: readonly Tensor[]): Tensor[];
}

/** Expands tensors to their common broadcast shape; the results are views. */
export const broadcastTensors: ManyToMany = /* @__PURE__ */ compositeOp(
  "broadcastTensors(...)",
  (...args: unknown[]) => {
    const tensors = listed("broadcastTensors", args);
    const shape = tensors.map((t) => sizesOf(t)).reduce((a, b) => broadcastTwo("broadcastTensors", a, b));
    return tensors.map((t) => expand(t, shape));
  },
  "movement",
);

export interface GridOptions {
  /** "ij": axis k of the grids belongs to tensor k. "xy": the first two axes are swapped, as in images. Default: "ij". */
  readonly indexing?: "ij" | "xy" | undefined;
}
export interface Meshgrid extends OpFunction {
  (tensors: readonly Tensor[], options?: GridOptions): Tensor[];
}

/** Returns coordinate grids with one axis for each one-dimensional tensor; the results are views. */
export const meshgrid: Meshgrid = /* @__PURE__ */ compositeOp(
  "meshgrid(tensors: any; indexing)",
  (tensors: readonly Tensor[], { indexing = "ij" }: GridOptions = {}) => {
    checkTensors("meshgrid", tensors);
    if (indexing !== "ij" && indexing !== "xy")
      throw new StridewiseError(`meshgrid: indexing must be "xy" or "ij", got ${describeValue(indexing)}`);
    const wrong = tensors.find((t) => t.rank > 1);
    if (wrong !== undefined)
      throw new ShapeError(`meshgrid: tensors must have at most one axis, got ${showShape(wrong)}`);
    const isSwapped = indexing === "xy" && tensors.length > 1;
    const lists = isSwapped ? [tensors[1], tensors[0], ...tensors.slice(2)] : tensors;
    const shape = lists.map((t) => t.size);
    const grids = lists.map((t, k) =>
      expand(
        reshape(
          t,
          shape.map((size, axis) => (axis === k ? size : 1)),
        ),
        shape,
      ),
    );
    return isSwapped ? [grids[1], grids[0], ...grids.slice(2)] : grids;
  },
  "movement",
);

/** The type of cartesianProd. */
export interface ManyToOne extends OpFunction {
  /** Returns the Cartesian product of one-dimensional tensors, one combination per row; a single tensor is returned unchanged. */
  (...tensors: readonly Tensor[]): Tensor;
  /** Returns the Cartesian product of one-dimensional tensors, one combination per row; a single tensor is returned unchanged. */
  (tensors: readonly Tensor[]): Tensor;
}

/** Returns the Cartesian product of one-dimensional tensors, one combination per row; a single tensor is returned unchanged. */
export const cartesianProd: ManyToOne = /* @__PURE__ */ compositeOp(
  "cartesianProd(...)",
  (...args: unknown[]) => {
    const lists = listed("cartesianProd", args);
    const wrong = lists.find((t) => t.rank !== 1);
    if (wrong !== undefined)
      throw new ShapeError(`cartesianProd: tensors must have one axis, got shape ${showShape(wrong)}`);
    if (lists.length === 1) return lists[0];
    checkResultBytes(
      "cartesianProd",
      lists.reduce((product, t) => product * t.size, lists.length),
      lists[0]?.itemsize,
    );
    return view(stack(meshgrid(lists), -1), [-1, lists.length]);
  },
  "movement",
);

/** The type of unravelIndex. */
export interface UnravelIndex extends OpFunction {
  (indices: Tensor, shape: readonly number[]): Tensor[];
}

/** Converts indices into the flattened tensor of this shape to coordinates, one tensor for each axis. */
export const unravelIndex: UnravelIndex = /* @__PURE__ */ compositeOp(
  "unravelIndex(indices: Tensor, shape: ints, ...)",
  (indices: Tensor, shape: readonly number[]) => {
    if (!isIntegerDType(indices.dtype))
      throw new DTypeError(`unravelIndex: indices must be integers, got ${indices.dtype}`);
    const sizes = typeof shape === "number" ? [shape] : shape;
    const total = sizes.reduce((a, b) => a * b, 1);
    if (indices.size > 0 && indices.device.type !== "meta") {
      const [min, max] = indexRange("unravelIndex", indices);
      if (min < 0 || max >= total)
        throw new IndexError(
          `unravelIndex: index ${min < 0 ? min : max} is out of bounds for shape ${show(sizes)} with ${total} elements`,
        );
    }
    let rest: Tensor = indices;
    const coords: Tensor[] = [];
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      const size = BigInt(sizes[axis]);
      coords.unshift(remainder(rest, size));
      rest = floorDivide(rest, size);
    }
    return coords;
  },
  "movement",
  { batch: "firstOnly" },
);

/** Options of ravelMultiIndex. */
export interface RavelOptions {
  /** The handling of coordinates out of bounds: an error, wrapping around, or clipping to the bounds. Default: "raise". */
  readonly mode?: "raise" | "wrap" | "clip" | undefined;
  /** Row-major ("C") or column-major ("F") order. Default: "C". */
  readonly order?: "C" | "F" | undefined;
}
/** The type of ravelMultiIndex. */
export interface RavelMultiIndex extends OpFunction {
  (coords: readonly Tensor[], shape: readonly number[], options?: RavelOptions): Tensor<Shape, "int32" | "int64">;
}

/** Coordinates of an axis as int64, all of them in bounds. */
function inRange(coords: Tensor, size: number, axis: number, mode: string): Tensor {
  if (!isIntegerDType(coords.dtype))
    throw new DTypeError(`ravelMultiIndex: coordinates must be integers, got ${coords.dtype}`);
  const wide = to(coords, "int64");
  if (mode !== "raise" && size > 0) return mode === "wrap" ? remainder(wide, size) : clamp(wide, 0, size - 1);
  if (coords.device.type === "meta") return wide;
  const what = `axis ${axis} with size ${size}. Pass mode: "wrap" or "clip"`;
  checkIndices("ravelMultiIndex", wide, { size, what });
  return wide;
}

/** Converts coordinates, one tensor for each axis, to indices into the flattened tensor of this shape: in row-major order, or with "F", in column-major order. */
export const ravelMultiIndex: RavelMultiIndex = /* @__PURE__ */ onTensors(
  /* @__PURE__ */ compositeOp(
    "ravelMultiIndex(coords: any, shape: int[]; mode, order)",
    (coords: readonly Tensor[], shape: readonly number[], { mode = "raise", order = "C" }: RavelOptions = {}) => {
      if (!/^(raise|wrap|clip)[CF]$/.test(mode + order))
        throw new StridewiseError(
          `ravelMultiIndex: mode must be "raise", "wrap" or "clip" and order "C" or "F", got ${describeValue([mode, order])}`,
        );
      if (coords.length !== shape.length)
        throw new ShapeError(
          `ravelMultiIndex: expected a tensor for each axis of ${show(shape)}, got ${coords.length}`,
        );
      if (shape.reduce((a, b) => a * b, 1) >= 2 ** 63)
        throw new ShapeError(`ravelMultiIndex: shape ${show(shape)} has more elements than int64 can index`);
      const fitted = coords.map((each, axis) => inRange(each, shape[axis], axis, mode));
      const sizes = order === "C" ? shape : shape.toReversed();
      if (order === "F") fitted.reverse();
      const index = fitted.reduce((sum, each, k) => add(each, sum, { alpha: sizes[k] }));
      const isWide = shape.reduce((a, b) => a * b) > 2 ** 31 || coords.some((each) => each.dtype === "int64");
      return to(index, isWide ? "int64" : indexDType);
    },
    "movement",
  ),
);
