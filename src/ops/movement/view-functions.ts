/**
 * Views that are methods, as functions, for who writes split(x, 2) and not x.split(2). They are the same ops; as functions they take
 * lists, reshape(x, [2, 3]), and the compiler does not compute their shapes.
 */
import { ShapeError } from "../../base/errors.ts";
import type { Axis } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { computedEngine, type Tensor } from "../../tensor/tensor.ts";
import type { RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { compositeOp } from "../op.ts";
import * as views from "../views.ts";
import type { Moves, MovesToMany } from "./movement-types.ts";

/** Real numbers of complex ones. */
export interface PartOf extends OpFunction {
  <X extends Tensor>(x: X): Tensor<X["shape"], RealOf<X["dtype"]>, "none">;
}
type Axes = Axis | readonly Axis[];

/** Pieces of a size (the last may be shorter), or of given sizes, along an axis. */
export const split: MovesToMany<[size: number | readonly number[], axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "split(x: Tensor, size: ints, ...)",
  views.split,
  "movement",
);
/** At most `count` pieces of equal size (the last may be shorter) along an axis. */
export const chunk: MovesToMany<[count: number, axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "chunk(x: Tensor, count: ints, ...)",
  views.chunk,
  "movement",
);
/** Exactly so many pieces, whose sizes differ by at most one, or pieces cut before the given indices. */
export const tensorSplit: MovesToMany<[sections: number | readonly number[], axis?: Axis]> =
  /* @__PURE__ */ compositeOp("tensorSplit(x: Tensor, sections: ints, ...)", views.tensorSplit, "movement");
/** One view for each index of an axis. */
export const unbind: MovesToMany<[axis?: Axis]> = /* @__PURE__ */ compositeOp(
  "unbind(x: Tensor, ...)",
  views.unbind,
  "movement",
);
/** The same elements in row-major order under another shape (one size may be -1): a view if the strides allow it, else a copy. */
export const reshape: Moves<[shape: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "reshape(x: Tensor, shape: int[], ...)",
  views.reshape,
  "movement",
);
/** The axes from `start` to `end` as one: a view if possible, else a copy. */
export const flatten: Moves<[start?: Axis, end?: Axis]> = /* @__PURE__ */ compositeOp(
  "flatten(x: Tensor, ...)",
  (x: Tensor, start: Axis = 0, end: Axis = -1) => views.flatten(x, start, end),
  "movement",
);
/** One axis split into several; one size may be -1. */
export const unflatten: Moves<[axis: Axis, sizes: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "unflatten(x: Tensor, axis: any, sizes: int[], ...)",
  views.unflatten,
  "movement",
);
/** The axes in another order: axis i of the result is axis `order[i]` of the tensor. */
export const permute: Moves<[order: readonly Axis[]]> = /* @__PURE__ */ compositeOp(
  "permute(x: Tensor, order: any, ...)",
  (x: Tensor, order: readonly Axis[]) => {
    if (Array.isArray(order)) return views.permute(x, order);
    throw new ShapeError(`permute: the order is a list of axes, permute(x, [1, 0]), got ${describeValue(order)}`);
  },
  "movement",
);
/** Two axes exchanged. */
export const transpose: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "transpose(x: Tensor, a: any, b: any, ...)",
  views.transpose,
  "movement",
);
/** Axes moved to new places, the others kept in their order. */
export const movedim: Moves<[from: Axes, to: Axes]> = /* @__PURE__ */ compositeOp(
  "movedim(x: Tensor, from: any, to: any, ...)",
  views.movedim,
  "movement",
);
/** Without axes of size 1: all of them, or those named. */
export const squeeze: Moves<[axis?: Axes]> = /* @__PURE__ */ compositeOp(
  "squeeze(x: Tensor, ...)",
  views.squeeze,
  "movement",
);
/** With a new axis of size 1. */
export const unsqueeze: Moves<[axis: Axis]> = /* @__PURE__ */ compositeOp(
  "unsqueeze(x: Tensor, axis: any, ...)",
  views.unsqueeze,
  "movement",
);
/** The elements with one index on an axis, which disappears. */
export const select: Moves<[axis: Axis, index: number]> = /* @__PURE__ */ compositeOp(
  "select(x: Tensor, axis: any, index: any, ...)",
  views.select,
  "movement",
);
/** `length` elements of an axis from `start` on. */
export const narrow: Moves<[axis: Axis, start: number, length: number]> = /* @__PURE__ */ compositeOp(
  "narrow(x: Tensor, axis: any, start: any, length: any, ...)",
  views.narrow,
  "movement",
);
/** The elements whose indices on two axes differ by `offset`, as the last axis. */
export const diagonal: Moves<[offset?: number, axis1?: Axis, axis2?: Axis]> = /* @__PURE__ */ compositeOp(
  "diagonal(x: Tensor, ...)",
  views.diagonal,
  "movement",
);
/** Repeated by stride 0 to this shape. */
export const broadcastTo: Moves<[shape: readonly number[]]> = /* @__PURE__ */ compositeOp(
  "broadcastTo(x: Tensor, shape: int[], ...)",
  (x: Tensor, shape: readonly number[]) => views.expand(x, shape, "broadcastTo"),
  "movement",
);
/** The real parts, as a view; of real numbers the tensor itself. */
export const real: PartOf = /* @__PURE__ */ compositeOp(
  "real(x: Tensor, ...)",
  (x: Tensor) => {
    // A tensor that is gone is refused here, since that of real numbers is only handed on.
    computedEngine(x, "real");
    return views.partView(x, "real");
  },
  "movement",
);
/** The imaginary parts, as a view; real numbers have none. */
export const imag: PartOf = /* @__PURE__ */ compositeOp(
  "imag(x: Tensor, ...)",
  (x: Tensor) => views.partView(x, "imag"),
  "movement",
);
