/**
 * Counting elements: integers by their value, floats by the bin they fall into.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { type DType, dtypes, isIntegerDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { notImplemented } from "../dtype-errors.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { denseOf, elementsIn, positionsTensor, writeTo } from "./dense-elements.ts";
import { histc as countEqual, bincount as countIntegers } from "./histogram.ts";
import { type Counting, checkFloats, checkRange, fillCounts, inferCounts } from "./histogram-bins.ts";
import { routineOfValues, routineOp, withNames } from "./routine-op.ts";
import { extent } from "./values.ts";

type Floats = Float32Array | Float64Array;

/** How long the result of bincount is at least. */
export interface BincountOptions {
  readonly minlength?: number | undefined;
}
/** The type of bincount. */
export interface Bincount extends OpFunction {
  /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
  (x: Tensor, options?: BincountOptions): Tensor<Shape, "int64", "none">;
  /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
  (x: Tensor, weights: null, options?: BincountOptions): Tensor<Shape, "int64", "none">;
  /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
  (x: Tensor, weights: Tensor, options?: BincountOptions): Tensor<Shape, "float32" | "float64", "none">;
  readonly method: {
    /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
    (this: Tensor, options?: BincountOptions): Tensor<Shape, "int64", "none">;
    /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
    (this: Tensor, weights: null, options?: BincountOptions): Tensor<Shape, "int64", "none">;
    /** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
    (this: Tensor, weights: Tensor, options?: BincountOptions): Tensor<Shape, "float32" | "float64", "none">;
  };
}
interface BincountGiven {
  readonly x: Tensor;
  readonly weights: Tensor | null;
  readonly minlength: number;
}
/** How often each integer from 0 to the largest element occurs, or the sum of the weights that belong to it. */
export const bincount: Bincount = /* @__PURE__ */ routineOfValues(
  "bincount(x, weights = null; minlength = 0)",
  ({ x, weights, minlength }: BincountGiven) => {
    checkTensor("bincount", x);
    if (!isIntegerDType(x.dtype)) throw notImplemented("bincount", x.dtype, "int64", ", it counts integers");
    if (!Number.isInteger(minlength) || minlength < 0)
      throw new StridewiseError(`bincount: minlength should be >= 0, got ${minlength}`);
    const dense = denseOf(x);
    const { min, max } = extent(elementsIn(dense, "bincount"));
    if (x.rank !== 1 || min < 0)
      throw new ShapeError(
        `bincount: takes one axis of integers from 0, got shape ${showShape(x)}${min < 0 ? ` with ${min} in it` : ""}`,
      );
    if (weights !== null) checkTensor("bincount", weights);
    if (weights !== null && (weights.rank !== 1 || weights.size !== x.size))
      throw new ShapeError(
        `bincount: needs one weight for each of ${x.size} elements, got shape ${showShape(weights)}`,
      );
    const length = Math.max(minlength, max + 1, 0);
    checkResultBytes("bincount", length, 8);
    if (weights === null)
      return positionsTensor(countIntegers(elementsIn(dense, "bincount"), length, null), [length], "int64");
    const dtype: DType = weights.dtype === "float32" ? "float32" : "float64";
    const each = denseOf(weights, null, dtype);
    const result = fresh(dtype, [length]);
    const sums = countIntegers(elementsIn(dense, "bincount"), length, elementsIn(each, "bincount") as Floats);
    (elementsIn(result, "bincount", true) as Floats).set(sums);
    return result;
  },
);

/** The range of histc. */
export interface HistcOptions extends OutOption {
  readonly bins?: number | undefined;
  /** The lowest and the highest edge; those of the elements if both are 0. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}
/** The type of histc. */
export interface Histc extends OpFunction {
  /** How many elements fall into each of 100 equal bins, or as many as given. */
  <X extends Tensor>(x: X, bins?: number, options?: HistcOptions): Tensor<Shape, X["dtype"], "none">;
  /** How many elements fall into each of 100 equal bins, or as many as given. */
  <X extends Tensor>(x: X, options: HistcOptions): Tensor<Shape, X["dtype"], "none">;
  readonly method: {
    /** How many elements fall into each of 100 equal bins, or as many as given. */
    <X extends Tensor>(this: X, bins?: number, options?: HistcOptions): Tensor<Shape, X["dtype"], "none">;
    /** How many elements fall into each of 100 equal bins, or as many as given. */
    <X extends Tensor>(this: X, options: HistcOptions): Tensor<Shape, X["dtype"], "none">;
  };
}
interface HistcGiven {
  readonly x: Tensor;
  readonly bins: number;
  readonly min: number;
  readonly max: number;
}
/** How many elements fall into each of 100 equal bins, or as many as given. */
export const histc: Histc = /* @__PURE__ */ routineOp<Histc, HistcGiven>(
  "histc(x, bins = 100; min = 0, max = 0)",
  ({ x, bins, min, max }) => {
    checkFloats("histc", x);
    if (!Number.isInteger(bins) || bins <= 0) throw new StridewiseError(`histc: bins must be > 0, but got ${bins}`);
    checkRange("histc", min, max);
    checkResultBytes("histc", bins, dtypes[x.dtype].itemsize);
    return { dtype: x.dtype, shape: [bins] };
  },
  ([result], { x, min, max }) => {
    const dense = denseOf(x);
    const values = (): Floats => elementsIn(dense, "histc") as Floats;
    if (min === max && x.size > 0) {
      const found = extent(values());
      checkRange("histc", found.min, found.max);
    }
    writeTo(result, dense.dtype, null, "histc", (out) => {
      countEqual(values(), min, max, elementsIn(out, "histc", true) as Floats);
    });
  },
  // Counts do not change with the elements.
  { gradient: () => null },
);

/** Counts, and the edges between which they are. */
export interface Counts<X extends Tensor> {
  readonly hist: Tensor<Shape, X["dtype"], "none">;
  readonly binEdges: Tensor<Shape, X["dtype"], "none">;
}
/** What histograms take besides the bins. */
export interface HistogramOptions {
  /** The lowest and the highest edge; those of the elements unless given. */
  readonly range?: readonly number[] | undefined;
  /** What each element counts. */
  readonly weight?: Tensor | undefined;
  /** Gives the share of each bin divided by its width. */
  readonly density?: boolean | undefined;
  readonly out?: { readonly hist: Tensor; readonly binEdges: Tensor } | undefined;
}
/** The type of histogram. */
export interface Histogram extends OpFunction {
  <X extends Tensor>(x: X, bins: number | Tensor, options?: HistogramOptions): Counts<X>;
  readonly method: <X extends Tensor>(this: X, bins: number | Tensor, options?: HistogramOptions) => Counts<X>;
}
interface HistogramGiven extends Omit<Counting, "bins"> {
  readonly bins: number | Tensor;
}
/** How many elements fall into each bin, of equal ones or between given edges, and the edges. */
export const histogram: Histogram = /* @__PURE__ */ withNames(
  /* @__PURE__ */ routineOp<OpFunction, HistogramGiven>(
    "histogram(x, bins; range = null, weight = null, density = false)",
    (given) => {
      checkTensor("histogram", given.x);
      return inferCounts("histogram", { ...given, bins: [given.bins] }, sizesOf(given.x));
    },
    (results, given) => fillCounts("histogram", results, { ...given, bins: [given.bins] }),
  ),
  ["hist", "binEdges"],
);
