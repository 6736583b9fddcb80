/**
 * The types of what tensors become in JavaScript: nested arrays as deep as the shape, and the typed array of each dtype.
 */
import type { Complex, DType, TypedArray } from "../../storage/dtype.ts";
import type { Shape } from "./types.ts";

/** One element, as `toArray` gives it. */
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

/** Arrays as deep as the shape; `any` if its rank is not known, so that code without shapes needs no casts. */
export type NestedOf<S extends Shape, D extends DType, O = undefined> = number extends S["length"]
  ? // biome-ignore lint/suspicious/noExplicitAny: the depth is known at run time only, as that of JSON.parse
    any
  : Deep<S, Element<D, O>>;
type Deep<S extends Shape, E> = S extends readonly [number, ...infer Rest extends Shape] ? Deep<Rest, E>[] : E;

interface Windows {
  bool: Uint8Array;
  uint8: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  complex64: Float32Array;
  complex128: Float64Array;
}

/** The typed array that holds the memory of a dtype. */
export type WindowFor<D extends DType> = [DType] extends [D] ? TypedArray : Windows[D];

/** The typed array that `toTypedArray` gives: values, where the window has bits. */
export type ArrayFor<D extends DType> = [DType] extends [D]
  ? TypedArray
  : D extends "float16" | "bfloat16"
    ? Float32Array
    : Windows[D];
