/**
 * Integer expressions as code on i32 (or, where a value may be past 32 bits, on i64).
 *
 * Promises: the value of the expression modulo 2^32, which is what addresses need, wherever the operands of its quotients, minima
 * and maxima fit in the type. A quotient, rest, minimum or maximum is computed once for all expressions, in front of the loops
 * that it does not depend on; nothing traps: a divisor that may be 0 becomes 1 there.
 */
import { rangeOf } from "../../../expr/bounds.ts";
import { type Atom, type CallAtom, type Polynomial, scale, type Term } from "../../../expr/polynomial.ts";
import { type Emission, integerName, placeOf } from "./emission.ts";

type IntegerType = "i32" | "i64";

/** The depth of the innermost loop that the expression depends on. */
export function depthOfIndex(e: Emission, { terms }: Polynomial): number {
  let depth = 0;
  for (const { atoms } of terms) for (const atom of atoms) depth = Math.max(depth, depthOfAtom(e, atom));
  return depth;
}

/** The same of one factor. */
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
  // den divides the product of the atoms, so any rounding gives the same.
  if (den > 1) {
    builder.op(`${type}.const`, isPowerOfTwo(den) ? Math.log2(den) : den);
    builder.op(isPowerOfTwo(den) ? `${type}.shr_s` : `${type}.div_s`);
  }
  multiplyBy(e, num, type);
}

/** Multiplies what is on the stack by a constant. */
export function multiplyBy({ builder }: Emission, factor: number, type: IntegerType = "i32"): void {
  if (factor === 1) return;
  const isShift = isPowerOfTwo(factor);
  builder.op(`${type}.const`, isShift ? Math.log2(factor) : factor);
  builder.op(isShift ? `${type}.shl` : `${type}.mul`);
}

function pushAtom(e: Emission, atom: Atom, type: IntegerType): void {
  const { builder } = e;
  if (atom.kind !== "symbol") {
    builder.get(callLocal(e, atom, type));
    return;
  }
  const { local, shift } = integerName(e, atom.name);
  builder.get(local);
  if (shift !== 0) {
    builder.op("i32.const", shift);
    builder.op("i32.add");
  }
  if (type === "i64") builder.op("i64.extend_i32_s");
}

/** The local that holds a quotient, remainder, minimum, maximum, absolute value or product of sums. */
function callLocal(e: Emission, atom: CallAtom, type: IntegerType): number {
  const { code, atoms } = placeOf(e, depthOfAtom(e, atom));
  const key = type === "i32" ? atom.key : `${type} ${atom.key}`;
  let local = atoms.get(key);
  if (local === undefined) {
    local = e.builder.local(type);
    const result = local;
    e.builder.into(code, () => {
      const [first] = atom.args as [Polynomial];
      if (atom.kind === "abs") pushExtreme(e, { kind: "max", args: [first, scale(first, -1)] }, type);
      else if (atom.kind === "min" || atom.kind === "max") pushExtreme(e, atom, type);
      else if (atom.kind === "product") pushProduct(e, atom, type);
      else pushDivision(e, atom, type);
      e.builder.set(result);
    });
    atoms.set(key, local);
  }
  return local;
}

function pushProduct(e: Emission, { args }: CallAtom, type: IntegerType): void {
  for (const [i, arg] of args.entries()) {
    pushIndex(e, arg, type);
    if (i > 0) e.builder.op(`${type}.mul`);
  }
}

function pushExtreme(e: Emission, { kind, args }: Pick<CallAtom, "kind" | "args">, type: IntegerType): void {
  const { builder } = e;
  // Sums of sizes may pass 2^31, not 2^32: what cannot be negative is compared without a sign.
  const sign = args.every((arg) => rangeOf(arg)[0] >= 0) ? "u" : "s";
  pushIndex(e, args[0], type);
  for (const arg of args.slice(1)) {
    const [a, b] = [builder.local(type), builder.local(type)];
    builder.tee(a);
    pushIndex(e, arg, type);
    builder.tee(b);
    builder.get(a);
    builder.get(b);
    builder.op(`${type}.${kind === "min" ? "lt" : "gt"}_${sign}`);
    builder.op("select");
  }
}

function pushDivision(e: Emission, { kind, args }: CallAtom, type: IntegerType): void {
  const { builder } = e;
  const [a, b] = args as [Polynomial, Polynomial];
  const isQuotient = kind === "floorDiv";
  pushIndex(e, a, type);
  if (b.terms.length === 0 && isPowerOfTwo(b.constant)) {
    builder.op(`${type}.const`, isQuotient ? Math.log2(b.constant) : b.constant - 1);
    builder.op(`${type}.${isQuotient ? "shr_s" : "and"}`);
    return;
  }
  if (rangeOf(a)[0] >= 0 && rangeOf(b)[0] >= 0) {
    pushDivisor(e, b, type);
    builder.op(`${type}.${isQuotient ? "div_u" : "rem_u"}`);
    return;
  }
  const [x, y, rest] = [builder.local(type), builder.local(type), builder.local(type)];
  builder.tee(x);
  pushDivisor(e, b, type);
  builder.tee(y);
  builder.op(`${type}.rem_s`);
  builder.set(rest);
  // The rest is off by y where it is not 0 and has the other sign; the quotient of x - rest + y is then right without rounding.
  if (isQuotient) {
    builder.get(x);
    builder.get(rest);
    builder.op(`${type}.sub`);
    builder.get(y);
    builder.op(`${type}.div_s`);
    pushIsOff(e, rest, y, type);
    builder.op(`${type}.sub`);
  } else {
    builder.get(rest);
    builder.get(y);
    pushIsOff(e, rest, y, type);
    builder.op(`${type}.mul`);
    builder.op(`${type}.add`);
  }
}

/** Pushes 1 where the rest is not 0 and has another sign than the divisor, else 0. */
function pushIsOff({ builder }: Emission, rest: number, divisor: number, type: IntegerType): void {
  builder.get(rest);
  builder.get(divisor);
  builder.op(`${type}.xor`);
  builder.op(`${type}.const`, 0);
  builder.op(`${type}.lt_s`);
  builder.get(rest);
  builder.op(`${type}.const`, 0);
  builder.op(`${type}.ne`);
  builder.op("i32.and");
  if (type === "i64") builder.op("i64.extend_i32_u");
}

function pushDivisor(e: Emission, b: Polynomial, type: IntegerType): void {
  const { builder } = e;
  pushIndex(e, b, type);
  const [min, max] = rangeOf(b);
  if (min > 0 || max < 0) return;
  const divisor = builder.local(type);
  builder.tee(divisor);
  builder.get(divisor);
  builder.op(`${type}.eqz`);
  if (type === "i64") builder.op("i64.extend_i32_u");
  builder.op(`${type}.add`);
}

const isPowerOfTwo = (value: number): boolean => value > 0 && Number.isInteger(Math.log2(value));
