/**
 * The types of ops: what they take and give, as functions and as methods. No run-time code.
 *
 * An op's type is an interface with its call signature and, under `method`, the same as a method of tensors; `methods.ts` puts these on
 * the class. Shapes are broadcast and dtypes promoted by the compiler where it knows them.
 */
import type { Checked } from "../layout/types/faults.ts";
import type { DefaultComplexDType, DefaultDType } from "../storage/default-dtype.ts";
import type { DType, Value } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { RealOf } from "../tensor/types/shape-dtypes.ts";
import type { BroadcastFault } from "../tensor/types/shape-faults.ts";
import type { Broadcast, Shape } from "../tensor/types/types.ts";
import type { OpFunction } from "./elementwise/map.ts";

/** What an op computes with: a tensor or a number. */
export type OpOperand = Tensor | Value;

export interface OutOption {
  /** An existing tensor for the result, of its shape; it may be an operand itself. */
  readonly out?: Tensor | undefined;
}

// ---- Shapes -----------------------------------------------------------------------------------------------------

/** The shape of an operand: a number has none. */
export type ShapeIn<X> = X extends { readonly shape: infer S extends Shape } ? S : [];
/** The shape that operands have together. */
export type Together<A, B> = Broadcast<ShapeIn<A>, ShapeIn<B>>;
/** The operand, or the sentence why it does not fit. */
export type Fitting<A, B, Who extends string = "broadcast"> = Checked<B, BroadcastFault<ShapeIn<A>, ShapeIn<B>, Who>>;

// ---- Dtypes -----------------------------------------------------------------------------------------------------

type Floats = "float16" | "bfloat16" | "float32" | "float64";
type Complexes = "complex64" | "complex128";
type IntegerRank = {
  bool: 0;
  uint8: 1;
  int8: 2;
  int16: 3;
  int32: 4;
  int64: 5;
};
type Higher<A extends DType, B extends DType> = A extends keyof IntegerRank
  ? B extends keyof IntegerRank
    ? A | B extends "uint8" | "int8"
      ? [A] extends [B]
        ? A
        : "int16"
      : B extends Below[A]
        ? A
        : B
    : DType
  : DType;
/** The integers that each holds. */
type Below = {
  bool: "bool";
  uint8: "bool" | "uint8";
  int8: "bool" | "int8";
  int16: "bool" | "uint8" | "int8" | "int16";
  int32: "bool" | "uint8" | "int8" | "int16" | "int32";
  int64: "bool" | "uint8" | "int8" | "int16" | "int32" | "int64";
};

/** The dtype of two tensors together. */
export type Promote<A extends DType, B extends DType> = [DType] extends [A] | [B]
  ? DType
  : [A] extends [B]
    ? [B] extends [A]
      ? A
      : PromoteTwo<A, B>
    : PromoteTwo<A, B>;
type PromoteTwo<A extends DType, B extends DType> = [Extract<A | B, Complexes>] extends [never]
  ? [Extract<A | B, Floats>] extends [never]
    ? Higher<A, B>
    : [A | B] extends [Floats]
      ? [Extract<A | B, "float64">] extends [never]
        ? "float32"
        : [A] extends ["float64"]
          ? "float64"
          : [B] extends ["float64"]
            ? "float64"
            : "float32" | "float64"
      : Extract<A | B, Floats>
  : [Extract<A | B, "complex128" | "float64">] extends [never]
    ? "complex64"
    : "complex128";

type DTypeIn<X> = X extends { readonly dtype: infer D extends DType } ? D : never;
/** A number takes the dtype of the tensor that it meets; a bool becomes a number's. */
type WithNumber<D extends DType, V> = V extends number
  ? D extends "bool"
    ? DefaultDType
    : D
  : V extends boolean
    ? D
    : V extends bigint
      ? D extends "bool"
        ? "int64"
        : D
      : D extends "float64" | "complex128"
        ? "complex128"
        : D extends Floats | Complexes
          ? "complex64"
          : DefaultComplexDType;
/** The dtype that operands have together. */
export type DTypeOf<A, B> = A extends Tensor
  ? B extends Tensor
    ? Promote<DTypeIn<A>, DTypeIn<B>>
    : WithNumber<DTypeIn<A>, B>
  : B extends Tensor
    ? WithNumber<DTypeIn<B>, A>
    : DType;
/** A float or complex dtype as it is; of others more has to be known. */
export type IfFloat<D extends DType> = [D] extends [Floats | Complexes] ? D : DType;
/** The dtype of two tensors together, as floats: float64 unless both are floats. */
export type WideTogether<A extends DType, B extends DType> = [DType] extends [A] | [B]
  ? DType
  : [A | B] extends [Floats | Complexes]
    ? Promote<A, B>
    : [Extract<A | B, Complexes>] extends [never]
      ? "float64"
      : "complex128";
/** The complex dtype that holds a dtype's numbers as floats. */
export type ComplexOf<D extends DType> = [DType] extends [D]
  ? "complex64" | "complex128"
  : D extends "float64" | "complex128"
    ? "complex128"
    : "complex64";
/** A float or complex dtype as it is, others as the default dtype. */
export type FloatOf<D extends DType> = [DType] extends [D] ? DType : D extends Floats | Complexes ? D : DefaultDType;

// ---- Signatures -------------------------------------------------------------------------------------------------

type NewTensor<S extends Shape, D extends DType> = Tensor<S, D, "none">;

/** Of one tensor, in its dtype. */
export interface Unary extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], X["dtype"]>;
}
/** Of one tensor; integers become floats. */
export interface UnaryFloat extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], FloatOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], FloatOf<X["dtype"]>>;
}
/** Of one tensor; complex numbers become real. */
export interface UnaryReal extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], RealOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], RealOf<X["dtype"]>>;
}
/** A question about each element. */
export interface UnaryBool extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], "bool">;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], "bool">;
}
/** Of one tensor and numbers, in the tensor's dtype. */
export interface UnaryWith<P extends readonly unknown[], O = object> extends OpFunction {
  <X extends Tensor>(x: X, ...more: [...P, options?: OutOption & O]): NewTensor<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor>(
    this: X,
    ...more: [...P, options?: OutOption & O]
  ) => NewTensor<X["shape"], X["dtype"]>;
}
/** The same where integers become floats. */
export interface UnaryFloatWith<P extends readonly unknown[], O = object> extends OpFunction {
  <X extends Tensor>(x: X, ...more: [...P, options?: OutOption & O]): NewTensor<X["shape"], FloatOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(
    this: X,
    ...more: [...P, options?: OutOption & O]
  ) => NewTensor<X["shape"], FloatOf<X["dtype"]>>;
}
/** Of two operands, in their common dtype. */
export interface Binary<O = object> extends OpFunction {
  <A extends OpOperand, B extends OpOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ): NewTensor<Together<A, B>, DTypeOf<A, B>>;
  readonly method: <A extends Tensor, B extends OpOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
/** Of two operands; integers become floats. */
export interface BinaryFloat<O = object> extends OpFunction {
  <A extends OpOperand, B extends OpOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ): NewTensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
  readonly method: <A extends Tensor, B extends OpOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ) => NewTensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
}
/** A comparison of two operands. */
export interface BinaryBool extends OpFunction {
  <A extends OpOperand, B extends OpOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, "bool">;
  readonly method: <A extends Tensor, B extends OpOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, "bool">;
}
type OfThree<A, B, C> = NewTensor<Broadcast<Together<A, B>, ShapeIn<C>>, DTypeOf<A, B>>;
/** Two tensors or numbers besides x, in the common dtype of x and the first. */
export interface Ternary<O = object> extends OpFunction {
  <A extends OpOperand, B extends OpOperand, C extends OpOperand>(
    x: A,
    first: B,
    second: C,
    options?: OutOption & O,
  ): OfThree<A, B, C>;
  readonly method: <A extends Tensor, B extends OpOperand, C extends OpOperand>(
    this: A,
    first: B,
    second: C,
    options?: OutOption & O,
  ) => OfThree<A, B, C>;
}
/** The type of lerp. */
export interface Between extends OpFunction {
  <A extends OpOperand, B extends OpOperand, C extends OpOperand>(
    x: A,
    end: B,
    weight: C,
    options?: OutOption,
  ): OfThree<A, B, C>;
  readonly method: <A extends Tensor, B extends OpOperand, C extends OpOperand>(
    this: A,
    end: B,
    weight: C,
    options?: OutOption,
  ) => OfThree<A, B, C>;
}

// ---- Methods ----------------------------------------------------------------------------------------------------

type HasMethod = { readonly method: unknown };
/** An op as a method. */
export type MethodOf<F extends HasMethod> = F["method"];

/** An op in place: the result is written to the tensor itself, which is given back. */
export type InPlaceForm<F extends HasMethod> = F["method"] extends (...args: infer P) => unknown
  ? <X extends Tensor>(this: X, ...args: P) => X
  : never;
