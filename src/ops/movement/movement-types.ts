/**
 * The types of movement ops as functions and as methods, by the parameters after the tensor. No run-time code.
 * The compiler does not compute the shapes of most results, unless they stay the same.
 */
import type { Value } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import type { ResizedShape } from "../../tensor/types/shape-views.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { Indices } from "../index-arguments.ts";
import type { IndexDType } from "../indices.ts";
import type { OutOption } from "../op-types.ts";
import type { SumDType } from "../reduce/reduce-types.ts";

/** A tensor of any shape with the dtype of X. */
export type Reshaped<X extends Tensor> = Tensor<Shape, X["dtype"]>;
/** A tensor with the shape and dtype of X. */
export type SameShape<X extends Tensor> = Tensor<X["shape"], X["dtype"]>;
/** Indices, int32 or int64; the dtype is checked at run time. */
export type IndexTensor = Tensor;
/** A tensor, or one number for all elements. */
export type TensorOrNumber = Tensor | Value;

/** An op on one tensor that keeps its dtype. */
export interface Moves<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => Reshaped<X>;
}
/** An op on one tensor that keeps its dtype and is not a method. */
export interface MovesFunction<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>;
}
/** The type of sumToSize: sums of integers are int64, and a tensor of that size is returned as it is. */
export interface SumsTo extends OpFunction {
  <X extends Tensor>(
    x: X,
    shape: number | readonly number[],
    ...more: number[]
  ): Tensor<Shape, X["dtype"] | SumDType<X["dtype"]>>;
  readonly method: <X extends Tensor>(
    this: X,
    shape: number | readonly number[],
    ...more: number[]
  ) => Tensor<Shape, X["dtype"] | SumDType<X["dtype"]>>;
}
/** An op on one tensor that keeps its shape and dtype. */
export interface Keeps<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): SameShape<X>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => SameShape<X>;
}
/** The type of gather: the result has the shape of the indices. */
export interface Gathers extends OpFunction {
  <X extends Tensor, I extends Indices>(x: X, axis: Axis, index: I, options?: OutOption): Gathered<X, I>;
  readonly method: <X extends Tensor, I extends Indices>(
    this: X,
    axis: Axis,
    index: I,
    options?: OutOption,
  ) => Gathered<X, I>;
}
type Gathered<X extends Tensor, I> = Tensor<I extends Tensor ? I["shape"] : Shape, X["dtype"]>;
/** The type of indexSelect: the axis has the length of the indices. */
export interface SelectsByIndex extends OpFunction {
  <X extends Tensor, A extends Axis, const I extends Indices>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    index: I,
    options?: OutOption,
  ): Selected<X, A, I>;
  readonly method: <X extends Tensor, A extends Axis, const I extends Indices>(
    this: X,
    axis: CheckedAxis<X["shape"], A>,
    index: I,
    options?: OutOption,
  ) => Selected<X, A, I>;
}
type Selected<X extends Tensor, A extends Axis, I> = Tensor<
  ResizedShape<X["shape"], A, I extends Shape ? I["length"] : number>,
  X["dtype"]
>;
/** An op that writes to a tensor in place and returns it. */
export interface Writes<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): X;
  readonly method: <X extends Tensor>(this: X, ...more: P) => X;
}
/** An op on one tensor with several results. */
export interface MovesToMany<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>[];
  readonly method: <X extends Tensor>(this: X, ...more: P) => Reshaped<X>[];
}
/** An op that returns indices. */
export interface FindsIndices<P extends readonly unknown[]> extends OpFunction {
  (x: Tensor, ...more: P): Tensor<Shape, IndexDType>;
  readonly method: (this: Tensor, ...more: P) => Tensor<Shape, IndexDType>;
}
