/**
 * Reads and writes single elements in a typed array of the dtype's kind.
 * An index counts elements: a complex number takes two slots of its array. Writers convert as PyTorch casts: to an integer a fraction is
 * truncated and the result wraps (NaN and the infinities become 0), to bool everything but zero is true, and to a real dtype a complex number
 * drops its imaginary part. Each dtype has its own function, so that the engine sees one kind of array in each. `checked-value.ts`
 * checks the values of users.
 */
import { shown } from "../base/arguments.ts";
import { OverflowError } from "../base/errors.ts";
import {
  type Complex,
  type DType,
  DTypeError,
  dtypes,
  isComplex,
  type TypedArray,
  type Value,
} from "../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../storage/half.ts";
import { BufferMemory } from "../storage/memory.ts";

/** Returns element `index` of an array. */
export type ElementReader = (array: TypedArray, index: number) => Value;

/** Sets element `index` of an array. */
export type ElementWriter = (array: TypedArray, index: number, value: Value) => void;

/** The form in which int64 and uint64 are read: numbers, which throw past 2^53, or bigints, which are always exact. */
export type IntegerForm = "number" | "bigint";

function pastExact(dtype: DType, value: bigint): never {
  throw new OverflowError(
    `element: the ${dtype} value ${value} is past 2^53 - 1, the largest exact number. ` +
      "Read it as a bigint: itemBigInt() of one element, or toArray({ bigint: true }).",
  );
}

function int64Number(array: BigInt64Array, index: number): number {
  const value = array[index];
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : pastExact("int64", value);
}

function uint64Number(array: BigUint64Array, index: number): number {
  const value = array[index];
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : pastExact("uint64", value);
}

function complex64Value(array: Float32Array, index: number): Complex {
  return { re: array[2 * index], im: array[2 * index + 1] };
}

function complex128Value(array: Float64Array, index: number): Complex {
  return { re: array[2 * index], im: array[2 * index + 1] };
}

// Each function is typed by its own kind of array; callers pass an array of the dtype.
const readers = {
  bool: (array: Uint8Array, index: number) => array[index] !== 0,
  uint8: (array: Uint8Array, index: number) => array[index],
  int8: (array: Int8Array, index: number) => array[index],
  int16: (array: Int16Array, index: number) => array[index],
  uint16: (array: Uint16Array, index: number) => array[index],
  int32: (array: Int32Array, index: number) => array[index],
  uint32: (array: Uint32Array, index: number) => array[index],
  int64: int64Number,
  uint64: uint64Number,
  float16: (array: Uint16Array, index: number) => float16ToNumber(array[index]),
  bfloat16: (array: Uint16Array, index: number) => bfloat16ToNumber(array[index]),
  float32: (array: Float32Array, index: number) => array[index],
  float64: (array: Float64Array, index: number) => array[index],
  complex64: complex64Value,
  complex128: complex128Value,
} as unknown as Readonly<Record<DType, ElementReader>>;

const int64Exact = ((array: BigInt64Array, index: number) => array[index]) as unknown as ElementReader;
const uint64Exact = ((array: BigUint64Array, index: number) => array[index]) as unknown as ElementReader;

/** Returns the function that reads one element; `form` applies to int64 and uint64 only. */
export function reader(dtype: DType, form: IntegerForm = "number"): ElementReader {
  if (form === "bigint") {
    if (dtype === "int64") return int64Exact;
    if (dtype === "uint64") return uint64Exact;
  }
  return readers[dtype];
}

/**
 * Returns a number that rounds to any shorter float as the bigint itself would: exact up to 2^53, and past that rounded to odd
 * (truncated, the last bit set if anything was lost), because rounding to nearest would round twice.
 */
function bigintToOdd(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const magnitude = value < 0n ? -value : value;
  const dropped = BigInt(magnitude.toString(2).length - 53);
  const significand = magnitude >> dropped;
  const odd = significand << dropped === magnitude ? significand : significand | 1n;
  return (value < 0n ? -1 : 1) * Number(odd) * 2 ** Number(dropped);
}

/** Throws unless the value is a complex number; a function without `return` returns undefined. */
function complexOf(value: unknown): Complex {
  if (isComplex(value)) return value;
  throw new DTypeError(
    `element: an element must be a number, bigint, boolean or { re, im }, got ${value === undefined ? "undefined. Does the function return its result?" : shown(value)}`,
  );
}

/** The real part of a value as a number that rounds correctly to float32, float16 or bfloat16. */
export function toShortFloat(value: Value): number {
  switch (typeof value) {
    case "number":
      return value;
    case "boolean":
      return value ? 1 : 0;
    case "bigint":
      return bigintToOdd(value);
    default:
      return complexOf(value).re;
  }
}

/** The real part of a value as the nearest number. */
function toFloat(value: Value): number {
  return typeof value === "bigint" ? Number(value) : toShortFloat(value);
}

/** The real part of a value as a number whose lowest 32 bits are correct. */
function toInteger(value: Value): number {
  return typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : toShortFloat(value);
}

/** The real part of a value, truncated; 0 if it is not finite. */
function toBigInt(value: Value): bigint {
  if (typeof value === "bigint") return value;
  const number = toShortFloat(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n;
}

/** True if and only if a value is not zero; true for NaN. */
export function isNonzero(value: Value): boolean {
  switch (typeof value) {
    case "number":
      return value !== 0;
    case "boolean":
      return value;
    case "bigint":
      return value !== 0n;
    default: {
      const { re, im } = complexOf(value);
      return re !== 0 || im !== 0;
    }
  }
}

const imaginary = (value: Value): number => (typeof value === "object" ? value.im : 0);

function writeComplex64(array: Float32Array, index: number, value: Value): void {
  array[2 * index] = toShortFloat(value);
  array[2 * index + 1] = imaginary(value);
}

function writeComplex128(array: Float64Array, index: number, value: Value): void {
  array[2 * index] = toFloat(value);
  array[2 * index + 1] = imaginary(value);
}

// Storing a number into an integer array truncates and wraps.
const writers = {
  bool: (array: Uint8Array, index: number, value: Value) => {
    array[index] = isNonzero(value) ? 1 : 0;
  },
  uint8: (array: Uint8Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  int8: (array: Int8Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  int16: (array: Int16Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  uint16: (array: Uint16Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  int32: (array: Int32Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  uint32: (array: Uint32Array, index: number, value: Value) => {
    array[index] = toInteger(value);
  },
  int64: (array: BigInt64Array, index: number, value: Value) => {
    array[index] = toBigInt(value);
  },
  uint64: (array: BigUint64Array, index: number, value: Value) => {
    array[index] = toBigInt(value);
  },
  float16: (array: Uint16Array, index: number, value: Value) => {
    array[index] = numberToFloat16(toShortFloat(value));
  },
  bfloat16: (array: Uint16Array, index: number, value: Value) => {
    array[index] = numberToBfloat16(toShortFloat(value));
  },
  float32: (array: Float32Array, index: number, value: Value) => {
    array[index] = toShortFloat(value);
  },
  float64: (array: Float64Array, index: number, value: Value) => {
    array[index] = toFloat(value);
  },
  complex64: writeComplex64,
  complex128: writeComplex128,
} as unknown as Readonly<Record<DType, ElementWriter>>;

/** Returns the function that converts a value to the dtype and writes it. */
export function writer(dtype: DType): ElementWriter {
  return writers[dtype];
}

/** Returns the function that rounds a value to a dtype, as a write and a read do; int64 and uint64 in this form. */
export const rounder = (dtype: DType, form: IntegerForm = "bigint"): ((value: Value) => Value) =>
  reinterpreter(dtype, dtype, form);

/** Returns the function from a value to the value with the same bits in a different dtype; int64 and uint64 are bigints. */
export const bitRounder = (from: DType, to: DType): ((value: Value) => Value) => reinterpreter(from, to, "bigint");

function reinterpreter(from: DType, to: DType, form: IntegerForm): (value: Value) => Value {
  const cell = new BufferMemory("overflow", new ArrayBuffer(16));
  const [target, source] = [cell.array(dtypes[from].array), cell.array(dtypes[to].array)];
  const [write, read] = [writer(from), reader(to, form)];
  return (value) => {
    write(target, 0, value);
    return read(source, 0);
  };
}
