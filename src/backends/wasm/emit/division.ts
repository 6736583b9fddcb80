/**
 * Division of one integer by another, as WebAssembly instructions: cut towards 0 or rounded down, and the remainders of both.
 * Dividing by 0 gives 0, and so does the rest; the smallest integer divided by -1 is itself. Nothing traps.
 *
 * Division of one float by another with a remainder: truncRem is C's fmod, exact for all numbers; the other three follow from it as
 * they do in Python and PyTorch. float32 is computed in float64, where its remainder is the same number.
 *
 * The exact remainder: with x = mx * 2^ex and y = my * 2^ey, mx and my below 2^53 and ex >= ey, it is
 * (mx * 2^(ex - ey) mod my) * 2^ey, and the power of two is multiplied in 11 bits at a time, the most that keeps 64 bits.
 */
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import {
  type Assembler,
  type Emit,
  normalise,
  ops,
  pushNumber,
  type Representation,
  scalarOp,
  signedOp,
} from "./representation.ts";

const infinityBits = 0x7ffn << 52n;
const fraction = (1n << 52n) - 1n;

/** A local with the bits of |x|. */
function magnitudeBits(a: Assembler, x: number): number {
  const bits = a.local("i64");
  a.get(x);
  ops(a, "f64.abs", "i64.reinterpret_f64");
  a.set(bits);
  return bits;
}

/** Locals with the integer and the biased exponent of a number of these bits: it is mantissa * 2^(exponent - 1075). */
function split(a: Assembler, bits: number): { readonly mantissa: number; readonly exponent: number } {
  const mantissa = a.local("i64");
  const exponent = a.local("i64");
  a.get(bits);
  a.op("i64.const", fraction);
  a.op("i64.and");
  a.get(bits);
  a.op("i64.const", 52);
  a.op("i64.shr_u");
  a.tee(exponent);
  a.op("i64.const", 0);
  ops(a, "i64.ne", "i64.extend_i32_u");
  a.op("i64.const", 52);
  ops(a, "i64.shl", "i64.or");
  a.set(mantissa);
  // A subnormal number has exponent 0 but the scale of exponent 1.
  a.get(exponent);
  a.get(exponent);
  ops(a, "i64.eqz", "i64.extend_i32_u", "i64.or");
  a.set(exponent);
  return { mantissa, exponent };
}

/** A local with fmod(x, y) of two f64 locals. */
function remainder(a: Assembler, x: number, y: number): number {
  const result = a.local("f64");
  const xBits = magnitudeBits(a, x);
  const yBits = magnitudeBits(a, y);
  a.op("f64.const", NaN);
  a.set(result);
  // x is finite; y is no NaN and not zero
  a.get(xBits);
  a.op("i64.const", infinityBits);
  a.op("i64.lt_u");
  a.get(yBits);
  a.op("i64.const", 1);
  a.op("i64.sub");
  a.op("i64.const", infinityBits);
  ops(a, "i64.lt_u", "i32.and", "if");
  a.get(x);
  a.set(result);
  a.get(xBits);
  a.get(yBits);
  ops(a, "i64.ge_u", "if");
  const dividend = split(a, xBits);
  const divisor = split(a, yBits);
  const shift = dividend.exponent;
  const rest = dividend.mantissa;
  const step = a.local("i64");
  a.get(shift);
  a.get(divisor.exponent);
  a.op("i64.sub");
  a.set(shift);
  a.op("i64.const", 0);
  a.set(step);
  a.op("loop");
  a.get(rest);
  a.get(step);
  a.op("i64.shl");
  a.get(divisor.mantissa);
  a.op("i64.rem_u");
  a.set(rest);
  a.get(shift);
  a.op("i64.const", 11);
  a.get(shift);
  a.op("i64.const", 11);
  ops(a, "i64.lt_u", "select");
  a.set(step);
  a.get(shift);
  a.get(step);
  a.op("i64.sub");
  a.set(shift);
  a.get(step);
  ops(a, "i64.eqz", "i32.eqz");
  a.op("br_if", 0);
  a.op("end");
  a.get(rest);
  a.op("f64.convert_i64_u");
  a.op("f64.const", 2 ** -52);
  a.op("f64.mul");
  a.get(divisor.exponent);
  a.op("i64.const", 52);
  ops(a, "i64.shl", "f64.reinterpret_i64", "f64.mul");
  a.get(x);
  a.op("f64.copysign");
  a.set(result);
  ops(a, "end", "end");
  return result;
}

/** A local with fmod(x, y) of two locals of a float dtype. */
function restOf(a: Assembler, r: Representation, x: number, y: number): number {
  if (r.type === "f64") return remainder(a, x, y);
  const wide = [x, y].map((narrow) => {
    const local = a.local("f64");
    a.get(narrow);
    a.op("f64.promote_f32");
    a.set(local);
    return local;
  });
  const rest = a.local("f32");
  a.get(remainder(a, wide[0], wide[1]));
  a.op("f32.demote_f64");
  a.set(rest);
  return rest;
}

/** Pushes the i32 1 where the remainder has not the sign of the divisor, else 0. */
function pushFloatAdjusts(a: Assembler, r: Representation, rest: number, y: number): void {
  for (const x of [rest, y]) {
    a.get(x);
    pushNumber(a, r, 0);
    scalarOp(a, r, "lt");
  }
  a.op("i32.ne");
  a.get(rest);
  pushNumber(a, r, 0);
  scalarOp(a, r, "ne");
  a.op("i32.and");
}

function floorMod(a: Assembler, r: Representation, x: number, y: number): void {
  const rest = restOf(a, r, x, y);
  a.get(rest);
  a.get(y);
  scalarOp(a, r, "add");
  a.get(rest);
  pushFloatAdjusts(a, r, rest, y);
  a.op("select");
}

/** PyTorch's: x / y where y is 0; else (x - rest) / y, less 1 where the remainder changes sign, to the nearest integer below. */
function floorDiv(a: Assembler, r: Representation, x: number, y: number): void {
  const near = a.local(r.type);
  const floor = a.local(r.type);
  const quotient = a.local(r.type);
  const rest = restOf(a, r, x, y);
  a.get(x);
  a.get(y);
  scalarOp(a, r, "div");
  a.tee(quotient);
  pushNumber(a, r, 0);
  a.get(quotient);
  scalarOp(a, r, "copysign");
  a.get(x);
  a.get(rest);
  scalarOp(a, r, "sub");
  a.get(y);
  scalarOp(a, r, "div");
  pushFloatAdjusts(a, r, rest, y);
  scalarOp(a, r, "convert_i32_u");
  scalarOp(a, r, "sub");
  a.tee(near);
  scalarOp(a, r, "floor");
  a.tee(floor);
  pushNumber(a, r, 1);
  scalarOp(a, r, "add");
  a.get(floor);
  a.get(near);
  a.get(floor);
  scalarOp(a, r, "sub");
  pushNumber(a, r, 0.5);
  scalarOp(a, r, "gt");
  a.op("select");
  a.get(near);
  pushNumber(a, r, 0);
  scalarOp(a, r, "eq");
  a.op("select");
  a.get(y);
  pushNumber(a, r, 0);
  scalarOp(a, r, "eq");
  a.op("select");
}

/** Leaves x divided by y, or its remainder, on the stack; false, and nothing emitted, if fn is no such function. */
export function remainderCall(a: Assembler, fn: ScalarFunction, r: Representation, x: number, y: number): boolean {
  switch (fn) {
    case "truncDiv":
      a.get(x);
      a.get(y);
      scalarOp(a, r, "div");
      scalarOp(a, r, "trunc");
      return true;
    case "truncRem":
      a.get(restOf(a, r, x, y));
      return true;
    case "floorMod":
      floorMod(a, r, x, y);
      return true;
    case "floorDiv":
      floorDiv(a, r, x, y);
      return true;
    default:
      return false;
  }
}

/** Of integers: a number that can divide without a trap, 1 where `x / y` would. */
function safeDivisor(a: Assembler, r: Representation, y: number): number {
  const divisor = a.local(r.type);
  a.get(y);
  a.get(y);
  scalarOp(a, r, "eqz");
  if (r.type === "i64") a.op("i64.extend_i32_u");
  scalarOp(a, r, "or");
  a.tee(divisor);
  return divisor;
}

/** The divisors 0 and -1 are done by x * y, which is 0 and -x; others by dividing. With `down`, rounds towards minus infinity. */
function divideSigned(a: Assembler, r: Representation, x: number, y: number, down: boolean): void {
  const special = a.local("i32");
  const divisor = a.local(r.type);
  const quotient = a.local(r.type);
  a.get(x);
  a.get(y);
  scalarOp(a, r, "mul");
  a.get(x);
  pushNumber(a, r, 1);
  a.get(y);
  a.get(y);
  pushNumber(a, r, 1);
  scalarOp(a, r, "add");
  pushNumber(a, r, 2);
  scalarOp(a, r, "lt_u");
  a.tee(special);
  a.op("select");
  a.tee(divisor);
  scalarOp(a, r, "div_s");
  if (down) {
    const rest = a.local(r.type);
    a.tee(quotient);
    a.get(x);
    a.get(quotient);
    a.get(divisor);
    scalarOp(a, r, "mul");
    scalarOp(a, r, "sub");
    a.set(rest);
    pushAdjusts(a, r, rest, divisor);
    if (r.type === "i64") a.op("i64.extend_i32_u");
    scalarOp(a, r, "sub");
  }
  a.get(special);
  a.op("select");
  normalise(a, r);
}

/** Pushes the i32 1 where a remainder that was cut towards 0 has not the sign of the divisor, else 0. */
function pushAdjusts(a: Assembler, r: Representation, rest: number, divisor: number): void {
  a.get(rest);
  a.get(divisor);
  scalarOp(a, r, "xor");
  pushNumber(a, r, 0);
  scalarOp(a, r, "lt_s");
  a.get(rest);
  pushNumber(a, r, 0);
  scalarOp(a, r, "ne");
  a.op("i32.and");
}

function divideUnsigned(a: Assembler, r: Representation, x: number, y: number): void {
  a.get(x);
  safeDivisor(a, r, y);
  scalarOp(a, r, "div_u");
  pushNumber(a, r, 0);
  a.get(y);
  pushNumber(a, r, 0);
  scalarOp(a, r, "ne");
  a.op("select");
}

function truncRem(a: Assembler, r: Representation, x: number, y: number): void {
  a.get(x);
  safeDivisor(a, r, y);
  signedOp(a, r, "rem");
}

function floorModSigned(a: Assembler, r: Representation, x: number, y: number): void {
  const rest = a.local(r.type);
  a.get(x);
  const divisor = safeDivisor(a, r, y);
  scalarOp(a, r, "rem_s");
  a.tee(rest);
  a.get(divisor);
  pushNumber(a, r, 0);
  pushAdjusts(a, r, rest, divisor);
  a.op("select");
  scalarOp(a, r, "add");
}

/** How each function is emitted, for integers of all sizes. */
export const integerDivision = {
  truncDiv: (a, r, x, y) => (r.signed ? divideSigned(a, r, x, y, false) : divideUnsigned(a, r, x, y)),
  floorDiv: (a, r, x, y) => (r.signed ? divideSigned(a, r, x, y, true) : divideUnsigned(a, r, x, y)),
  truncRem,
  floorMod: (a, r, x, y) => (r.signed ? floorModSigned : truncRem)(a, r, x, y),
} as const satisfies Readonly<Partial<Record<ScalarFunction, Emit>>>;
