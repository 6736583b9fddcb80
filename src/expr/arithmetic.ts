/**
 * Arithmetic on polynomials that keeps them canonical: sum, product, floorDiv, mod, min, max.
 * Every rule is an identity for all integers that the assumptions allow; a comment next to the code states the rule.
 * floorDiv rounds down and mod has the sign of its divisor. Divisors are assumed to be non-zero wherever the quotient is
 * used, but a symbol is canceled only if its range excludes zero. There is no ceilDiv: it is -floorDiv(-a, b).
 */
import { ExprError } from "../base/errors.ts";
import { floorDiv as floorDivInt, floorMod, gcd, lcm } from "../base/ints.ts";
import { call, divisorOf, rangeOf, sortBy, unitOf } from "./bounds.ts";
import { expandedSize, spend } from "./budget.ts";
import {
  allTerms,
  type CallAtom,
  collectTerms,
  constantTerm,
  multiply as multiplyRaw,
  multiplyTerms,
  one,
  type Polynomial,
  polynomialKey,
  sameTerm,
  scale,
  sizeOf,
  soleAtom,
  subtract,
  type Term,
  termOf,
  timesTerm,
  withoutAtoms,
} from "./polynomial.ts";

const constantOf = (value: number): Polynomial => ({ constant: value, terms: [] });
const isZero = (a: Polynomial): boolean => a.constant === 0 && a.terms.length === 0;
const negate = (a: Polynomial): Polynomial => scale(a, -1);

export function add(...summands: readonly Polynomial[]): Polynomial {
  return recombine(collectTerms(summands.flatMap(allTerms)));
}

/** a * b as a sum, or as one atom if the sum would be large. */
export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  const hasProduct = isProduct(a) || isProduct(b);
  if (isTerm(a) && isTerm(b)) return recombine(multiplyRaw(a, b));
  if (isConstant(a) || isConstant(b) || (!hasProduct && isExpandable(a, b))) return recombine(multiplyRaw(a, b));
  // The largest factors come first, so that printed products parse back to the same product.
  const args = [a, b].flatMap((side) => (isProduct(side) ? (soleAtom(side) as CallAtom).args : [side]));
  return call(
    "product",
    sortBy(args, (each) => `${1e6 - sizeOf(each)} ${polynomialKey(each)}`),
  );
}

const isConstant = ({ terms }: Polynomial): boolean => terms.length === 0;
const isTerm = ({ constant, terms }: Polynomial): boolean =>
  terms.length === 0 || (terms.length === 1 && constant === 0);
const isProduct = (a: Polynomial): boolean => soleAtom(a)?.kind === "product";
/** True if the expanded product of a and b is small. */
export const isExpandable = (a: Polynomial, b: Polynomial): boolean => sizeOf(a) * sizeOf(b) <= expandedSize;

/**
 * Applies b * floorDiv(a, b) + mod(a, b) = a, and mod(a, b) + b * mod(floorDiv(a, b), d) = mod(a, b * d) for constants
 * b, d > 0, until neither matches. The terms may also have a common factor.
 */
function recombine(p: Polynomial): Polynomial {
  let result = p;
  for (let next = recombined(p); next; next = recombined(next)) result = next;
  return result;
}

/** One step of `recombine`, or undefined if no rule matches. */
function recombined(p: Polynomial): Polynomial | undefined {
  if (p.terms.length < 2) return undefined;
  const byKey = new Map(p.terms.map((term) => [term.key, term]));
  const present = new Set<string>();
  const remainders: (readonly [term: Term, atom: CallAtom])[] = [];
  /** Remainders whose numerator is a single atom, by the key of that atom. */
  const byNumerator = new Map<string, (readonly [term: Term, atom: CallAtom])[]>();
  for (const term of p.terms)
    for (const atom of term.atoms) {
      present.add(atom.key);
      if (atom.kind !== "mod") continue;
      remainders.push([term, atom]);
      const numerator = soleAtom(atom.args[0]);
      if (!numerator) continue;
      const same = byNumerator.get(numerator.key);
      if (same) same.push([term, atom]);
      else byNumerator.set(numerator.key, [[term, atom]]);
    }
  for (const [term, atom] of remainders) {
    const [a, b] = atom.args as [Polynomial, Polynomial];
    const quotient = quotientOf(atom, a, b);
    const factor = withoutAtoms(term, [atom]) as Term;
    spend(quotient.terms.length + factor.atoms.length + 1);
    const canMeet = quotient.terms.every(({ atoms }) => atoms.every(({ key }) => present.has(key)));
    if (canMeet && (isConstant(b) || isExpandable(b, quotient))) {
      const multiple = timesTerm(multiplyRaw(b, quotient), factor);
      if (multiple.terms.every((x) => sameTerm(x, byKey.get(x.key))))
        return collectTerms([
          ...allTerms(subtract(subtract(p, multiple), collectTerms([term]))),
          ...allTerms(timesTerm(a, factor)),
        ]);
    }
    const inner = soleAtom(quotient);
    if (b.terms.length > 0 || !inner) continue;
    for (const [other, outer] of byNumerator.get(inner.key) ?? []) {
      const d = outer.args[1];
      if (d.terms.length > 0) continue;
      if (sameTerm(withoutAtoms(other, [outer]) as Term, multiplyTerms(factor, constantTerm(b.constant))))
        return add(subtract(p, collectTerms([term, other])), timesTerm(mod(a, scale(b, d.constant)), factor));
    }
  }
  return undefined;
}

/** Caches the quotient that belongs to each remainder; every sum with that remainder needs it. */
const quotients = new WeakMap<CallAtom, Polynomial>();

function quotientOf(atom: CallAtom, a: Polynomial, b: Polynomial): Polynomial {
  let quotient = quotients.get(atom);
  if (!quotient) {
    quotient = floorDiv(a, b);
    quotients.set(atom, quotient);
  }
  return quotient;
}

export const floorDiv = (a: Polynomial, b: Polynomial): Polynomial => divide("floorDiv", a, b);
export const mod = (a: Polynomial, b: Polynomial): Polynomial => divide("mod", a, b);

/**
 * A cache of quotients and remainders with nested calls, by key. The rules need the same ones repeatedly; without the
 * cache, time grows exponentially with depth. Cleared at 1000 entries or 4,000,000 characters of keys.
 */
const known = { results: /* @__PURE__ */ new Map<string, Polynomial>(), length: 0 };

function divide(kind: "floorDiv" | "mod", a: Polynomial, b: Polynomial): Polynomial {
  const isNested = a.terms.some((term) => term.atoms.some((atom) => atom.kind !== "symbol"));
  if (!isNested) return divideByRules(kind, a, b);
  const key = `${kind} ${polynomialKey(a)} ${polynomialKey(b)}`;
  let result = known.results.get(key);
  if (!result) {
    result = divideByRules(kind, a, b);
    known.length += key.length;
    if (known.results.size >= 1000 || known.length > 4_000_000) {
      known.results.clear();
      known.length = key.length;
    }
    known.results.set(key, result);
  }
  return result;
}

/** Computes a quotient or remainder; each rule has one form for either. */
function divideByRules(kind: "floorDiv" | "mod", a: Polynomial, b: Polynomial): Polynomial {
  const isMod = kind === "mod";
  if (isZero(b)) throw new ExprError(`${kind}: the divisor is the constant 0.`);
  if (isZero(a)) return a;
  const [min, max] = rangeOf(b);
  // a / b = -a / -b, a % b = -(-a % -b), and with a common divisor g: g*a / g*b = a / b, g*a % g*b = g * (a % b)
  const common = max < 0 ? -1 : gcd(divisorOf(a), divisorOf(b));
  if (common !== 1) {
    const reduce = (x: Polynomial): Polynomial => scale(x, Math.sign(common), Math.abs(common));
    return scale(divide(kind, reduce(a), reduce(b)), isMod ? common : 1);
  }
  if (min > 0) {
    const byConstant = b.terms.length === 0;
    const [quotient, rest] = byConstant ? splitMultiples(a, b.constant) : dividePolynomials(a, b);
    // (b*q + r) / b = q + r / b, (b*q + r) % b = r % b
    if (!isZero(quotient)) return isMod ? divide(kind, rest, b) : add(quotient, divide(kind, rest, b));
    const inner = isMod && byConstant && dropInnerMod(a, b.constant);
    if (inner) return divide(kind, inner, b);
    const split = byConstant ? splitByRange(a, b.constant) : splitOnce(a, b);
    if (split) {
      // (g*x + r) / (g*d) = x / d, (g*x + r) % (g*d) = g * (x % d) + r, for 0 <= r < g
      const [step, whole, below, d] = split;
      const part = divide(kind, whole, d);
      return isMod ? add(multiply(step, part), below) : part;
    }
    const nested = !isMod && floorDivOfCall(a, b);
    if (nested) return nested;
    // -a / b = -((a + b - 1) / b)
    if (!isMod && byConstant && a.terms[0].num < 0)
      return negate(divide(kind, subtract(constantOf(b.constant - 1), a), b));
  }
  // a / b = k*a / k*b, a % b = (k*a % k*b) / k: inside a call no coefficient is a fraction
  const den = [...a.terms, ...b.terms].reduce((all, term) => lcm(all, term.den), 1);
  const atom = call(kind, [scale(a, den), scale(b, den)]);
  return isMod ? recombine(scale(atom, 1, den)) : atom;
}

/** Removes an inner remainder from the numerator a of a % b: k * (x % m) = k * x modulo b, if b | k * m. */
function dropInnerMod(a: Polynomial, b: number): Polynomial | undefined {
  for (const term of a.terms) {
    for (const atom of term.atoms) {
      if (atom.kind !== "mod" || term.den > 1) continue;
      const [x, m] = atom.args as [Polynomial, Polynomial];
      const step = term.num * m.constant;
      if (m.terms.length === 0 && Number.isSafeInteger(step) && step % b === 0)
        return add(subtract(a, collectTerms([term])), timesTerm(x, withoutAtoms(term, [atom]) as Term));
    }
  }
  return undefined;
}

/** a = step * whole + rest with 0 <= rest < step, where step * divisor is the original divisor. */
type Split = readonly [step: Polynomial, whole: Polynomial, rest: Polynomial, divisor: Polynomial];

type Division = readonly [quotient: Polynomial, rest: Polynomial];

/**
 * Splits a = b * quotient + rest, term by term. A term divisible by b moves to the quotient; other coefficients are
 * reduced modulo b. The constant of the rest is in 0 .. b - 1.
 */
function splitMultiples(a: Polynomial, b: number): Division {
  const quotient = [constantTerm(floorDivInt(a.constant, b))];
  const rest = [constantTerm(floorMod(a.constant, b))];
  for (const term of a.terms) {
    const { num, den } = term;
    const left = (num * (unitOf(term) / den)) % b === 0 ? 0 : num % b;
    rest.push(termOf(left, den, term));
    quotient.push(multiplyTerms(termOf(num - left, den, term), { ...constantTerm(1), den: b }));
  }
  return [recombine(collectTerms(quotient)), recombine(collectTerms(rest))];
}

/** Returns the split with the largest constant step > 1 that ranges allow. */
function splitByRange(a: Polynomial, b: number): Split | undefined {
  const wholes = a.terms.map((term) => term.num * (unitOf(term) / term.den));
  const steps = new Set([b]);
  // Candidates are common divisors of b and the coefficients; at most 256 of them.
  for (const whole of wholes) if (steps.size < 256) for (const step of [...steps]) steps.add(gcd(step, whole));
  for (const step of [...steps].sort((x, y) => y - x)) {
    if (step === 1) break;
    spend(wholes.length);
    const parts = (areMultiples: boolean): Term[] =>
      a.terms.filter((_, i) => (wholes[i] % step === 0) === areMultiples);
    const rest = collectTerms([...parts(false), constantTerm(floorMod(a.constant, step))]);
    const [shift, last] = rangeOf(rest).map((end) => floorDivInt(end, step)) as [number, number];
    if (shift !== last || !Number.isFinite(shift)) continue;
    const whole = scale(collectTerms(parts(true)), 1, step);
    return [
      constantOf(step),
      add(whole, constantOf(floorDivInt(a.constant, step) + shift)),
      add(rest, constantOf(-shift * step)),
      constantOf(b / step),
    ];
  }
  return undefined;
}

/** Returns the split with step b > 0 if ranges prove that the quotient is 0 or -1. */
function splitOnce(a: Polynomial, b: Polynomial): Split | undefined {
  const [min, max] = rangeOf(a);
  if (min >= 0 && rangeOf(subtract(b, a))[0] > 0) return [b, constantOf(0), a, one];
  const above = add(a, b);
  return max < 0 && rangeOf(above)[0] >= 0 ? [b, constantOf(-1), above, one] : undefined;
}

/** Applies rules for quotients whose numerator contains a call, for b > 0. */
function floorDivOfCall(a: Polynomial, b: Polynomial): Polynomial | undefined {
  for (const term of a.terms) {
    const atom = soleAtom(collectTerms([term]));
    if (atom?.kind !== "floorDiv" && atom?.kind !== "mod") continue;
    const [x, y] = atom.args as [Polynomial, Polynomial];
    const rest = subtract(a, collectTerms([term]));
    // floorDiv(floorDiv(x, y) + r, b) = floorDiv(x + r*y, y*b)
    if (atom.kind === "floorDiv" && (y.terms.length === 0 || rest.terms.length === 0))
      return floorDiv(add(x, multiply(y, rest)), multiply(y, b));
    // floorDiv(mod(x, y), b) = mod(floorDiv(x, b), y / b) if b | y
    const areConstant = y.terms.length === 0 && b.terms.length === 0;
    if (atom.kind === "mod" && areConstant && isZero(rest) && y.constant % b.constant === 0)
      return mod(floorDiv(x, b), constantOf(y.constant / b.constant));
  }
  return undefined;
}

/** Splits a = b * quotient + rest by long division; the quotient is 0 unless the rest has fewer terms than a. */
function dividePolynomials(a: Polynomial, b: Polynomial): Division {
  const lead = b.terms[0];
  const quotient: Term[] = [];
  const rest: Term[] = [];
  let left = a;
  const max = expandedSize + 4 * a.terms.length;
  let work = 0;
  for (let term = left.terms[0]; term; term = left.terms[0]) {
    const common = withoutAtoms(term, lead.atoms);
    const ratio =
      common && multiplyTerms(common, termOf(lead.den * Math.sign(lead.num), Math.abs(lead.num), constantTerm(0)));
    // The atoms alone must be divisible by the denominator; the term's own den would be a circular proof.
    const integral = ratio && unitOf({ ...ratio, den: 1 }) % ratio.den === 0;
    (integral ? quotient : rest).push(integral ? ratio : term);
    left = subtract(left, integral ? multiplyRaw(b, collectTerms([ratio])) : collectTerms([term]));
    // Long divisions such as x^50 by x - y - z - 1 are not worth their cost.
    if (integral) work += left.terms.length;
    if (work > max) return [constantOf(0), a];
  }
  const remainder = add(collectTerms(rest), constantOf(left.constant));
  return remainder.terms.length < a.terms.length ? [recombine(collectTerms(quotient)), remainder] : [constantOf(0), a];
}
