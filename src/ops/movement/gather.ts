/**
 * Reading by index: along an axis, by whole rows, or in the row-major order of all elements. Indices are checked first.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { contiguous } from "../../tensor/clone.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import { compositeOp, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { expand, reshape } from "../views.ts";
import { gatherGradient, rowGradient, takeGradient } from "./gather-gradient.ts";
import { checkedIndices, checkIndexDType } from "./index-range.ts";
import { alongRule, flatRule, rowRule } from "./index-rules.ts";
import { alongAxis, inDType, meetAlong, meetFlat, withAxis } from "./indexed.ts";
import type { IndexTensor, Moves } from "./movement-types.ts";

type Along = readonly [x: Tensor, axis: Axis, index: Tensor, options?: OutOption];

/** The element of x with the coordinate of each index, which takes the place of the coordinate on the axis. */
export const gather: Moves<[axis: Axis, index: IndexTensor, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "gather(x: Tensor, ...)",
  "movement",
  {
    linear: "0",
    batch: "alongIndex",
    infer(...[x, axis, index, options]: Along) {
      checkTensor("gather", index);
      const at = axisOf("gather", x, axis);
      const [sizes, shape] = [sizesOf(x), sizesOf(index)];
      if (index.size === 0) return { dtype: x.dtype, shape };
      checkIndexDType("gather", index);
      const out = options?.out?.dtype ?? x.dtype;
      if (out !== x.dtype) throw new DTypeError(`gather: out must be ${x.dtype}, got ${out}`);
      if (Math.max(sizes.length, 1) !== Math.max(shape.length, 1))
        throw new ShapeError(`gather: index must have as many axes as x, got ${show(shape)} for ${show(sizes)}`);
      if (x.rank > 0 && shape.some((size, d) => d !== at && size > sizes[d]))
        throw new ShapeError(`gather: index ${show(shape)} must fit in ${show(sizes)} apart from axis ${at}`);
      return { dtype: x.dtype, shape };
    },
    fill([result], ...[x, axis, index]: Along) {
      if (index.size === 0) return;
      const at = axisOf("gather", x, axis);
      const source = withAxis(x);
      const places = checkedIndices("gather", index, sizesOf(source)[at], alongRule(at));
      inDType(result, x, (target) => {
        meetAlong("take", source, at, withAxis(target), withAxis(places));
      });
    },
    gradient: gatherGradient,
  },
);

/** The rows of an axis with these indices, in their order. */
export const indexSelect: Moves<[axis: Axis, index: IndexTensor, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "indexSelect(x: Tensor, ...)",
  "movement",
  {
    linear: "0",
    batch: "indexSelect",
    infer(...[x, axis, index]: Along) {
      checkTensor("indexSelect", index);
      const at = axisOf("indexSelect", x, axis);
      checkIndexDType("indexSelect", index);
      if (index.rank > 1) throw new IndexError(`indexSelect: index must have one axis, got shape ${showShape(index)}`);
      return { dtype: x.dtype, shape: x.rank === 0 ? [] : sizesOf(x).with(at, index.size), names: x.names };
    },
    fill([result], ...[x, axis, index]: Along) {
      if (result.size === 0 && index.size === 0) return;
      const at = axisOf("indexSelect", x, axis);
      const size = sizesOf(withAxis(x))[at];
      const places = contiguous(checkedIndices("indexSelect", index, size, rowRule()));
      inDType(result, x, (target) => {
        meetAlong("take", x, at, target, alongAxis(places, at, sizesOf(target)));
      });
    },
    gradient: rowGradient,
  },
);

/** The elements of x with these indices in row-major order, in the shape of the index. */
export const take: Moves<[index: IndexTensor, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "take(x: Tensor, ...)",
  "movement",
  {
    linear: "0",
    batch: "take",
    infer(...[x, index]: readonly [x: Tensor, index: Tensor, options?: OutOption]) {
      checkTensor("take", index);
      checkIndexDType("take", index);
      if (x.size === 0 && index.size > 0) throw new IndexError("take: the tensor is empty");
      return { dtype: x.dtype, shape: sizesOf(index) };
    },
    fill([result], ...[x, index]: readonly [x: Tensor, index: Tensor, options?: OutOption]) {
      const places = checkedIndices("take", index, x.size, flatRule);
      inDType(result, x, (target) => meetFlat("take", x, target, places));
    },
    gradient: takeGradient,
  },
);

/** gather with x and the indices broadcast against each other, or without an axis, of all elements in row-major order. */
export const takeAlongDim: Moves<[indices: IndexTensor, axis?: Axis, options?: OutOption]> =
  /* @__PURE__ */ compositeOp(
    "takeAlongDim(x: Tensor, ...; out)",
    (x: Tensor, indices: Tensor, axis?: Axis, options?: OutOption) => {
      checkTensor("takeAlongDim", indices);
      if (axis === undefined || x.rank === 0) return gather(reshape(x, [-1]), 0, reshape(indices, [-1]), options);
      const [sizes, shape] = [sizesOf(x), sizesOf(indices)];
      if (sizes.length !== shape.length)
        throw new ShapeError(
          `takeAlongDim: x and indices must have the same number of axes, got ${sizes.length} and ${shape.length}`,
        );
      const at = axisOf("takeAlongDim", x, axis);
      const common = broadcastTwo("takeAlongDim", sizes.with(at, 1), shape.with(at, 1));
      return gather(expand(x, common.with(at, sizes[at])), at, expand(indices, common.with(at, shape[at])), options);
    },
    "movement",
  );

/** The ops that are methods of tensors. */
export default [gather, indexSelect, take, takeAlongDim];
