/**
 * Scalar functions on all lanes of a vector, as SIMD128 instructions: the same bits as `scalarCall` gives for each lane.
 * Integer division and float remainders have no good vector form; for these the functions return false and emit nothing. Shifts by a
 * different amount in each lane and the engine's Math functions are computed lane by lane.
 */
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Op } from "../encoder/instructions.ts";
import { type Assembler, type Representation, representation } from "./representation.ts";
import { comparisons, floatNames, isMathCall, push, scalarCall } from "./scalar-ops.ts";
import { byLanes, maskBytes, narrowLanes, repeated, widenLanes } from "./vector-lanes.ts";

/** Operations on masks, with false < true. `swap` exchanges the operands, `not` inverts the result. */
const boolOps: Readonly<
  Partial<Record<ScalarFunction, { readonly op: Op; readonly swap?: boolean; readonly not?: boolean }>>
> = {
  and: { op: "v128.and" },
  min: { op: "v128.and" },
  or: { op: "v128.or" },
  max: { op: "v128.or" },
  xor: { op: "v128.xor" },
  ne: { op: "v128.xor" },
  eq: { op: "v128.xor", not: true },
  gt: { op: "v128.andnot" },
  le: { op: "v128.andnot", not: true },
  lt: { op: "v128.andnot", swap: true },
  ge: { op: "v128.andnot", swap: true, not: true },
  not: { op: "v128.not" },
};

function boolCall(a: Assembler, fn: ScalarFunction, x: number, y: number): boolean {
  const entry = boolOps[fn];
  if (entry === undefined) return false;
  if (entry.swap) push(a, y, x);
  else push(a, x, y);
  a.op(entry.op);
  if (entry.not) a.op("v128.not");
  return true;
}

/** Pushes x; an unsigned 64-bit integer with its highest bit flipped, so that it orders as a signed one. */
function pushOrdered(a: Assembler, r: Representation, x: number): void {
  a.get(x);
  if (r.bytes === 8 && !r.signed) a.emit(repeated(a, 8, 1n << 63n), "v128.xor");
}

/** Pushes the mask of a comparison, as wide as the operands. */
function pushComparison(a: Assembler, fn: ScalarFunction, r: Representation, x: number, y: number): void {
  if (r.kind === "float" || fn === "eq" || fn === "ne") a.emitFor(r.shape, x, y, `.${fn}`);
  else {
    pushOrdered(a, r, x);
    pushOrdered(a, r, y);
    a.emitFor(r.shape, `.${fn}_${r.bytes === 8 ? "s" : r.sign}`);
  }
}

/** Names of instructions that differ from those for scalars. */
const floatVectorNames: Readonly<Partial<Record<ScalarFunction, string>>> = {
  truncDiv: "div",
  smaller: "pmin",
  larger: "pmax",
};

function floatCall(a: Assembler, fn: ScalarFunction, r: Representation, x: number, y: number): boolean {
  if (fn === "copysign") {
    a.emit(x, y, repeated(a, r.bytes, (1n << BigInt(8 * r.bytes - 1)) - 1n), "v128.bitselect");
    return true;
  }
  const name = floatVectorNames[fn] ?? floatNames[fn];
  if (name === undefined) return false;
  push(a, x, y);
  a.emitFor(r.shape, `.${name}`);
  if (fn === "truncDiv") a.emitFor(r.shape, ".trunc");
  return true;
}

/** Multiplies bytes in 16 bits and keeps the low bytes. */
function multiplyBytes(a: Assembler, lanes: number, x: number, y: number): void {
  a.emit(x, y, "i16x8.extmul_low_i8x16_s");
  if (lanes < 16) narrowLanes(a, lanes, 2, 1);
  else {
    a.emit(x, y, "i16x8.extmul_high_i8x16_s");
    a.op("i8x16.shuffle", [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]);
  }
}

function integerCall(
  a: Assembler,
  fn: ScalarFunction,
  r: Representation,
  lanes: number,
  x: number,
  y: number,
): boolean {
  switch (fn) {
    case "and":
    case "or":
    case "xor":
    case "not":
      push(a, x, y);
      a.op(`v128.${fn}`);
      return true;
    case "abs":
      a.get(x);
      if (r.signed) a.emitFor(r.shape, ".abs");
      return true;
    case "mul":
      if (r.bytes === 1) multiplyBytes(a, lanes, x, y);
      else a.emitFor(r.shape, x, y, ".mul");
      return true;
    case "add":
    case "sub":
    case "neg":
      push(a, x, y);
      a.emitFor(r.shape, `.${fn}`);
      return true;
    case "min":
    case "max":
      push(a, x, y);
      if (r.bytes < 8) a.emitFor(r.shape, `.${fn}_${r.sign}`);
      else {
        pushComparison(a, fn === "min" ? "lt" : "gt", r, x, y);
        a.op("v128.bitselect");
      }
      return true;
    case "dotHalves":
      a.emit(x, y, "i32x4.dot_i16x8_s");
      return true;
    case "shiftLeft":
    case "shiftRight":
      byLanes(a, r.dtype, r.dtype, lanes, [x, y], (operands) => scalarCall(a, fn, r.dtype, operands));
      return true;
    default:
      return false;
  }
}

/**
 * Leaves fn(...args) of every lane on the stack. Returns false, and emits nothing, if there is no good vector form or the lanes do not
 * fit. `args` are v128 locals of `dtype` (for `select`: the dtype of the two values).
 */
export function vectorCall(
  a: Assembler,
  fn: ScalarFunction,
  dtype: DType,
  lanes: number,
  args: readonly number[],
): boolean {
  const r = representation(dtype);
  if (lanes * r.bytes > 16) return false;
  const x = args[0];
  const y = args[1] ?? -1;
  if (fn === "select") {
    a.emit(y, args[2], x);
    if (r.kind !== "bool") narrowLanes(a, lanes, maskBytes(lanes), r.bytes);
    a.op("v128.bitselect");
    return true;
  }
  if (r.kind === "bool") return boolCall(a, fn, x, y);
  if (comparisons.includes(fn)) {
    pushComparison(a, fn, r, x, y);
    widenLanes(a, r.bytes, maskBytes(lanes), true);
    return true;
  }
  if (r.kind === "integer") return integerCall(a, fn, r, lanes, x, y);
  if (r.bytes === 8 && isMathCall(fn)) {
    byLanes(a, dtype, dtype, lanes, args, (operands) => scalarCall(a, fn, dtype, operands));
    return true;
  }
  return floatCall(a, fn, r, x, y);
}

/** Leaves x, shifted by the same constant in every lane, on the stack. Returns false, and emits nothing, if the lanes do not fit. */
export function vectorShiftByConstant(
  a: Assembler,
  fn: "shiftLeft" | "shiftRight",
  dtype: DType,
  lanes: number,
  x: number,
  amount: number,
): boolean {
  const r = representation(dtype);
  if (lanes * r.bytes > 16 || r.kind !== "integer") return false;
  const bits = 8 * r.bytes;
  const fits = amount >= 0 && amount < bits;
  const arithmetic = fn === "shiftRight" && r.signed;
  if (!fits && !arithmetic) a.get(repeated(a, 1, 0n));
  else {
    const name = fn === "shiftLeft" ? ".shl" : (`.shr_${r.sign}` as const);
    a.emitFor(r.shape, x, ["i32.const", fits ? amount : bits - 1], name);
  }
  return true;
}

/**
 * Leaves select(fn(x, y), x, y), or with `swapped` select(fn(x, y), y, x), on the stack as one instruction. Returns false, and emits
 * nothing, if there is none. Floats use pmin and pmax, which choose by a comparison as the select does: the same bits, including NaN
 * and signed zeros.
 */
export function vectorMinMaxBySelect(
  a: Assembler,
  fn: ScalarFunction,
  dtype: DType,
  lanes: number,
  x: number,
  y: number,
  swapped: boolean,
): boolean {
  const r = representation(dtype);
  const less = fn === "lt" || fn === "le";
  if (r.kind === "bool" || lanes * r.bytes > 16 || (!less && fn !== "gt" && fn !== "ge")) return false;
  if (r.kind === "integer") return r.bytes < 8 && integerCall(a, less === swapped ? "max" : "min", r, lanes, x, y);
  // pmin(p, q) is q < p ? q : p, and pmax(p, q) is p < q ? q : p.
  if (fn === "le" || fn === "ge") return false;
  if (swapped) push(a, x, y);
  else push(a, y, x);
  a.emitFor(r.shape, less === swapped ? ".pmax" : ".pmin");
  return true;
}

/** Leaves z + x * y on the stack, rounded once or twice as the engine chooses: relaxed SIMD, floats only. */
export function vectorMultiplyAdd(a: Assembler, dtype: DType, lanes: number, x: number, y: number, z: number): boolean {
  const r = representation(dtype);
  if (r.kind !== "float" || lanes * r.bytes > 16) return false;
  a.emitFor(r.shape, x, y, z, ".relaxed_madd");
  return true;
}
