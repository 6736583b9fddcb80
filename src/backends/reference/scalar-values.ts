/**
 * The definition of every scalar function on JavaScript values: numbers for floats and integers of up to 32 bits, bigints for 64 bits,
 * booleans, and {re, im}. There is one table per kind of number; `ir/functions.ts` describes the functions in words.
 *
 * A float32 function is the float64 function rounded once: exact for + - * / and sqrt, and off by little more than half a unit in the
 * last place for the others, whose float64 form is the engine's. Functions that take several steps in PyTorch (floorDiv, floorMod) round
 * after each step as there. Operands must have their dtype.
 *
 * The error function and its complement are computed in double precision, by their series and their continued fraction.
 * The relative error is below 1e-15: at 12,000 random points from -8 to 20 and down to 1e-304, the largest are
 * 4.8e-16 for erf and 7.6e-16 for erfc. They are slow, and serve as a reference.
 */
import { KernelError } from "../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import {
  complexMeanings,
  isNegative,
  type Meaning,
  type Meanings,
  type Narrow,
  meaningTable as table,
} from "./complex-values.ts";

const everywhere = table({
  eq: (a: Value, b: Value) => a === b,
  ne: (a: Value, b: Value) => a !== b,
  lt: (a: Value, b: Value) => a < b,
  le: (a: Value, b: Value) => a <= b,
  gt: (a: Value, b: Value) => a > b,
  ge: (a: Value, b: Value) => a >= b,
  select: (condition: boolean, a: Value, b: Value) => (condition ? a : b),
});

const booleans: Meanings = {
  ...everywhere,
  ...table({
    and: (a: boolean, b: boolean) => a && b,
    or: (a: boolean, b: boolean) => a || b,
    xor: (a: boolean, b: boolean) => a !== b,
    not: (a: boolean) => !a,
    min: (a: boolean, b: boolean) => a && b,
    max: (a: boolean, b: boolean) => a || b,
  }),
};

const copysign = (size: number, sign: number): number => (isNegative(sign) ? -Math.abs(size) : Math.abs(size));

/** Adding 2^52 leaves no bits for a fraction, and rounds ties to even. */
function roundToEven(x: number): number {
  const size = Math.abs(x);
  return size < 2 ** 52 ? copysign(size + 2 ** 52 - 2 ** 52, x) : x;
}

function pow(a: number, b: number): number {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}

const adjusts = (rest: number, divisor: number): boolean => rest !== 0 && rest < 0 !== divisor < 0;

/** As PyTorch: the quotient that matches floorMod, even where a / b rounds up to the next integer. */
function floatFloorDiv(a: number, b: number, narrow: Narrow): number {
  const quotient = narrow(a / b);
  if (b === 0) return quotient;
  const rest = a % b;
  const near = narrow(narrow(narrow(a - rest) / b) - (adjusts(rest, b) ? 1 : 0));
  if (near === 0) return copysign(0, quotient);
  const floor = Math.floor(near);
  return narrow(near - floor) > 0.5 ? narrow(floor + 1) : floor;
}

type FloatFunction = (a: number, b: number) => number;

/** The functions that are the engine's of the same name. */
const mathNames = (
  "min max atan2 abs sqrt floor ceil trunc exp expm1 log log2 log10 log1p sin cos tan asin acos atan " +
  "sinh cosh tanh asinh acosh atanh"
).split(" ") as (ScalarFunction & keyof Math)[];

const floatFunctions: Readonly<Partial<Record<ScalarFunction, FloatFunction>>> = {
  ...Object.fromEntries(mathNames.map((name) => [name, Math[name] as FloatFunction])),
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  truncRem: (a, b) => a % b,
  // Not Math.min and Math.max: NaN is ignored.
  // biome-ignore lint/complexity/useMathMinMax: see above.
  smaller: (a, b) => (b < a ? b : a),
  // biome-ignore lint/complexity/useMathMinMax: see above.
  larger: (a, b) => (a < b ? b : a),
  pow,
  copysign,
  neg: (a) => -a,
  round: roundToEven,
  expNegative: Math.exp,
  exp2: (a) => 2 ** a,
  erf,
  erfc,
};

function floats(narrow: Narrow): Meanings {
  const narrowed = Object.entries(floatFunctions).map(([name, f]) => [name, (a: number, b: number) => narrow(f(a, b))]);
  return {
    ...everywhere,
    ...Object.fromEntries(narrowed),
    ...table({
      truncDiv: (a: number, b: number) => Math.trunc(narrow(a / b)),
      floorDiv: (a: number, b: number) => floatFloorDiv(a, b, narrow),
      floorMod: (a: number, b: number) => (adjusts(a % b, b) ? narrow((a % b) + b) : a % b),
      complex: (re: number, im: number) => ({ re, im }),
    }),
  };
}

/** base^power by squaring, for power >= 0; `times` wraps. */
function integerPower<T extends number | bigint>(base: T, power: bigint, one: T, times: (a: T, b: T) => T): T {
  let result = one;
  for (let rest = power, square = base; rest > 0n; rest >>= 1n, square = times(square, square))
    if (rest & 1n) result = times(result, square);
  return result;
}

/** base^power truncated, for a negative power: only 1 and -1 have a reciprocal; base 0 gives 0, as division by 0 does. */
const reciprocalPower = (base: bigint, power: bigint): bigint =>
  base === 1n ? 1n : base === -1n ? (power % 2n === 0n ? 1n : -1n) : 0n;

/** Integers of up to 32 bits; `narrow` wraps any integer below 2^53, and -0. */
function shortIntegers(bits: number, isSigned: boolean, narrow: Narrow): Meanings {
  const times = (a: number, b: number): number => narrow(Math.imul(a, b));
  const isShift = (by: number): boolean => by >= 0 && by < bits;
  const divided =
    (divide: (a: number, b: number) => number) =>
    (a: number, b: number): number =>
      b === 0 ? 0 : narrow(divide(a, b));
  return {
    ...everywhere,
    ...table({
      add: (a: number, b: number) => narrow(a + b),
      sub: (a: number, b: number) => narrow(a - b),
      mul: times,
      truncDiv: divided((a, b) => Math.trunc(a / b)),
      truncRem: divided((a, b) => a % b),
      floorDiv: divided((a, b) => Math.floor(a / b)),
      floorMod: divided((a, b) => (adjusts(a % b, b) ? (a % b) + b : a % b)),
      min: (a: number, b: number) => Math.min(a, b),
      max: (a: number, b: number) => Math.max(a, b),
      pow: (a: number, b: number) =>
        b < 0 ? Number(reciprocalPower(BigInt(a), BigInt(b))) : integerPower(a, BigInt(b), 1, times),
      neg: (a: number) => narrow(-a),
      abs: (a: number) => narrow(Math.abs(a)),
      and: (a: number, b: number) => narrow(a & b),
      or: (a: number, b: number) => narrow(a | b),
      xor: (a: number, b: number) => narrow(a ^ b),
      not: (a: number) => narrow(~a),
      shiftLeft: (a: number, b: number) => (isShift(b) ? narrow(a << b) : 0),
      shiftRight: (a: number, b: number) => (isShift(b) ? (isSigned ? a >> b : a >>> b) : a < 0 ? -1 : 0),
    }),
  };
}

function longIntegers(narrow: (x: bigint) => bigint): Meanings {
  const times = (a: bigint, b: bigint): bigint => narrow(a * b);
  const isShift = (by: bigint): boolean => by >= 0n && by < 64n;
  const floorMod = (a: bigint, b: bigint): bigint => ((a % b) + b) % b;
  const divided =
    (divide: (a: bigint, b: bigint) => bigint) =>
    (a: bigint, b: bigint): bigint =>
      b === 0n ? 0n : narrow(divide(a, b));
  return {
    ...everywhere,
    ...table({
      add: (a: bigint, b: bigint) => narrow(a + b),
      sub: (a: bigint, b: bigint) => narrow(a - b),
      mul: times,
      truncDiv: divided((a, b) => a / b),
      truncRem: divided((a, b) => a % b),
      floorDiv: divided((a, b) => (a - floorMod(a, b)) / b),
      floorMod: divided(floorMod),
      min: (a: bigint, b: bigint) => (b < a ? b : a),
      max: (a: bigint, b: bigint) => (b > a ? b : a),
      pow: (a: bigint, b: bigint) => (b < 0n ? reciprocalPower(a, b) : integerPower(a, b, 1n, times)),
      neg: (a: bigint) => narrow(-a),
      abs: (a: bigint) => narrow(a < 0n ? -a : a),
      and: (a: bigint, b: bigint) => a & b,
      or: (a: bigint, b: bigint) => a | b,
      xor: (a: bigint, b: bigint) => a ^ b,
      not: (a: bigint) => narrow(~a),
      shiftLeft: (a: bigint, b: bigint) => (isShift(b) ? narrow(a << b) : 0n),
      shiftRight: (a: bigint, b: bigint) => (isShift(b) ? a >> b : a < 0n ? -1n : 0n),
    }),
  };
}

const exact: Narrow = (x) => x;

const lowHalf = (x: number): number => (x << 16) >> 16;
const dotHalves = (a: number, b: number): number => (lowHalf(a) * lowHalf(b) + (a >> 16) * (b >> 16)) | 0;

const meanings: Readonly<Record<DType, Meanings>> = {
  bool: booleans,
  uint8: shortIntegers(8, false, (x) => x & 0xff),
  int8: shortIntegers(8, true, (x) => (x << 24) >> 24),
  int16: shortIntegers(16, true, (x) => (x << 16) >> 16),
  uint16: shortIntegers(16, false, (x) => x & 0xffff),
  int32: { ...shortIntegers(32, true, (x) => x | 0), ...table({ dotHalves }) },
  uint32: shortIntegers(32, false, (x) => x >>> 0),
  int64: longIntegers((x) => BigInt.asIntN(64, x)),
  uint64: longIntegers((x) => BigInt.asUintN(64, x)),
  float16: { select: everywhere.select as Meaning },
  bfloat16: { select: everywhere.select as Meaning },
  float32: floats(Math.fround),
  float64: floats(exact),
  complex64: { select: everywhere.select as Meaning, ...complexMeanings(Math.fround) },
  complex128: { select: everywhere.select as Meaning, ...complexMeanings(exact) },
};

/** The function on operands of a dtype; for select, the dtype of the two values. */
export function meaningOf(fn: ScalarFunction, dtype: DType): Meaning {
  const meaning = meanings[dtype][fn];
  if (meaning === undefined)
    throw new KernelError(
      `${fn}: is not defined for ${dtype}, which is ${dtypes[dtype].category}. Cast the values first.`,
    );
  return meaning;
}

/** e^(-x^2) * factor: x is split so that the square of its upper half is exact, and an underflowing result rounds once. */
function gaussian(x: number, factor: number): number {
  const high = Math.fround(x);
  const rest = Math.exp((high - x) * (high + x));
  const half = Math.exp(-0.5 * high * high);
  return x < 25 ? Math.exp(-high * high) * rest * factor : half * (rest * factor) * half;
}

/** erf x = 2 x e^(-x^2) / sqrt(pi) * (1 + z/3 (1 + z/5 (1 + ...))) with z = 2 x^2: no term is negative. For |x| <= 1. */
function erfSeries(x: number): number {
  const z = 2 * x * x;
  let sum = 1;
  for (let n = 61; n >= 3; n -= 2) sum = 1 + (z / n) * sum;
  return x * gaussian(Math.abs(x), (2 / Math.sqrt(Math.PI)) * sum);
}

/** erfc x = e^(-x^2) / sqrt(pi) / (x + (1/2) / (x + (2/2) / (x + (3/2) / (x + ...)))), for x >= 0.75. */
function erfcFraction(x: number): number {
  if (x > 28) return 0;
  let tail = x;
  for (let n = Math.ceil(30 + 400 / (x * x)); n >= 1; n--) tail = x + n / 2 / tail;
  return gaussian(x, 1 / Math.sqrt(Math.PI) / tail);
}

/** 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. */
export function erf(x: number): number {
  if (Math.abs(x) <= 1) return erfSeries(x);
  return x > 0 ? 1 - erfcFraction(x) : x < 0 ? erfcFraction(-x) - 1 : NaN;
}

/** 1 - erf x, without the cancellation. */
export function erfc(x: number): number {
  if (x >= 0.75) return erfcFraction(x);
  return 1 - erf(x);
}
