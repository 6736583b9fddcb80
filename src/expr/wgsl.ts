/**
 * Compiles expressions to WGSL text over i32: `i * 128 + 64`.
 * Postconditions: the text computes the value of the expression if no step leaves the 32-bit range and no divisor is 0. WGSL
 * division rounds toward zero. Unless ranges prove that the operands are non-negative, the text rounds down explicitly and
 * repeats its numerator. Nested divisions of that kind grow fast, so symbols should have a `min`. Text longer than 100,000
 * characters throws.
 */
import { ExprError } from "../base/errors.ts";
import { rangeOf } from "./bounds.ts";
import { asExpr, type Expr } from "./expr.ts";
import type { Atom, CallAtom, Polynomial, Term } from "./polynomial.ts";

export function toWgsl(expr: Expr): string {
  return polynomial(asExpr(expr));
}

function polynomial(a: Polynomial): string {
  const text = sum(a);
  if (text.length > 100_000)
    throw new ExprError(
      "toWgsl: the text is longer than 100,000 characters. Set a min of 0 for symbols, or compile parts separately.",
    );
  return text;
}

function sum({ constant, terms }: Polynomial): string {
  let text = "";
  for (const each of terms) {
    const isMinus = each.num < 0 && text !== "";
    text += (text && (isMinus ? " - " : " + ")) + term(isMinus ? { ...each, num: -each.num } : each);
  }
  if (text === "") return literal(constant);
  return constant === 0 ? text : `${text} ${constant < 0 ? "-" : "+"} ${literal(Math.abs(constant))}`;
}

function term({ num, den, atoms }: Term): string {
  const factors = atoms.map((each) => atom(each, atoms.length > 1 || num !== 1 || den !== 1));
  // den divides the product of the atoms.
  const quotient = factors.join(" * ") + (den === 1 ? "" : ` / ${literal(den)}`);
  return num === 1 ? quotient : num === -1 ? `-${quotient}` : `${quotient} * ${literal(num)}`;
}

function atom(each: Atom, isFactor: boolean): string {
  if (each.kind === "symbol") return each.name;
  if (each.kind === "floorDiv" || each.kind === "mod") return division(each, isFactor);
  if (each.kind === "abs") return `abs(${polynomial(each.args[0])})`;
  if (each.kind === "product") {
    const text = each.args.map(operand).join(" * ");
    return isFactor ? `(${text})` : text;
  }
  if (each.kind === "shiftLeft") return `(1 << u32(${polynomial(each.args[1])}))`;
  if ("rule" in each) return `(${each.args.map(operand).join(each.kind === "and" ? " & " : " ^ ")})`;
  return each.args.map(polynomial).reduce((sofar, arg) => `${each.kind}(${sofar}, ${arg})`);
}

function division({ kind, args }: CallAtom, isFactor: boolean): string {
  const [a, b] = args as [Polynomial, Polynomial];
  const numerator = operand(a);
  const divisor = operand(b);
  const isQuotient = kind === "floorDiv";
  if (rangeOf(a)[0] >= 0 && rangeOf(b)[0] >= 0) {
    const text = `${numerator} ${isQuotient ? "/" : "%"} ${divisor}`;
    return isFactor ? `(${text})` : text;
  }
  const by = b.terms.length === 0 ? b.constant : undefined;
  if (by !== undefined && Number.isInteger(Math.log2(by)))
    return isQuotient ? `(${numerator} >> ${Math.log2(by)}u)` : `(${numerator} & ${literal(by - 1)})`;
  const remainder = `(${numerator} % ${divisor} + ${divisor}) % ${divisor}`;
  return isQuotient ? `((${numerator} - ${remainder}) / ${divisor})` : `(${remainder})`;
}

/** True if a text is a name, a number, or in parentheses. */
export const isWgslOperand = (text: string): boolean => /^\w+$|^\((?:[^()]|\([^()]*\))*\)$/.test(text);

const operand = (a: Polynomial): string => {
  const text = polynomial(a);
  return isWgslOperand(text) ? text : `(${text})`;
};

function literal(value: number): string {
  if (value === (value | 0)) return value < 0 ? `(${value})` : `${value}`;
  throw new ExprError(`toWgsl: the constant ${value} does not fit in 32 bits.`);
}
