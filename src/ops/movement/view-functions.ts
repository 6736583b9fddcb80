/**
 * Views as functions, split(x, 2) for x.split(2), and PyTorch's other names and short forms for them. As functions, views take lists,
 * reshape(x, [2, 3]), and the compiler does not compute their shapes.
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { Axis } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { computedEngine, type Tensor } from "../../tensor/tensor.ts";
import type { RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import * as views from "../views.ts";
import type { Moves, MovesFunction, MovesToMany, SumsTo } from "./movement-types.ts";
import { atLeast } from "./tensor-list.ts";

/** The type of real and imag. */
export interface PartOf extends OpFunction {
  <X extends Tensor>(x: X): Tensor<X["shape"], RealOf<X["dtype"]>>;
}
type Axes = Axis | readonly Axis[];

/** Splits a tensor along an axis into parts of the same size, the last of which may be smaller, or of the given sizes. */
export const split: MovesToMany<[size: number | readonly number[], axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "split(x: Tensor, size: ints, ...)",
  views.split,
  "movement",
);
/** Splits a tensor along an axis into at most `count` parts of equal size; the last may be smaller. */
export const chunk: MovesToMany<[count: number, axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "chunk(x: Tensor, count: ints, ...)",
  views.chunk,
  "movement",
);
/** Splits a tensor along an axis into exactly `sections` parts, whose sizes differ by at most 1, or before the given indices. */
export const tensorSplit: MovesToMany<[sections: number | readonly number[], axis?: Axis]> =
  /* @__PURE__ */ compositeOp("tensorSplit(x: Tensor, sections: ints, ...)", views.tensorSplit, "movement");
/** Returns one view for each index of an axis. */
export const unbind: MovesToMany<[axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "unbind(x: Tensor, ...)",
  views.unbind,
  "movement",
);
/** Returns the elements in row-major order with a different shape, in which one size may be -1: a view if the strides allow it, else a copy. */
export const reshape: Moves<[shape: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "reshape(x: Tensor, shape: int[], ...)",
  views.reshape,
  "movement",
);
/** Merges the axes from `start` to `end` into one: a view if possible, else a copy. */
export const flatten: Moves<[start?: Axis, end?: Axis]> = /* @__PURE__ */ compositeOp(
  "flatten(x: Tensor, ...)",
  (x: Tensor, start: Axis = 0, end: Axis = -1) => views.flatten(x, start, end),
  "movement",
);
/** Flattens a tensor; an alias of flatten. */
export const ravel: typeof flatten = flatten;
/** Splits one axis into several; one size may be -1. */
export const unflatten: Moves<[axis: Axis, sizes: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "unflatten(x: Tensor, axis: any, sizes: int[], ...)",
  views.unflatten,
  "movement",
);
/** Permutes the axes: axis i of the result is axis `order[i]` of the tensor. */
export const permute: Moves<[order: readonly Axis[]]> = /* @__PURE__ */ compositeOp(
  "permute(x: Tensor, order: any, ...)",
  (x: Tensor, order: readonly Axis[]) => {
    if (Array.isArray(order)) return views.permute(x, order);
    throw new ShapeError(`permute: order must be a list of axes, permute(x, [1, 0]), got ${describeValue(order)}`);
  },
  "movement",
);
/** Swaps two axes. */
export const transpose: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "transpose(x: Tensor, a: any, b: any, ...)",
  views.transpose,
  "movement",
);
/** Moves axes to new positions; the others keep their order. */
export const movedim: Moves<[from: Axes, to: Axes]> = /* @__PURE__ */ compositeOp(
  "movedim(x: Tensor, from: any, to: any, ...)",
  views.movedim,
  "movement",
);
/** Removes axes of size 1: all of them, or the given ones. */
export const squeeze: Moves<[axis?: Axes]> = /* @__PURE__ */ compositeOp(
  "squeeze(x: Tensor, ...)",
  views.squeeze,
  "movement",
);
/** Inserts an axis of size 1. */
export const unsqueeze: Moves<[axis: Axis]> = /* @__PURE__ */ compositeOp(
  "unsqueeze(x: Tensor, axis: any, ...)",
  views.unsqueeze,
  "movement",
);
/** Selects one index of an axis, and removes the axis. */
export const select: Moves<[axis: Axis, index: number]> = /* @__PURE__ */ compositeOp(
  "select(x: Tensor, axis: any, index: any, ...)",
  views.select,
  "movement",
);
/** Returns `length` elements of an axis, beginning at `start`. */
export const narrow: Moves<[axis: Axis, start: number, length: number]> = /* @__PURE__ */ compositeOp(
  "narrow(x: Tensor, axis: any, start: any, length: any, ...)",
  views.narrow,
  "movement",
);
/** Returns a view of the diagonal over axis1 and axis2, as the last axis. A positive offset selects a diagonal above the main one. */
export const diagonal: Moves<[offset?: number, axis1?: Axis, axis2?: Axis]> = /* @__PURE__ */ compositeOp(
  "diagonal(x: Tensor, ...)",
  views.diagonal,
  "movement",
);
/** Broadcasts a tensor to a shape; the result is a view. */
export const broadcastTo: Moves<[shape: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "broadcastTo(x: Tensor, shape: int[], ...)",
  (x: Tensor, shape: readonly number[]) => views.expand(x, shape, "broadcastTo"),
  "movement",
);
/** Returns a view of the real parts; a real tensor is returned unchanged. */
export const real: PartOf = /* @__PURE__ */ compositeOp(
  "real(x: Tensor, ...)",
  (x: Tensor) => {
    // Throws if the tensor was disposed: a real tensor is returned without any other check.
    computedEngine(x, "real");
    return views.partView(x, "real");
  },
  "movement",
);
/** Returns a view of the imaginary parts of a complex tensor. */
export const imag: PartOf = /* @__PURE__ */ compositeOp(
  "imag(x: Tensor, ...)",
  (x: Tensor) => views.partView(x, "imag"),
  "movement",
);

const asOther = (who: string, reshaped: (x: Tensor, shape: readonly number[]) => Tensor) =>
  compositeOp<Moves<[other: Tensor]>>(
    `${who}(x: Tensor, other: Tensor, ...)`,
    (x: Tensor, other: Tensor) => reshaped(x, sizesOf(other)),
    "movement",
  );

/** Returns a view with the shape of another tensor. */
export const viewAs: Moves<[other: Tensor]> = /* @__PURE__ */ asOther("viewAs", views.view);
/** Reshapes a tensor to the shape of another: a view if the strides allow it, else a copy. */
export const reshapeAs: Moves<[other: Tensor]> = /* @__PURE__ */ asOther("reshapeAs", views.reshape);

/** Moves axes to new positions; an alias of movedim. */
export const moveaxis: Moves<[from: Axis | readonly Axis[], to: Axis | readonly Axis[]]> = /* @__PURE__ */ compositeOp(
  "moveaxis(x: Tensor, ...)",
  views.movedim,
  "movement",
);
/** Swaps two axes; an alias of transpose. */
export const swapaxes: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "swapaxes(x: Tensor, ...)",
  views.transpose,
  "movement",
);
/** Swaps two axes; an alias of transpose. */
export const swapdims: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "swapdims(x: Tensor, ...)",
  views.transpose,
  "movement",
);

const splitting = (who: string, min: number, axisFor: (x: Tensor) => number) =>
  compositeOp<MovesToMany<[sections: number | readonly number[]]>>(
    `${who}(x: Tensor, sections: ints, ...)`,
    (x: Tensor, sections: number | readonly number[]) => {
      if (x.rank < min) throw new ShapeError(`${who}: expected at least ${min} axes, got ${x.rank}`);
      const axis = axisFor(x);
      const size = sizeAt(x, axis);
      if (typeof sections === "number" && !(sections > 0 && size % sections === 0))
        throw new ShapeError(`${who}: axis ${axis} with size ${size} does not split into ${sections} equal parts`);
      return views.tensorSplit(x, sections, axis);
    },
    "movement",
  );

/** Splits along axis 1 (axis 0 of a vector) into equal parts, or before the given indices. */
export const hsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "hsplit",
  1,
  (x) => (x.rank === 1 ? 0 : 1),
);
/** Splits along axis 0 into equal parts, or before the given indices. */
export const vsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "vsplit",
  2,
  () => 0,
);
/** Splits along axis 2 into equal parts, or before the given indices. */
export const dsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "dsplit",
  3,
  () => 2,
);

/** The axes of x that are summed over to get a shape that broadcasts to that of x. */
function summedAxes(x: Tensor, shape: readonly number[]): number[] {
  const sizes = sizesOf(x);
  const added = sizes.length - shape.length;
  if (added < 0 || shape.some((size, d) => size !== 1 && size !== sizes[d + added]))
    throw new ShapeError(
      `sumToSize: ${describeValue(shape)} does not expand to ${show(sizes)}. Sizes must be those of the tensor, or 1`,
    );
  return sizes
    .map((_, axis) => axis)
    .filter((axis) => axis < added || (shape[axis - added] === 1 && sizes[axis] !== 1));
}

/** Sums a tensor to a shape that broadcasts to its own, over the axes that broadcasting would add or repeat. */
export const sumToSize: SumsTo = /* @__PURE__ */ compositeOp(
  "sumToSize(x: Tensor, ...)",
  (x: Tensor, ...args: (number | readonly number[])[]) => {
    const shape = args.flat();
    const axes = summedAxes(x, shape);
    return axes.length === 0 ? x : views.view(sum(x, axes, { keepdims: true }), shape);
  },
);

const raising = (rank: 1 | 2 | 3) =>
  compositeOp<MovesFunction<[]>>(`atleast${rank}d(x: Tensor, ...)`, (t: Tensor) => atLeast(t, rank), "movement");

/** Returns a view with at least one axis. */
export const atleast1d: MovesFunction<[]> = /* @__PURE__ */ raising(1);
/** Returns a view with at least two axes; a one-dimensional tensor becomes a row. */
export const atleast2d: MovesFunction<[]> = /* @__PURE__ */ raising(2);
/** Returns a view with at least three axes: a vector [n] becomes [1, n, 1], a matrix [m, n] becomes [m, n, 1]. */
export const atleast3d: MovesFunction<[]> = /* @__PURE__ */ raising(3);
