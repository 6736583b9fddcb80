/**
 * The types of ops as functions and as methods. No run-time code.
 *
 * The type of an op is an interface with its call signature and, as `method`, the signature of the method; `methods.ts` adds the methods to
 * the class. The compiler broadcasts shapes and promotes dtypes where it knows them.
 */
import type { Checked } from "../layout/types/faults.ts";
import type { DefaultComplexDType, DefaultDType } from "../storage/default-dtype.ts";
import type { DType, Value } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import type { Leaves, RaggedFault, ShapeOfNested } from "../tensor/types/nested-data.ts";
import type { RealOf } from "../tensor/types/shape-dtypes.ts";
import type { BroadcastFault } from "../tensor/types/shape-faults.ts";
import type { Broadcast, Shape } from "../tensor/types/types.ts";
import type { OpFunction } from "./elementwise/map.ts";
import type { NestedOperand } from "./elementwise/nested-operands.ts";

/** An operand of an op: a tensor or a number. */
export type OpOperand = Tensor | Value;
/** An operand of an elementwise op: a tensor, a number, or nested arrays of numbers, which are promoted as a number is. */
export type ElementOperand = OpOperand | NestedOperand;

export interface OutOption {
  /** An existing tensor with the shape of the result to write to; it may be an operand. */
  readonly out?: Tensor | undefined;
}

// ---- Shapes -----------------------------------------------------------------------------------------------------

/** The shape of an operand; [] for a number. */
export type ShapeIn<X> = X extends { readonly shape: infer S extends Shape }
  ? S
  : X extends NestedOperand
    ? ShapeOfNested<X>
    : [];
/** The broadcast shape of two operands. */
export type Together<A, B> = Broadcast<ShapeIn<A>, ShapeIn<B>>;
/** The operand, or an error message if it cannot be broadcast. */
export type Fitting<A, B, Who extends string = "broadcast"> = Checked<
  B,
  B extends NestedOperand
    ? RaggedFault<B, Who> extends infer F extends string
      ? F
      : BroadcastFault<ShapeIn<A>, ShapeIn<B>, Who>
    : BroadcastFault<ShapeIn<A>, ShapeIn<B>, Who>
>;

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
/** The integer dtypes whose values each dtype can hold. */
type Below = {
  bool: "bool";
  uint8: "bool" | "uint8";
  int8: "bool" | "int8";
  int16: "bool" | "uint8" | "int8" | "int16";
  int32: "bool" | "uint8" | "int8" | "int16" | "int32";
  int64: "bool" | "uint8" | "int8" | "int16" | "int32" | "int64";
};

/** The promoted dtype of two tensors. */
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
/** A number takes the dtype of the tensor; a bool tensor takes the dtype of the number. */
type WithNumber<D extends DType, V> = [DType] extends [D] ? DType : WithValue<D, V>;
type WithValue<D extends DType, V> = V extends number
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
/** A dtype, or another one for bools. */
export type BoolTo<D extends DType, E extends DType> = [DType] extends [D] ? DType : D extends "bool" ? E : D;
/** An integer to the power of a number: integers for integers, floats for fractions. */
type PowerOf<D extends DType, V> = [DType] extends [D]
  ? DType
  : D extends Floats | Complexes
    ? WithValue<D, V>
    : V extends number
      ? D extends "bool"
        ? "int64" | DefaultDType
        : `${V}` extends `${bigint}`
          ? D
          : number extends V
            ? D | DefaultDType
            : DefaultDType
      : WithValue<D, V>;
/** The dtype of a power. */
type PowerDType<A, B> = A extends Tensor
  ? B extends Tensor
    ? DTypeOf<A, B>
    : PowerOf<DTypeIn<A>, Leaves<B>>
  : DTypeOf<A, B>;
/** float64 or complex128. */
type WideOf<D extends DType> = [DType] extends [D]
  ? "float64" | "complex128"
  : [Extract<D, Complexes>] extends [never]
    ? "float64"
    : "complex128";
/** A float keeps its dtype with an integer exponent, except for halves, which are promoted to the exponent's float32. */
type ScaledDType<A, B> = [DTypeOf<A, B>] extends ["float16" | "bfloat16"] ? DType : FloatOf<DTypeOf<A, B>>;
/** The promoted dtype of two operands. */
export type DTypeOf<A, B> = A extends Tensor
  ? B extends Tensor
    ? Promote<DTypeIn<A>, DTypeIn<B>>
    : WithNumber<DTypeIn<A>, Leaves<B>>
  : B extends Tensor
    ? WithNumber<DTypeIn<B>, Leaves<A>>
    : DType;
/** A float or complex dtype unchanged; others become `DType`. */
export type IfFloat<D extends DType> = [D] extends [Floats | Complexes] ? D : DType;
/** The promoted floating-point dtype of two tensors: float64 unless both are floating point. */
export type WideTogether<A extends DType, B extends DType> = [DType] extends [A] | [B]
  ? DType
  : [A | B] extends [Floats | Complexes]
    ? Promote<A, B>
    : [Extract<A | B, Complexes>] extends [never]
      ? "float64"
      : "complex128";
/** The complex dtype whose parts can hold values of a dtype. */
export type ComplexOf<D extends DType> = [DType] extends [D]
  ? "complex64" | "complex128"
  : D extends "float64" | "complex128"
    ? "complex128"
    : "complex64";
/** A float or complex dtype unchanged; others become the default dtype. */
export type FloatOf<D extends DType> = [DType] extends [D] ? DType : D extends Floats | Complexes ? D : DefaultDType;

// ---- Signatures -------------------------------------------------------------------------------------------------

type NewTensor<S extends Shape, D extends DType> = Tensor<S, D>;

/** The type of ops of one tensor that return its dtype. */
export interface Unary extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], X["dtype"]>;
}
/** The type of ops of one tensor; integers become floats. */
export interface UnaryFloat extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], FloatOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], FloatOf<X["dtype"]>>;
}
/** The type of ops of one tensor; complex numbers become real. */
export interface UnaryReal extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], RealOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], RealOf<X["dtype"]>>;
}
/** The type of ops of one tensor; integers become floats, and complex numbers real. */
export interface UnaryRealFloat extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], RealOf<FloatOf<X["dtype"]>>>;
  readonly method: <X extends Tensor>(
    this: X,
    options?: OutOption,
  ) => NewTensor<X["shape"], RealOf<FloatOf<X["dtype"]>>>;
}
/** The type of ops of one tensor and numbers; bools become numbers of the dtype E. */
export interface UnaryNumeric<E extends DType, P extends readonly unknown[] = []> extends OpFunction {
  <X extends Tensor>(x: X, ...more: [...P, options?: OutOption]): NewTensor<X["shape"], BoolTo<X["dtype"], E>>;
  readonly method: <X extends Tensor>(
    this: X,
    ...more: [...P, options?: OutOption]
  ) => NewTensor<X["shape"], BoolTo<X["dtype"], E>>;
}
/** The type of tests of each element. */
export interface UnaryBool extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): NewTensor<X["shape"], "bool">;
  readonly method: <X extends Tensor>(this: X, options?: OutOption) => NewTensor<X["shape"], "bool">;
}
/** The type of ops of one tensor and numbers that return the tensor's dtype. */
export interface UnaryWith<P extends readonly unknown[], O = object> extends OpFunction {
  <X extends Tensor>(x: X, ...more: [...P, options?: OutOption & O]): NewTensor<X["shape"], X["dtype"]>;
  readonly method: <X extends Tensor>(
    this: X,
    ...more: [...P, options?: OutOption & O]
  ) => NewTensor<X["shape"], X["dtype"]>;
}
/** The type of ops of one tensor and numbers; integers become floats. */
export interface UnaryFloatWith<P extends readonly unknown[], O = object> extends OpFunction {
  <X extends Tensor>(x: X, ...more: [...P, options?: OutOption & O]): NewTensor<X["shape"], FloatOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(
    this: X,
    ...more: [...P, options?: OutOption & O]
  ) => NewTensor<X["shape"], FloatOf<X["dtype"]>>;
}
/** The type of ops of two operands that return their promoted dtype. */
export interface Binary<O = object> extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ): NewTensor<Together<A, B>, DTypeOf<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
// Ops of two operands whose second one is not `other`: a type cannot choose the names of parameters.
/** The type of powers. */
export interface Power extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    exponent: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, PowerDType<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    exponent: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, PowerDType<A, B>>;
}
/** The type of floatPower. */
export interface WidePower extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    exponent: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, WideOf<DTypeOf<A, B>>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    exponent: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, WideOf<DTypeOf<A, B>>>;
}
/** The type of clampMin. */
export interface WithMin extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    min: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, DTypeOf<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    min: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
/** The type of clampMax. */
export interface WithMax extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    max: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, DTypeOf<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    max: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
/** The type of heaviside. */
export interface WithValues extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    values: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, A extends Tensor ? DTypeOf<A, B> : DTypeOf<A, B> | "int64">;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    values: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
/** The type of preluOf. */
export interface WithWeight extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    weight: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, DTypeOf<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    weight: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, DTypeOf<A, B>>;
}
/** The type of ops of two operands; integers become floats. */
export interface BinaryFloat<O = object> extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ): NewTensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption & O,
  ) => NewTensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
}
/** The type of comparisons of two operands. */
export interface BinaryBool extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, "bool">;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, "bool">;
}
/** The type of ldexp. */
export interface Scaled extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ): NewTensor<Together<A, B>, ScaledDType<A, B>>;
  readonly method: <A extends Tensor, const B extends ElementOperand>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ) => NewTensor<Together<A, B>, ScaledDType<A, B>>;
}
type Bound = Tensor | number | bigint | null;
/** A bound that is a tensor is promoted; one that is a number only changes bools. */
type ClampedDType<D extends DType, B> = [Extract<B, Tensor>] extends [never]
  ? BoolTo<D, "int64" | DefaultDType>
  : [Extract<B, Tensor>["dtype"]] extends [D]
    ? [D] extends [Extract<B, Tensor>["dtype"]]
      ? D
      : DType
    : DType;
/** The type of clamp. */
export interface Clamp extends OpFunction {
  <X extends Tensor, L extends Bound = null, H extends Bound = null>(
    x: X,
    min?: L,
    max?: H,
    options?: OutOption,
  ): NewTensor<X["shape"], ClampedDType<X["dtype"], L | H>>;
  readonly method: <X extends Tensor, L extends Bound = null, H extends Bound = null>(
    this: X,
    min?: L,
    max?: H,
    options?: OutOption,
  ) => NewTensor<X["shape"], ClampedDType<X["dtype"], L | H>>;
}
/** The dtype of the first of three operands if the others have it too. */
type DTypeOfThree<D extends DType, U extends DType> = "bool" extends U ? DType : [U] extends [D] ? D : DType;
type DTypesIn<A, B, C> = [B | C] extends [Tensor | number | bigint | boolean]
  ? DTypeIn<A> | DTypeIn<B> | DTypeIn<C>
  : DType;
type OfThree<A, B, C> = NewTensor<Broadcast<Together<A, B>, ShapeIn<C>>, DTypeOfThree<DTypeIn<A>, DTypesIn<A, B, C>>>;
/** The type of addcdiv: integers become floats. */
export interface TernaryFloat<O = object> extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand, const C extends ElementOperand>(
    x: A,
    tensor1: B,
    tensor2: C,
    options?: OutOption & O,
  ): NewTensor<Broadcast<Together<A, B>, ShapeIn<C>>, FloatOf<DTypeOfThree<DTypeIn<A>, DTypesIn<A, B, C>>>>;
  readonly method: <A extends Tensor, const B extends ElementOperand, const C extends ElementOperand>(
    this: A,
    tensor1: B,
    tensor2: C,
    options?: OutOption & O,
  ) => NewTensor<Broadcast<Together<A, B>, ShapeIn<C>>, FloatOf<DTypeOfThree<DTypeIn<A>, DTypesIn<A, B, C>>>>;
}
/** The type of ops of x and two operands that return their promoted dtype. */
export interface Ternary<O = object> extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand, const C extends ElementOperand>(
    x: A,
    tensor1: B,
    tensor2: C,
    options?: OutOption & O,
  ): OfThree<A, B, C>;
  readonly method: <A extends Tensor, const B extends ElementOperand, const C extends ElementOperand>(
    this: A,
    tensor1: B,
    tensor2: C,
    options?: OutOption & O,
  ) => OfThree<A, B, C>;
}
/** The type of lerp. */
export interface LerpOp extends OpFunction {
  <const A extends ElementOperand, const B extends ElementOperand, const C extends ElementOperand>(
    x: A,
    end: B,
    weight: C,
    options?: OutOption,
  ): OfThree<A, B, C>;
  readonly method: <A extends Tensor, const B extends ElementOperand, const C extends ElementOperand>(
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

/** The in-place form of an op: it writes the result to the tensor and returns the tensor. */
export type InPlaceForm<F extends HasMethod> = F["method"] extends (...args: infer P) => unknown
  ? <X extends Tensor>(this: X, ...args: P) => X
  : never;
