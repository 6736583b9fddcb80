/**
 * Integer expressions as code on i32, or on i64 where a value may exceed 32 bits.
 *
 * Postconditions: the value of the expression modulo 2^32, which is what addresses need, wherever the operands of its quotients, minima
 * and maxima fit in the type. A quotient, remainder, minimum or maximum is computed once for all expressions, before the loops
 * that it does not depend on. Nothing traps: a divisor that may be 0 becomes 1 there.
 */
import { getOrCompute } from "../../../base/lazy.ts";
import { rangeOf } from "../../../expr/bounds.ts";
import {
  type Atom,
  type BitAtom,
  type BitRule,
  type CallAtom,
  type Polynomial,
  scale,
  type Term,
} from "../../../expr/polynomial.ts";
import { pushAdjusts } from "./division.ts";
import { blockOf, type Emission, integerName } from "./emission.ts";
import { set, tee } from "./representation.ts";

type IntegerType = "i32" | "i64";

/** The depth of the innermost loop that an expression depends on. */
export function depthOfIndex(e: Emission, { terms }: Polynomial): number {
  let depth = 0;
  for (const { atoms } of terms) for (const atom of atoms) depth = Math.max(depth, depthOfAtom(e, atom));
  return depth;
}

/** The depth of the innermost loop that a factor depends on. */
export function depthOfAtom(e: Emission, atom: Atom): number {
  if (atom.kind === "symbol") return integerName(e, atom.name).depth;
  let depth = 0;
  for (const arg of atom.args) depth = Math.max(depth, depthOfIndex(e, arg));
  return depth;
}

/** Pushes the value of an expression. */
export function pushIndex(e: Emission, { constant, terms }: Polynomial, type: IntegerType = "i32"): void {
  const { builder } = e;
  let isFirst = true;
  for (const term of terms) {
    const isTaken = term.num === -1 && !isFirst;
    pushTerm(e, term, type, isTaken ? 1 : term.num);
    if (!isFirst) builder.op(`${type}.${isTaken ? "sub" : "add"}`);
    isFirst = false;
  }
  if (!isFirst && constant === 0) return;
  builder.op(`${type}.const`, constant);
  if (!isFirst) builder.op(`${type}.add`);
}

function pushTerm(e: Emission, { den, atoms }: Term, type: IntegerType, num: number): void {
  const { builder } = e;
  for (let i = 0; i < atoms.length; i++) {
    pushAtom(e, atoms[i], type);
    if (i > 0) builder.op(`${type}.mul`);
  }
  // den divides the product of the atoms, so all roundings agree.
  if (isPowerOfTwo(den) && den > 1) builder.emitFor(type, [".const", Math.log2(den)], ".shr_s");
  else if (den > 1) builder.emitFor(type, [".const", den], ".div_s");
  multiplyBy(e, num, type);
}

/** Multiplies the value on the stack by a constant. */
export function multiplyBy({ builder }: Emission, factor: number, type: IntegerType = "i32"): void {
  if (factor === 1) return;
  if (isPowerOfTwo(factor)) builder.emitFor(type, [".const", Math.log2(factor)], ".shl");
  else builder.emitFor(type, [".const", factor], ".mul");
}

function pushAtom(e: Emission, atom: Atom, type: IntegerType): void {
  const { builder } = e;
  if (atom.kind !== "symbol") {
    builder.get(callLocal(e, atom, type));
    return;
  }
  const { local, shift } = integerName(e, atom.name);
  builder.get(local);
  if (shift !== 0) builder.emit(["i32.const", shift], "i32.add");
  if (type === "i64") builder.op("i64.extend_i32_s");
}

/** The local that holds a quotient, remainder, minimum, maximum, absolute value, product of sums or bitwise function. */
function callLocal(e: Emission, atom: CallAtom | BitAtom, type: IntegerType): number {
  const { code, atoms } = blockOf(e, depthOfAtom(e, atom));
  const key = type === "i32" ? atom.key : `${type} ${atom.key}`;
  return getOrCompute(atoms, key, () =>
    e.builder.compute(code, type, undefined, () => {
      const [first] = atom.args as [Polynomial];
      if (atom.kind === "abs") pushExtreme(e, { kind: "max", args: [first, scale(first, -1)] }, type);
      else if (atom.kind === "min" || atom.kind === "max") pushExtreme(e, atom, type);
      else if (atom.kind === "mod" || atom.kind === "floorDiv") pushDivision(e, atom, type);
      else pushJoined(e, atom, type, "rule" in atom ? atom.rule.wasm : "mul");
    }),
  );
}

function pushJoined(e: Emission, { args }: CallAtom | BitAtom, type: IntegerType, op: "mul" | BitRule["wasm"]): void {
  for (const [i, arg] of args.entries()) {
    pushIndex(e, arg, type);
    if (i > 0) e.builder.op(`${type}.${op}`);
  }
}

function pushExtreme(e: Emission, { kind, args }: Pick<CallAtom, "kind" | "args">, type: IntegerType): void {
  const { builder } = e;
  // Sums of sizes may exceed 2^31, not 2^32: values that cannot be negative are compared as unsigned.
  const sign = args.every((arg) => rangeOf(arg)[0] >= 0) ? "u" : "s";
  pushIndex(e, args[0], type);
  for (const arg of args.slice(1)) {
    const [a, b] = [builder.local(type), builder.local(type)];
    builder.emit(tee(a));
    pushIndex(e, arg, type);
    builder.emitFor(type, tee(b), a, b, `.${kind === "min" ? "lt" : "gt"}_${sign}`, "select");
  }
}

function pushDivision(e: Emission, { kind, args }: CallAtom, type: IntegerType): void {
  const { builder } = e;
  const [a, b] = args as [Polynomial, Polynomial];
  const isQuotient = kind === "floorDiv";
  pushIndex(e, a, type);
  if (b.terms.length === 0 && isPowerOfTwo(b.constant)) {
    if (isQuotient) builder.emitFor(type, [".const", Math.log2(b.constant)], ".shr_s");
    else builder.emitFor(type, [".const", b.constant - 1], ".and");
    return;
  }
  if (rangeOf(a)[0] >= 0 && rangeOf(b)[0] >= 0) {
    pushDivisor(e, b, type);
    builder.op(`${type}.${isQuotient ? "div_u" : "rem_u"}`);
    return;
  }
  const [x, y, rest] = [builder.local(type), builder.local(type), builder.local(type)];
  builder.emit(tee(x));
  pushDivisor(e, b, type);
  builder.emitFor(type, tee(y), ".rem_s", set(rest));
  // The remainder is off by y, and the quotient by 1, where it is not 0 and has the other sign.
  if (isQuotient) builder.emitFor(type, x, rest, ".sub", y, ".div_s");
  else builder.emit(rest, y);
  pushAdjusts(builder, { type }, rest, y);
  if (type === "i64") builder.op("i64.extend_i32_u");
  builder.emitFor(type, ...(isQuotient ? ([".sub"] as const) : ([".mul", ".add"] as const)));
}

function pushDivisor(e: Emission, b: Polynomial, type: IntegerType): void {
  const { builder } = e;
  pushIndex(e, b, type);
  const [min, max] = rangeOf(b);
  if (min > 0 || max < 0) return;
  const divisor = builder.local(type);
  builder.emitFor(type, tee(divisor), divisor, ".eqz");
  if (type === "i64") builder.op("i64.extend_i32_u");
  builder.op(`${type}.add`);
}

const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));
