/**
 * Expressions in place of symbols.
 * Promises: evaluate(substitute(e, r), v) = evaluate(e, v with each replaced symbol at the value of its replacement), wherever the
 * replacements keep the assumptions of the symbols they stand for.
 */
import { constant, type Expr, exprOf } from "./expr.ts";
import { type Atom, atomTerm, collect, type Polynomial } from "./polynomial.ts";

/** The expression with every symbol that has a replacement replaced, all at once. */
export function substitute(expr: Expr, replacements: ReadonlyMap<string, Expr>): Expr {
  for (const name of expr.symbols.keys()) if (replacements.has(name)) return replaceIn(expr, replacements);
  return expr;
}

function replaceIn(a: Polynomial, replacements: ReadonlyMap<string, Expr>): Expr {
  let sum: Expr = constant(a.constant);
  for (const { num, den, atoms } of a.terms) {
    let product: Expr = constant(num);
    for (const atom of atoms) product = product.mul(replaceAtom(atom, replacements));
    // den divides the product of the atoms, so rounding changes nothing.
    sum = sum.add(den === 1 ? product : product.floorDiv(den));
  }
  return sum;
}

function replaceAtom(atom: Atom, replacements: ReadonlyMap<string, Expr>): Expr {
  if (atom.kind === "symbol") return replacements.get(atom.name) ?? exprOf(collect([atomTerm(atom)]));
  const args = atom.args.map((arg) => replaceIn(arg, replacements));
  const [first, ...rest] = args as [Expr, ...Expr[]];
  if (atom.kind === "abs") return first.abs();
  if (atom.kind === "product") return args.reduce((a, b) => a.mul(b));
  return atom.kind === "min" || atom.kind === "max" ? first[atom.kind](...rest) : first[atom.kind](rest[0] as Expr);
}
