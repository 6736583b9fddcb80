/**
 * The types of composite ops. No run-time code.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { FloatOf, IfFloat, Promote } from "../op-types.ts";

/** The type of ops that keep the shape and dtype of their first tensor. */
export interface SameShapeOp<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Tensor<X["shape"], X["dtype"]>;
}
/** The type of ops whose shape is known at run time only; they keep the dtype of their first tensor, or return R. */
export interface DynamicShapeOp<P extends readonly unknown[], R = null> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): [R] extends [null] ? Tensor<Shape, X["dtype"]> : R;
}
/** The type of ops whose shape is known at run time only; integers become floats. */
export interface DynamicFloatOp<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Tensor<Shape, FloatOf<X["dtype"]>>;
}
/** The dtype of an op on two tensors: the promoted one, as a float, or as a real float. */
type PairDType<K, D extends DType> = K extends "same"
  ? D
  : K extends "some"
    ? IfFloat<D>
    : K extends "real"
      ? RealOf<FloatOf<D>>
      : FloatOf<D>;
/** The type of ops on two tensors whose shape is known at run time only. */
export interface PairOp<P extends readonly unknown[], K extends "same" | "some" | "float" | "real" = "float">
  extends OpFunction {
  <X extends Tensor, Y extends Tensor>(
    x: X,
    other: Y,
    ...more: P
  ): Tensor<Shape, PairDType<K, Promote<X["dtype"], Y["dtype"]>>>;
}
/** The type of formulas over tensors and numbers inside other ops. */
export interface Part extends OpFunction {
  (...operands: readonly (Tensor | number | null | { readonly out: Tensor })[]): Tensor;
}

/** An optional tensor. */
export type Maybe = Tensor | null | undefined;
