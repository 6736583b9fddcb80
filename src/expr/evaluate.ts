/**
 * Evaluates an expression by walking its tree. This is the slow reference that faster forms are tested against.
 * Unlike those, it checks that values satisfy the assumptions of their symbols.
 *
 * `substitute` replaces symbols by expressions. Law: evaluate(substitute(e, r), v) = evaluate(e, v with each replaced symbol set to
 * the value of its replacement), if the replacements satisfy the assumptions of the symbols that they replace.
 */
import { ExprError, named } from "../base/errors.ts";
import { checkedAdd, checkedMul, floorDiv, floorMod } from "../base/ints.ts";
import { asExpr, constant, describe, type Expr, exprOf } from "./expr.ts";
import { type Atom, atomTerm, collectTerms, type Polynomial, type SymbolAtom } from "./polynomial.ts";

export type Bindings = Readonly<Record<string, number>>;

/** Returns the exact value. Throws if any intermediate product or sum is past 2^53. */
export function evaluate(expr: Expr, bindings: Bindings = {}): number {
  return evaluateFor("evaluate", (name) => `Pass it: evaluate(expr, { ${name}: 8 })`, expr, bindings ?? {});
}

/** Evaluates for the function `who`; `remedy` says how its caller gives a value to a symbol. */
export function evaluateFor(who: string, remedy: (name: string) => string, expr: Expr, bindings: Bindings): number {
  return named(who, () => {
    for (const name of asExpr(expr).symbols.keys())
      if (!Object.hasOwn(bindings, name) || bindings[name] === undefined)
        throw new ExprError(`the symbol ${name} has no value. ${remedy(name)}.`);
    return walk(asExpr(expr), bindings);
  });
}

function walk({ constant, terms }: Polynomial, bindings: Bindings): number {
  let sum = constant;
  for (const { num, den, atoms } of terms) {
    let product = 1;
    for (const atom of atoms) product = checkedMul(product, atomValue(atom, bindings));
    // num and den have no common factor, so den divides the product of the atoms.
    sum = checkedAdd(sum, checkedMul(num, product / den));
  }
  return sum;
}

function atomValue(atom: Atom, bindings: Bindings): number {
  if (atom.kind === "symbol") return symbolValue(atom, bindings);
  const values = atom.args.map((arg) => walk(arg, bindings));
  const [a, b] = values as [number, number];
  switch (atom.kind) {
    case "min":
      return Math.min(...values);
    case "max":
      return Math.max(...values);
    case "abs":
      return Math.abs(a);
    case "product":
      return values.reduce(checkedMul);
    case "floorDiv":
      return floorDiv(a, nonZero(b, atom.args[1], bindings));
    case "mod":
      return floorMod(a, nonZero(b, atom.args[1], bindings));
    default:
      return atom.rule.value(values);
  }
}

function symbolValue(symbol: SymbolAtom, bindings: Bindings): number {
  const { name, min, max, divisor } = symbol;
  const value = bindings[name] as number;
  if (!Number.isSafeInteger(value))
    throw new ExprError(`evaluate: ${name} = ${value} is not an integer whose absolute value is below 2^53.`);
  if (value < min || value > max || value % divisor !== 0)
    throw new ExprError(`evaluate: ${name} = ${value} breaks its assumption ${describe(symbol)}.`);
  return value;
}

/** Returns the value of a divisor; throws if it is 0. */
function nonZero(value: number, divisor: Polynomial, bindings: Bindings): number {
  if (value !== 0) return value;
  const expr = exprOf(divisor);
  const values = [...expr.symbols.keys()].map((name) => `${name} = ${bindings[name]}`);
  throw new ExprError(`evaluate: division by zero: the divisor ${expr} is 0 for ${values.join(", ")}.`);
}

/** Replaces all symbols that have a replacement, simultaneously. */
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
  if (atom.kind === "symbol") return replacements.get(atom.name) ?? exprOf(collectTerms([atomTerm(atom)]));
  const args = atom.args.map((arg) => replaceIn(arg, replacements));
  const [first, ...rest] = args as [Expr, ...Expr[]];
  if (atom.kind === "abs") return first.abs();
  if ("rule" in atom) return exprOf(atom.rule.build(args));
  if (atom.kind === "product") return args.reduce((a, b) => a.mul(b));
  return first[atom.kind](...(rest as [Expr]));
}
