/**
 * `finfo` and `iinfo`: the limits of floating-point and integer dtypes, as in PyTorch and NumPy. Complex dtypes have those of their parts.
 */
import { checkDType, type DType, DTypeError, dtypes, realDType } from "./dtype.ts";

/** The dtypes with floating-point numbers. */
type FloatInfoDType = "float16" | "bfloat16" | "float32" | "float64" | "complex64" | "complex128";
type IntegerInfoDType = "uint8" | "int8" | "int16" | "uint16" | "int32" | "uint32" | "int64" | "uint64";

/** The limits of a floating-point dtype. */
export interface FloatInfo {
  readonly dtype: DType;
  /** Bits of one element. */
  readonly bits: number;
  /** The difference between 1 and the next larger number. */
  readonly eps: number;
  /** The largest finite number. */
  readonly max: number;
  /** The most negative finite number, -max. */
  readonly min: number;
  /** The smallest positive number with full precision. */
  readonly tiny: number;
  /** Same as tiny. */
  readonly smallestNormal: number;
  /** The power of ten of the decimal digits that are kept: 1e-6 for float32. */
  readonly resolution: number;
}

/** The limits of an integer dtype. */
export interface IntegerInfo<V extends number | bigint = number | bigint> {
  readonly dtype: DType;
  /** Bits of one element. */
  readonly bits: number;
  /** The smallest value. */
  readonly min: V;
  /** The largest value. */
  readonly max: V;
}

/** Bits of the exponent, and of the fraction without the leading 1. */
const formats: Readonly<Record<string, readonly [exponent: number, fraction: number]>> = {
  float16: [5, 10],
  bfloat16: [8, 7],
  float32: [8, 23],
  float64: [11, 52],
};

/** Returns the limits of a floating-point dtype: `finfo("float32").eps`. */
export function finfo(dtype: FloatInfoDType): FloatInfo {
  const real = realDType(checkDType("finfo", dtype));
  const format = formats[real];
  if (format === undefined)
    throw new DTypeError(`finfo: dtype must be floating point or complex, got ${dtype}. For integers use iinfo`);
  const [exponent, fraction] = format;
  const bias = 2 ** (exponent - 1) - 1;
  const max = 2 ** bias * (2 - 2 ** -fraction);
  const tiny = 2 ** (1 - bias);
  const digits = Math.floor(fraction * Math.log10(2));
  return {
    dtype: real,
    bits: dtypes[real].itemsize * 8,
    eps: 2 ** -fraction,
    max,
    min: -max,
    tiny,
    smallestNormal: tiny,
    resolution: Number(`1e-${digits}`),
  };
}

/** Returns the limits of an integer dtype: `iinfo("int8").max`. Those of int64 and uint64 are bigints. */
export function iinfo<D extends IntegerInfoDType>(
  dtype: D,
): IntegerInfo<D extends "int64" | "uint64" ? bigint : number> {
  const { category, itemsize } = dtypes[checkDType("iinfo", dtype)];
  if (category !== "integer")
    throw new DTypeError(`iinfo: dtype must be an integer dtype, got ${dtype}. For floating point use finfo`);
  const bits = itemsize * 8;
  const isUnsigned = dtype.startsWith("u");
  const min = isUnsigned ? 0n : -(2n ** BigInt(bits - 1));
  const max = 2n ** BigInt(isUnsigned ? bits : bits - 1) - 1n;
  const value = (limit: bigint): number | bigint => (bits === 64 ? limit : Number(limit));
  return { dtype, bits, min: value(min), max: value(max) } as never;
}
