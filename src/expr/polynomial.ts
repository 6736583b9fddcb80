/**
 * The canonical form of integer expressions: a constant plus a sum of terms. A term is a rational coefficient times
 * atoms. An atom is a symbol, a floorDiv, mod, min, max, abs or bitwise function of polynomials, or a product too large to expand.
 * Data is plain and readonly, arithmetic is exact.
 *
 * Invariants: terms have distinct atoms, no zero coefficient, and are sorted (degree first, then key); a coefficient is
 * in lowest terms with den > 0; if den > 1, den divides the product of the atoms for all allowed values.
 */
import { checkedAdd, checkedMul, gcd, lcm } from "../base/ints.ts";
import { spend } from "./budget.ts";

/** A named integer with its assumptions: min <= value <= max, and the value is a multiple of divisor. */
export interface SymbolAtom {
  readonly kind: "symbol";
  readonly name: string;
  readonly key: string;
  readonly min: number;
  readonly max: number;
  readonly divisor: number;
  readonly size: number;
  readonly depth: number;
}

/** A call: floorDiv and mod have two arguments, abs one, others two or more. min, max and divisor are proved bounds of its value. */
export interface CallAtom {
  readonly kind: "floorDiv" | "mod" | "min" | "max" | "abs" | "product";
  readonly args: readonly Polynomial[];
  readonly key: string;
  readonly min: number;
  readonly max: number;
  readonly divisor: number;
  /** The number of parts; repeated parts count each time. */
  readonly size: number;
  /** The nesting depth. */
  readonly depth: number;
}

/** The meaning of a bitwise function: code that only has the atom does not need the rules of `bits.ts`. */
export interface BitRule {
  /** The value; NaN if an argument is not a safe integer. Throws if the value is not one. */
  readonly value: (values: readonly number[]) => number;
  /** The same call of other arguments. */
  readonly build: (args: readonly Polynomial[]) => Polynomial;
  readonly wasm: "and" | "xor" | "shl";
}

/** A call of a bitwise function: xor and and have two or more arguments, shiftLeft has 1 and the number of bits. */
export interface BitAtom extends Omit<CallAtom, "kind"> {
  readonly kind: "and" | "xor" | "shiftLeft";
  readonly rule: BitRule;
}

export type Atom = SymbolAtom | CallAtom | BitAtom;

/** num / den times the product of the atoms. Atoms are sorted by key; a square lists its atom twice. */
export interface Term {
  readonly num: number;
  readonly den: number;
  readonly atoms: readonly Atom[];
  readonly key: string;
}

export interface Polynomial {
  readonly constant: number;
  readonly terms: readonly Term[];
}

export const one: Polynomial = { constant: 1, terms: [] };

export const constantTerm = (value: number): Term => ({ num: value, den: 1, atoms: [], key: "" });

/** Returns num / den times the atoms, which must be sorted. */
export function termOf(num: number, den: number, { atoms, key }: Pick<Term, "atoms" | "key">): Term {
  const divisor = gcd(num, den);
  return { num: num / divisor, den: den / divisor, atoms, key };
}

export const atomTerm = (atom: Atom): Term => ({ num: 1, den: 1, atoms: [atom], key: atom.key });

// The space between keys sorts before every other character of a key, so comparing joined keys compares the lists.
const keyOf = (atoms: readonly Atom[]): string => atoms.map((atom) => atom.key).join(" ");

/** Returns the number of parts of a polynomial: its terms and the parts of their atoms. */
export function sizeOf({ terms }: Polynomial): number {
  let size = 1;
  for (const { atoms } of terms) {
    size++;
    for (const atom of atoms) size += atom.size;
  }
  return size;
}

/** Returns the nesting depth of calls. */
export function depthOf({ terms }: Polynomial): number {
  let depth = 0;
  for (const { atoms } of terms) for (const atom of atoms) depth = Math.max(depth, atom.depth);
  return depth;
}

/** Returns all terms, with the constant as a term without atoms. */
export function allTerms({ constant, terms }: Polynomial): readonly Term[] {
  return constant === 0 ? terms : [...terms, constantTerm(constant)];
}

/** Returns the sum of terms as a polynomial. */
export function collectTerms(terms: readonly Term[]): Polynomial {
  spend(terms.length + 1);
  const byKey = new Map<string, Term>();
  for (const term of terms) {
    const same = byKey.get(term.key);
    byKey.set(term.key, same ? addCoefficients(same, term) : term);
  }
  const constant = byKey.get("")?.num ?? 0;
  byKey.delete("");
  const nonzero = [...byKey.values()].filter((term) => term.num !== 0);
  return { constant, terms: nonzero.sort((a, b) => b.atoms.length - a.atoms.length || (a.key < b.key ? -1 : 1)) };
}

function addCoefficients(a: Term, b: Term): Term {
  const den = lcm(a.den, b.den);
  return termOf(checkedAdd(checkedMul(a.num, den / a.den), checkedMul(b.num, den / b.den)), den, a);
}

export function multiplyTerms(a: Term, b: Term): Term {
  const num = checkedMul(a.num, b.num);
  const den = checkedMul(a.den, b.den);
  if (a.atoms.length === 0 || b.atoms.length === 0) return termOf(num, den, a.atoms.length === 0 ? b : a);
  const atoms = [...a.atoms, ...b.atoms].sort((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0));
  return termOf(num, den, { atoms, key: keyOf(atoms) });
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial {
  return collectTerms(allTerms(a).flatMap((x) => allTerms(b).map((y) => multiplyTerms(x, y))));
}

/** Returns the polynomial times a term; the caller ensures that the result is integral. */
export function timesTerm(a: Polynomial, term: Term): Polynomial {
  return collectTerms(allTerms(a).map((x) => multiplyTerms(x, term)));
}

/** Returns num / den times the polynomial; the caller ensures that the result is integral. */
export const scale = (a: Polynomial, num: number, den = 1): Polynomial => timesTerm(a, { ...constantTerm(num), den });

export const subtract = (a: Polynomial, b: Polynomial): Polynomial =>
  collectTerms([...allTerms(a), ...allTerms(scale(b, -1))]);

/** Returns the term divided by the atoms, or undefined if it lacks one of them. */
export function withoutAtoms(term: Term, atoms: readonly Atom[]): Term | undefined {
  const rest = [...term.atoms];
  for (const { key } of atoms) {
    const at = rest.findIndex((atom) => atom.key === key);
    if (at < 0) return undefined;
    rest.splice(at, 1);
  }
  return { num: term.num, den: term.den, atoms: rest, key: keyOf(rest) };
}

/** Returns true if and only if both are structurally equal. Cheap. */
export function samePolynomial(a: Polynomial, b: Polynomial): boolean {
  return (
    a.constant === b.constant && a.terms.length === b.terms.length && a.terms.every((x, i) => sameTerm(x, b.terms[i]))
  );
}

export const sameTerm = (a: Term, b: Term | undefined): boolean =>
  a.key === b?.key && a.num === b.num && a.den === b.den;

/** Returns a key that is equal only for equal polynomials; constants sort last. */
export function polynomialKey({ constant, terms }: Polynomial): string {
  return `${terms.map(({ num, den, key }) => `${num}/${den} ${key}`).join("+")}~${constant}`;
}

/** Returns the atom if the polynomial is a single atom. */
export function soleAtom({ constant, terms: [term, second] }: Polynomial): Atom | undefined {
  const isAlone = constant === 0 && !second && term?.num === 1 && term.den === 1 && term.atoms.length === 1;
  return isAlone ? term.atoms[0] : undefined;
}
