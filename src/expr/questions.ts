/**
 * Questions about expressions, as functions; expressions ask the same as methods. An answer is true or false only if it
 * is so for all values that the assumptions allow; undefined means: not known. `divisorsOf` lists what an expression divides by, so that
 * callers can ask whether it has a value everywhere.
 */
import { divisorOf as divisorOfPolynomial, type Range, rangeOf } from "./bounds.ts";
import { asExpr, type Expr, exprOf } from "./expr.ts";
import type { Polynomial } from "./polynomial.ts";
import type { Answer } from "./prove.ts";

type Operand = Expr | number;

/** min <= value <= max, by interval arithmetic; the ends may be infinite. */
export const range = (a: Operand): Range => rangeOf(asExpr(a));
/** The largest constant known to divide every value; 0 for the expression 0. */
export const divisorOf = (a: Operand): number => divisorOfPolynomial(asExpr(a));
/** a < b */
export const proveLess = (a: Operand, b: Operand): Answer => asExpr(a).proveLess(b);
/** a <= b */
export const proveLessEqual = (a: Operand, b: Operand): Answer => asExpr(a).proveLessEqual(b);
/** a = b */
export const proveEqual = (a: Operand, b: Operand): Answer => asExpr(a).proveEqual(b);
/** b divides a: a = b * k for an integer k. Only 0 is divisible by 0. */
export const proveDivisible = (a: Operand, b: Operand): Answer => asExpr(a).proveDivisible(b);
/** The quotient a / b if it is proved to leave no rest. */
export const divideExact = (a: Operand, b: Operand): Expr | undefined => asExpr(a).divideExact(b);

/** Everything that divides inside an expression, as floorDiv or mod, at any depth. */
export function divisorsOf(expr: Polynomial, into: Expr[] = []): readonly Expr[] {
  for (const { atoms } of expr.terms)
    for (const atom of atoms) {
      if (atom.kind === "symbol") continue;
      for (const arg of atom.args) divisorsOf(arg, into);
      if (atom.kind === "floorDiv" || atom.kind === "mod") into.push(exprOf(atom.args[1]));
    }
  return into;
}
