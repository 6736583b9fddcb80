/**
 * Shapes and dtypes of views that reinterpret the same bytes, as types: `view("int8")`, `viewAsReal()`, `real`.
 */
import type { Single } from "../../layout/types/literal-times.ts";
import type { DType } from "../../storage/dtype.ts";
import type { ReshapeShape } from "./shape-views.ts";
import type { Listed, Shape } from "./types.ts";

type Bytes = {
  bool: 1;
  uint8: 1;
  int8: 1;
  int16: 2;
  uint16: 2;
  float16: 2;
  bfloat16: 2;
  int32: 4;
  uint32: 4;
  float32: 4;
  int64: 8;
  uint64: 8;
  float64: 8;
  complex64: 8;
  complex128: 16;
};

/** The arguments of `view`: sizes, a list of sizes, or a dtype. */
export type ViewArguments = Shape | readonly [Shape] | readonly [DType];
/** The sizes among the arguments of `view`; a shape of unknown rank for a dtype. */
export type ViewSizes<A extends ViewArguments> = Listed<A> extends infer To extends Shape ? To : Shape;
/** The dtype among the arguments of `view`, else the tensor's. */
export type ViewDType<D extends DType, A extends ViewArguments> = A extends readonly [infer E extends DType] ? E : D;
/** The shape of `view(...)`: the sizes passed; for a dtype of a different size, only the last axis changes. */
export type ViewShape<S extends Shape, D extends DType, A extends ViewArguments> = A extends readonly [
  infer E extends DType,
]
  ? SameBytes<D, E> extends true
    ? S
    : S extends readonly [...infer Front extends Shape, number]
      ? [...Front, number]
      : Shape
  : ReshapeShape<S, ViewSizes<A>>;
type SameBytes<D extends DType, E extends DType> = number extends Single<Bytes[D]> | Single<Bytes[E]>
  ? false
  : [Bytes[D]] extends [Bytes[E]]
    ? true
    : false;

/** The dtype of the parts of a complex dtype; real dtypes are unchanged. */
export type RealOf<D extends DType> = D extends "complex64" ? "float32" : D extends "complex128" ? "float64" : D;
/** The complex dtype whose parts have this dtype. */
export type ComplexOf<D extends DType> = D extends "float32"
  ? "complex64"
  : D extends "float64"
    ? "complex128"
    : "complex64" | "complex128";
/** The shape without the last axis. */
export type WithoutLast<S extends Shape> = S extends readonly [...infer Front extends Shape, number] ? Front : Shape;
