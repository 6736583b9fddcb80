/**
 * Bitwise functions of integer expressions, on the bits of two's complement: `and`, `xor`, `shiftLeft` and `shiftRight`. They are functions
 * and not methods of expressions, so that programs without them do not load their rules.
 *
 * Shifts are arithmetic: shiftLeft(a, k) = a * 2^k and shiftRight(a, k) = floorDiv(a, 2^k), for k >= 0. Only 2^k is an atom, for a k that is
 * not constant. A mask of adjacent ones is a quotient and a remainder, because x and 2^k - 1 = x mod 2^k. Operands that split at one bit are
 * computed below and above it: xor(8*i + j, 8*k) = 8*xor(i, k) + j for 0 <= j < 8. Constants are 0 or more, because xor(x, -1) = -x - 1.
 */
import { ExprError, named } from "../base/errors.ts";
import { floorDiv as floorDivInt } from "../base/ints.ts";
import { add, floorDiv, mod, multiply } from "./arithmetic.ts";
import { bounded, divisorOf, type Range, rangeOf, sortBy, unitOf } from "./bounds.ts";
import { spend, withSteps } from "./budget.ts";
import { asExpr, checkSymbols, type Expr, exprOf } from "./expr.ts";
import {
  type BitRule,
  collectTerms,
  constantTerm,
  one,
  type Polynomial,
  polynomialKey,
  type SymbolAtom,
  scale,
  soleAtom,
  subtract,
} from "./polynomial.ts";
import type { Operand } from "./proofs.ts";

/** The ones that all operands have. */
export const and = (...operands: readonly [Operand, ...Operand[]]): Expr => combined("and", andOf, operands);
/** The ones that an odd number of operands have. */
export const xor = (...operands: readonly [Operand, ...Operand[]]): Expr => combined("xor", xorOf, operands);
/** a * 2^count; count is 0 or more. */
export const shiftLeft = (a: Operand, count: Operand): Expr => combined("shiftLeft", shiftLeftOf, [a, count]);
/** a / 2^count, rounded down; count is 0 or more. */
export const shiftRight = (a: Operand, count: Operand): Expr => combined("shiftRight", shiftRightOf, [a, count]);

type Polynomials = readonly [Polynomial, ...Polynomial[]];

function combined(who: string, build: (operands: Polynomials) => Polynomial, operands: readonly Operand[]): Expr {
  return named(who, () => {
    const exprs = operands.map(asExpr);
    const known = new Map<string, SymbolAtom>();
    for (const { symbols } of exprs) {
      checkSymbols(known, symbols);
      for (const [name, symbol] of symbols) known.set(name, symbol);
    }
    return withSteps(0, () => exprOf(build(exprs as [Expr, ...Expr[]])));
  });
}

const constantOf = (value: number): Polynomial => ({ constant: value, terms: [] });
const zero = /* @__PURE__ */ constantOf(0);
const isZero = ({ constant, terms }: Polynomial): boolean => constant === 0 && terms.length === 0;

const is32 = (value: number): boolean => value === (value | 0);

/** Returns a function of integers up to 2^53; `short` is the function of 32-bit integers. */
const onBits =
  (short: (a: number, b: number) => number, long: (a: bigint, b: bigint) => bigint) =>
  (a: number, b: number): number => {
    if (is32(a) && is32(b)) return short(a, b);
    if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return Number.NaN;
    return safe(Number(long(BigInt(a), BigInt(b))));
  };

const andBits = /* @__PURE__ */ onBits(
  (a, b) => a & b,
  (a, b) => a & b,
);
const xorBits = /* @__PURE__ */ onBits(
  (a, b) => a ^ b,
  (a, b) => a ^ b,
);

function safe(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new ExprError("the result is past 2^53.");
}

const andRule: BitRule = {
  value: (values) => values.reduce(andBits),
  build: (args) => andOf(args as Polynomials),
  wasm: "and",
};
const xorRule: BitRule = {
  value: (values) => values.reduce(xorBits),
  build: (args) => xorOf(args as Polynomials),
  wasm: "xor",
};
const shiftRule: BitRule = {
  value([a, count]) {
    if (count < 0) throw new ExprError(`the number of bits is ${count}, and must be 0 or more.`);
    return Number.isNaN(count) ? count : safe(a * 2 ** count);
  },
  build: (args) => shiftLeftOf(args as Polynomials),
  wasm: "shl",
};

const shiftLeftOf = ([a, count]: Polynomials): Polynomial => multiply(a, powerOf(count));
const shiftRightOf = ([a, count]: Polynomials): Polynomial => floorDiv(a, powerOf(count));

/** 2^count. */
function powerOf(count: Polynomial): Polynomial {
  const [min, max] = rangeOf(count);
  if (max < 0 || min > 52) throw new ExprError(`the number of bits is ${exprOf(count)}, and must be 0 to 52.`);
  if (count.terms.length === 0) return constantOf(2 ** count.constant);
  // 2^(k + c) = 2^c * 2^k, where 2^k is an integer
  const { constant } = count;
  const rest = collectTerms(count.terms);
  if (constant > 0 && constant <= 52 && rangeOf(rest)[0] >= 0) return scale(powerOf(rest), 2 ** constant);
  const low = 2 ** Math.max(min, 0);
  return bounded({ kind: "shiftLeft", rule: shiftRule }, [one, count], [low, max > 52 ? Infinity : 2 ** max, low]);
}

/** Collects the constants, and the other operands with those of nested calls of the same kind. */
function flattened(kind: "and" | "xor", operands: Polynomials): readonly [constants: number[], others: Polynomial[]] {
  const constants: number[] = [];
  const others: Polynomial[] = [];
  for (const operand of operands) {
    const atom = soleAtom(operand);
    for (const each of atom?.kind === kind ? atom.args : [operand])
      if (each.terms.length === 0) constants.push(each.constant);
      else others.push(each);
  }
  return [constants, others];
}

function andOf(operands: Polynomials): Polynomial {
  const [constants, all] = flattened("and", operands);
  const others = [...new Map(all.map((each) => [polynomialKey(each), each])).values()];
  const mask = constants.reduce(andBits, -1);
  if (others.length === 0) return constantOf(mask);
  if (mask === 0) return zero;
  // x and c = x - (x and not c), for a negative c
  if (mask < 0) {
    const rest = others.length === 1 ? others[0] : split("and", others);
    return mask === -1 ? rest : minus(rest, andOf([rest, constantOf(-1 - mask)]));
  }
  if (others.length === 1) {
    const low = lowBit(mask);
    const ones = mask / low + 1;
    if (ones === lowBit(ones)) {
      // A mask of adjacent ones.
      return scale(mod(floorDiv(others[0], constantOf(low)), constantOf(ones)), low);
    }
  }
  return split("and", [...others, constantOf(mask)]);
}

const minus = (a: Polynomial, b: Polynomial): Polynomial => add(a, scale(b, -1));

function xorOf(operands: Polynomials): Polynomial {
  const [constants, all] = flattened("xor", operands);
  // x xor x = 0
  const byKey = new Map<string, Polynomial>();
  for (const each of all) {
    const key = polynomialKey(each);
    if (!byKey.delete(key)) byKey.set(key, each);
  }
  const others = [...byKey.values()];
  const bits = constants.reduce(xorBits, 0);
  if (others.length === 0) return constantOf(bits);
  // x xor c = -1 - (x xor not c)
  if (bits < 0) return minus(constantOf(-1), xorOf([constantOf(-1 - bits), ...others]));
  if (bits > 0) others.push(constantOf(bits));
  return others.length === 1 ? others[0] : split("xor", others);
}

/** The lowest one of a positive integer, as a power of two. */
function lowBit(value: number): number {
  let bit = 1;
  while (value % (2 * bit) === 0 && bit < 2 ** 52) bit *= 2;
  return bit;
}

/** Computes the bits below and above a power of two apart, if every operand is a sum of both; otherwise makes the call. */
function split(kind: "and" | "xor", operands: readonly Polynomial[]): Polynomial {
  const build = (list: readonly Polynomial[]): Polynomial => (kind === "and" ? andOf : xorOf)(list as Polynomials);
  const steps = new Set<number>();
  for (const { terms } of operands)
    for (const term of terms) steps.add(lowBit(Math.abs(term.num * (unitOf(term) / term.den))));
  for (const step of [...steps].sort((x, y) => y - x)) {
    if (step === 1) continue;
    const parts = operands.map((operand) => splitAt(operand, step));
    if (!parts.every((part) => part !== undefined)) continue;
    const [highs, lows] = [parts.map(([high]) => high), parts.map(([, low]) => low)];
    if (!highs.every(isZero)) return add(scale(build(highs), step), build(lows));
  }
  const args = sortBy(operands, polynomialKey);
  const [rule, range] = kind === "and" ? [andRule, rangeOfAnd] : [xorRule, rangeOfXor];
  const [min, max] = args.map(rangeOf).reduce(range);
  const bits = args.map((arg) => lowBit(divisorOf(arg)));
  return bounded({ kind, rule }, args, [min, max, kind === "and" ? Math.max(...bits) : Math.min(...bits)]);
}

/** a = step * high + low with 0 <= low < step; undefined if that would need a remainder. */
function splitAt(a: Polynomial, step: number): readonly [high: Polynomial, low: Polynomial] | undefined {
  spend(a.terms.length + 1);
  const isWhole = a.terms.map((term) => (term.num * (unitOf(term) / term.den)) % step === 0);
  const rest = collectTerms([...a.terms.filter((_, i) => !isWhole[i]), constantTerm(a.constant)]);
  const [first, last] = rangeOf(rest).map((end) => floorDivInt(end, step)) as [number, number];
  if (first !== last || !Number.isFinite(first)) return undefined;
  const high = scale(collectTerms(a.terms.filter((_, i) => isWhole[i])), 1, step);
  return [add(high, constantOf(first)), subtract(rest, constantOf(first * step))];
}

/** The smallest power of two that is at least the value. */
function powerFrom(value: number): number {
  if (value > 2 ** 52) return Infinity;
  let power = 1;
  while (power < value) power *= 2;
  return power;
}

function rangeOfAnd([a, b]: Range, [c, d]: Range): Range {
  if (a >= 0 || c >= 0) return [0, a >= 0 && c >= 0 ? Math.min(b, d) : a >= 0 ? b : d];
  return [-powerFrom(-Math.min(a, c)), Math.max(b, d)];
}

function rangeOfXor([a, b]: Range, [c, d]: Range): Range {
  const bound = powerFrom(Math.max(-a, b + 1, -c, d + 1));
  const isPositive = (a >= 0 && c >= 0) || (b < 0 && d < 0);
  const isNegative = (a >= 0 && d < 0) || (b < 0 && c >= 0);
  return [isPositive ? 0 : -bound, isNegative ? -1 : bound - 1];
}
