/**
 * The shape and dtype of the data of `tensor(...)`, as types: nested arrays, typed arrays, tensors, single values.
 * All rows at a depth are checked together, as one union; only if they may differ, one by one. A dtype never depends on
 * a number's value: numbers get the default dtype, booleans bool, bigints int64, complex numbers the default complex dtype.
 */
import type { Single } from "../../layout/types/literal-times.ts";
import type { DefaultComplexDType, DefaultDType } from "../../storage/default-dtype.ts";
import type { Complex, DType, TypedArray } from "../../storage/dtype.ts";
import type { Known, Shape } from "./types.ts";

export type { DefaultDType } from "../../storage/default-dtype.ts";

/** One element. */
export type Scalar = number | bigint | boolean | Complex;
/** The part of a tensor that these types need. */
export interface ShapedData<S extends Shape = Shape, D extends DType = DType> {
  readonly shape: S;
  readonly dtype: D;
}

type Tuple = readonly unknown[];

/** The shape of nested data; unknown lengths are `number`, and rows of an unknown kind make it `Shape`. */
export type ShapeOfNested<T> = ShapeFrom<T, []> extends infer S extends Shape ? S : Shape;
type ShapeFrom<T, Out extends Shape> = [unknown] extends [T]
  ? Shape
  : [T] extends [never]
    ? Out
    : [T] extends [Tuple]
      ? ShapeFrom<T[number], [...Out, Single<T["length"]>]>
      : [T] extends [Scalar]
        ? Out
        : [T] extends [TypedArray]
          ? [...Out, number]
          : [T] extends [ShapedData<infer S>]
            ? number extends S["length"]
              ? Shape
              : [...Out, ...Known<S>]
            : Shape;

/** The error message for rows of different lengths, or undefined. */
export type RaggedFault<T, Who extends string = "tensor"> = RaggedFaultAt<T, Who, T, []>;
/** Checks all rows at a depth at once; only if they may differ, each of them. */
type RaggedFaultAt<T, Who extends string, All, Depth extends Tuple> = [unknown] extends [T]
  ? undefined
  : [T] extends [never]
    ? undefined
    : [T] extends [Tuple]
      ? IsUnion<T["length"]> extends true
        ? RaggedMessage<Who, LengthsAt<All, Depth>, Depth>
        : RaggedFaultAt<T[number], Who, All, [...Depth, 0]>
      : [T] extends [Scalar | TypedArray | ShapedData]
        ? undefined
        : RaggedMessage<Who, LengthsAt<All, Depth>, Depth>;
type RaggedMessage<Who extends string, Lengths, Depth extends Tuple> = [Lengths] extends [never]
  ? undefined
  : IsUnion<Lengths> extends true
    ? "value" extends Lengths
      ? `${Who}: arrays and single values are mixed at depth ${Depth["length"]}`
      : `${Who}: the rows at depth ${Depth["length"]} differ in length`
    : undefined;
/** The lengths that certainly occur at a depth. */
type LengthsAt<T, Depth extends Tuple> =
  IsUnion<T> extends true
    ? [T] extends [Scalar]
      ? "value"
      : never
    : T extends Tuple
      ? number extends T["length"]
        ? never
        : Depth extends [unknown, ...infer Less]
          ? { [I in keyof T]: LengthsAt<T[I], Less> }[number]
          : T["length"]
      : T extends Scalar
        ? "value"
        : never;
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;

type ByTag = {
  Int8Array: "int8";
  Uint8Array: "uint8";
  Uint8ClampedArray: "uint8";
  Int16Array: "int16";
  Uint16Array: "uint16";
  Int32Array: "int32";
  Uint32Array: "uint32";
  Float16Array: "float16";
  Float32Array: "float32";
  Float64Array: "float64";
  BigInt64Array: "int64";
  BigUint64Array: "uint64";
};

/** The dtype of a tensor of data: the one in the options, else the one of the data. */
export type DTypeOfData<T, Options = undefined> = [Options] extends [{ readonly dtype: infer D extends DType }]
  ? D
  : RequestedDType<Options> | (DTypeOfLeaves<Leaves<T>> extends infer D extends DType ? D : DType);
type RequestedDType<Options> = Options extends { readonly dtype?: infer D } ? Extract<D, DType> : never;
/** The union of all single values; `unknown` if arrays and single values may be mixed. */
export type Leaves<T> = [unknown] extends [T]
  ? T
  : [T] extends [never]
    ? T
    : [T] extends [Tuple]
      ? Leaves<T[number]>
      : [Extract<T, Tuple>] extends [never]
        ? T
        : unknown;
/** The widest kind of single values decides. It is unknown which of them occur, so the result is a union; arrays may have other dtypes. */
type DTypeOfLeaves<L> = [unknown] extends [L]
  ? DType
  : [L] extends [number]
    ? DefaultDType
    : [L] extends [Scalar]
      ? DTypeOfLeaf<L>
      : IsUnion<DTypeOfLeaf<L>> extends false
        ? DTypeOfLeaf<L>
        : DType;
type DTypeOfLeaf<L> = L extends number
  ? DefaultDType
  : L extends boolean
    ? "bool"
    : L extends bigint
      ? "int64"
      : L extends { readonly [Symbol.toStringTag]: infer Tag extends keyof ByTag }
        ? ByTag[Tag]
        : L extends ShapedData<Shape, infer D>
          ? D
          : L extends Complex
            ? DefaultComplexDType
            : DType;
