/**
 * A recorded call of a reduction, for its gradient: the axes, and the results with the rank of the input.
 */
import type { DType } from "../../storage/dtype.ts";
import type { RecordedCall } from "../../tensor/dispatch/gradient.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { indicesLike } from "../composite/tensors-like.ts";
import { map, type OpFunction } from "../elementwise/map.ts";
import { isOptions } from "../signature.ts";
import { reshape, to } from "../views.ts";
import { type Axes, countReduced, reducedAxes, reducedShape } from "./axes.ts";
import type { ReduceOptions } from "./reduce-types.ts";

export interface ReducedCall {
  readonly shape: readonly number[];
  readonly dtype: DType;
  /** The reduced axes. */
  readonly reduced: readonly number[];
  /** The number of elements that each result is computed from. */
  readonly count: number;
  readonly options: ReduceOptions;
  /** A result, or its gradient, with axes of size 1 for the reduced ones. */
  withReducedAxes(t: Tensor): Tensor;
  /** The elements in the dtype of the reduction. */
  elements(x: Tensor): Tensor;
}

export function reducedCall({ args }: RecordedCall): ReducedCall {
  const [x, axis, more] = args as [Tensor, Axes | ReduceOptions, ReduceOptions?];
  const [axes, options] = isOptions(axis) ? [undefined, axis as ReduceOptions] : [axis as Axes, more ?? {}];
  const { dtype } = x;
  const shape = sizesOf(x);
  const reduced = reducedAxes("backward", x, axes);
  const keptShape = reducedShape(shape, reduced, true) as number[];
  return {
    shape,
    dtype,
    reduced,
    count: countReduced(x, reduced),
    options,
    withReducedAxes: (t) => reshape(t, keptShape),
    elements: (t) => to(t, options.dtype ?? dtype),
  };
}

/** An op of gradients that is a formula of tensors and numbers. */
export interface GradientFormula extends OpFunction {
  (...operands: readonly (Tensor | number)[]): Tensor;
}

const chosen: GradientFormula = /* @__PURE__ */ map("chosen(x, index, at)", "index == at ? x : 0");

/** Expands x along an axis to a size, with 0 everywhere except at `indices`. */
export function atIndices(x: Tensor, indices: Tensor, axis: number, size: number): Tensor {
  const numbers = indicesLike(x, size);
  const shape = sizesOf(x).map((_, at) => (at === axis ? size : 1));
  return chosen(x, indices, reshape(numbers, shape));
}
