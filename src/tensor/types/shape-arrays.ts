/**
 * The types of tensors converted to JavaScript: nested arrays as deep as the shape, and the typed array of each dtype.
 */
import type { Complex, DType, TypedArray } from "../../storage/dtype.ts";
import type { Shape } from "./types.ts";

/** One element, as `toArray` returns it. */
type Element<D extends DType, O> = D extends "bool"
  ? boolean
  : D extends "complex64" | "complex128"
    ? Complex
    : D extends "int64" | "uint64"
      ? O extends { readonly bigint: infer B }
        ? B extends true
          ? bigint
          : B extends false | undefined
            ? number
            : number | bigint
        : number
      : number;

/** Elements in arrays that are nested to a depth known at run time. */
export type Nested<E> = E | Nested<E>[];

/** Arrays nested as deep as the shape; to an unknown depth if its rank is unknown. */
export type NestedOf<S extends Shape, D extends DType, O = undefined> = number extends S["length"]
  ? Nested<Element<D, O>>
  : Deep<S, Element<D, O>>;
type Deep<S extends Shape, E> = S extends readonly [number, ...infer Rest extends Shape] ? Deep<Rest, E>[] : E;

/** The typed array of each dtype, over a kind of buffer. */
interface Windows<B extends ArrayBufferLike> {
  bool: Uint8Array<B>;
  uint8: Uint8Array<B>;
  int8: Int8Array<B>;
  int16: Int16Array<B>;
  uint16: Uint16Array<B>;
  int32: Int32Array<B>;
  uint32: Uint32Array<B>;
  int64: BigInt64Array<B>;
  uint64: BigUint64Array<B>;
  float16: Uint16Array<B>;
  bfloat16: Uint16Array<B>;
  float32: Float32Array<B>;
  float64: Float64Array<B>;
  complex64: Float32Array<B>;
  complex128: Float64Array<B>;
}

/** The typed array that holds the memory of a dtype. */
export type WindowFor<D extends DType> = [DType] extends [D] ? TypedArray : Windows<ArrayBufferLike>[D];

/** The typed array that `toTypedArray` returns, in its own buffer. It holds values, including values of dtypes that memory holds as bits. */
export type ArrayFor<D extends DType> = [DType] extends [D]
  ? Windows<ArrayBuffer>[DType]
  : D extends "float16" | "bfloat16"
    ? Float32Array<ArrayBuffer>
    : Windows<ArrayBuffer>[D];
