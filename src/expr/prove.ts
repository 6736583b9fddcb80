/**
 * Proofs about polynomials. The result is true or false only if that holds for all values that the assumptions allow;
 * undefined means unknown. Proofs use the canonical form, ranges and divisors, without search.
 */
import { add, floorDiv, isExpandable, mod, multiply as multiplyCanonical } from "./arithmetic.ts";
import { divisorOf, rangeOf } from "./bounds.ts";
import {
  type Atom,
  allTerms,
  atomTerm,
  collectTerms,
  constantTerm,
  multiply,
  one,
  type Polynomial,
  scale,
  subtract,
} from "./polynomial.ts";

export type ProofResult = boolean | undefined;

/** a < b */
export function proveLess(a: Polynomial, b: Polynomial): ProofResult {
  const [min, max] = rangeOf(minus(b, a));
  return min > 0 ? true : max <= 0 ? false : undefined;
}

/** a = b */
export function proveEqual(a: Polynomial, b: Polynomial): ProofResult {
  const difference = minus(a, b);
  const [min, max] = rangeOf(difference);
  if (min === 0 && max === 0) return true;
  if (min > 0 || max < 0) return false;
  // k * x + c is never 0 if k does not divide c
  if (difference.constant % divisorOf(collectTerms(difference.terms)) !== 0) return false;
  const expanded = expandMods(difference);
  if (!expanded) return undefined;
  return expanded.terms.length === 0 ? expanded.constant === 0 : undefined;
}

/** b divides a: a = b * k for an integer k. Only 0 is divisible by 0, so little is provable if b may be 0. */
export function proveDivisible(a: Polynomial, b: Polynomial): ProofResult {
  const [min, max] = rangeOf(b);
  if (min > 0 || max < 0) return proveEqual(mod(a, b), zero);
  const isZero = proveEqual(a, zero);
  return isZero || (min === 0 && max === 0) ? isZero : undefined;
}

/** a - b, simplified by the rules of arithmetic. */
const minus = (a: Polynomial, b: Polynomial): Polynomial => add(a, scale(b, -1));
const zero: Polynomial = { constant: 0, terms: [] };

/** Replaces mod(a, b) by a - b * floorDiv(a, b) in every term, so that equal sums cancel. Returns undefined if the result would be large. */
function expandMods(a: Polynomial): Polynomial | undefined {
  const expand = (atom: Atom): Polynomial => {
    if (atom.kind !== "mod") return collectTerms([atomTerm(atom)]);
    const [x, y] = atom.args as [Polynomial, Polynomial];
    return subtract(x, multiplyCanonical(y, floorDiv(x, y)));
  };
  const terms = [constantTerm(a.constant)];
  for (const term of a.terms) {
    let product = one;
    const hasMod = term.atoms.some(({ kind }) => kind === "mod");
    for (const atom of hasMod ? term.atoms : []) {
      const factor = expand(atom);
      if (!isExpandable(product, factor)) return undefined;
      product = multiply(product, factor);
    }
    terms.push(...(hasMod ? allTerms(scale(product, term.num, term.den)) : [term]));
  }
  return collectTerms(terms);
}
