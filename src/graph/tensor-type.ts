/**
 * The type of a value of a graph: dtype, shape and strides, and its text, `f32[n, 4*m]`. Strides are printed only if the value is not row-major:
 * `f32[8, n]:[1, 8]`.
 */
import { type Int, isStaticInt } from "../layout/int.ts";
import type { DType } from "../storage/dtype.ts";

/** The dtype and layout of a value. */
export interface TensorType {
  readonly dtype: DType;
  readonly shape: readonly Int[];
  /** Null if the layout is row-major. */
  readonly strides: readonly Int[] | null;
}

/** The dtypes by their names in texts. */
export const shortNames = {
  bool: "bool",
  u8: "uint8",
  i8: "int8",
  i16: "int16",
  u16: "uint16",
  i32: "int32",
  u32: "uint32",
  i64: "int64",
  u64: "uint64",
  f16: "float16",
  bf16: "bfloat16",
  f32: "float32",
  f64: "float64",
  c64: "complex64",
  c128: "complex128",
} as const satisfies Readonly<Record<string, DType>>;

/** The name of a dtype in texts. */
export const shortName = (dtype: DType): string =>
  (Object.keys(shortNames) as (keyof typeof shortNames)[]).find((name) => shortNames[name] === dtype) ?? dtype;

/** Returns the text of a type. */
export const formatType = ({ dtype, shape, strides }: TensorType): string =>
  `${shortName(dtype)}[${shape.join(", ")}]${strides === null ? "" : `:[${strides.join(", ")}]`}`;

/** True if all dimensions of a type are numbers. */
export const isConcrete = ({ shape }: TensorType): boolean =>
  shape.every((size) => typeof size === "number" || isStaticInt(size));
