/**
 * The types of ops that are made of other ops. No run-time code.
 */
import type { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";

/** Of one tensor and more, in its shape and dtype. */
export interface Keeping<P extends readonly unknown[]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Tensor<X["shape"], X["dtype"], "none">;
}
/** The same, a method of tensors too. */
export interface KeepingMethod<P extends readonly unknown[]> extends Keeping<P> {
  readonly method: <X extends Tensor>(this: X, ...more: P) => Tensor<X["shape"], X["dtype"], "none">;
}
/** Of one tensor and more; shape and dtype follow at run time. */
export interface Making<P extends readonly unknown[], R = Tensor> extends OpFunction {
  (x: Tensor, ...more: P): R;
}
/** A formula over tensors and numbers that is part of another op. */
export interface Part extends OpFunction {
  (...operands: readonly (Tensor | number | null | { readonly out: Tensor })[]): Tensor;
}

/** A tensor that may be left away. */
export type Maybe = Tensor | null | undefined;
