/**
 * The types of ops on matrices: the arguments after the first tensor, and the dtypes of the results. No run-time code.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { ComplexOf, RealOf } from "../../tensor/types/shape-dtypes.ts";
import type { Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { FloatOf, OutOption, Promote } from "../op-types.ts";
import type { SumDType } from "../reduce/reduce-types.ts";

/** The dtype of a result: that of the argument, its real or complex counterpart, or a fixed one. */
type Kind = "same" | "real" | "real float" | "sum" | "complex" | DType;
type DTypeOfKind<K, D extends DType> = K extends "same"
  ? D
  : K extends "real"
    ? RealOf<D>
    : K extends "real float"
      ? RealOf<FloatOf<D>>
      : K extends "sum"
        ? SumDType<D>
        : K extends "complex"
          ? D extends "float32" | "float64"
            ? ComplexOf<D>
            : D
          : K extends DType
            ? K
            : never;
/** One result. */
export type Result<X extends Tensor, K extends Kind = "same"> = Tensor<Shape, DTypeOfKind<K, X["dtype"]>>;
/** Several results by name. */
type Results<X extends Tensor, R> = { readonly [N in keyof R]: Result<X, R[N] & Kind> };

type Kinds = Readonly<Record<string, Kind>>;
/** The arguments of ops without options of their own. */
export type Plain = [options?: OutOption];

/** The type of ops with one result. */
export interface Gives<P extends readonly unknown[] = Plain, K extends Kind = "same"> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Result<X, K>;
}
/** The type of ops of two tensors with one result, in their promoted dtype. */
export interface GivesOfTwo<P extends readonly unknown[] = Plain, K extends Kind = "same"> extends OpFunction {
  <X extends Tensor, Y extends Tensor>(
    x: X,
    other: Y,
    ...more: P
  ): Tensor<Shape, DTypeOfKind<K, Promote<X["dtype"], Y["dtype"]>>>;
}
/** The option `out` of ops with several results. */
export type OutOf<R> = { readonly out?: { readonly [N in keyof R]: Tensor } | readonly Tensor[] | undefined };
/** The type of ops with several results. */
export interface GivesSome<R extends Kinds, P extends readonly unknown[] = [options?: OutOf<R>]> extends OpFunction {
  <X extends Tensor>(x: X, ...more: P): Results<X, R>;
}

export interface CheckOption {
  /** Throws for a matrix without a result. */
  readonly checkErrors?: boolean | undefined;
}
export interface UpperOption {
  /** Uses the upper triangle instead of the lower one. */
  readonly upper?: boolean | undefined;
}
export interface HermitianOption {
  /** The matrices are Hermitian, otherwise symmetric. Only their lower triangles are read. */
  readonly hermitian?: boolean | undefined;
}
