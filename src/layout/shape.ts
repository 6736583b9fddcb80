/**
 * Arithmetic and relations of shapes: division, rounding, congruence and compatibility.
 * Each relation states the exact condition; symbolic sizes that cannot be compared count as unequal.
 *
 * Coordinates have three orders: lexicographic (row-major), colexicographic (column-major) and elementwise.
 * A coordinate that is a prefix of another is the smaller one. Numbers only: the order of symbols is unknown.
 *
 * Compact strides leave no gap: column-major, row-major, or in a given order of modes.
 * As in CuTe, a static size of 1 gets the static stride 0; a dynamic 1 gets the running product.
 */
import { LayoutError, named } from "../base/errors.ts";
import { _0, _1, add, ceilDivInt, dividesInt, equalInt, type Int, isOne, isStaticInt, mul, valueOf } from "./int.ts";
import {
  differingRanks,
  type IntTuple,
  isTuple,
  leaves,
  mapLeaves,
  type Nested,
  product,
  rankOf,
  zipLeaves,
} from "./tuple.ts";

type Modes = readonly IntTuple[];

/** Divides the modes of a tuple by an integer from the left, as in long division. */
function divideThrough(a: Modes, b: Int, divide: (x: IntTuple, y: Int) => IntTuple): IntTuple {
  let rest: Int = b;
  return a.map((mode) => {
    const quotient = divide(mode, rest);
    rest = divide(rest, product(mode)) as Int;
    return quotient;
  });
}

/** Applies `f` to the modes of two tuples; missing modes of b are 1. */
function pairModes(who: string, a: Modes, b: Modes, f: (x: IntTuple, y: IntTuple) => IntTuple): IntTuple {
  if (b.length > a.length) throw differingRanks(who, a, b);
  return a.map((mode, i) => f(mode, b[i] ?? _1));
}

/** Returns a / b rounded up. Tuples divide mode by mode, missing modes of b are 1; an integer divides a tuple from the left. */
export function ceilDiv(a: IntTuple, b: IntTuple): IntTuple {
  if (!isTuple(a)) return ceilDivInt(a, product(b));
  if (!isTuple(b)) return divideThrough(a, b, ceilDiv);
  return pairModes("ceilDiv", a, b, ceilDiv);
}

/** Returns the smallest multiple of b that is at least a, mode by mode; missing modes of b are 1. */
export function roundUp(a: IntTuple, b: IntTuple): IntTuple {
  if (isTuple(a) !== isTuple(b)) throw differingRanks("roundUp", a, b);
  return isTuple(a)
    ? pairModes("roundUp", a as Modes, b as Modes, roundUp)
    : named("roundUp", () => mul(ceilDivInt(a, b as Int), b as Int));
}

/**
 * Divides shapes exactly: of two integers, one must divide the other, and the result is a / b rounded up.
 * Tuples divide mode by mode; an integer divides a tuple from the left: shapeDiv((4,5,6), 40) = (1,1,3).
 */
export function shapeDiv(a: IntTuple, b: IntTuple): IntTuple {
  if (isTuple(a)) {
    if (!isTuple(b)) return divideThrough(a, b, shapeDiv);
    if (rankOf(a) !== rankOf(b)) throw differingRanks("shapeDiv", a, b);
    return a.map((mode, i) => shapeDiv(mode, b[i]));
  }
  if (isTuple(b)) return shapeDiv(a, product(b));
  const even = dividesInt(b, a) || dividesInt(a, b);
  if (!even) throw new LayoutError(`shapeDiv: neither of ${a} and ${b} divides the other. ceilDiv rounds up instead`);
  return named("shapeDiv", () => ceilDivInt(a, b));
}

/** Returns a with each leaf multiplied by the product of the corresponding part of b. */
export const elemScale = (a: IntTuple, b: IntTuple): IntTuple =>
  zipLeaves<Int, Int, Int>(a, b, (x, y) => mul(x, product(y)), "elemScale");

/** Returns the sum of the products of corresponding leaves of congruent tuples. */
export function innerProduct(a: IntTuple, b: IntTuple): Int {
  if (!isTuple(a) && !isTuple(b)) return mul(a, b);
  if (!isTuple(a) || !isTuple(b) || a.length !== b.length) throw differingRanks("innerProduct", a, b);
  return a.reduce<Int>((total, mode, i) => add(total, innerProduct(mode, b[i])), _0);
}

/** True if and only if the two have the same nesting. */
export function congruent(a: Nested<unknown>, b: Nested<unknown>): boolean {
  if (!isTuple(a) || !isTuple(b)) return !isTuple(a) && !isTuple(b);
  return a.length === b.length && a.every((mode, i) => congruent(mode, b[i] as Nested<unknown>));
}

/** True if and only if b has the nesting of a, or refines it: a leaf of a may be anything in b. */
export function weaklyCongruent(a: Nested<unknown>, b: Nested<unknown>): boolean {
  if (!isTuple(a)) return true;
  return isTuple(b) && a.length === b.length && a.every((mode, i) => weaklyCongruent(mode, b[i] as Nested<unknown>));
}

/** True if and only if b refines a with equal sizes: every coordinate of a is a coordinate of b. */
export function compatible(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a)) return equalInt(a, product(b)) === true;
  return isTuple(b) && a.length === b.length && a.every((mode, i) => compatible(mode, b[i]));
}

function equalCoords(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return equalInt(a, b) === true;
  return isTuple(a) && isTuple(b) && a.length === b.length && a.every((mode, i) => equalCoords(mode, b[i]));
}

/** Compares modes in the order of `pick` until two differ. */
function orderedLess(a: IntTuple, b: IntTuple, who: string, pick: (modes: Modes, step: number) => IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return valueOf(a, who) < valueOf(b, who);
  if (!isTuple(a) || !isTuple(b)) throw differingRanks(who, a, b);
  for (let step = 0; ; step++) {
    if (step === b.length) return false;
    if (step === a.length) return true;
    const x = pick(a, step);
    const y = pick(b, step);
    if (orderedLess(x, y, who, pick)) return true;
    if (!equalCoords(x, y)) return false;
  }
}

/** True if a comes before b and the first mode is the most significant. */
export const lexLess = (a: IntTuple, b: IntTuple): boolean =>
  orderedLess(a, b, "lexLess", (modes, step) => modes[step]);
/** True if a comes before b and the last mode is the most significant. */
export const colexLess = (a: IntTuple, b: IntTuple): boolean =>
  orderedLess(a, b, "colexLess", (modes, step) => modes[modes.length - 1 - step]);

/** True if every mode of a is less than the same mode of b; b may have further modes. */
export function elemLess(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a) && !isTuple(b)) return valueOf(a, "elemLess") < valueOf(b, "elemLess");
  if (!isTuple(a) || !isTuple(b)) throw differingRanks("elemLess", a, b);
  return a.length <= b.length && a.every((mode, i) => elemLess(mode, b[i]));
}

export const lexLeq = (a: IntTuple, b: IntTuple): boolean => named("lexLeq", () => !lexLess(b, a));
export const colexLeq = (a: IntTuple, b: IntTuple): boolean => named("colexLeq", () => !colexLess(b, a));
/** True unless every mode of b is less than that of a: CuTe's definition, which is not an order of tuples. */
export const elemLeq = (a: IntTuple, b: IntTuple): boolean => named("elemLeq", () => !elemLess(b, a));

function compact(shape: IntTuple, start: Int, rightToLeft: boolean): [stride: IntTuple, next: Int] {
  if (!isTuple(shape)) {
    const isStaticOne = isStaticInt(shape) && isOne(shape);
    return isStaticOne ? [_0, start] : [start, mul(start, shape)];
  }
  const stride = new Array<IntTuple>(shape.length);
  let running = start;
  for (let step = 0; step < shape.length; step++) {
    const i = rightToLeft ? shape.length - 1 - step : step;
    [stride[i], running] = compact(shape[i], running, rightToLeft);
  }
  return [stride, running];
}

/** Returns strides with the leftmost mode fastest, from `start` on. A tuple of starts applies to the modes one by one. */
export function compactColMajor(shape: IntTuple, start: IntTuple = _1): IntTuple {
  return eachStart("compactColMajor", shape, start, false);
}

/** Returns strides with the rightmost mode fastest, from `start` on. */
export function compactRowMajor(shape: IntTuple, start: IntTuple = _1): IntTuple {
  return eachStart("compactRowMajor", shape, start, true);
}

function eachStart(who: string, shape: IntTuple, start: IntTuple, rightToLeft: boolean): IntTuple {
  if (!isTuple(start)) return compact(shape, start, rightToLeft)[0];
  if (!isTuple(shape) || shape.length !== start.length) throw differingRanks(who, shape, start);
  return shape.map((mode, i) => eachStart(who, mode, start[i], rightToLeft));
}

/**
 * Returns strides in the order of the numbers in `order`: the mode with the smallest number is fastest. As in CuTe, static
 * numbers come first, dynamic ones after them from left to right; if no number is static, their values decide.
 * Equal numbers count from left to right, so the result is always compact.
 */
export function compactOrder(shape: IntTuple, order: IntTuple): IntTuple {
  const numbers = leaves<Int>(order);
  const byValue = !numbers.some(isStaticInt);
  const ranks = numbers.map((o) => (byValue || isStaticInt(o) ? valueOf(o, "compactOrder") : Infinity));
  const parts: IntTuple[] = [];
  zipLeaves<Int, Int, number>(order, shape, (_number, part) => parts.push(part), "compactOrder");
  const strides = new Array<IntTuple>(parts.length);
  let start: Int = _1;
  for (const i of [...parts.keys()].sort((a, b) => ranks[a] - ranks[b] || a - b))
    [strides[i], start] = compact(parts[i], start, false);
  let next = 0;
  return mapLeaves(order, () => strides[next++]);
}

/** Returns the running product of the sizes, size-1 modes included: (1,3,6) for (3,2,4). */
export function prefixProduct(shape: IntTuple, start: Int = _1): IntTuple {
  let running = start;
  const walk = (s: IntTuple): IntTuple => {
    if (isTuple(s)) return s.map(walk);
    const stride = running;
    running = mul(running, s);
    return stride;
  };
  return walk(shape);
}
