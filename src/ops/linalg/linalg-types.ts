/**
 * The types of ops on matrices: what they take after the first tensor, and the dtypes of what they give. No run-time code.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { ComplexOf, RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { OutOption } from "../op-types.ts";

/** The dtype of a result: the tensor's, that of its absolute values, that of roots, or always the same. */
export type Kind = "same" | "real" | "complex" | DType;
type Given<K, D extends DType> = K extends "same"
  ? D
  : K extends "real"
    ? RealOf<D>
    : K extends "complex"
      ? D extends "float32" | "float64"
        ? ComplexOf<D>
        : D
      : K extends DType
        ? K
        : never;
/** One result. */
export type Result<X extends Tensor, K extends Kind = "same"> = Tensor<Shape, Given<K, X["dtype"]>, "none">;
/** Several results by name. */
export type Results<X extends Tensor, R> = { readonly [N in keyof R]: Result<X, R[N] & Kind> };

type Kinds = Readonly<Record<string, Kind>>;
/** What ops take that have no options of their own. */
export type Plain = [options?: OutOption];

/** Of matrices, one result. */
export interface Gives<P extends readonly unknown[] = Plain, K extends Kind = "same"> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Result<X, K>;
}
/** Of matrices, one result; a method, too. */
export interface MethodGives<P extends readonly unknown[] = Plain, K extends Kind = "same"> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Result<X, K>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => Result<X, K>;
}
/** Options of an op with several results. */
export type OutOf<R> = { readonly out?: { readonly [N in keyof R]: Tensor } | readonly Tensor[] | undefined };
/** Of matrices, several results. */
export interface GivesSome<R extends Kinds, P extends readonly unknown[] = [options?: OutOf<R>]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Results<X, R>;
}
/** Of matrices, several results; a method, too. */
export interface MethodGivesSome<R extends Kinds, P extends readonly unknown[] = [options?: OutOf<R>]>
  extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Results<X, R>;
  readonly method: <X extends Tensor>(this: X, ...more: P) => Results<X, R>;
}

export interface CheckOption {
  /** Refuses a matrix without an answer. */
  readonly checkErrors?: boolean | undefined;
}
export interface UpperOption {
  /** Takes or gives the upper triangle in place of the lower one. */
  readonly upper?: boolean | undefined;
}
export interface HermitianOption {
  /** The matrices are Hermitian; else symmetric. Only their lower triangles are read. */
  readonly hermitian?: boolean | undefined;
}
