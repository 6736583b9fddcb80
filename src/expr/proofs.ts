/**
 * Proofs about expressions, as functions; expressions have the same as methods. The result is true or false only if that
 * holds for all values that the assumptions allow; undefined means unknown. `divisorsOf` lists the divisors of an expression, so that
 * callers can check that none of them is 0.
 */
import { named } from "../base/errors.ts";
import { divisorOf as divisorOfPolynomial, type Range, rangeOf } from "./bounds.ts";
import { asExpr, type Expr, exprOf } from "./expr.ts";
import type { Polynomial } from "./polynomial.ts";
import type { ProofResult } from "./prove.ts";

export type Operand = Expr | number;

/** Returns [min, max] with min <= value <= max, by interval arithmetic; the ends may be infinite. */
export const range = (a: Operand): Range => rangeOf(named("range", () => asExpr(a)));
/** Returns the largest constant known to divide every value, or 0 for the expression 0. */
export const divisorOf = (a: Operand): number => divisorOfPolynomial(named("divisorOf", () => asExpr(a)));
/** a < b */
export const proveLess = (a: Operand, b: Operand): ProofResult => named("proveLess", () => asExpr(a).proveLess(b));
/** a <= b */
export const proveLessEqual = (a: Operand, b: Operand): ProofResult =>
  named("proveLessEqual", () => asExpr(a).proveLessEqual(b));
/** a = b */
export const proveEqual = (a: Operand, b: Operand): ProofResult => named("proveEqual", () => asExpr(a).proveEqual(b));
/** b divides a: a = b * k for an integer k. Only 0 is divisible by 0. */
export const proveDivisible = (a: Operand, b: Operand): ProofResult =>
  named("proveDivisible", () => asExpr(a).proveDivisible(b));
/** Returns the quotient a / b if the remainder is provably 0, otherwise undefined. */
export const divideExact = (a: Operand, b: Operand): Expr | undefined =>
  named("divideExact", () => asExpr(a).divideExact(b));

/** Returns the divisors of all floorDiv and mod calls in an expression, at any depth. */
export function divisorsOf(expr: Polynomial, into: Expr[] = []): readonly Expr[] {
  for (const { atoms } of expr.terms)
    for (const atom of atoms) {
      if (atom.kind === "symbol") continue;
      for (const arg of atom.args) divisorsOf(arg, into);
      if (atom.kind === "floorDiv" || atom.kind === "mod") into.push(exprOf(atom.args[1]));
    }
  return into;
}
