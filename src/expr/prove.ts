/**
 * Questions about expressions. An answer is true or false only if it is so for all values that the assumptions allow;
 * undefined means: not known. Decided by the canonical form, ranges and divisors, without search.
 */
import { floorDiv, multiply as multiplyCanonical } from "./arithmetic.ts";
import { divisorOf as divisorOfPolynomial, type Range, rangeOf } from "./bounds.ts";
import { asExpr, type Expr } from "./expr.ts";
import {
  type Atom,
  allTerms,
  atomTerm,
  collect,
  constantTerm,
  multiply,
  one,
  type Polynomial,
  scale,
  subtract,
} from "./polynomial.ts";

type Answer = boolean | undefined;

/** min <= value <= max, by interval arithmetic; the ends may be infinite. */
export const range = (a: Expr | number): Range => rangeOf(asExpr(a));

/** The largest constant known to divide every value; 0 for the expression 0. */
export const divisorOf = (a: Expr | number): number => divisorOfPolynomial(asExpr(a));

/** a < b */
export function proveLess(a: Expr | number, b: Expr | number): Answer {
  const [min, max] = range(asExpr(b).sub(a));
  return min > 0 ? true : max <= 0 ? false : undefined;
}

/** a <= b */
export function proveLessEqual(a: Expr | number, b: Expr | number): Answer {
  const greater = proveLess(b, a);
  return greater === undefined ? undefined : !greater;
}

/** a = b */
export function proveEqual(a: Expr | number, b: Expr | number): Answer {
  const difference = asExpr(a).sub(b);
  const [min, max] = rangeOf(difference);
  if (min === 0 && max === 0) return true;
  if (min > 0 || max < 0) return false;
  // k * x + c is never 0 if k does not divide c
  if (difference.constant % divisorOfPolynomial(collect(difference.terms)) !== 0) return false;
  const expanded = expandMods(difference);
  return expanded.terms.length === 0 ? expanded.constant === 0 : undefined;
}

/** b divides a: a = b * k for an integer k. Only 0 is divisible by 0. */
export function proveDivisible(a: Expr | number, b: Expr | number): Answer {
  const divisor = asExpr(b);
  if (divisor.value === 0) return proveEqual(a, 0);
  return proveEqual(asExpr(a).mod(divisor), 0);
}

/** The quotient a / b if it is proved to leave no rest. */
export function divideExact(a: Expr | number, b: Expr | number): Expr | undefined {
  const divisor = asExpr(b);
  return divisor.value !== 0 && proveDivisible(a, divisor) === true ? asExpr(a).floorDiv(divisor) : undefined;
}

/** mod(a, b) = a - b * floorDiv(a, b) in every term, so that equal sums of both meet. */
function expandMods(a: Polynomial): Polynomial {
  const expand = (atom: Atom): Polynomial => {
    if (atom.kind !== "mod") return collect([atomTerm(atom)]);
    const [x, y] = atom.args as [Polynomial, Polynomial];
    return subtract(x, multiplyCanonical(y, floorDiv(x, y)));
  };
  return collect([
    constantTerm(a.constant),
    ...a.terms.flatMap(({ num, den, atoms }) => allTerms(scale(atoms.map(expand).reduce(multiply, one), num, den))),
  ]);
}
