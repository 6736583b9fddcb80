/**
 * Histograms of points of several dimensions. A function only, no method.
 */

import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { type Counting, fillCounts, inferCounts } from "./histogram-bins.ts";
import type { HistogramOptions } from "./histogram-ops.ts";
import { refuseOut, routineOp } from "./routine-op.ts";

/** The bins of each dimension: how many, or their edges; one number for all. */
export type BinsOfAll = number | readonly (number | Tensor)[];
/** The type of histogramdd. */
export interface Histogramdd extends OpFunction {
  <X extends Tensor>(
    x: X,
    bins: BinsOfAll,
    options?: Omit<HistogramOptions, "out">,
  ): {
    readonly hist: Tensor<Shape, X["dtype"], "none">;
    readonly binEdges: readonly Tensor<Shape, X["dtype"], "none">[];
  };
}
interface Given extends Omit<Counting, "bins"> {
  readonly bins: BinsOfAll;
}

function countingOf({ bins, ...given }: Given): Counting {
  checkTensor("histogramdd", given.x);
  const shape = sizesOf(given.x);
  const dimensions = shape.at(-1) as number;
  if (shape.length < 2)
    throw new ShapeError(`histogramdd: takes points and their coordinates, at least 2 axes, got shape ${show(shape)}`);
  const list = typeof bins === "number" ? new Array<number>(dimensions).fill(bins) : bins;
  if (list.length !== dimensions)
    throw new ShapeError(`histogramdd: needs bins for ${dimensions} coordinates, got ${list.length}`);
  return { ...given, bins: list };
}

function histogramOfPoints(): Histogramdd {
  const counts = routineOp<OpFunction, Given>(
    "histogramdd(x, bins; range = null, weight = null, density = false)",
    (given) => inferCounts("histogramdd", countingOf(given), sizesOf(given.x).slice(0, -1)),
    (results, given) => fillCounts("histogramdd", results, countingOf(given)),
  );
  const call = (...args: unknown[]): unknown => {
    refuseOut("histogramdd", args);
    const [hist, ...binEdges] = counts.operator.call(args) as readonly Tensor[];
    return { hist, binEdges };
  };
  return Object.assign(call as unknown as Histogramdd, { operator: counts.operator });
}
/** How many points, whose coordinates are the last axis, fall into each cell of a grid, and the edges of the cells. */
export const histogramdd: Histogramdd = /* @__PURE__ */ histogramOfPoints();
