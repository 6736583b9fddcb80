/**
 * Rows of a table by number, numbers as rows of 0 and 1, and powers of numbers as rows: functions that are no methods.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { listOf } from "../../base/list-of.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { DTypeError, dtypes } from "../../storage/dtype.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { showShape, sizeAt, sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { unsqueeze } from "../../tensor/views/views-axes.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { arangeLike } from "../composite/tensors-like.ts";
import { add, mul, pow } from "../elementwise/arithmetic.ts";
import { eq } from "../elementwise/comparison.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { metaOutput } from "../meta-output.ts";
import { compositeOp, fresh, op, structuredOp } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { positionDType } from "../positions.ts";
import { reshape, to } from "../views.ts";
import { embeddingGradient } from "./gather-gradient.ts";
import { checkedIndices, checkIndexDType, indexRange } from "./index-range.ts";
import { rowRule } from "./index-rules.ts";
import { inDType, meet } from "./indexed.ts";
import { stack } from "./join.ts";

export interface EmbeddingOptions extends OutOption {
  /** A row that gets no gradient. */
  readonly paddingIdx?: number | null | undefined;
}
/** Rows of a table. */
export interface Embedding extends OpFunction {
  <W extends Tensor>(indices: Tensor, weight: W, options?: EmbeddingOptions): Tensor<Shape, W["dtype"], "none">;
}

function checkTable(indices: Tensor, weight: Tensor, { paddingIdx }: EmbeddingOptions): void {
  if (weight.rank !== 2) throw new ShapeError(`embedding: 'weight' must be 2-D, got shape ${showShape(weight)}`);
  checkIndexDType("embedding", indices);
  const rows = sizeAt(weight, 0);
  if (paddingIdx != null && (paddingIdx >= rows || paddingIdx < -rows))
    throw new ShapeError(`embedding: paddingIdx must be one of the ${rows} rows, got ${paddingIdx}`);
}

/** For each index the row of the weight with this number, as a new last axis. */
export const embedding: Embedding = /* @__PURE__ */ structuredOp(
  "embedding(indices: Tensor, weight: Tensor; paddingIdx)",
  "movement",
  {
    linear: "1",
    batch: "embedding",
    infer(indices: Tensor, weight: Tensor, options: EmbeddingOptions = {}) {
      checkTable(indices, weight, options);
      return { dtype: weight.dtype, shape: [...sizesOf(indices), sizeAt(weight, 1)] };
    },
    fill([result], indices: Tensor, weight: Tensor) {
      const places = checkedIndices("embedding", indices, sizeAt(weight, 0), rowRule());
      inDType(result, weight, (target) => {
        const shape = sizesOf(target);
        meet("take", weight, target, expand(unsqueeze(places, -1), shape), ([row = 0, column = 0]) => ({
          stride: shape.map((_, axis) => (axis === shape.length - 1 ? column : 0)),
          step: row,
          length: sizeAt(weight, 0),
        }));
      });
    },
    gradient: embeddingGradient,
  },
);

/** Numbers as rows of 0 and 1. */
export interface OneHot extends OpFunction {
  (x: Tensor, numClasses?: number): Tensor<Shape, "int64", "none">;
}

function checkClasses(x: Tensor, numClasses: number): void {
  if (x.dtype !== "int64" && x.dtype !== positionDType)
    throw new DTypeError(`oneHot: takes int32 or int64, got ${x.dtype}. Convert it: x.to("int64")`);
  if (!(Number.isInteger(numClasses) && numClasses >= -1))
    throw new StridewiseError(
      `oneHot: numClasses must be an integer from 0, or -1 for one more than the largest class, got ${describeValue(numClasses)}.`,
    );
  if (x.size === 0 && numClasses <= 0)
    throw new StridewiseError("oneHot: Can not infer total number of classes from empty tensor. Give numClasses");
}

/** For each class number a row of numClasses elements, 1 at the number and 0 elsewhere; without numClasses one more than the largest. */
export const oneHot: OneHot = /* @__PURE__ */ op(
  "oneHot(x: Tensor, ...)",
  "movement",
  {
    cpu(x: Tensor, numClasses = -1) {
      checkClasses(x, numClasses);
      const [min, max] = x.size === 0 ? [0, -1] : indexRange("oneHot", x);
      if (min < 0) throw new StridewiseError(`oneHot: Class values must be non-negative., got ${min}`);
      if (numClasses >= 0 && max >= numClasses)
        throw new StridewiseError(
          `oneHot: Class values must be smaller than num_classes., got ${max} of ${numClasses}`,
        );
      const classes = numClasses < 0 ? max + 1 : numClasses;
      checkResultBytes("oneHot", x.size * classes, 8);
      const numbers = arange(0, classes, 1, { dtype: x.dtype });
      return to(eq(unsqueeze(x, -1), numbers), "int64");
    },
    meta(x: Tensor, numClasses = -1) {
      checkClasses(x, numClasses);
      if (numClasses < 0)
        throw new StridewiseError(
          "oneHot: the number of classes depends on values, which a tensor on the meta device does not have. Give numClasses",
        );
      return metaOutput("oneHot", "int64", [...sizesOf(x), numClasses], [x]);
    },
  },
  { batch: "oneHot" },
);

export interface VanderOptions {
  /** Powers go up from left to right; else down. */
  readonly increasing?: boolean | undefined;
}
/** Powers of numbers. */
export interface Vander extends OpFunction {
  (x: Tensor, columns?: number | null, options?: VanderOptions): Tensor;
}

const mostPowers = 1024;

/** The powers of each number as a row: from the highest down to 0, or with increasing from 0 up. */
export const vander: Vander = /* @__PURE__ */ compositeOp(
  "vander(x: Tensor, columns; increasing)",
  (x: Tensor, columns?: number | null, { increasing = false }: VanderOptions = {}) => {
    if (x.rank !== 1) throw new ShapeError(`vander: x must be a one-dimensional tensor., got shape ${showShape(x)}`);
    const count = columns ?? x.size;
    if (!Number.isSafeInteger(count) || count < 0)
      throw new StridewiseError(`vander: N must be non-negative., got ${String(count)}`);
    const { category } = dtypes[x.dtype];
    const dtype = category === "bool" || category === "integer" ? "int64" : x.dtype;
    // Few powers one by one, which rounds small ones best; many at once.
    if (count > mostPowers) {
      const numbers = arangeLike(x, count);
      const exponents = increasing ? numbers : add(mul(numbers, -1), count - 1);
      return to(pow(reshape(to(x, dtype), [x.size, 1]), exponents), dtype);
    }
    const powers = listOf(count, (k) => pow(to(x, dtype), k));
    return powers.length === 0 ? fresh(dtype, [x.size, 0]) : stack(increasing ? powers : powers.reverse(), -1);
  },
  "movement",
);
