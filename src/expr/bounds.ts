/**
 * Bounds of polynomials, proved without search: the range, by interval arithmetic, and the largest known constant
 * divisor. Both hold for all values that the assumptions on symbols allow and for which the expression has a value
 * (no divisor is 0, nothing is past 2^53). Bounds past 2^53 become infinite, so that rounding never makes them wrong.
 *
 * `call` builds the polynomial of one call, with its key, range and size.
 */
import { floorDiv, gcd } from "../base/ints.ts";
import { checkSize, spend } from "./budget.ts";
import {
  atomTerm,
  type BitAtom,
  type CallAtom,
  collectTerms,
  depthOf,
  type Polynomial,
  polynomialKey,
  sizeOf,
  type Term,
} from "./polynomial.ts";

export type Range = readonly [min: number, max: number];
type Bounds = readonly [...Range, divisor: number];

const largest = Number.MAX_SAFE_INTEGER;
const low = (x: number): number => (x < -largest ? -Infinity : Math.min(x, largest));
const high = (x: number): number => (x > largest ? Infinity : Math.max(x, -largest));
const hull = (...ends: number[]): Range => [low(Math.min(...ends)), high(Math.max(...ends))];
/** Returns a * b for interval ends; 0 times infinity is 0. */
const times = (a: number, b: number): number => (a === 0 || b === 0 ? 0 : a * b);
const multiplyRanges = ([a, b]: Range, [c, d]: Range): Range =>
  hull(times(a, c), times(a, d), times(b, c), times(b, d));

/** Returns min and max with min <= value <= max for every allowed value of the polynomial. */
export function rangeOf(a: Polynomial): Range {
  let [min, max]: Range = [a.constant, a.constant];
  for (const term of a.terms) {
    const [from, to] = rangeOfTerm(term);
    [min, max] = [low(min + from), high(max + to)];
  }
  return [min, max];
}

function rangeOfTerm({ num, den, atoms }: Term): Range {
  let range: Range = [num, num];
  for (let i = 0; i < atoms.length; ) {
    const atom = atoms[i];
    let power: Range = [1, 1];
    let count = 0;
    for (; atoms[i + count] === atom || atoms[i + count]?.key === atom.key; count++)
      power = multiplyRanges(power, [atom.min, atom.max]);
    if (count % 2 === 0) power = [Math.max(power[0], 0), power[1]];
    range = multiplyRanges(range, power);
    i += count;
  }
  return den === 1 ? range : [Math.ceil(range[0] / den), Math.floor(range[1] / den)];
}

/** Returns the product of two divisors, or only the first if the product is past 2^53. */
const safeTimes = (a: number, b: number): number => (Number.isSafeInteger(a * b) ? a * b : a);

/** Returns a multiple of den that divides the product of the term's atoms, such that num * (unit / den) is exact. */
export function unitOf({ num, den, atoms }: Term): number {
  let unit = 1;
  for (const { divisor } of atoms) unit = safeTimes(unit, divisor);
  unit /= gcd(unit, den);
  return Number.isSafeInteger(num * unit) && Number.isSafeInteger(den * unit) ? den * unit : den;
}

/** Returns the largest proved constant divisor, or 0 for the polynomial 0. */
export function divisorOf(a: Polynomial): number {
  return a.terms.reduce((divisor, term) => gcd(divisor, term.num * (unitOf(term) / term.den)), Math.abs(a.constant));
}

/** Returns the range and divisor of a call that follow from its arguments. */
function boundsOfCall(kind: CallAtom["kind"], args: readonly Polynomial[]): Bounds {
  const ranges = args.map(rangeOf);
  const mins = ranges.map((range) => range[0]);
  const maxs = ranges.map((range) => range[1]);
  if (kind === "product") return [...ranges.reduce(multiplyRanges), args.map(divisorOf).reduce(safeTimes)];
  const divisor = kind === "floorDiv" ? 1 : args.map(divisorOf).reduce(gcd);
  if (kind === "min") return [Math.min(...mins), Math.min(...maxs), divisor];
  if (kind === "max") return [Math.max(...mins), Math.max(...maxs), divisor];
  if (kind === "abs") {
    const [min, max] = ranges[0];
    return [Math.max(min, -max, 0), Math.max(-min, max), divisor];
  }
  const [numerator, denominator] = ranges as [Range, Range];
  return [...(kind === "mod" ? rangeOfMod : rangeOfFloorDiv)(numerator, denominator), divisor];
}

function rangeOfMod([min, max]: Range, [from, to]: Range): Range {
  const top = Math.max(to - 1, 0);
  return [Math.min(from + 1, 0), min >= 0 && from >= 0 ? Math.min(top, max) : top];
}

function rangeOfFloorDiv([min, max]: Range, [from, to]: Range): Range {
  if (from < 0 && to > 0) {
    const size = Math.max(-min, max);
    return [-size, size];
  }
  // A divisor is never 0. If it is infinite, a quotient of operands with different signs tends to -1.
  const divisors = [from === 0 ? 1 : from, to === 0 ? -1 : to];
  const quotient = (a: number, b: number): number =>
    Number.isFinite(b) ? (Number.isFinite(a) ? floorDiv(a, b) : a * Math.sign(b)) : a !== 0 && a < 0 !== b < 0 ? -1 : 0;
  return hull(...divisors.flatMap((b) => [quotient(min, b), quotient(max, b)]));
}

/** Builds a call of these arguments. No simplification rule may apply to it. */
export const call = (kind: CallAtom["kind"], args: readonly Polynomial[]): Polynomial =>
  bounded({ kind }, args, boundsOfCall(kind, args));

/** Builds a call whose range and divisor are known. */
export function bounded(
  head: Pick<CallAtom, "kind"> | Pick<BitAtom, "kind" | "rule">,
  args: readonly Polynomial[],
  [min, max, divisor]: Bounds,
): Polynomial {
  let size = 1;
  let depth = 0;
  for (const arg of args) {
    size += sizeOf(arg);
    depth = Math.max(depth, depthOf(arg));
  }
  checkSize(size, ++depth);
  spend(size);
  const key = `~${head.kind}(${args.map(polynomialKey).join(",")})`;
  return collectTerms([atomTerm({ ...head, args, key, min, max, divisor, size, depth })]);
}

/** Returns the list sorted by a key of each element. */
export function sortBy(list: readonly Polynomial[], keyOf: (each: Polynomial) => string): readonly Polynomial[] {
  const keyed = list.map((each) => [keyOf(each), each] as const);
  return keyed.sort(([x], [y]) => (x < y ? -1 : 1)).map(([, each]) => each);
}
