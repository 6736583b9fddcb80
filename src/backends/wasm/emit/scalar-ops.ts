/**
 * Scalar functions on one element, as WebAssembly instructions; their meaning is `kernel/ir/functions.ts`.
 * Nothing here traps on any input: divisors that would are replaced first. Integer `pow` and the functions that the engine's Math
 * lacks (exp2, erf, erfc) are expected to be lowered before. Division with a remainder is
 * `division.ts`.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { DType } from "../../../storage/dtype.ts";
import { integerDivision, remainderCall } from "./division.ts";
import {
  type Assembler,
  type Emit,
  normalise,
  ops,
  pushNumber,
  type Representation,
  representation,
  scalarOp,
  signedOp,
} from "./representation.ts";

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
const mathFunctions: readonly ScalarFunction[] = [
  "exp",
  "expm1",
  "log",
  "log2",
  "log10",
  "log1p",
  "sin",
  "cos",
  "tan",
  "asin",
  "acos",
  "atan",
  "sinh",
  "cosh",
  "tanh",
  "asinh",
  "acosh",
  "atanh",
  "pow",
  "atan2",
];

/** True if and only if the function on float64 is a call of the engine's Math. */
export const isMathCall = (fn: ScalarFunction): boolean => mathFunctions.includes(fn);

/** The functions whose result is bool. */
export const comparisons: readonly ScalarFunction[] = ["eq", "ne", "lt", "le", "gt", "ge"];

function push(a: Assembler, x: number, y: number): void {
  a.get(x);
  if (y >= 0) a.get(y);
}

const plain =
  (name: string): Emit =>
  (a, r, x, y) => {
    push(a, x, y);
    scalarOp(a, r, name);
    normalise(a, r);
  };

const extremum =
  (name: string): Emit =>
  (a, r, x, y) => {
    push(a, x, y);
    push(a, x, y);
    signedOp(a, r, name);
    a.op("select");
  };

/** y if it is on the asked side of x, else x: x, too, if one of them is NaN. */
function chooseFloat(a: Assembler, fn: "smaller" | "larger", r: Representation, x: number, y: number): void {
  push(a, y, x);
  push(a, y, x);
  scalarOp(a, r, fn === "smaller" ? "lt" : "gt");
  a.op("select");
}

/** Pushes 1 if 0 <= y < bits, else 0. */
function pushFits(a: Assembler, r: Representation, y: number): void {
  a.get(y);
  pushNumber(a, r, 8 * r.bytes);
  scalarOp(a, r, "lt_u");
}

const shift =
  (name: string): Emit =>
  (a, r, x, y) => {
    push(a, x, y);
    scalarOp(a, r, name);
    normalise(a, r);
    pushNumber(a, r, 0);
    pushFits(a, r, y);
    a.op("select");
  };

const shiftRightSigned: Emit = (a, r, x, y) => {
  push(a, x, y);
  pushNumber(a, r, 8 * r.bytes - 1);
  pushFits(a, r, y);
  a.op("select");
  scalarOp(a, r, "shr_s");
};

const neg: Emit = (a, r, x) => {
  pushNumber(a, r, 0);
  a.get(x);
  scalarOp(a, r, "sub");
  normalise(a, r);
};

const abs: Emit = (a, r, x) => {
  if (!r.signed) return a.get(x);
  neg(a, r, x, -1);
  push(a, x, x);
  pushNumber(a, r, 0);
  scalarOp(a, r, "lt_s");
  a.op("select");
};

const not: Emit = (a, r, x) => {
  a.get(x);
  if (r.kind === "bool") return a.op("i32.eqz");
  pushNumber(a, r, -1);
  scalarOp(a, r, "xor");
  normalise(a, r);
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
  shiftLeft: shift("shl"),
  shiftRight: (a, r, x, y) => (r.signed ? shiftRightSigned : shift("shr_u"))(a, r, x, y),
};

/** float32 goes through float64. C's pow differs from Math's: 1 to any power is 1, and so is -1 to an infinite one. */
function mathCall(a: Assembler, fn: ScalarFunction, r: Representation, args: readonly number[]): void {
  const wide = args.map((arg) => {
    if (r.type === "f64") return arg;
    const local = a.local("f64");
    a.get(arg);
    a.op("f64.promote_f32");
    a.set(local);
    return local;
  });
  const x = wide[0];
  const y = wide[1];
  if (fn === "pow") a.op("f64.const", 1);
  for (const local of wide) a.get(local);
  a.op("call", a.math(fn, args.length as 1 | 2));
  if (fn === "pow") {
    a.get(x);
    a.op("f64.const", 1);
    a.op("f64.eq");
    a.get(x);
    a.op("f64.const", -1);
    a.op("f64.eq");
    a.get(y);
    a.op("f64.abs");
    a.op("f64.const", Infinity);
    a.op("f64.eq");
    ops(a, "i32.and", "i32.or", "select");
  }
  if (r.type === "f32") a.op("f32.demote_f64");
}

/**
 * Leaves fn(...args) on the stack; `args` are locals, `dtype` is theirs (of `select`: the dtype of the two values).
 * A function without instructions on this dtype is an error: it should have been lowered.
 */
export function scalarCall(a: Assembler, fn: ScalarFunction, dtype: DType, args: readonly number[]): void {
  const r = representation(dtype);
  const x = args[0];
  const y = args[1] ?? -1;
  if (fn === "select") {
    push(a, y, args[2]);
    a.get(x);
    a.op("select");
  } else if (comparisons.includes(fn)) {
    push(a, x, y);
    if (r.kind === "float" || fn === "eq" || fn === "ne") scalarOp(a, r, fn);
    else signedOp(a, r, fn);
  } else if (r.kind === "float") {
    const name = floatNames[fn];
    if (name !== undefined) plain(name)(a, r, x, y);
    else if (fn === "smaller" || fn === "larger") chooseFloat(a, fn, r, x, y);
    else if (isMathCall(fn)) mathCall(a, fn, r, args);
    else if (!remainderCall(a, fn, r, x, y)) throw notLowered(fn, dtype);
  } else {
    const emit = integerOps[fn];
    if (emit === undefined) throw notLowered(fn, dtype);
    emit(a, r, x, y);
  }
}

function notLowered(fn: ScalarFunction, dtype: DType): KernelError {
  return new KernelError(`wasm: ${fn} of ${dtype} has no instructions. Lower the kernel (lowerMath) first.`);
}
