/**
 * Reading by index: along an axis, by whole rows, or in the row-major order of all elements. Indices are checked first. In the backward
 * pass, gradients are added up at the elements that were read.
 */
import { IndexError, ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { alongAxis, lowerAlong, lowerFlat, withAxis } from "../../tensor/access/by-index.ts";
import {
  alongBounds,
  checkIndexDType,
  flatBounds,
  lowerIndexCheck,
  rowBounds,
} from "../../tensor/access/index-range.ts";
import { type Axis, axisOf } from "../../tensor/axes.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous, lowerThrough } from "../../tensor/lowering.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { broadcastTwo } from "../../tensor/views/view-shape.ts";
import type { Indices } from "../index-arguments.ts";
import { compositeOp, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { expand, reshape } from "../views.ts";
import { nonNegativeIndex, rowIndices, scatterAddFlat, scatterAddUnchecked } from "./gather-scatter.ts";
import type { Gathers, Moves, SelectsByIndex } from "./movement-types.ts";

type Along = readonly [x: Tensor, axis: Axis, index: Tensor, options?: OutOption];

/** Gathers elements along an axis. For a matrix and axis 1: result[i][j] = x[i][index[i][j]]. */
export const gather: Gathers = /* @__PURE__ */ structuredOp(
  "gather(x: Tensor, axis: any, index: Index, ...)",
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
        throw new ShapeError(
          `gather: index ${show(shape)} must not be larger than x ${show(sizes)} except along axis ${at}`,
        );
      return { dtype: x.dtype, shape };
    },
    lower(builder, [result], ...[x, axis, index]: Along) {
      if (index.size === 0) return;
      const at = axisOf("gather", x, axis);
      const source = withAxis(x);
      lowerIndexCheck(builder, "gather", index, alongBounds(sizesOf(source)[at], at));
      lowerThrough(builder, result, x.dtype, true, "gather", (target) => {
        lowerAlong(builder, "take", source, at, withAxis(target), withAxis(index));
      });
    },
    gradient(call) {
      const [x, axis, index] = call.args as [Tensor, number, Tensor];
      const [shape, at, indices] = [sizesOf(x), axisOf("gather", x, axis), call.save(index)];
      return ([g]) => [scatterAddUnchecked(g, at, indices(), shape)];
    },
  },
);

/** Selects slices along an axis by index. The result is a copy. */
export const indexSelect: SelectsByIndex = /* @__PURE__ */ structuredOp(
  "indexSelect(x: Tensor, axis: any, index: Index, ...)",
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
    lower(builder, [result], ...[x, axis, index]: Along) {
      if (result.size === 0 && index.size === 0) return;
      const at = axisOf("indexSelect", x, axis);
      lowerIndexCheck(builder, "indexSelect", index, rowBounds(sizesOf(withAxis(x))[at]));
      const indices = lowerContiguous(builder, index, "indexSelect");
      lowerThrough(builder, result, x.dtype, true, "indexSelect", (target) => {
        lowerAlong(builder, "take", x, at, target, alongAxis(indices, at, sizesOf(target)));
      });
    },
    gradient(call) {
      const [x, axis, index] = call.args as [Tensor, number, Tensor];
      const [shape, at, indices] = [sizesOf(x), axisOf("indexSelect", x, axis), call.save(index)];
      return ([g]) => [scatterAddUnchecked(g, at, rowIndices(indices(), at, sizesOf(g)), shape)];
    },
  },
);

/** Returns the elements of x at the given indices into the flattened tensor, in the shape of the index. */
export const take: Moves<[index: Indices, options?: OutOption]> = /* @__PURE__ */ structuredOp(
  "take(x: Tensor, index: Index, ...)",
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
    lower(builder, [result], ...[x, index]: readonly [x: Tensor, index: Tensor, options?: OutOption]) {
      lowerIndexCheck(builder, "take", index, flatBounds(x.size));
      lowerThrough(builder, result, x.dtype, true, "take", (target) => {
        lowerFlat(builder, "take", x, target, index);
      });
    },
    gradient(call) {
      const [x, index] = call.args as [Tensor, Tensor];
      const [shape, { size }, indices] = [sizesOf(x), x, call.save(index)];
      return ([g]) => [scatterAddFlat(g, nonNegativeIndex(indices(), size), shape)];
    },
  },
);

/** Gathers elements along an axis, with x and the indices broadcast against each other; without an axis, both are flattened. */
export const takeAlongDim: Moves<[indices: Indices, axis?: Axis, options?: OutOption]> = /* @__PURE__ */ compositeOp(
  "takeAlongDim(x: Tensor, indices: Index, ...; out)",
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
