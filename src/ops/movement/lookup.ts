/**
 * Embeddings, one-hot vectors and Vandermonde matrices. They are functions, not methods.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError, dtypes } from "../../storage/dtype.ts";
import { lowerByIndex } from "../../tensor/access/by-index.ts";
import { checkIndexDType, indexRange, lowerIndexCheck, rowBounds } from "../../tensor/access/index-range.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerThrough } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { arangeLike, onDeviceOf } from "../composite/tensors-like.ts";
import { add, mul, pow } from "../elementwise/arithmetic.ts";
import { where } from "../elementwise/choose.ts";
import { eq } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { Indices } from "../index-arguments.ts";
import { indexDType } from "../indices.ts";
import { metaOutput } from "../meta-output.ts";
import { compositeOp, fresh, op, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import * as views from "../views.ts";
import { reshape, to } from "../views.ts";
import { rowIndices, scatterAddUnchecked } from "./gather-scatter.ts";
import { stack } from "./join.ts";

export interface EmbeddingOptions extends OutOption {
  /** The index of a row that gets no gradient. */
  readonly paddingIdx?: number | null | undefined;
}
/** The type of embedding. */
export interface Embedding extends OpFunction {
  <W extends Tensor>(indices: Indices, weight: W, options?: EmbeddingOptions): Tensor<Shape, W["dtype"]>;
}

function checkTable(indices: Tensor, weight: Tensor, { paddingIdx }: EmbeddingOptions): void {
  if (weight.rank !== 2) throw new ShapeError(`embedding: weight must have 2 axes, got shape ${showShape(weight)}`);
  checkIndexDType("embedding", indices);
  const rows = sizeAt(weight, 0);
  if (paddingIdx != null && (paddingIdx >= rows || paddingIdx < -rows))
    throw new ShapeError(`embedding: paddingIdx must be the index of one of ${rows} rows, got ${paddingIdx}`);
}

/** Looks up a row of the weight for each index; the rows are the last axis of the result. */
export const embedding: Embedding = /* @__PURE__ */ structuredOp(
  "embedding(indices: Index, weight: Tensor; paddingIdx)",
  "movement",
  {
    linear: "1",
    batch: "embedding",
    infer(indices: Tensor, weight: Tensor, options: EmbeddingOptions = {}) {
      checkTable(indices, weight, options);
      return { dtype: weight.dtype, shape: [...sizesOf(indices), sizeAt(weight, 1)] };
    },
    lower(builder, [result], indices: Tensor, weight: Tensor) {
      lowerIndexCheck(builder, "embedding", indices, rowBounds(sizeAt(weight, 0)));
      lowerThrough(builder, result, weight.dtype, true, "embedding", (target) => {
        const shape = sizesOf(target);
        lowerByIndex(
          builder,
          "take",
          weight,
          target,
          expand(unsqueeze(indices, -1), shape),
          ([row = 0, column = 0]) => ({
            stride: shape.map((_, axis) => (axis === shape.length - 1 ? column : 0)),
            step: row,
            length: sizeAt(weight, 0),
          }),
        );
      });
    },
    gradient(call) {
      const [indices, weight, options] = call.args as [Tensor, Tensor, EmbeddingOptions?];
      const [shape, width, saved] = [sizesOf(weight), sizeAt(weight, 1), call.save(indices)];
      const padding = options?.paddingIdx ?? null;
      return ([g]) => {
        const list = reshape(saved(), [-1]);
        const rows = reshape(g, [list.size, width]);
        const skipped = padding === null ? null : eq(list, padding < 0 ? padding + shape[0] : padding);
        const counted = skipped === null ? rows : where(views.unsqueeze(skipped, -1), 0, rows);
        return [null, scatterAddUnchecked(counted, 0, rowIndices(list, 0, [list.size, width]), shape)];
      };
    },
  },
);

/** The type of oneHot. */
export interface OneHot extends OpFunction {
  (x: Indices, numClasses?: number): Tensor<Shape, "int64">;
}

function checkClasses(x: Tensor, numClasses: number): void {
  if (x.dtype !== "int64" && x.dtype !== indexDType)
    throw new DTypeError(`oneHot: x must be int32 or int64, got ${x.dtype}. Convert it: x.to("int64")`);
  if (!(Number.isInteger(numClasses) && numClasses >= -1))
    throw new StridewiseError(
      `oneHot: numClasses must be a non-negative integer, or -1 for one more than the largest class, got ${describeValue(numClasses)}.`,
    );
  if (x.size === 0 && numClasses <= 0)
    throw new StridewiseError("oneHot: the number of classes of an empty tensor is unknown. Pass numClasses");
}

/** Returns a one-hot row of numClasses elements for each class index; numClasses defaults to one more than the largest index. */
export const oneHot: OneHot = /* @__PURE__ */ op(
  "oneHot(x: Index, ...)",
  "movement",
  {
    cpu(x: Tensor, numClasses = -1) {
      checkClasses(x, numClasses);
      const [min, max] = x.size === 0 ? [0, -1] : indexRange("oneHot", x);
      if (min < 0) throw new StridewiseError(`oneHot: class indices must be non-negative, got ${min}`);
      if (numClasses >= 0 && max >= numClasses)
        throw new StridewiseError(`oneHot: class indices must be smaller than numClasses ${numClasses}, got ${max}`);
      const classes = numClasses < 0 ? max + 1 : numClasses;
      checkResultBytes("oneHot", x.size * classes, 8);
      const numbers = onDeviceOf(x, x.dtype, [classes], () => arange(0, classes, 1, { dtype: x.dtype }));
      return to(eq(unsqueeze(x, -1), numbers), "int64");
    },
    meta(x: Tensor, numClasses = -1) {
      checkClasses(x, numClasses);
      if (numClasses < 0)
        throw new StridewiseError(
          "oneHot: the number of classes depends on values, which meta tensors do not have. Pass numClasses",
        );
      return metaOutput("oneHot", "int64", [...sizesOf(x), numClasses], [x]);
    },
  },
  { batch: "oneHot" },
);

export interface VanderOptions {
  /** Orders the powers from 0 to the highest. Default: false. */
  readonly increasing?: boolean | undefined;
}
/** The type of vander. */
export interface Vander extends OpFunction {
  (x: Tensor, columns?: number | null, options?: VanderOptions): Tensor;
}

const maxPowers = 1024;

/** Returns the Vandermonde matrix: a row of powers of each element, from the highest down to 0, or from 0 to the highest if `increasing` is set. */
export const vander: Vander = /* @__PURE__ */ compositeOp(
  "vander(x: Tensor, columns; increasing)",
  (x: Tensor, columns?: number | null, { increasing = false }: VanderOptions = {}) => {
    if (x.rank !== 1) throw new ShapeError(`vander: x must have one axis, got shape ${showShape(x)}`);
    const count = columns ?? x.size;
    if (!Number.isSafeInteger(count) || count < 0)
      throw new StridewiseError(`vander: columns must be a non-negative integer, got ${String(count)}`);
    const { category } = dtypes[x.dtype];
    const dtype = category === "bool" || category === "integer" ? "int64" : x.dtype;
    // A few powers are computed one by one, which rounds small exponents best; many are computed at once.
    if (count > maxPowers) {
      const numbers = arangeLike(x, count);
      const exponents = increasing ? numbers : add(mul(numbers, -1), count - 1);
      return to(pow(reshape(to(x, dtype), [x.size, 1]), exponents), dtype);
    }
    const powers = listOf(count, (k) => pow(to(x, dtype), k));
    return powers.length === 0 ? fresh(dtype, [x.size, 0]) : stack(increasing ? powers : powers.reverse(), -1);
  },
  "movement",
);
