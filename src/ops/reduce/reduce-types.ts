/**
 * The types of reductions: the shapes that are left, in the type checker. No run-time code.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { PlaceOf, Removed, Replaced, Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { OutOption } from "../op-types.ts";
import type { PositionDType } from "../positions.ts";
import type { Axes } from "./axes.ts";

export interface ReduceOptions {
  /** Leaves axes of size 1 in the place of those that are reduced: false unless given. */
  readonly keepdims?: boolean | undefined;
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  /** An existing tensor for the result. */
  readonly out?: Tensor | undefined;
}

/** Of a reduction whose result has a dtype of its own. */
export type NoDType = { readonly dtype?: never };

type Ones<S extends Shape> = { -readonly [I in keyof S]: 1 };
type Keeps<O> = O extends { readonly keepdims: true }
  ? true
  : O extends { readonly keepdims?: infer K }
    ? boolean extends K
      ? boolean
      : false
    : false;

/** The shape that is left of S when A is reduced. */
export type ReducedShape<S extends Shape, A, O = undefined> =
  boolean extends Keeps<O>
    ? Shape
    : A extends readonly [] | undefined | null
      ? Keeps<O> extends true
        ? Ones<S>
        : []
      : A extends Axis
        ? number extends S["length"]
          ? Shape
          : S extends readonly []
            ? []
            : Keeps<O> extends true
              ? Replaced<S, PlaceOf<S, A>, 1>
              : Removed<S, PlaceOf<S, A>>
        : Shape;

/** Options that stand in the place of the axis. */
type AxesIn<A> = A extends Axes ? A : undefined;
type OptionsIn<A, O> = A extends Axes ? O : A;
/** The shape that is left of X, by an axis and options, or by options alone. */
type Left<X extends Tensor, A, O> = ReducedShape<X["shape"], AxesIn<A>, OptionsIn<A, O>>;

type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType } ? E : D;

/** Sums of integers are int64. */
export type SumDType<D extends DType> = [DType] extends [D]
  ? DType
  : D extends "bool" | "uint8" | "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32"
    ? "int64"
    : D;

/** A reduction in the dtype of the elements. */
export interface Reduce<More = object> extends OpFunction {
  <
    X extends Tensor,
    const A extends Axes | (ReduceOptions & More) = undefined,
    const O extends (ReduceOptions & More) | undefined = undefined,
  >(
    x: X,
    axis?: A,
    options?: O,
  ): Tensor<Left<X, A, O>, AskedOr<OptionsIn<A, O>, X["dtype"]>, "none">;
  readonly method: <
    X extends Tensor,
    const A extends Axes | (ReduceOptions & More) = undefined,
    const O extends (ReduceOptions & More) | undefined = undefined,
  >(
    this: X,
    axis?: A,
    options?: O,
  ) => Tensor<Left<X, A, O>, AskedOr<OptionsIn<A, O>, X["dtype"]>, "none">;
}

/** A reduction that makes int64 of integers. */
export interface ReduceSum extends OpFunction {
  <
    X extends Tensor,
    const A extends Axes | ReduceOptions = undefined,
    const O extends ReduceOptions | undefined = undefined,
  >(
    x: X,
    axis?: A,
    options?: O,
  ): Tensor<Left<X, A, O>, AskedOr<OptionsIn<A, O>, SumDType<X["dtype"]>>, "none">;
  readonly method: <
    X extends Tensor,
    const A extends Axes | ReduceOptions = undefined,
    const O extends ReduceOptions | undefined = undefined,
  >(
    this: X,
    axis?: A,
    options?: O,
  ) => Tensor<Left<X, A, O>, AskedOr<OptionsIn<A, O>, SumDType<X["dtype"]>>, "none">;
}

/** A reduction with a dtype of its own. */
export interface ReduceTo<D extends DType, More = object> extends OpFunction {
  <
    X extends Tensor,
    const A extends Axes | (ReduceOptions & More) = undefined,
    const O extends (ReduceOptions & More) | undefined = undefined,
  >(
    x: X,
    axis?: A,
    options?: O,
  ): Tensor<Left<X, A, O>, D, "none">;
  readonly method: <
    X extends Tensor,
    const A extends Axes | (ReduceOptions & More) = undefined,
    const O extends (ReduceOptions & More) | undefined = undefined,
  >(
    this: X,
    axis?: A,
    options?: O,
  ) => Tensor<Left<X, A, O>, D, "none">;
}

/** An extreme along one axis, and where it is. */
export interface ValuesIndices {
  readonly values: Tensor;
  readonly indices: Tensor<Shape, PositionDType>;
}

export interface ExtremeOptions extends Pick<ReduceOptions, "keepdims"> {
  /** Existing tensors for the results. */
  readonly out?: ValuesIndices | undefined;
}

/** min and max: of all elements, along an axis with the place, or of two tensors. */
export interface Extreme extends OpFunction {
  /** The largest or smallest of all elements, as the name says. */
  <X extends Tensor, const O extends Omit<ReduceOptions, "dtype"> | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"], "none">;
  /** The largest or smallest elements along an axis, as the name says, and their places. */
  (x: Tensor, axis: Axis, options?: ExtremeOptions): ValuesIndices;
  /** The larger or smaller elements of two tensors, as the name says. */
  (x: Tensor, other: Tensor, options?: OutOption): Tensor;
  readonly method: {
    /** The largest or smallest of all elements, as the name says. */
    <X extends Tensor, const O extends Omit<ReduceOptions, "dtype"> | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"], "none">;
    /** The largest or smallest elements along an axis, as the name says, and their places. */
    (this: Tensor, axis: Axis, options?: ExtremeOptions): ValuesIndices;
    /** The larger or smaller elements of two tensors, as the name says. */
    (this: Tensor, other: Tensor, options?: OutOption): Tensor;
  };
}
