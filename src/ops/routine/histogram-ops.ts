/**
 * Counting elements: integers by value, floats by bin, and points of several dimensions by the cells of a grid.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { type DType, dtypes, isFloatDType, isIntegerDType } from "../../storage/dtype.ts";
import { showShape, sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { differingDTypes, notImplemented } from "../dtype-errors.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { fresh, type Result } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { show } from "../shape-rules.ts";
import { checkReal, denseOf, elementsIn, indexTensor, writeTo } from "./dense-elements.ts";
import {
  histc as countEqual,
  bincount as countIntegers,
  histogram as countPoints,
  fillEqualEdges,
} from "./histogram.ts";
import { refuseOut, routineOfValues, routineOp, withNames } from "./routine-op.ts";
import { extent } from "./values.ts";

type Floats = Float32Array | Float64Array;

/** Points, and the bins of each of their coordinates: a number of bins, or their edges. */
interface Counting {
  /** points * coordinates */
  readonly x: Tensor;
  readonly bins: readonly (number | Tensor)[];
  /** The lowest and highest edge of each coordinate in turn. */
  readonly range: readonly number[] | null;
  readonly weight: Tensor | null;
  readonly density: boolean;
}

/** Returns the results: the counts, then the edges of each coordinate. `weightShape` is the shape that weights must have. */
function inferCounts(
  who: string,
  { x, bins, range, weight }: Counting,
  weightShape: readonly number[],
): readonly Result[] {
  checkFloats(who, x);
  if (range !== null && range.length !== 2 * bins.length)
    throw new ShapeError(`${who}: range must have ${2 * bins.length} elements, got ${range.length}`);
  if (weight !== null) {
    checkTensor(who, weight);
    if (showShape(weight) !== show(weightShape))
      throw new ShapeError(
        `${who}: weight must have a value for each point, shape ${show(weightShape)}, got ${showShape(weight)}`,
      );
    checkSame(who, "weight", x, weight);
  }
  const edges = bins.map((one, d) => {
    if (one instanceof Tensor) {
      checkSame(who, `bins of coordinate ${d}`, x, one);
      if (one.rank !== 1) throw new ShapeError(`${who}: bins of coordinate ${d} must have one axis, got ${one.rank}`);
    }
    const count = one instanceof Tensor ? one.size - 1 : one;
    if (!Number.isInteger(count) || count <= 0)
      throw new StridewiseError(`${who}: bins must be a positive integer, got ${count} for coordinate ${d}`);
    return count + 1;
  });
  const { dtype } = x;
  checkResultBytes(
    who,
    edges.reduce((product, n) => product * n, 1),
    dtypes[dtype].itemsize,
  );
  return [{ dtype, shape: edges.map((n) => n - 1) }, ...edges.map((n) => ({ dtype, shape: [n] }))];
}

/** Throws unless the elements are real floats. */
function checkFloats(who: string, x: Tensor): void {
  checkReal(who, x);
  if (!isFloatDType(x.dtype)) throw notImplemented(who, x.dtype);
}

function checkSame(who: string, what: string, x: Tensor, other: Tensor): void {
  if (x.dtype !== other.dtype) throw differingDTypes(who, `x and ${what}`, x.dtype, other.dtype);
}

/** Throws unless the range is finite and ascending. */
function checkRange(who: string, min: number, max: number): void {
  if (!Number.isFinite(min) || !Number.isFinite(max))
    throw new StridewiseError(`${who}: the range [${min}, ${max}] is not finite. Pass a range`);
  if (min > max) throw new StridewiseError(`${who}: max must be at least min, got min ${min} and max ${max}`);
}

function rangeOf(who: string, values: Floats, d: number, { bins, range }: Counting): [min: number, max: number] {
  let [min, max] = [range?.[2 * d] ?? 0, range?.[2 * d + 1] ?? 1];
  if (range === null && values.length > 0)
    ({ min, max } = extent(bins.length === 1 ? values : values.filter((_, i) => i % bins.length === d)));
  checkRange(who, min, max);
  return [min, max];
}

/** Writes the counts and edges. */
function fillCounts(who: string, results: readonly Tensor[], counting: Counting): void {
  const x = denseOf(counting.x);
  const points = (): Floats => elementsIn(x, who) as Floats;
  const like = (length: number): Floats =>
    x.dtype === "float64" ? new Float64Array(length) : new Float32Array(length);
  const bins = counting.bins.map((one, d) => {
    if (one instanceof Tensor) return { edges: elementsIn(denseOf(one), who).slice() as Floats, equal: false };
    const edges = like(one + 1);
    const [min, max] = rangeOf(who, points(), d, counting);
    fillEqualEdges(min, max, edges);
    return { edges, equal: true };
  });
  const weight = counting.weight === null ? null : denseOf(counting.weight);
  const [counts, ...edges] = results;
  writeTo(counts, x.dtype, null, who, (dense) => {
    const weights = weight === null ? null : (elementsIn(weight, who) as Floats);
    countPoints(points(), bins, weights, counting.density, elementsIn(dense, who, true) as Floats);
  });
  edges.forEach((result, d) => {
    writeTo(result, x.dtype, null, who, (dense) => {
      (elementsIn(dense, who, true) as Floats).set(bins[d]!.edges);
    });
  });
}

/** The smallest length of the result of bincount. */
export interface BincountOptions {
  readonly minlength?: number | undefined;
}
/** The type of bincount. */
export interface Bincount extends OpFunction {
  /** Returns the number of occurrences of each integer from 0 to the largest element, or the sum of their weights. */
  (x: Tensor, options?: BincountOptions): Tensor<Shape, "int64">;
  /** Returns the number of occurrences of each integer from 0 to the largest element, or the sum of their weights. */
  (x: Tensor, weights: null, options?: BincountOptions): Tensor<Shape, "int64">;
  /** Returns the number of occurrences of each integer from 0 to the largest element, or the sum of their weights. */
  (x: Tensor, weights: Tensor, options?: BincountOptions): Tensor<Shape, "float32" | "float64">;
  /** Returns the number of occurrences of each integer from 0 to the largest element, or the sum of their weights. */
  (x: Tensor, options: BincountOptions & { readonly weights: Tensor }): Tensor<Shape, "float32" | "float64">;
}
interface BincountArguments {
  readonly x: Tensor;
  readonly weights: Tensor | null;
  readonly minlength: number;
}
/** Returns the number of occurrences of each integer from 0 to the largest element, or the sum of their weights. */
export const bincount: Bincount = /* @__PURE__ */ routineOfValues(
  "bincount(x, weights = null; minlength = 0)",
  ({ x, weights, minlength }: BincountArguments) => {
    checkTensor("bincount", x);
    if (!isIntegerDType(x.dtype)) throw notImplemented("bincount", x.dtype, "int64", ", it counts integers");
    if (!Number.isInteger(minlength) || minlength < 0)
      throw new StridewiseError(`bincount: minlength must be a non-negative integer, got ${minlength}`);
    const dense = denseOf(x);
    const { min, max } = extent(elementsIn(dense, "bincount"));
    if (x.rank !== 1 || min < 0)
      throw new ShapeError(
        `bincount: x must have one axis and no negative integers, got shape ${showShape(x)}${min < 0 ? ` with ${min} in it` : ""}`,
      );
    if (weights !== null) checkTensor("bincount", weights);
    if (weights !== null && (weights.rank !== 1 || weights.size !== x.size))
      throw new ShapeError(
        `bincount: weights must have shape [${x.size}], one for each element, got ${showShape(weights)}`,
      );
    const length = Math.max(minlength, max + 1, 0);
    checkResultBytes("bincount", length, 8);
    if (weights === null)
      return indexTensor(countIntegers(elementsIn(dense, "bincount"), length, null), [length], "int64");
    const dtype: DType = weights.dtype === "float32" ? "float32" : "float64";
    const each = denseOf(weights, null, dtype);
    const result = fresh(dtype, [length]);
    const sums = countIntegers(elementsIn(dense, "bincount"), length, elementsIn(each, "bincount") as Floats);
    (elementsIn(result, "bincount", true) as Floats).set(sums);
    return result;
  },
);

/** The bins of histc. */
export interface HistcOptions extends OutOption {
  readonly bins?: number | undefined;
  /** The lowest and the highest edge; if both are 0, the smallest and largest element. */
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}
/** The type of histc. */
export interface Histc extends OpFunction {
  /** Returns the number of elements in each of `bins` bins of equal width between min and max, or between the smallest and the largest element if min equals max. */
  <X extends Tensor>(x: X, bins?: number, options?: HistcOptions): Tensor<Shape, X["dtype"]>;
  /** Returns the number of elements in each of `bins` bins of equal width between min and max, or between the smallest and the largest element if min equals max. */
  <X extends Tensor>(x: X, options: HistcOptions): Tensor<Shape, X["dtype"]>;
}
interface HistcArguments {
  readonly x: Tensor;
  readonly bins: number;
  readonly min: number;
  readonly max: number;
}
/** Returns the number of elements in each of `bins` bins of equal width between min and max, or between the smallest and the largest element if min equals max. */
export const histc: Histc = /* @__PURE__ */ routineOp<Histc, HistcArguments>(
  "histc(x, bins = 100; min = 0, max = 0)",
  ({ x, bins, min, max }) => {
    checkFloats("histc", x);
    if (!Number.isInteger(bins) || bins <= 0)
      throw new StridewiseError(`histc: bins must be a positive integer, got ${bins}`);
    checkRange("histc", min, max);
    checkResultBytes("histc", bins, dtypes[x.dtype].itemsize);
    return { dtype: x.dtype, shape: [bins] };
  },
  ([result], { x, min, max }) => {
    const dense = denseOf(x);
    const values = (): Floats => elementsIn(dense, "histc") as Floats;
    if (min === max && x.size > 0) {
      const range = extent(values());
      checkRange("histc", range.min, range.max);
    }
    writeTo(result, dense.dtype, null, "histc", (out) => {
      countEqual(values(), min, max, elementsIn(out, "histc", true) as Floats);
    });
  },
  // Counts are constant almost everywhere.
  { gradient: () => null },
);

/** Counts, and the edges of their bins. */
export interface Counts<X extends Tensor> {
  readonly hist: Tensor<Shape, X["dtype"]>;
  readonly binEdges: Tensor<Shape, X["dtype"]>;
}
/** The options of histograms. */
export interface HistogramOptions {
  /** The lowest and the highest edge. Default: the smallest and largest element. */
  readonly range?: readonly number[] | undefined;
  /** The weight of each element. */
  readonly weight?: Tensor | undefined;
  /** Returns the share of each bin divided by its width. */
  readonly density?: boolean | undefined;
  readonly out?: { readonly hist: Tensor; readonly binEdges: Tensor } | undefined;
}
/** The type of histogram. */
export interface Histogram extends OpFunction {
  <X extends Tensor>(x: X, bins: number | Tensor, options?: HistogramOptions): Counts<X>;
}
interface HistogramArguments extends Omit<Counting, "bins"> {
  readonly bins: number | Tensor;
}
/** Returns the histogram of x and the bin edges. `bins` is the number of equal-width bins, or a tensor of edges. */
export const histogram: Histogram = /* @__PURE__ */ withNames(
  /* @__PURE__ */ routineOp<OpFunction, HistogramArguments>(
    "histogram(x, bins; range = null, weight = null, density = false)",
    (args) => {
      checkTensor("histogram", args.x);
      return inferCounts("histogram", { ...args, bins: [args.bins] }, sizesOf(args.x));
    },
    (results, args) => fillCounts("histogram", results, { ...args, bins: [args.bins] }),
  ),
  ["hist", "binEdges"],
);

/** The bins of each coordinate: a number of bins or their edges; or one number for all. */
export type BinsOfAll = number | readonly (number | Tensor)[];
/** The type of histogramdd. */
export interface Histogramdd extends OpFunction {
  <X extends Tensor>(
    x: X,
    bins: BinsOfAll,
    options?: Omit<HistogramOptions, "out">,
  ): {
    readonly hist: Tensor<Shape, X["dtype"]>;
    readonly binEdges: readonly Tensor<Shape, X["dtype"]>[];
  };
}
interface PointArguments extends Omit<Counting, "bins"> {
  readonly bins: BinsOfAll;
}

function countingOf({ bins, ...args }: PointArguments): Counting {
  checkTensor("histogramdd", args.x);
  const shape = sizesOf(args.x);
  const dimensions = shape.at(-1) as number;
  if (shape.length < 2)
    throw new ShapeError(`histogramdd: x must have at least 2 axes, points and coordinates, got shape ${show(shape)}`);
  const list = typeof bins === "number" ? new Array<number>(dimensions).fill(bins) : bins;
  if (list.length !== dimensions)
    throw new ShapeError(
      `histogramdd: bins must have an entry for each of ${dimensions} coordinates, got ${list.length}`,
    );
  return { ...args, bins: list };
}

function histogramOfPoints(): Histogramdd {
  const counts = routineOp<OpFunction, PointArguments>(
    "histogramdd(x, bins; range = null, weight = null, density = false)",
    (args) => inferCounts("histogramdd", countingOf(args), sizesOf(args.x).slice(0, -1)),
    (results, args) => fillCounts("histogramdd", results, countingOf(args)),
  );
  const call = (...args: unknown[]): unknown => {
    refuseOut("histogramdd", args);
    const [hist, ...binEdges] = counts.operator.call(args) as readonly Tensor[];
    return { hist, binEdges };
  };
  return Object.assign(call as unknown as Histogramdd, { operator: counts.operator });
}
/** Returns the multidimensional histogram of points, and the bin edges along each coordinate. The last axis of x holds the coordinates of a point. */
export const histogramdd: Histogramdd = /* @__PURE__ */ histogramOfPoints();
