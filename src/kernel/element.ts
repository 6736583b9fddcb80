/**
 * Reading and writing one element of a dtype in a typed-array window of its kind.
 * An index counts elements: a complex number takes two slots of its array. Writers convert as PyTorch casts: towards an
 * integer a fraction is cut off and the rest wraps (NaN and the infinities become 0), towards bool everything but zero is
 * true, a complex number leaves its imaginary part behind. Each dtype has a function of its own, so that none of them
 * ever sees two kinds of array. Which values may enter a tensor at all is `checked-value.ts`.
 */
import { type Complex, type DType, DTypeError, isComplex, type TypedArray, type Value } from "../storage/dtype.ts";
import { bfloat16ToNumber, float16ToNumber, numberToBfloat16, numberToFloat16 } from "../storage/half.ts";

/** Element `index` of a window. */
export type Reader = (array: TypedArray, index: number) => Value;

/** Sets element `index` of a window. */
export type Writer = (array: TypedArray, index: number, value: Value) => void;

/** How int64 and uint64 are read: as numbers, refused past 2^53, or as bigints, always exact. */
export type IntegerForm = "number" | "bigint";

function pastExact(dtype: DType, value: bigint): never {
  throw new RangeError(
    `read: the ${dtype} value ${value} is past 2^53 - 1, the largest exact number. ` +
      `Read it as a bigint: itemBigInt() or toArray({ bigint: true }).`,
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

// Typed by the array each one is meant for; callers pass the window of the dtype, so the narrowing is theirs to keep.
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
} as unknown as Readonly<Record<DType, Reader>>;

const int64Exact = ((array: BigInt64Array, index: number) => array[index]) as unknown as Reader;
const uint64Exact = ((array: BigUint64Array, index: number) => array[index]) as unknown as Reader;

/** The function that reads one element; `form` says how int64 and uint64 are given, and changes no other dtype. */
export function reader(dtype: DType, form: IntegerForm = "number"): Reader {
  if (form === "bigint") {
    if (dtype === "int64") return int64Exact;
    if (dtype === "uint64") return uint64Exact;
  }
  return readers[dtype];
}

/**
 * A number that rounds to any shorter float as the bigint itself would: exact up to 2^53, and past that rounded to odd
 * (cut off, the last bit set if anything was lost), because rounding to nearest here and again later would be twice.
 */
function bigintToOdd(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  const magnitude = value < 0n ? -value : value;
  const dropped = BigInt(magnitude.toString(2).length - 53);
  const kept = magnitude >> dropped;
  const odd = kept << dropped === magnitude ? kept : kept | 1n;
  return (value < 0n ? -1 : 1) * Number(odd) * 2 ** Number(dropped);
}

/** What is no number, bigint or boolean must be a complex number: a function that forgot its `return` gives undefined. */
function complexOf(value: unknown): Complex {
  if (isComplex(value)) return value;
  throw new DTypeError(
    `write: an element is a number, bigint, boolean or { re, im }, got ${value === null ? "null" : typeof value}. Does the function return its result?`,
  );
}

/** The real part of a value as a number that can still be rounded to float32, float16 or bfloat16. */
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

/** The real part of a value as a number whose lowest 32 bits are right. */
function toInteger(value: Value): number {
  return typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : toShortFloat(value);
}

/** The real part of a value, its fraction cut off; 0 where there is no integer. */
function toBigInt(value: Value): bigint {
  if (typeof value === "bigint") return value;
  const number = toShortFloat(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : 0n;
}

/** True if and only if a value is not zero; NaN is not. */
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

// Storing a number into an integer array cuts and wraps by itself.
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
} as unknown as Readonly<Record<DType, Writer>>;

/** The function that converts a value to the dtype and writes it. */
export function writer(dtype: DType): Writer {
  return writers[dtype];
}
