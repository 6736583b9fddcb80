/**
 * Division of one integer by another, as WebAssembly instructions: cut towards 0 or rounded down, and the remainders of both.
 * Dividing by 0 gives 0, and so does the rest; the smallest integer divided by -1 is itself. Nothing traps.
 */
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { Assembler } from "./assembler.ts";
import { type Emit, normalise, pushNumber, type Representation, scalarOp, signedOp } from "./representation.ts";

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
