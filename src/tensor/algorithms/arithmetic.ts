/**
 * The arithmetic of the algorithms that compute: which numbers a destination accumulates in, and how it rounds.
 * Integers of up to 32 bits multiply and add modulo 2^32, 64-bit ones as bigints: both wrap as the dtype does, never round.
 * Everything real is computed in float64 and rounded to the destination's dtype after each step; complex likewise.
 */
import {
  type Complex,
  type DType,
  DTypeError,
  dtypes,
  isComplex,
  isComplexDType,
  isIntegerDType,
  type Value,
} from "../../storage/dtype.ts";

/** word: integers of up to 32 bits; long: 64-bit integers; real: float64; complex: a pair of float64. */
export type Arithmetic = "word" | "long" | "real" | "complex";

const isLong = (dtype: DType): boolean => dtype === "int64" || dtype === "uint64";
const isExact = (dtype: DType): boolean => isIntegerDType(dtype) || dtypes[dtype].category === "bool";
const isInteger = (value: Value): boolean =>
  typeof value === "number" ? Number.isSafeInteger(value) : typeof value !== "object";

/** The arithmetic of a destination with such inputs and scalars; complex numbers do not enter a real destination. */
export function arithmeticOf(
  who: string,
  to: DType,
  inputs: readonly DType[],
  scalars: readonly Value[] = [],
): Arithmetic {
  if (isComplexDType(to)) return "complex";
  const complexInput = inputs.find((dtype) => isComplexDType(dtype));
  if (complexInput !== undefined || scalars.some(isComplex))
    throw new DTypeError(
      `${who}: the destination is ${to} and cannot hold the products of ${complexInput ?? "complex"} numbers. Use a complex64 or complex128 destination`,
    );
  if (!isExact(to) || !inputs.every(isExact) || !scalars.every(isInteger)) return "real";
  return isLong(to) || inputs.some(isLong) ? "long" : "word";
}

const asWord = (value: Value): number =>
  typeof value === "number" ? value : Number(typeof value === "bigint" ? BigInt.asIntN(32, value) : value);
const asLong = (value: Value): bigint => (typeof value === "bigint" ? value : BigInt(value as number));
const asReal = (value: Value): number => (typeof value === "number" ? value : Number(value));
const asComplex = (value: Value): Complex => (isComplex(value) ? value : { re: Number(value), im: 0 });

/** a * b + c */
export const multiplyAdd: Readonly<Record<Arithmetic, (a: Value, b: Value, c: Value) => Value>> = {
  word: (a, b, c) => (Math.imul(asWord(a), asWord(b)) + asWord(c)) | 0,
  long: (a, b, c) => asLong(a) * asLong(b) + asLong(c),
  real: (a, b, c) => asReal(a) * asReal(b) + asReal(c),
  complex: (a, b, c) => {
    const [x, y, z] = [asComplex(a), asComplex(b), asComplex(c)];
    return { re: x.re * y.re - x.im * y.im + z.re, im: x.re * y.im + x.im * y.re + z.im };
  },
};

/** a * b */
export const multiply: Readonly<Record<Arithmetic, (a: Value, b: Value) => Value>> = {
  word: (a, b) => Math.imul(asWord(a), asWord(b)),
  long: (a, b) => asLong(a) * asLong(b),
  real: (a, b) => asReal(a) * asReal(b),
  complex: (a, b) => {
    const [x, y] = [asComplex(a), asComplex(b)];
    return { re: x.re * y.re - x.im * y.im, im: x.re * y.im + x.im * y.re };
  },
};
