/**
 * Parts that losses share: the reduction of the values of elements or samples, checks, and elements selected by class number.
 */
import { IndexError, ShapeError, StridewiseError } from "../../base/errors.ts";
import type { DType } from "../../storage/dtype.ts";
import { indexRange } from "../../tensor/access/index-range.ts";
import { showShape, sizeAt } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { gather } from "../movement/gather.ts";
import { mean, sum } from "../reduce/reduce.ts";

/** The reduction of the values of a loss. */
export type Reduction = "mean" | "sum" | "none";

export interface LossOptions {
  /** The reduction of the values. Default: "mean". */
  readonly reduction?: Reduction | undefined;
}

/** The result of a loss: a floating-point tensor, so that its item is a number. */
export type LossValue = Tensor<Shape, "float16" | "bfloat16" | "float32" | "float64">;

/** The result of a loss of these dtypes; complex if one of them is known to be complex. */
type LossOf<D extends DType> = [DType] extends [D]
  ? LossValue
  : [Extract<D, `complex${string}`>] extends [never]
    ? LossValue
    : Tensor<Shape, LossValue["dtype"] | "complex64" | "complex128">;
/** A loss of predictions and targets, with more arguments. */
export interface LossWith<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor, T extends Tensor>(x: X, target: T, ...more: P): LossOf<X["dtype"] | T["dtype"]>;
}
/** A loss of predictions and targets. */
export type Loss<O = object> = LossWith<[options?: LossOptions & O]>;

/** Throws unless `reduction` is one. */
export function checkReduction(who: string, reduction: string, more: readonly string[] = []): void {
  if (reduction === "mean" || reduction === "sum" || reduction === "none" || more.includes(reduction)) return;
  throw new StridewiseError(`${who}: reduction must be "mean", "sum" or "none", got ${reduction}`);
}

/** Reduces the values of a loss. */
export function reduced(who: string, values: Tensor, reduction: Reduction = "mean"): Tensor {
  checkReduction(who, reduction);
  return reduction === "none" ? values : reduction === "mean" ? mean(values) : sum(values);
}

/** Throws unless target and x have the same shape. */
export function checkSameShape(who: string, x: Tensor, target: Tensor): void {
  if (showShape(x) === showShape(target)) return;
  throw new ShapeError(`${who}: target and x must have the same shape, got ${showShape(target)} and ${showShape(x)}`);
}

/** Gathers the elements of x at class indices along an axis. */
export const ofClass = (who: string, x: Tensor, axis: number, classes: Tensor): Tensor =>
  byClass(who, x, axis, classes, () => gather(x, axis, classes));

/** Calls a function that selects elements of x by class indices along an axis; the error for an index out of range names it. */
export function byClass<T>(who: string, x: Tensor, axis: number, classes: Tensor, select: () => T): T {
  try {
    return select();
  } catch (error) {
    if (!(error instanceof IndexError)) throw error;
    const [min, max] = indexRange(who, classes);
    const count = sizeAt(x, axis);
    throw new IndexError(
      `${who}: class ${max < count ? min : max} is out of bounds for ${count} classes, 0 to ${count - 1}`,
    );
  }
}
