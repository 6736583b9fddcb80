/**
 * Integer expressions with a symbol replaced by another expression.
 * Promises: the value of the result is that of the expression where the symbol has the value of the replacement, which keeps the
 * symbol's assumptions. The result is canonical again, so a constant stays as simple as it can be.
 */
import { add, extreme, floorDiv, mod, multiply } from "../../../expr/arithmetic.ts";
import {
  type Atom,
  allTerms,
  atomTerm,
  collect,
  constantTerm,
  one,
  type Polynomial,
  type SymbolAtom,
  type Term,
  termOf,
} from "../../../expr/polynomial.ts";

/** What stands for a symbol, or undefined if it stays. */
export type Replacement = (symbol: SymbolAtom) => Polynomial | undefined;

/** The expression with symbols replaced; the same object if there is none of them. */
export function substitute(p: Polynomial, replacement: Replacement): Polynomial {
  if (!p.terms.some((term) => term.atoms.some((atom) => mentions(atom, replacement)))) return p;
  const parts: Polynomial[] = [collect([constantTerm(p.constant)])];
  for (const term of p.terms) parts.push(substituteTerm(term, replacement));
  return add(...parts);
}

function mentions(atom: Atom, replacement: Replacement): boolean {
  if (atom.kind === "symbol") return replacement(atom) !== undefined;
  return atom.args.some((arg) => arg.terms.some((term) => term.atoms.some((inner) => mentions(inner, replacement))));
}

function substituteTerm({ num, den, atoms }: Term, replacement: Replacement): Polynomial {
  let product = one;
  for (const atom of atoms) product = multiply(product, substituteAtom(atom, replacement));
  return collect(allTerms(product).map((term) => termOf(term.num * num, term.den * den, term)));
}

function substituteAtom(atom: Atom, replacement: Replacement): Polynomial {
  if (atom.kind === "symbol") return replacement(atom) ?? collect([atomTerm(atom)]);
  const args = atom.args.map((arg) => substitute(arg, replacement));
  switch (atom.kind) {
    case "min":
    case "max": {
      const { kind } = atom;
      return args.reduce((a, b) => extreme(kind, a, b));
    }
    case "floorDiv":
      return floorDiv(args[0] as Polynomial, args[1] as Polynomial);
    case "mod":
      return mod(args[0] as Polynomial, args[1] as Polynomial);
    default:
      return atom satisfies never;
  }
}
