/**
 * A call of a reduction as its gradient sees it: what was reduced, over which axes, and how results are put beside the elements again.
 */
import type { DType } from "../../storage/dtype.ts";
import type { RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { isOptions } from "../signature.ts";
import { reshape, to } from "../views.ts";
import { type Axes, countReduced, reducedAxes, reducedShape } from "./axes.ts";
import type { ReduceOptions } from "./reduce-types.ts";

export interface ReducedCall {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** The axes that it goes over. */
  readonly reduced: readonly number[];
  /** How many elements each result is made of. */
  readonly count: number;
  readonly options: ReduceOptions;
  /** A result, or its gradient, with axes of size 1 in the place of those that are gone. */
  beside(t: Tensor): Tensor;
  /** The elements in the dtype that they were reduced in. */
  elements(x: Tensor): Tensor;
}

/** What a call of a reduction was given. */
export function reducedCall({ args }: RecordedCall): ReducedCall {
  const [x, axis, more] = args as [Tensor, Axes | ReduceOptions, ReduceOptions?];
  const [axes, options] = isOptions(axis) ? [undefined, axis as ReduceOptions] : [axis as Axes, more ?? {}];
  const { dtype } = x;
  const shape = sizesOf(x);
  const reduced = reducedAxes("backward", x, axes);
  const kept = reducedShape(shape, reduced, true) as number[];
  return {
    shape,
    dtype,
    reduced,
    count: countReduced(x, reduced),
    options,
    beside: (t) => reshape(t, kept),
    elements: (t) => to(t, options.dtype ?? dtype),
  };
}

/** A formula over tensors and numbers as an op, for gradients: its own follows from the formula. */
export interface GradientFormula extends OpFunction {
  (...operands: readonly (Tensor | number)[]): Tensor;
}
