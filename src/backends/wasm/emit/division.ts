/**
 * Division of one integer by another, as WebAssembly instructions: truncated or floored quotients, and the remainders of both.
 * A division by 0 gives 0, and so does its remainder; the smallest integer divided by -1 is itself. Nothing traps.
 *
 * Division of one float by another with a remainder: truncRem is C's fmod, exact for all numbers; the other three follow from it as
 * they do in Python and PyTorch. float32 is computed in float64, where its remainder is the same number.
 *
 * The exact remainder: with x = mx * 2^ex and y = my * 2^ey, mx and my below 2^53 and ex >= ey, it is
 * (mx * 2^(ex - ey) mod my) * 2^ey. The power of two is multiplied in 11 bits at a time, the most that fits in 64 bits.
 */
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import { type Assembler, type Emit, normalize, type Representation, set, tee } from "./representation.ts";

const infinityBits = 0x7ffn << 52n;
const fraction = (1n << 52n) - 1n;

/** A local with the bits of |x|. */
function magnitudeBits(a: Assembler, x: number): number {
  const bits = a.local("i64");
  a.emit(x, "f64.abs", "i64.reinterpret_f64", set(bits));
  return bits;
}

/** Locals with the integer and the biased exponent of a number of these bits: it is mantissa * 2^(exponent - 1075). */
function split(a: Assembler, bits: number): { readonly mantissa: number; readonly exponent: number } {
  const mantissa = a.local("i64");
  const exponent = a.local("i64");
  a.emit(bits, ["i64.const", fraction], "i64.and");
  a.emit(bits, ["i64.const", 52], "i64.shr_u", tee(exponent));
  a.emit(["i64.const", 0], "i64.ne", "i64.extend_i32_u", ["i64.const", 52], "i64.shl", "i64.or", set(mantissa));
  // A subnormal number has exponent 0 but the scale of exponent 1.
  a.emit(exponent, exponent, "i64.eqz", "i64.extend_i32_u", "i64.or", set(exponent));
  return { mantissa, exponent };
}

/** A local with fmod(x, y) of two f64 locals. */
function floatRemainder(a: Assembler, x: number, y: number): number {
  const result = a.local("f64");
  const xBits = magnitudeBits(a, x);
  const yBits = magnitudeBits(a, y);
  a.emit(["f64.const", NaN], set(result));
  // x is finite; y is neither NaN nor zero
  a.emit(xBits, ["i64.const", infinityBits], "i64.lt_u");
  a.emit(yBits, ["i64.const", 1], "i64.sub", ["i64.const", infinityBits], "i64.lt_u");
  a.emit("i32.and", "if");
  a.emit(x, set(result));
  a.emit(xBits, yBits, "i64.ge_u", "if");
  const dividend = split(a, xBits);
  const divisor = split(a, yBits);
  const shift = dividend.exponent;
  const rest = dividend.mantissa;
  const step = a.local("i64");
  a.emit(shift, divisor.exponent, "i64.sub", set(shift));
  a.emit(["i64.const", 0], set(step));
  a.op("loop");
  a.emit(rest, step, "i64.shl", divisor.mantissa, "i64.rem_u", set(rest));
  a.emit(shift, ["i64.const", 11], shift, ["i64.const", 11], "i64.lt_u", "select", set(step));
  a.emit(shift, step, "i64.sub", set(shift));
  a.emit(step, "i64.eqz", "i32.eqz", ["br_if", 0]);
  a.op("end");
  a.emit(rest, "f64.convert_i64_u", ["f64.const", 2 ** -52], "f64.mul");
  a.emit(divisor.exponent, ["i64.const", 52], "i64.shl", "f64.reinterpret_i64", "f64.mul");
  a.emit(x, "f64.copysign", set(result));
  a.emit("end", "end");
  return result;
}

/** A local with fmod(x, y) of two locals of a float dtype. */
function remainder(a: Assembler, r: Representation, x: number, y: number): number {
  if (r.type === "f64") return floatRemainder(a, x, y);
  const [wideX, wideY] = [promoted(a, x), promoted(a, y)];
  const rest = a.local("f32");
  a.emit(floatRemainder(a, wideX, wideY), "f32.demote_f64", set(rest));
  return rest;
}

/** A local with the value of an f32 local as an f64. */
export function promoted(a: Assembler, narrow: number): number {
  const wide = a.local("f64");
  a.emit(narrow, "f64.promote_f32", set(wide));
  return wide;
}

/** Pushes the i32 1 where the remainder and the divisor differ in sign, else 0. */
function pushFloatAdjusts(a: Assembler, r: Representation, rest: number, y: number): void {
  a.emitFor(r.type, rest, [".const", 0], ".lt", y, [".const", 0], ".lt", "i32.ne");
  a.emitFor(r.type, rest, [".const", 0], ".ne", "i32.and");
}

function floorMod(a: Assembler, r: Representation, x: number, y: number): void {
  const rest = remainder(a, r, x, y);
  a.emitFor(r.type, rest, y, ".add", rest);
  pushFloatAdjusts(a, r, rest, y);
  a.op("select");
}

/** As PyTorch: x / y if y is 0; otherwise (x - rest) / y, less 1 where the remainder changes sign, rounded to the nearest integer. */
function floorDiv(a: Assembler, r: Representation, x: number, y: number): void {
  const near = a.local(r.type);
  const floor = a.local(r.type);
  const quotient = a.local(r.type);
  const rest = remainder(a, r, x, y);
  a.emitFor(r.type, x, y, ".div", tee(quotient), [".const", 0], quotient, ".copysign");
  a.emitFor(r.type, x, rest, ".sub", y, ".div");
  pushFloatAdjusts(a, r, rest, y);
  a.emitFor(r.type, ".convert_i32_u", ".sub", tee(near), ".floor", tee(floor), [".const", 1], ".add");
  a.emitFor(r.type, floor, near, floor, ".sub", [".const", 0.5], ".gt", "select");
  a.emitFor(r.type, near, [".const", 0], ".eq", "select");
  a.emitFor(r.type, y, [".const", 0], ".eq", "select");
}

/** Division and remainders of floats. */
export const floatDivision = {
  truncDiv: (a, r, x, y) => a.emitFor(r.type, x, y, ".div", ".trunc"),
  truncRem: (a, r, x, y) => a.get(remainder(a, r, x, y)),
  floorMod,
  floorDiv,
} as const satisfies Readonly<Partial<Record<ScalarFunction, Emit>>>;

/** Converts the i32 0 or 1 on the stack to an integer type. */
function extendCondition(a: Assembler, { type }: Representation): void {
  if (type === "i64") a.op("i64.extend_i32_u");
}

/** Pushes a divisor that does not trap, 1 in place of 0, and returns its local. */
function safeDivisor(a: Assembler, r: Representation, y: number): number {
  const divisor = a.local(r.type);
  a.emitFor(r.type, y, y, ".eqz");
  extendCondition(a, r);
  a.emitFor(r.type, ".or", tee(divisor));
  return divisor;
}

/** For the divisors 0 and -1 the result is x * y, which is 0 and -x; others divide. With `down`, rounds toward minus infinity. */
function divideSigned(a: Assembler, r: Representation, x: number, y: number, down: boolean): void {
  const special = a.local("i32");
  const divisor = a.local(r.type);
  const quotient = a.local(r.type);
  a.emitFor(r.type, x, y, ".mul", x);
  a.emitFor(r.type, [".const", 1], y, y, [".const", 1], ".add", [".const", 2], ".lt_u", tee(special), "select");
  a.emitFor(r.type, tee(divisor), ".div_s");
  if (down) {
    const rest = a.local(r.type);
    a.emitFor(r.type, tee(quotient), x, quotient, divisor, ".mul", ".sub", set(rest));
    pushAdjusts(a, r, rest, divisor);
    extendCondition(a, r);
    a.emitFor(r.type, ".sub");
  }
  a.emit(special, "select");
  normalize(a, r);
}

/** Pushes the i32 1 where a truncated remainder and the divisor differ in sign, else 0. */
export function pushAdjusts(a: Assembler, { type }: Pick<Representation, "type">, rest: number, divisor: number): void {
  a.emitFor(type, rest, divisor, ".xor", [".const", 0], ".lt_s");
  a.emitFor(type, rest, [".const", 0], ".ne", "i32.and");
}

function divideUnsigned(a: Assembler, r: Representation, x: number, y: number): void {
  a.get(x);
  safeDivisor(a, r, y);
  a.emitFor(r.type, ".div_u", [".const", 0], y, [".const", 0], ".ne", "select");
}

function truncRem(a: Assembler, r: Representation, x: number, y: number): void {
  a.get(x);
  safeDivisor(a, r, y);
  a.emitFor(r.type, `.rem_${r.sign}`);
}

function floorModSigned(a: Assembler, r: Representation, x: number, y: number): void {
  const rest = a.local(r.type);
  a.get(x);
  const divisor = safeDivisor(a, r, y);
  a.emitFor(r.type, ".rem_s", tee(rest), divisor, [".const", 0]);
  pushAdjusts(a, r, rest, divisor);
  a.emitFor(r.type, "select", ".add");
}

/** Division and remainders of integers of all sizes. */
export const integerDivision = {
  truncDiv: (a, r, x, y) => (r.signed ? divideSigned(a, r, x, y, false) : divideUnsigned(a, r, x, y)),
  floorDiv: (a, r, x, y) => (r.signed ? divideSigned(a, r, x, y, true) : divideUnsigned(a, r, x, y)),
  truncRem,
  floorMod: (a, r, x, y) => (r.signed ? floorModSigned : truncRem)(a, r, x, y),
} as const satisfies Readonly<Partial<Record<ScalarFunction, Emit>>>;
