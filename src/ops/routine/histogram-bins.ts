/**
 * Counting the points of a tensor into bins of one or more dimensions: the rule for shapes and edges, and the counting. What the ops
 * `histogram` and `histogramdd` have in common.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { dtypes, isFloatDType } from "../../storage/dtype.ts";
import { showShape } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { differingDTypes, notImplemented } from "../dtype-errors.ts";
import type { Result } from "../op.ts";
import { show } from "../shape-rules.ts";
import { checkReal, denseOf, elementsIn, writeTo } from "./dense-elements.ts";
import { histogram as countPoints, fillEqualEdges } from "./histogram.ts";
import { extent } from "./values.ts";

type Floats = Float32Array | Float64Array;

/** Points, and the bins of each of their dimensions: how many, or their edges. */
export interface Counting {
  /** points * dimensions */
  readonly x: Tensor;
  readonly bins: readonly (number | Tensor)[];
  /** The lowest and highest edge of each dimension, one after the other. */
  readonly range: readonly number[] | null;
  readonly weight: Tensor | null;
  readonly density: boolean;
}

/** The counts, then the edges of each dimension; `weightShape` is the shape that weights must have. */
export function inferCounts(
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
        `${who}: weight must have a value for each point, ${show(weightShape)}, got ${showShape(weight)}`,
      );
    checkSame(who, "weight", x, weight);
  }
  const edges = bins.map((given, d) => {
    if (given instanceof Tensor) {
      checkSame(who, `bins for dimension ${d}`, x, given);
      if (given.rank !== 1) throw new ShapeError(`${who}: bins of axis ${d} must have one axis, got ${given.rank}`);
    }
    const count = given instanceof Tensor ? given.size - 1 : given;
    if (!Number.isInteger(count) || count <= 0)
      throw new StridewiseError(`${who}: bins must be above 0, got ${count} for axis ${d}`);
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

/** Refuses tensors whose elements are no floats. */
export function checkFloats(who: string, x: Tensor): void {
  checkReal(who, x);
  if (!isFloatDType(x.dtype)) throw notImplemented(who, x.dtype);
}

function checkSame(who: string, what: string, x: Tensor, other: Tensor): void {
  if (x.dtype !== other.dtype) throw differingDTypes(who, `x and ${what}`, x.dtype, other.dtype);
}

/** Refuses a range that ends before it begins, or never. */
export function checkRange(who: string, min: number, max: number): void {
  if (!Number.isFinite(min) || !Number.isFinite(max))
    throw new StridewiseError(`${who}: range of [${min}, ${max}] is not finite. Give the range`);
  if (min > max) throw new StridewiseError(`${who}: max must be larger than min, got ${min} and ${max}`);
}

function rangeOf(who: string, values: Floats, d: number, { bins, range }: Counting): [min: number, max: number] {
  let [min, max] = [range?.[2 * d] ?? 0, range?.[2 * d + 1] ?? 1];
  if (range === null && values.length > 0)
    ({ min, max } = extent(bins.length === 1 ? values : values.filter((_, i) => i % bins.length === d)));
  checkRange(who, min, max);
  return [min, max];
}

/** Writes edges and counts. */
export function fillCounts(who: string, results: readonly Tensor[], counting: Counting): void {
  const x = denseOf(counting.x);
  const points = (): Floats => elementsIn(x, who) as Floats;
  const like = (length: number): Floats =>
    x.dtype === "float64" ? new Float64Array(length) : new Float32Array(length);
  const bins = counting.bins.map((given, d) => {
    if (given instanceof Tensor) return { edges: elementsIn(denseOf(given), who).slice() as Floats, equal: false };
    const edges = like(given + 1);
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
