/**
 * Arithmetic on plain numbers that hold integers.
 * Arguments must be safe integers (at most 2^53 - 1 in magnitude); results are never -0.
 * The checked functions throw if the exact result is not safe.
 */
import { OverflowError } from "./errors.ts";

/** The product of the values; 1 for none. Throws OverflowError beyond 2^53 - 1. */
export function product(values: readonly number[]): number {
  let result = 1;
  for (const value of values) result *= value;
  // A product that leaves the safe range can only return to it through a zero, which is exact.
  return Number.isSafeInteger(result) ? result + 0 : overflow(values.join(" * "));
}

/** a + b. Throws OverflowError beyond 2^53 - 1. */
export function checkedAdd(a: number, b: number): number {
  const result = a + b;
  return Number.isSafeInteger(result) ? result : overflow(`${a} + ${b}`);
}

/** a * b. Throws OverflowError beyond 2^53 - 1. */
export function checkedMul(a: number, b: number): number {
  const result = a * b;
  return Number.isSafeInteger(result) ? result + 0 : overflow(`${a} * ${b}`);
}

function overflow(what: string): never {
  throw new OverflowError(`integers: ${what} is past 2^53 - 1, the largest exact integer. Use smaller numbers.`);
}

/** The greatest common divisor, never negative; gcd(0, 0) = 0. */
export function gcd(a: number, b: number): number {
  // NaN ends the loop too.
  while (b) [a, b] = [b, a % b];
  return Math.abs(a);
}

/** The least common multiple, never negative; 0 if either is 0. */
export function lcm(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.abs(checkedMul(a / gcd(a, b), b));
}

/**
 * The largest q with q <= a / b.
 * The float quotient suffices: if a / b is not an integer, it is at least 1 / |b| away from one, and half a unit in the
 * last place of the quotient is less than that because |a| < 2^53.
 */
export function floorDiv(a: number, b: number): number {
  return Math.floor(a / b) + 0;
}

/** The smallest q with q >= a / b. */
export function ceilDiv(a: number, b: number): number {
  return Math.ceil(a / b) + 0;
}

/** a - b * floorDiv(a, b): has the sign of b. */
export function floorMod(a: number, b: number): number {
  const remainder = a % b;
  return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder + 0;
}

/** The smallest multiple of `step` (> 0) that is at least `value`. */
export function roundUp(value: number, step: number): number {
  return ceilDiv(value, step) * step;
}
