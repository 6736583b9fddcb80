/**
 * Sums, means or maxima of rows of a table, selected by bags of indices. Bags are the rows of a matrix of indices, or parts of one
 * list that start at offsets.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { deviceOption } from "../../storage/device.ts";
import { zeros } from "../../tensor/create/create.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import type { Indices } from "../index-arguments.ts";
import { embedding } from "../movement/lookup.ts";
import { indexAdd, scatterReduce } from "../movement/scatter.ts";
import { compositeOp } from "../op.ts";
import { cumsum } from "../reduce/scan.ts";
import { expand, narrow, reshape, to, unsqueeze } from "../views.ts";
import type { Maybe, Part } from "./composite-types.ts";
import { checkFloat } from "./rows.ts";
import { arangeLike, listLike } from "./tensors-like.ts";

interface BagOptions {
  /** The start of each bag in a list of indices. */
  readonly offsets?: Maybe;
  readonly mode?: "sum" | "mean" | "max" | undefined;
  /** A weight for each index, for sums. */
  readonly perSampleWeights?: Maybe;
  /** The last offset is the end of the list. */
  readonly includeLastOffset?: boolean | undefined;
  /** Rows with this index are ignored. */
  readonly paddingIdx?: number | null | undefined;
}
interface EmbeddingBag extends OpFunction {
  (indices: Indices, weight: Tensor, options?: BagOptions): Tensor;
}

const counting = /* @__PURE__ */ map<Part>("bagCounts(index, padding = null)", ({ padding }) =>
  padding === null ? "index * 0 == 0" : "index != int64(padding)",
);
const bagRows = /* @__PURE__ */ map<Part>("bagRows(x, counts, other, weight = null)", ({ weight }) =>
  weight === null ? "counts ? x : like(other, x)" : "counts ? x * weight : like(other, x)",
);
const lessOne = /* @__PURE__ */ map<Part>("lessOne(x)", "x - 1");
const shared = /* @__PURE__ */ map<Part>("bagMean(x, count)", "x / max(count, 1)");
const orZero = /* @__PURE__ */ map<Part>("finiteOrZero(x)", "x == -inf ? like(0, x) : x");

/** Returns the sum, mean (the default) or maximum of the rows of weight for each bag of indices. */
export const embeddingBag: EmbeddingBag = /* @__PURE__ */ compositeOp(
  "embeddingBag(indices: Index, weight: Tensor; offsets: Tensor, mode, perSampleWeights: Tensor, includeLastOffset, paddingIdx)",
  (indices: Tensor, weight: Tensor, options: BagOptions = {}) => {
    const { offsets, mode = "mean", perSampleWeights, includeLastOffset = false, paddingIdx = null } = options;
    if ((indices.rank === 1) !== offsets instanceof Object || indices.rank > 2 || indices.rank < 1)
      throw new ShapeError(
        `embeddingBag: indices must be [bags, n], or [n] with offsets, got ${showShape(indices)} ${offsets ? "with" : "without"} offsets`,
      );
    if (perSampleWeights && mode !== "sum")
      throw new StridewiseError(`embeddingBag: perSampleWeights requires mode 'sum', got '${mode}'`);
    if (mode !== "sum" && mode !== "mean" && mode !== "max")
      throw new StridewiseError(`embeddingBag: mode must be sum, mean or max, got ${mode}`);
    if (mode === "mean") checkFloat("embeddingBag", weight.dtype);
    const columns = sizeAt(weight, 1);
    const { size: count } = indices;
    const list = reshape(indices, [count]);
    const bags = offsets ? offsets.size - (includeLastOffset ? 1 : 0) : sizeAt(indices, 0);
    const bagOf = offsets
      ? bagsByOffsets(narrow(offsets, 0, 0, bags), count)
      : reshape(expand(unsqueeze(arangeLike(indices, bags), 1), sizesOf(indices)), [count]);
    const counts = counting(list, paddingIdx !== null && paddingIdx < 0 ? paddingIdx + sizeAt(weight, 0) : paddingIdx);
    const factors = perSampleWeights ? reshape(perSampleWeights, [count, 1]) : null;
    const rows = bagRows(embedding(list, weight), unsqueeze(counts, 1), mode === "max" ? -Infinity : 0, factors);
    const device = deviceOption(weight.device);
    const empty = zeros([bags, columns], { dtype: weight.dtype, device });
    if (mode === "max") {
      const rowsOfBags = expand(unsqueeze(bagOf, 1), [count, columns]);
      return orZero(scatterReduce(empty, 0, rowsOfBags, rows, "amax", { includeSelf: false }));
    }
    const sums = indexAdd(empty, 0, bagOf, rows);
    if (mode === "sum") return sums;
    const none = zeros([bags], { dtype: weight.dtype, device });
    const many = indexAdd(none, 0, bagOf, to(counts, weight.dtype));
    return shared(sums, unsqueeze(many, 1));
  },
);

/** Returns the bag number of each of `count` indices. */
function bagsByOffsets(offsets: Tensor, count: number): Tensor {
  const marks = zeros([count + 1], { dtype: "int64", device: deviceOption(offsets.device) });
  const ones = listLike(
    offsets,
    Array.from({ length: offsets.size }, () => 1),
    "int64",
  );
  return lessOne(narrow(cumsum(indexAdd(marks, 0, offsets, ones), 0), 0, 0, count));
}
