/**
 * The fifteen element types, as one table: size, category, and the typed array that holds them.
 * float16 and bfloat16 are held in Uint16Array, complex numbers as two floats, bool as one byte. `promotion.ts` promotes dtypes;
 * `../kernel/element.ts` reads and writes elements.
 */

import { nearest, shown } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";

export type DType =
  | "bool"
  | "uint8"
  | "int8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float16"
  | "bfloat16"
  | "float32"
  | "float64"
  | "complex64"
  | "complex128";

/** The category, which promotion compares first: bool < integer < float < complex. */
export type Category = "bool" | "integer" | "float" | "complex";

/** The kind of typed array whose elements hold one part of a value. */
export type ArrayKind = "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "f32" | "f64" | "i64" | "u64";

export interface DTypeInfo {
  readonly name: DType;
  /** Bytes per element. */
  readonly itemsize: number;
  readonly category: Category;
  readonly array: ArrayKind;
  /** Array elements per value: 2 for complex numbers, else 1. */
  readonly parts: 1 | 2;
  /** The name in PyTorch's messages. */
  readonly torchName: string;
}

function info(
  name: DType,
  itemsize: number,
  category: Category,
  array: ArrayKind,
  torchName: string,
  parts: 1 | 2 = 1,
): DTypeInfo {
  return { name, itemsize, category, array, parts, torchName };
}

export const dtypes: Readonly<Record<DType, DTypeInfo>> = {
  bool: info("bool", 1, "bool", "u8", "Bool"),
  uint8: info("uint8", 1, "integer", "u8", "Byte"),
  int8: info("int8", 1, "integer", "i8", "Char"),
  int16: info("int16", 2, "integer", "i16", "Short"),
  uint16: info("uint16", 2, "integer", "u16", "UInt16"),
  int32: info("int32", 4, "integer", "i32", "Int"),
  uint32: info("uint32", 4, "integer", "u32", "UInt32"),
  int64: info("int64", 8, "integer", "i64", "Long"),
  uint64: info("uint64", 8, "integer", "u64", "UInt64"),
  float16: info("float16", 2, "float", "u16", "Half"),
  bfloat16: info("bfloat16", 2, "float", "u16", "BFloat16"),
  float32: info("float32", 4, "float", "f32", "Float"),
  float64: info("float64", 8, "float", "f64", "Double"),
  complex64: info("complex64", 8, "complex", "f32", "ComplexFloat", 2),
  complex128: info("complex128", 16, "complex", "f64", "ComplexDouble", 2),
};

export const dtypeNames: readonly DType[] = Object.keys(dtypes) as DType[];

export const isDType = (value: unknown): value is DType => typeof value === "string" && Object.hasOwn(dtypes, value);

/** The dtypes for names of other languages and libraries, for suggestions. */
const otherNames: Readonly<Record<string, DType>> = {
  float: "float32",
  double: "float64",
  half: "float16",
  int: "int32",
  long: "int64",
  f16: "float16",
  f32: "float32",
  f64: "float64",
  bf16: "bfloat16",
  i8: "int8",
  i16: "int16",
  i32: "int32",
  i64: "int64",
  u8: "uint8",
};

/** Returns the dtype with this name; throws an error that lists all if there is none. */
export function checkDType(who: string, name: unknown): DType {
  if (isDType(name)) return name;
  const guess = typeof name === "string" ? (otherNames[name] ?? nearest(name, dtypeNames)) : undefined;
  throw new DTypeError(
    `${who}: ${shown(name)} is not a dtype. ${guess === undefined ? `The dtypes are ${dtypeNames.join(", ")}.` : `Did you mean "${guess}"?`}`,
  );
}

/** A dtype that does not exist, or that an operation does not support. */
export class DTypeError extends StridewiseError {
  override readonly name = "DTypeError";
}

/** A complex number as it is read from a tensor and written to one. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** One element as a JavaScript value: bool as boolean, int64 and uint64 as number or bigint, complex as {re, im}. */
export type Value = number | bigint | boolean | Complex;

/** The type of an element of this dtype when it is read. */
export type ValueOf<D extends DType> = D extends "bool"
  ? boolean
  : D extends "complex64" | "complex128"
    ? Complex
    : number;

export const complex = (re: number, im = 0): Complex => ({ re, im });

export const isComplex = (value: unknown): value is Complex =>
  typeof value === "object" && value !== null && "re" in value && "im" in value;

export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

const byTag: Readonly<Record<string, DType>> = {
  Int8Array: "int8",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Int16Array: "int16",
  Uint16Array: "uint16",
  Int32Array: "int32",
  Uint32Array: "uint32",
  Float16Array: "float16",
  Float32Array: "float32",
  Float64Array: "float64",
  BigInt64Array: "int64",
  BigUint64Array: "uint64",
};

/** True if and only if the dtype is complex. */
export const isComplexDType = (dtype: DType): boolean => dtypes[dtype].category === "complex";

/** True if and only if the dtype is a real floating-point dtype. */
export const isFloatDType = (dtype: DType): boolean => dtypes[dtype].category === "float";

/** True if and only if the dtype is an integer dtype; bool is not. */
export const isIntegerDType = (dtype: DType): boolean => dtypes[dtype].category === "integer";

/** True if and only if the dtype is float16 or bfloat16. */
export const isHalf = (dtype: DType): dtype is "float16" | "bfloat16" => dtype === "float16" || dtype === "bfloat16";

/** The dtype of the parts of complex numbers; other dtypes unchanged. */
export const realDType = (dtype: DType): DType =>
  dtype === "complex64" ? "float32" : dtype === "complex128" ? "float64" : dtype;

/** The complex dtype of the same precision: complex128 for float64 and complex128, else complex64. */
export const complexDType = (dtype: DType): "complex64" | "complex128" =>
  dtype === "float64" || dtype === "complex128" ? "complex128" : "complex64";

/** The dtype that elements are computed in: float32 for float16 and bfloat16. */
export const computedAs = (dtype: DType): DType => (isHalf(dtype) ? "float32" : dtype);

/** The dtype of a typed array, by its brand, so that arrays of other realms count; undefined for other values. */
export function dtypeOfArray(value: unknown): DType | undefined {
  if (!ArrayBuffer.isView(value)) return undefined;
  return byTag[(value as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag]];
}
