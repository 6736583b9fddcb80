/**
 * The types of movement ops: what they take after the tensor, as functions and as methods. No run-time code.
 * Shapes of results are not computed by the compiler, except where they stay as they were.
 */
import type { Value } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { PositionDType } from "../positions.ts";

/** Another shape, the dtype of the first. */
export type Reshaped<X extends Tensor> = Tensor<Shape, X["dtype"], "none">;
/** The shape and dtype of the first. */
export type Kept<X extends Tensor> = Tensor<X["shape"], X["dtype"], "none">;
/** Indices: int32 or int64. Whether they are is seen when it runs. */
export type IndexTensor = Tensor;
/** A tensor, or one number in place of all its elements. */
export type TensorOrNumber = Tensor | Value;

/** Of one tensor, in its dtype. */
export interface Moves<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => Reshaped<X>;
}
/** The same, no method of tensors. */
export interface MovesFunction<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>;
}
/** Of one tensor, in its shape and dtype. */
export interface Keeps<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Kept<X>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => Kept<X>;
}
/** Written to the tensor itself, which is given back. */
export interface Writes<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): X;
  readonly method: <X extends Tensor>(this: X, ...more: P) => X;
}
/** Several tensors of one. */
export interface MovesToMany<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Reshaped<X>[];
  readonly method: <X extends Tensor>(this: X, ...more: P) => Reshaped<X>[];
}
/** Positions of elements. */
export interface FindsPlaces<P extends readonly unknown[]> extends OpFunction {
  (x: Tensor, ...more: P): Tensor<Shape, PositionDType, "none">;
  readonly method: (this: Tensor, ...more: P) => Tensor<Shape, PositionDType, "none">;
}
/** Of a list of tensors. */
export interface Joins<P extends readonly unknown[]> extends OpFunction {
  (tensors: readonly Tensor[], ...more: P): Tensor;
}
