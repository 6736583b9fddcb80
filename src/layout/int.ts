/**
 * Int: the one integer type of shapes and strides, in three kinds.
 * static `int(8)` (prints `_8`), dynamic `8` (a plain number), symbolic (an expression such as `4*n`).
 *
 * Arithmetic follows CuTe: static with static is static, a static 0 absorbs a factor, and a dynamic operand makes the result
 * dynamic. A symbolic operand makes the result symbolic unless it folds to a constant.
 * Predicates on symbolic integers return true, false or undefined (unknown).
 * Only the type of expressions is imported, so programs without symbols do not load them.
 *
 * Static integers by name: `_8` is `int(8)`, with the type `Static<8>`. `_` alone means all of a mode (coord.ts).
 */
import { shown } from "../base/arguments.ts";
import { LayoutError } from "../base/errors.ts";
import { checkedAdd, checkedMul, gcd as gcdOf } from "../base/ints.ts";
import type { Expr } from "../expr/expr.ts";

/** An integer that is part of a layout's identity: it prints as `_8` and is a constant in kernels. */
export class Static<N extends number = number> {
  readonly kind = "static";
  declare readonly value: N;
  constructor(value: N) {
    this.value = value;
  }
  toString(): string {
    return `_${this.value}`;
  }
  valueOf(): N {
    return this.value;
  }
  toJSON(): string {
    return this.toString();
  }
}

export type Int = number | Static | Expr;

/** True if and only if the integer is static. */
export function isStaticInt(value: unknown): value is Static {
  // Recognized by `kind`, so that two copies of this package understand each other. Written out for each kind of value:
  // a shared function sees every kind of object, and engines then read properties slowly.
  return (value as Static | undefined)?.kind === "static";
}

/** True if and only if the value is an expression. */
export function isSymbolic(value: unknown): value is Expr {
  return typeof value === "object" && value !== null && typeof (value as Expr).floorDiv === "function";
}

/** True if and only if the value is a number, a static integer or an expression. */
export function isInt(value: unknown): value is Int {
  return typeof value === "number" || isStaticInt(value) || isSymbolic(value);
}

const small: Static[] = [];

/** Throws unless `value` is an exact integer. */
export function checkInteger(who: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw wrongKind(who, "an integer below 2^53", value);
}

/** Returns the static integer `value`; its type holds the literal: `int(8)` has type `Static<8>`. */
export function int<const N extends number>(value: N): Static<N> {
  checkInteger("int", value);
  if (value < 0 || value > 1024) return new Static(value);
  small[value] ??= Object.freeze(new Static<number>(value));
  return small[value] as Static<N>;
}

/** Returns the value of a static or dynamic integer as a number. Throws for a symbolic one, in the name of `who`. */
export function valueOf(a: Int, who = "valueOf"): number {
  const value = knownValue(a);
  if (value !== undefined) return value;
  if (!isSymbolic(a)) throw wrongKind(who, "an integer", a);
  throw new LayoutError(`${who}: ${a} is symbolic. Use numbers, or sizeInt and crd2idx`);
}

/** True if and only if the value is an integer that numbers hold exactly, or an expression. */
export const isExactInt = (value: unknown): value is Int =>
  isInt(value) && Number.isSafeInteger(knownValue(value) ?? 0);

/** Returns the value of an integer as a number, or undefined if it is symbolic. */
export function knownValue(a: Int): number | undefined {
  if (typeof a === "number") return a;
  // Arithmetic calls this before it checks its operands, so `a` may be anything.
  return (a as Static | undefined)?.kind === "static" ? (a as Static).value : undefined;
}

/** Converts both operands to expressions; throws unless both are integers. */
function asExprs(a: Int, b: Int): readonly [Expr, Expr] {
  // Without an expression among them, one is not an integer, and `valueOf` throws.
  const like = isSymbolic(a) ? a : isSymbolic(b) ? b : (valueOf(knownValue(a) === undefined ? a : b) as never);
  const lift = (x: Int): Expr => (isSymbolic(x) ? x : like.lift(valueOf(x)));
  return [lift(a), lift(b)];
}

/** Converts a symbolic result that folded to a constant to a dynamic integer. */
const fromExpr = (e: Expr): Int => (e.kind === "const" ? e.value : e);

/** Computes a symbolic result. The functions below try numbers first, by far the most common case. */
const symbolic = (a: Int, b: Int, operation: (x: Expr, y: Expr) => Expr): Int => fromExpr(operation(...asExprs(a, b)));
/** Returns the result of a and b, static if both are. */
const staticIfBoth = (a: Int, b: Int, result: number): Int =>
  typeof a === "number" || typeof b === "number" ? result : int(result);

/** a + b */
export function add(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? symbolic(a, b, (p, q) => p.add(q)) : staticIfBoth(a, b, checkedAdd(x, y));
}

/** a - b */
export function sub(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined
    ? symbolic(a, b, (p, q) => p.sub(q))
    : staticIfBoth(a, b, checkedAdd(x, -y));
}

/** a * b; a static 0 makes it a static 0 */
export function mul(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  if ((x === 0 && typeof a !== "number") || (y === 0 && typeof b !== "number")) return _0;
  return x === undefined || y === undefined ? symbolic(a, b, (p, q) => p.mul(q)) : staticIfBoth(a, b, checkedMul(x, y));
}

function refuseZero(a: Int, b: Int, who = "crd2idx"): void {
  if (isZero(b)) throw new LayoutError(`${who}: cannot divide ${a} by 0`);
}

/** a / b rounded toward zero, as in C++. Symbolic operands round down, which is the same for sizes. */
export function div(a: Int, b: Int): Int {
  refuseZero(a, b);
  if (isStaticInt(a) && isZero(a)) return a;
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined
    ? symbolic(a, b, (p, q) => p.divideExact(q) ?? p.floorDiv(q))
    : staticIfBoth(a, b, Math.trunc(x / y) + 0);
}

/** a - b * (a / b): the remainder has the sign of a, as in C++. */
export function mod(a: Int, b: Int): Int {
  refuseZero(a, b);
  if ((isStaticInt(a) && isZero(a)) || (isStaticInt(b) && isOne(b))) return _0;
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? symbolic(a, b, (p, q) => p.mod(q)) : staticIfBoth(a, b, (x % y) + 0);
}

/** (a + b - 1) / b for b > 0 */
export function ceilDivInt(a: Int, b: Int): Int {
  refuseZero(a, b, "ceilDiv");
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined
    ? symbolic(a, b, (p, q) => p.divideExact(q) ?? p.ceilDiv(q))
    : staticIfBoth(a, b, Math.trunc((x + y - 1) / y));
}

export function minInt(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? symbolic(a, b, (p, q) => p.min(q)) : staticIfBoth(a, b, Math.min(x, y));
}

export function maxInt(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? symbolic(a, b, (p, q) => p.max(q)) : staticIfBoth(a, b, Math.max(x, y));
}

export function gcdInt(a: Int, b: Int): Int {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? 1 : staticIfBoth(a, b, gcdOf(x, y));
}

export function absInt(a: Int): Int {
  if (typeof a === "number") return Math.abs(a);
  return isStaticInt(a) ? int(Math.abs(a.value)) : fromExpr(a.abs());
}

/** Returns the sign of an integer; a symbolic one counts as positive unless it is known to be negative. */
export function signOf(a: Int): 1 | -1 | 0 {
  const x = knownValue(a);
  if (x !== undefined) return Math.sign(x) as 1 | -1 | 0;
  return (a as Expr).proveLess(0) ? -1 : 1;
}

/** Runs a proof on two integers as expressions. */
const proved = (a: Int, b: Int, question: (x: Expr, y: Expr) => boolean | undefined): boolean | undefined =>
  question(...asExprs(a, b));

/** a = b, or undefined if it depends on a symbol. */
export function equalInt(a: Int, b: Int): boolean | undefined {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? proved(a, b, (p, q) => p.proveEqual(q)) : x === y;
}

/** a <= b, or undefined */
export function lessEqualInt(a: Int, b: Int): boolean | undefined {
  const x = knownValue(a);
  const y = knownValue(b);
  return x === undefined || y === undefined ? proved(a, b, (p, q) => p.proveLessEqual(q)) : x <= y;
}

/** a % b = 0, or undefined */
export function dividesInt(b: Int, a: Int): boolean | undefined {
  const x = knownValue(a);
  const y = knownValue(b);
  if (x === undefined || y === undefined) return proved(a, b, (p, q) => p.proveDivisible(q));
  return y === 0 ? x === 0 : x % y === 0;
}

/** Returns true if the integer is known to be 1. */
export const isOne = (a: Int): boolean => knownValue(a) === 1;
/** Returns true if the integer is known to be 0. */
export const isZero = (a: Int): boolean => knownValue(a) === 0;

export const _0: Static<0> = /* @__PURE__ */ int(0);
export const _1: Static<1> = /* @__PURE__ */ int(1);
export const _2: Static<2> = /* @__PURE__ */ int(2);
export const _3: Static<3> = /* @__PURE__ */ int(3);
export const _4: Static<4> = /* @__PURE__ */ int(4);
export const _5: Static<5> = /* @__PURE__ */ int(5);
export const _6: Static<6> = /* @__PURE__ */ int(6);
export const _7: Static<7> = /* @__PURE__ */ int(7);
export const _8: Static<8> = /* @__PURE__ */ int(8);
export const _9: Static<9> = /* @__PURE__ */ int(9);
export const _10: Static<10> = /* @__PURE__ */ int(10);
export const _12: Static<12> = /* @__PURE__ */ int(12);
export const _16: Static<16> = /* @__PURE__ */ int(16);
export const _32: Static<32> = /* @__PURE__ */ int(32);
export const _64: Static<64> = /* @__PURE__ */ int(64);
export const _128: Static<128> = /* @__PURE__ */ int(128);
export const _256: Static<256> = /* @__PURE__ */ int(256);
export const _512: Static<512> = /* @__PURE__ */ int(512);
export const _1024: Static<1024> = /* @__PURE__ */ int(1024);

/** Returns the text of a fact about symbols that could not be proved, with the remedy. */
export const unproved = (fact: string): string =>
  `cannot prove ${fact}. State it: sym(name, { min, max, divisibleBy })`;

/** Returns the error of an argument of the wrong kind. */
export const wrongKind = (who: string, needed: string, value: unknown): LayoutError =>
  new LayoutError(`${who}: needs ${needed}, got ${shown(value)}`);
