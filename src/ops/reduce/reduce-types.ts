/**
 * The types of reductions; the compiler computes the shapes of their results. No run-time code.
 */
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { CheckedAxis } from "../../tensor/types/shape-faults.ts";
import type { PlaceOf, Removed, Replaced, Shape } from "../../tensor/types/types.ts";
import type { OpFunction } from "../elementwise/map.ts";
import type { IndexDType } from "../indices.ts";
import type { DTypeOf, FloatOf, OutOption, Together } from "../op-types.ts";
import type { Axes } from "./axes.ts";

/** NumPy's and PyTorch's name of one option. */
export interface KeepOption {
  /** Keeps the reduced axes with size 1. Default: false. */
  readonly keepdims?: boolean | undefined;
  /** Same as keepdims. */
  readonly keepdim?: boolean | undefined;
}

export interface ReduceOptions extends KeepOption {
  /** The dtype of the result; the elements are converted to it first. */
  readonly dtype?: DType | undefined;
  /** An existing tensor for the result. */
  readonly out?: Tensor | undefined;
}

/** An option type for reductions with a fixed result dtype. */
export type NoDType = { readonly dtype?: never };

type Ones<S extends Shape> = { -readonly [I in keyof S]: 1 };
type Keeps<O> = O extends { readonly keepdims: true } | { readonly keepdim: true }
  ? true
  : O extends { readonly keepdims?: infer K; readonly keepdim?: infer L }
    ? boolean extends K | L
      ? boolean
      : false
    : false;

/** The shape S after reducing the axes A. */
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

type AskedOr<O, D extends DType> = O extends { readonly dtype: infer E extends DType } ? E : D;

/** Sums of integers are int64. */
export type SumDType<D extends DType> = [DType] extends [D]
  ? DType
  : D extends "bool" | "uint8" | "int8" | "int16" | "int32" | "int64" | "uint16" | "uint32"
    ? "int64"
    : D;

/** Excludes lists of axes, which would otherwise count as options without properties. */
type NoList = { readonly [Symbol.iterator]?: never };

/** A reduction in the dtype of the elements. */
export interface Reduce<More = object> extends OpFunction {
  <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, X["dtype"]>>;
  <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, X["dtype"]>>;
  readonly method: {
    <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, X["dtype"]>>;
    <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, X["dtype"]>>;
  };
}

/** A reduction in the dtype of the elements; integers become floats. */
export interface ReduceFloat<More = object> extends OpFunction {
  <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, FloatOf<X["dtype"]>>>;
  <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, FloatOf<X["dtype"]>>>;
  readonly method: {
    <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, FloatOf<X["dtype"]>>>;
    <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, FloatOf<X["dtype"]>>>;
  };
}

/** A reduction that returns int64 for integers. */
export interface ReduceSum extends OpFunction {
  <X extends Tensor, const O extends (ReduceOptions & NoList) | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, SumDType<X["dtype"]>>>;
  <X extends Tensor, const A extends Axes, const O extends ReduceOptions | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, SumDType<X["dtype"]>>>;
  readonly method: {
    <X extends Tensor, const O extends (ReduceOptions & NoList) | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, AskedOr<O, SumDType<X["dtype"]>>>;
    <X extends Tensor, const A extends Axes, const O extends ReduceOptions | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], A, O>, AskedOr<O, SumDType<X["dtype"]>>>;
  };
}

/** A reduction with a fixed result dtype. */
export interface ReduceTo<D extends DType, More = object> extends OpFunction {
  <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, D>;
  <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], A, O>, D>;
  readonly method: {
    <X extends Tensor, const O extends (ReduceOptions & More & NoList) | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, D>;
    <X extends Tensor, const A extends Axes, const O extends (ReduceOptions & More) | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], A, O>, D>;
  };
}

/** Extremes along one axis and their indices. */
export interface ValuesIndices<S extends Shape = Shape, D extends DType = DType> {
  readonly values: Tensor<S, D>;
  readonly indices: Tensor<S, IndexDType>;
}

export interface ExtremeOptions extends Pick<ReduceOptions, "keepdims"> {
  /** Existing tensors for the results. */
  readonly out?: ValuesIndices | undefined;
}

/** Extremes of X along an axis, and their indices. */
type ExtremesAlong<X extends Tensor, A, O> = ValuesIndices<ReducedShape<X["shape"], A, O>, X["dtype"]>;

/** The type of min and max. */
export interface Extreme extends OpFunction {
  /** Returns the maximum or minimum of all elements. */
  <X extends Tensor, const O extends Omit<ReduceOptions, "dtype"> | undefined = undefined>(
    x: X,
    options?: O,
  ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
  /** Returns the maxima or minima along an axis and their indices. */
  <X extends Tensor, const A extends Axis, const O extends ExtremeOptions | undefined = undefined>(
    x: X,
    axis: CheckedAxis<X["shape"], A>,
    options?: O,
  ): ExtremesAlong<X, A, O>;
  /** Returns the elementwise maximum or minimum of two tensors. */
  <X extends Tensor, Y extends Tensor>(x: X, other: Y, options?: OutOption): Tensor<Together<X, Y>, DTypeOf<X, Y>>;
  readonly method: {
    /** Returns the maximum or minimum of all elements. */
    <X extends Tensor, const O extends Omit<ReduceOptions, "dtype"> | undefined = undefined>(
      this: X,
      options?: O,
    ): Tensor<ReducedShape<X["shape"], undefined, O>, X["dtype"]>;
    /** Returns the maxima or minima along an axis and their indices. */
    <X extends Tensor, const A extends Axis, const O extends ExtremeOptions | undefined = undefined>(
      this: X,
      axis: CheckedAxis<X["shape"], A>,
      options?: O,
    ): ExtremesAlong<X, A, O>;
    /** Returns the elementwise maximum or minimum of two tensors. */
    <X extends Tensor, Y extends Tensor>(this: X, other: Y, options?: OutOption): Tensor<Together<X, Y>, DTypeOf<X, Y>>;
  };
}
