/**
 * The types of composite ops. No run-time code.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";

/** The type of ops that keep the shape and dtype of their first tensor. */
export interface SameShapeOp<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Tensor<X["shape"], X["dtype"]>;
}
/** The type of ops whose shape is known at run time only; they keep the dtype of their first tensor, or return R. */
export interface DynamicShapeOp<P extends readonly unknown[], R = null> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): [R] extends [null] ? Tensor<Shape, X["dtype"]> : R;
}
/** The type of formulas over tensors and numbers inside other ops. */
export interface Part extends OpFunction {
  (...operands: readonly (Tensor | number | null | { readonly out: Tensor })[]): Tensor;
}

/** An optional tensor. */
export type Maybe = Tensor | null | undefined;
