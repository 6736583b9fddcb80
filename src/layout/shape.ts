/**
 * Arithmetic and relations of shapes: division, rounding, and how two profiles fit each other.
 * Each relation says exactly when it holds; symbolic sizes that cannot be compared count as not fitting.
 */
import { LayoutError } from "../base/errors.ts";
import { add, ceilDivInt, dividesInt, equalInt, type Int, int, mul } from "./int.ts";
import { differingRanks, type IntTuple, isTuple, type Nested, product, rankOf, zipLeaves } from "./tuple.ts";

type Modes = readonly IntTuple[];

/** Folds an integer divisor through the modes of a tuple from the left, as long division does. */
function divideThrough(a: Modes, b: Int, divide: (x: IntTuple, y: Int) => IntTuple): IntTuple {
  let rest: Int = b;
  return a.map((mode) => {
    const quotient = divide(mode, rest);
    rest = divide(rest, product(mode)) as Int;
    return quotient;
  });
}

/** `f` on the modes of two tuples; missing modes of b are 1. */
function pairModes(who: string, a: Modes, b: Modes, f: (x: IntTuple, y: IntTuple) => IntTuple): IntTuple {
  if (b.length > a.length) throw differingRanks(who, a, b);
  return a.map((mode, i) => f(mode, b[i] ?? int(1)));
}

/** a / b rounded up. Tuples divide mode by mode, missing modes of b are 1; an integer divides through a tuple. */
export function ceilDiv(a: IntTuple, b: IntTuple): IntTuple {
  if (!isTuple(a)) return ceilDivInt(a as Int, product(b));
  if (!isTuple(b)) return divideThrough(a as Modes, b as Int, ceilDiv);
  return pairModes("ceilDiv", a as Modes, b as Modes, ceilDiv);
}

/** The smallest multiple of b that is at least a, mode by mode; missing modes of b are 1. */
export function roundUp(a: IntTuple, b: IntTuple): IntTuple {
  if (isTuple(a) !== isTuple(b)) throw differingRanks("roundUp", a, b);
  return isTuple(a)
    ? pairModes("roundUp", a as Modes, b as Modes, roundUp)
    : mul(ceilDivInt(a as Int, b as Int), b as Int);
}

/**
 * Division of shapes that must come out even: for integers, one divides the other and the result is a / b rounded up.
 * Tuples divide mode by mode; an integer divides through a tuple: shapeDiv((4,5,6), 40) = (1,1,3).
 */
export function shapeDiv(a: IntTuple, b: IntTuple): IntTuple {
  if (isTuple(a)) {
    if (!isTuple(b)) return divideThrough(a as Modes, b as Int, shapeDiv);
    if (rankOf(a) !== rankOf(b)) throw differingRanks("shapeDiv", a, b);
    return (a as Modes).map((mode, i) => shapeDiv(mode, (b as Modes)[i] as IntTuple));
  }
  if (isTuple(b)) return shapeDiv(a, product(b));
  const even = dividesInt(b as Int, a as Int) || dividesInt(a as Int, b as Int);
  if (!even) throw new LayoutError(`shapeDiv: neither of ${a} and ${b} divides the other`);
  return ceilDivInt(a as Int, b as Int);
}

/** a scaled by the product of the corresponding part of b, in the profile of a. */
export const elemScale = (a: IntTuple, b: IntTuple): IntTuple =>
  zipLeaves<Int, Int, Int>(a as Nested<Int>, b as Nested<Int>, (x, y) => mul(x, product(y)), "elemScale") as IntTuple;

/** The sum of the products of corresponding leaves; the tuples are congruent. */
export function innerProduct(a: IntTuple, b: IntTuple): Int {
  if (!isTuple(a) && !isTuple(b)) return mul(a as Int, b as Int);
  if (!isTuple(a) || !isTuple(b) || a.length !== b.length) throw differingRanks("innerProduct", a, b);
  return (a as Modes).reduce<Int>(
    (total, mode, i) => add(total, innerProduct(mode, (b as Modes)[i] as IntTuple)),
    int(0),
  );
}

/** True if and only if the two have the same nesting. */
export function congruent(a: Nested<unknown>, b: Nested<unknown>): boolean {
  if (!isTuple(a) || !isTuple(b)) return !isTuple(a) && !isTuple(b);
  return a.length === b.length && a.every((mode, i) => congruent(mode as Nested<unknown>, b[i] as Nested<unknown>));
}

/** True if and only if b has the nesting of a, or refines it: a leaf of a may be anything in b. */
export function weaklyCongruent(a: Nested<unknown>, b: Nested<unknown>): boolean {
  if (!isTuple(a)) return true;
  return (
    isTuple(b) &&
    a.length === b.length &&
    a.every((mode, i) => weaklyCongruent(mode as Nested<unknown>, b[i] as Nested<unknown>))
  );
}

/** True if and only if b refines a with equal sizes: every coordinate of a is a coordinate of b. */
export function compatible(a: IntTuple, b: IntTuple): boolean {
  if (!isTuple(a)) return equalInt(a as Int, product(b)) === true;
  return (
    isTuple(b) &&
    a.length === b.length &&
    (a as Modes).every((mode, i) => compatible(mode, (b as Modes)[i] as IntTuple))
  );
}
