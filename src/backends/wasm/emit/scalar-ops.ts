/**
 * Scalar functions on one element, as WebAssembly instructions; `kernel/ir/functions.ts` defines their meaning.
 * Nothing traps on any input: divisors that would are replaced first. Integer `pow` and the functions that the engine's Math lacks
 * (exp2, erf, erfc) must be lowered before. `division.ts` has division with a remainder.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { DType } from "../../../storage/dtype.ts";
import { floatDivision, integerDivision, promoted } from "./division.ts";
import { type Assembler, type Emit, normalize, type Representation, representation } from "./representation.ts";

/** Names of the instructions that take the operands as they are. */
export const floatNames: Readonly<Partial<Record<ScalarFunction, string>>> = {
  add: "add",
  sub: "sub",
  mul: "mul",
  div: "div",
  min: "min",
  max: "max",
  copysign: "copysign",
  neg: "neg",
  abs: "abs",
  sqrt: "sqrt",
  floor: "floor",
  ceil: "ceil",
  trunc: "trunc",
  round: "nearest",
};

/** The functions that the engine's Math has, by its own names. */
const mathFunctions: readonly string[] =
  "exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh pow atan2".split(" ");

/** True if and only if the function on float64 is a call of the engine's Math. */
export const isMathCall = (fn: ScalarFunction): boolean => mathFunctions.includes(fn);

/** The functions whose result is bool. */
export const comparisons: readonly ScalarFunction[] = ["eq", "ne", "lt", "le", "gt", "ge"];

/** Pushes the operands of a function of one or two values. */
export function push(a: Assembler, x: number, y: number): void {
  a.get(x);
  if (y >= 0) a.get(y);
}

const plain =
  (name: string): Emit =>
  (a, r, x, y) => {
    push(a, x, y);
    a.emitFor(r.type, `.${name}`);
    normalize(a, r);
  };

const extremum =
  (name: string): Emit =>
  (a, r, x, y) =>
    a.emitFor(r.type, x, y, x, y, `.${name}_${r.sign}`, "select");

/** y if it compares so to x, else x; also x if one of them is NaN. */
const chosen =
  (name: string): Emit =>
  (a, r, x, y) =>
    a.emitFor(r.type, y, x, y, x, `.${name}`, "select");

/** Pushes 1 if 0 <= y < bits, else 0. */
const pushFits = (a: Assembler, r: Representation, y: number): void =>
  a.emitFor(r.type, y, [".const", 8 * r.bytes], ".lt_u");

const shift =
  (name: string): Emit =>
  (a, r, x, y) => {
    a.emitFor(r.type, x, y, `.${name}`);
    normalize(a, r);
    a.emitFor(r.type, [".const", 0]);
    pushFits(a, r, y);
    a.op("select");
  };

const shiftRightSigned: Emit = (a, r, x, y) => {
  a.emitFor(r.type, x, y, [".const", 8 * r.bytes - 1]);
  pushFits(a, r, y);
  a.emitFor(r.type, "select", ".shr_s");
};

const neg: Emit = (a, r, x) => {
  a.emitFor(r.type, [".const", 0], x, ".sub");
  normalize(a, r);
};

const abs: Emit = (a, r, x) => {
  if (!r.signed) return a.get(x);
  neg(a, r, x, -1);
  a.emitFor(r.type, x, x, [".const", 0], ".lt_s", "select");
};

const not: Emit = (a, r, x) => {
  if (r.kind === "bool") return a.emit(x, "i32.eqz");
  a.emitFor(r.type, x, [".const", -1], ".xor");
  normalize(a, r);
};

const dotHalves: Emit = (a, _r, x, y) => {
  a.emit(x, "i32.extend16_s", y, "i32.extend16_s", "i32.mul");
  a.emit(x, ["i32.const", 16], "i32.shr_s", y, ["i32.const", 16], "i32.shr_s", "i32.mul", "i32.add");
};

const integerOps: Readonly<Partial<Record<ScalarFunction, Emit>>> = {
  add: plain("add"),
  sub: plain("sub"),
  mul: plain("mul"),
  and: plain("and"),
  or: plain("or"),
  xor: plain("xor"),
  ...integerDivision,
  min: extremum("lt"),
  max: extremum("gt"),
  neg,
  abs,
  not,
  dotHalves,
  shiftLeft: shift("shl"),
  shiftRight: (a, r, x, y) => (r.signed ? shiftRightSigned : shift("shr_u"))(a, r, x, y),
};

const floatOps: Readonly<Partial<Record<ScalarFunction, Emit>>> = {
  ...Object.fromEntries(Object.entries(floatNames).map(([fn, name]) => [fn, plain(name)])),
  ...floatDivision,
  smaller: chosen("lt"),
  larger: chosen("gt"),
};

/** float32 is computed in float64. C's pow differs from Math's: 1 to any power is 1, and so is -1 to an infinite one. */
function mathCall(a: Assembler, fn: ScalarFunction, r: Representation, args: readonly number[]): void {
  const wide = r.type === "f64" ? args : args.map((arg) => promoted(a, arg));
  const [x, y] = wide;
  if (fn === "pow") a.op("f64.const", 1);
  a.emit(...wide, ["call", a.math(fn, args.length as 1 | 2)]);
  if (fn === "pow") {
    a.emit(x, ["f64.const", 1], "f64.eq");
    a.emit(x, ["f64.const", -1], "f64.eq", y, "f64.abs", ["f64.const", Infinity], "f64.eq");
    a.emit("i32.and", "i32.or", "select");
  }
  if (r.type === "f32") a.op("f32.demote_f64");
}

/**
 * Leaves fn(...args) on the stack; `args` are locals of `dtype` (for `select`: the dtype of the two values).
 * Throws for a function without instructions on this dtype: it should have been lowered.
 */
export function scalarCall(a: Assembler, fn: ScalarFunction, dtype: DType, args: readonly number[]): void {
  const r = representation(dtype);
  const x = args[0];
  const y = args[1] ?? -1;
  const isFloat = r.kind === "float";
  if (fn === "select") a.emit(y, args[2], x, "select");
  else if (comparisons.includes(fn))
    a.emitFor(r.type, x, y, isFloat || fn === "eq" || fn === "ne" ? `.${fn}` : `.${fn}_${r.sign}`);
  else if (isFloat && isMathCall(fn)) mathCall(a, fn, r, args);
  else {
    const emit = (isFloat ? floatOps : integerOps)[fn];
    if (emit === undefined)
      throw new KernelError(`wasm: ${fn} of ${dtype} has no instructions. Lower the kernel (lowerMath) first.`);
    emit(a, r, x, y);
  }
}
