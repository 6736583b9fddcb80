/**
 * Questions about expressions, as functions; expressions ask the same as methods. An answer is true or false only if it
 * is so for all values that the assumptions allow; undefined means: not known.
 */
import { divisorOf as divisorOfPolynomial, type Range, rangeOf } from "./bounds.ts";
import { asExpr, type Expr } from "./expr.ts";
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
