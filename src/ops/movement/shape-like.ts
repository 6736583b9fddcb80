/**
 * Shapes taken from other tensors, axes by PyTorch's other names, and pieces along the first three axes. Views where views are possible.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import type { Axis } from "../../tensor/axes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { compositeOp } from "../op.ts";
import { sum } from "../reduce/reduce.ts";
import { movedim, reshape, tensorSplit, transpose, view } from "../views.ts";
import type { Moves, MovesToMany } from "./movement-types.ts";

const asOther = (who: string, reshaped: (x: Tensor, shape: readonly number[]) => Tensor) =>
  compositeOp<Moves<[other: Tensor]>>(
    `${who}(x: Tensor, other: Tensor, ...)`,
    (x: Tensor, other: Tensor) => reshaped(x, sizesOf(other)),
    "movement",
  );

/** A view with the shape of another tensor. */
export const viewAs: Moves<[other: Tensor]> = /* @__PURE__ */ asOther("viewAs", view);
/** The elements in row-major order under the shape of another tensor: a view if the strides allow it, else a copy. */
export const reshapeAs: Moves<[other: Tensor]> = /* @__PURE__ */ asOther("reshapeAs", reshape);

/** Axes moved to new places, the others kept in their order; the same as movedim. */
export const moveaxis: Moves<[from: Axis | readonly Axis[], to: Axis | readonly Axis[]]> = /* @__PURE__ */ compositeOp(
  "moveaxis(x: Tensor, ...)",
  movedim,
  "movement",
);
/** Two axes exchanged; the same as transpose with two axes. */
export const swapaxes: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "swapaxes(x: Tensor, ...)",
  transpose,
  "movement",
);
/** Two axes exchanged; the same as transpose with two axes. */
export const swapdims: Moves<[a: Axis, b: Axis]> = /* @__PURE__ */ compositeOp(
  "swapdims(x: Tensor, ...)",
  transpose,
  "movement",
);

const splitting = (who: string, least: number, axisFor: (x: Tensor) => number) =>
  compositeOp<MovesToMany<[sections: number | readonly number[]]>>(
    `${who}(x: Tensor, sections: ints, ...)`,
    (x: Tensor, sections: number | readonly number[]) => {
      if (x.rank < least) throw new ShapeError(`${who}: expected at least ${least} axes, got ${x.rank}`);
      const axis = axisFor(x);
      const size = sizeAt(x, axis);
      if (typeof sections === "number" && !(sections > 0 && size % sections === 0))
        throw new ShapeError(`${who}: axis ${axis} with size ${size} does not split into ${sections} equal parts`);
      return tensorSplit(x, sections, axis);
    },
    "movement",
  );

/** Pieces of equal size side by side, or cut before the given indices: along axis 1, or axis 0 if there is only one. */
export const hsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "hsplit",
  1,
  (x) => (x.rank === 1 ? 0 : 1),
);
/** Pieces of equal size one below the other, or cut before the given indices: along axis 0. */
export const vsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "vsplit",
  2,
  () => 0,
);
/** Pieces of equal size one behind the other, or cut before the given indices: along axis 2. */
export const dsplit: MovesToMany<[sections: number | readonly number[]]> = /* @__PURE__ */ splitting(
  "dsplit",
  3,
  () => 2,
);

/** The axes of x that are summed over to reach a shape that broadcasts to it. */
function summedAxes(x: Tensor, shape: readonly number[]): number[] {
  const sizes = sizesOf(x);
  const added = sizes.length - shape.length;
  if (added < 0 || shape.some((size, d) => size !== 1 && size !== sizes[d + added]))
    throw new ShapeError(
      `sumToSize: size ${describeValue(shape)} is not expandable to size ${show(sizes)}. Sizes are those of the tensor, or 1`,
    );
  return sizes
    .map((_, axis) => axis)
    .filter((axis) => axis < added || (shape[axis - added] === 1 && sizes[axis] !== 1));
}

/** The sum over axes that broadcasting to the tensor's shape would add or repeat: the result has the given shape. */
export const sumToSize: Moves<[shape: number | readonly number[], ...more: number[]]> = /* @__PURE__ */ compositeOp(
  "sumToSize(x: Tensor, ...)",
  (x: Tensor, ...args: (number | readonly number[])[]) => {
    const shape = args.flat();
    const axes = summedAxes(x, shape);
    return axes.length === 0 ? x : view(sum(x, axes, { keepdims: true }), shape);
  },
);
