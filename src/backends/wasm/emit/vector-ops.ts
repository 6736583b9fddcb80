/**
 * Scalar functions on all lanes of a vector, as SIMD128 instructions; their meaning is `kernel/ir/functions.ts`, the same bits as
 * `scalarCall` gives for each lane. What has no good vector form is refused and nothing is emitted: integer division, float
 * remainders. Shifts by another amount in each lane and the engine's Math functions go through scalars, lane by lane.
 */
import type { ScalarFunction } from "../../../kernel/ir/functions.ts";
import type { DType } from "../../../storage/dtype.ts";
import type { Op } from "../encoder/instructions.ts";
import { type Assembler, type Representation, representation, vectorOp } from "./representation.ts";
import { comparisons, floatNames, isMathCall, scalarCall } from "./scalar-ops.ts";
import { byLanes, maskBytes, narrowLanes, repeated, widenLanes } from "./vector-lanes.ts";

function push(a: Assembler, x: number, y: number): void {
  a.get(x);
  if (y >= 0) a.get(y);
}

/** Masks as logic: false < true. `swap` takes the operands the other way round, `not` turns the result. */
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
  const found = boolOps[fn];
  if (found === undefined) return false;
  if (found.swap) push(a, y, x);
  else push(a, x, y);
  a.op(found.op);
  if (found.not) a.op("v128.not");
  return true;
}

/** Pushes x; an unsigned 64-bit integer with its highest bit turned, which orders as a signed one. */
function pushOrdered(a: Assembler, r: Representation, x: number): void {
  a.get(x);
  if (r.bytes !== 8 || r.signed || r.kind !== "integer") return;
  a.get(repeated(a, 8, 1n << 63n));
  a.op("v128.xor");
}

/** The mask of a comparison, as wide as the operands. */
function pushComparison(a: Assembler, fn: ScalarFunction, r: Representation, x: number, y: number): void {
  const equality = fn === "eq" || fn === "ne";
  if (equality || r.kind === "float") {
    push(a, x, y);
    vectorOp(a, r.shape, fn);
  } else {
    pushOrdered(a, r, x);
    pushOrdered(a, r, y);
    vectorOp(a, r.shape, `${fn}_${r.signed || r.bytes === 8 ? "s" : "u"}`);
  }
}

/** Where the instruction is not called as that for one value. */
const floatVectorNames: Readonly<Partial<Record<ScalarFunction, string>>> = {
  truncDiv: "div",
  smaller: "pmin",
  larger: "pmax",
};

function floatCall(a: Assembler, fn: ScalarFunction, r: Representation, x: number, y: number): boolean {
  if (fn === "copysign") {
    push(a, x, y);
    a.get(repeated(a, r.bytes, (1n << BigInt(8 * r.bytes - 1)) - 1n));
    a.op("v128.bitselect");
    return true;
  }
  const name = floatVectorNames[fn] ?? floatNames[fn];
  if (name === undefined) return false;
  push(a, x, y);
  vectorOp(a, r.shape, name);
  if (fn === "truncDiv") vectorOp(a, r.shape, "trunc");
  return true;
}

/** Products of bytes are made in 16 bits, and their low bytes kept. */
function multiplyBytes(a: Assembler, lanes: number, x: number, y: number): void {
  push(a, x, y);
  a.op("i16x8.extmul_low_i8x16_s");
  if (lanes < 16) narrowLanes(a, lanes, 2, 1);
  else {
    push(a, x, y);
    a.op("i16x8.extmul_high_i8x16_s");
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
      if (r.signed) vectorOp(a, r.shape, fn);
      return true;
    case "mul":
      if (r.bytes === 1) multiplyBytes(a, lanes, x, y);
      else {
        push(a, x, y);
        vectorOp(a, r.shape, fn);
      }
      return true;
    case "add":
    case "sub":
    case "neg":
      push(a, x, y);
      vectorOp(a, r.shape, fn);
      return true;
    case "min":
    case "max":
      push(a, x, y);
      if (r.bytes < 8) vectorOp(a, r.shape, `${fn}_${r.signed ? "s" : "u"}`);
      else {
        pushComparison(a, fn === "min" ? "lt" : "gt", r, x, y);
        a.op("v128.bitselect");
      }
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
 * Leaves fn(...args) of every lane on the stack and gives true, or emits nothing and gives false where there is no good vector form
 * or the lanes do not fit. `args` are v128 locals, `dtype` is theirs (of `select`: the dtype of the two values).
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
    push(a, y, args[2]);
    a.get(x);
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

/** Leaves x shifted by the same constant in every lane on the stack; false, and nothing emitted, if the lanes do not fit. */
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
  if (!fits && !arithmetic) {
    a.get(repeated(a, 1, 0n));
    return true;
  }
  a.get(x);
  a.op("i32.const", fits ? amount : bits - 1);
  vectorOp(a, r.shape, fn === "shiftLeft" ? "shl" : arithmetic ? "shr_s" : "shr_u");
  return true;
}

/**
 * select(fn(x, y), x, y) as one instruction, or select(fn(x, y), y, x) with `swapped`; false, and nothing emitted, if there is none.
 * Of floats pmin and pmax, which choose by a comparison as the select does: the same bits, NaN and signed zeros included.
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
  vectorOp(a, r.shape, less === swapped ? "pmax" : "pmin");
  return true;
}

/** Leaves z + x * y (`negated`: z - x * y) on the stack, rounded once or twice as the engine likes: relaxed SIMD, floats only. */
export function vectorMultiplyAdd(
  a: Assembler,
  dtype: DType,
  lanes: number,
  x: number,
  y: number,
  z: number,
  negated = false,
): boolean {
  const r = representation(dtype);
  if (r.kind !== "float" || lanes * r.bytes > 16) return false;
  push(a, x, y);
  a.get(z);
  vectorOp(a, r.shape, negated ? "relaxed_nmadd" : "relaxed_madd");
  return true;
}
