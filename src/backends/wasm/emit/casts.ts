/**
 * Casts of one element, as WebAssembly instructions. A value cast is what `kernel/element.ts` does: towards an integer a fraction is
 * cut off and the rest wraps modulo 2^bits, NaN and the infinities give 0; towards bool everything but zero is true, NaN too;
 * integers round to floats once. A bit cast keeps the bits of a value of the same size. Nothing here traps.
 *
 * Casts of all lanes of a vector, as SIMD128 instructions: the same bits as `scalarCast` gives for each lane.
 * Floats become integers on a fast path if every lane is in its range, else lane by lane; 64-bit integers become float32 lane by
 * lane. Refused, and nothing emitted, is only what does not fit in 16 bytes.
 */
import type { DType } from "../../../storage/dtype.ts";
import { blockType, type Op } from "../encoder/instructions.ts";
import {
  type Assembler,
  normalise,
  ops,
  pushNumber,
  type Representation,
  representation,
  scalarOp,
  vectorOp,
} from "./representation.ts";
import { byLanes, maskBytes, narrowLanes, repeated, repeatedFloat, widenLanes } from "./vector-lanes.ts";

/** Pushes trunc(x) modulo 2^64 of an f64 local; 0 of what is not finite. */
function pushWrapped(a: Assembler, x: number): void {
  const magnitude = a.local("f64");
  const bits = a.local("i64");
  a.get(x);
  a.op("f64.abs");
  a.tee(magnitude);
  a.op("f64.const", 2 ** 63);
  a.op("f64.lt");
  a.op("if", blockType.i64);
  a.get(x);
  a.op("i64.trunc_sat_f64_s");
  a.op("else");
  // What is so large is an integer: take off its multiple of 2^64, exactly. Infinity less infinity is NaN, which converts to 0.
  a.get(magnitude);
  a.get(magnitude);
  a.op("f64.const", 2 ** -64);
  ops(a, "f64.mul", "f64.floor");
  a.op("f64.const", 2 ** 64);
  ops(a, "f64.mul", "f64.sub", "i64.trunc_sat_f64_u");
  a.set(bits);
  a.op("i64.const", 0);
  a.get(bits);
  a.op("i64.sub");
  a.get(bits);
  a.get(x);
  a.op("f64.const", 0);
  ops(a, "f64.lt", "select", "end");
}

function floatToInteger(a: Assembler, from: Representation, to: Representation, arg: number): void {
  let wide = arg;
  if (from.type === "f32") {
    wide = a.local("f64");
    a.get(arg);
    a.op("f64.promote_f32");
    a.set(wide);
  }
  pushWrapped(a, wide);
  if (to.type === "i32") a.op("i32.wrap_i64");
  normalise(a, to);
}

/** Leaves the value of a scalar local as another dtype on the stack. */
export function scalarCast(a: Assembler, from: DType, to: DType, how: "value" | "bits", arg: number): void {
  const f = representation(from);
  const t = representation(to);
  if (from === to) a.get(arg);
  else if (f.kind === "float" && t.kind === "integer" && how === "value") floatToInteger(a, f, t, arg);
  else if (t.kind === "bool") {
    a.get(arg);
    pushNumber(a, f, 0);
    scalarOp(a, f, "ne");
  } else {
    const name = conversion(f, t, how);
    a.get(arg);
    if (name !== undefined) a.op(name);
    normalise(a, t);
  }
}

/** The one instruction between two types of values; none within a type. */
function conversion(f: Representation, t: Representation, how: "value" | "bits"): Op | undefined {
  if (f.type === t.type) return undefined;
  if (how === "bits") return `${t.type}.reinterpret_${f.type}` as Op;
  if (t.kind === "float") {
    if (f.kind === "float") return t.type === "f64" ? "f64.promote_f32" : "f32.demote_f64";
    return `${t.type}.convert_${f.type}_${f.signed ? "s" : "u"}` as Op;
  }
  if (t.type === "i32") return "i32.wrap_i64";
  return f.signed ? "i64.extend_i32_s" : "i64.extend_i32_u";
}

/** The integers of `from` bytes on the stack, wrapped or extended to another size. */
function resize(a: Assembler, lanes: number, from: number, to: number, signed: boolean): void {
  if (from < to) widenLanes(a, from, to, signed);
  else narrowLanes(a, lanes, from, to);
}

function castByLanes(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  byLanes(a, f.dtype, t.dtype, lanes, [arg], (operands) => scalarCast(a, f.dtype, t.dtype, "value", operands[0]));
}

/**
 * 64-bit integers to float64. The halves, put under the exponents of 2^84 and 2^52, are exact floats; taking off what the exponents
 * add is exact too, so that the last sum is the only rounding. A signed integer has its highest bit turned, which adds 2^63.
 */
function longToDouble(a: Assembler, signed: boolean, arg: number): void {
  const doubles = representation("float64");
  a.get(arg);
  if (signed) {
    a.get(repeated(a, 8, 1n << 63n));
    a.op("v128.xor");
  }
  a.op("i32.const", 32);
  a.op("i64x2.shr_u");
  a.get(repeatedFloat(a, doubles, 2 ** 84));
  a.op("v128.or");
  a.get(repeatedFloat(a, doubles, 2 ** 84 + (signed ? 2 ** 63 : 0) + 2 ** 52));
  a.op("f64x2.sub");
  a.get(arg);
  a.get(repeated(a, 8, 0xffffffffn));
  a.op("v128.and");
  a.get(repeatedFloat(a, doubles, 2 ** 52));
  ops(a, "v128.or", "f64x2.add");
}

/** Integers of up to 32 bits. */
function integerToFloat(a: Assembler, f: Representation, t: Representation, arg: number): void {
  const sign = f.bytes === 4 && !f.signed ? "u" : "s";
  a.get(arg);
  widenLanes(a, f.bytes, 4, f.signed);
  a.op(t.bytes === 4 ? `f32x4.convert_i32x4_${sign}` : `f64x2.convert_low_i32x4_${sign}`);
}

/** Two lanes: trunc(x) + 1.5 * 2^52 has the integer in its low bits if |x| < 2^51, and these wrap to every size. */
function doublesToIntegers(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  const doubles = representation("float64");
  const magic = repeatedFloat(a, doubles, 1.5 * 2 ** 52);
  let wide = arg;
  a.get(arg);
  if (f.bytes === 4) {
    wide = a.local("v128");
    a.op("f64x2.promote_low_f32x4");
    a.tee(wide);
  }
  a.op("f64x2.abs");
  a.get(repeatedFloat(a, doubles, 2 ** 51));
  ops(a, "f64x2.lt", "i64x2.all_true");
  a.op("if", blockType.v128);
  a.get(wide);
  a.op("f64x2.trunc");
  a.get(magic);
  a.op("f64x2.add");
  a.get(magic);
  a.op("i64x2.sub");
  narrowLanes(a, lanes, 8, t.bytes);
  a.op("else");
  castByLanes(a, f, t, lanes, arg);
  a.op("end");
}

/** Four lanes: int32 if |x| < 2^31, which wraps to every size up to 32 bits. */
function floatsToIntegers(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  a.get(arg);
  a.op("f32x4.abs");
  a.get(repeatedFloat(a, f, 2 ** 31));
  ops(a, "f32x4.lt", "i32x4.all_true");
  a.op("if", blockType.v128);
  a.get(arg);
  a.op("i32x4.trunc_sat_f32x4_s");
  narrowLanes(a, lanes, 4, t.bytes);
  a.op("else");
  castByLanes(a, f, t, lanes, arg);
  a.op("end");
}

/** Leaves the lanes of a v128 local as another dtype on the stack; false, and nothing emitted, if the lanes do not fit. */
export function vectorCast(
  a: Assembler,
  from: DType,
  to: DType,
  how: "value" | "bits",
  lanes: number,
  arg: number,
): boolean {
  const f = representation(from);
  const t = representation(to);
  if (lanes * f.bytes > 16 || lanes * t.bytes > 16) return false;
  if (from === to || (how === "bits" && f.kind !== "bool" && t.kind !== "bool")) a.get(arg);
  else if (t.kind === "bool") {
    a.get(arg);
    a.get(repeated(a, 1, 0n));
    vectorOp(a, f.shape, "ne");
    widenLanes(a, f.bytes, maskBytes(lanes), true);
  } else if (f.kind === "bool") {
    a.get(arg);
    narrowLanes(a, lanes, maskBytes(lanes), t.bytes);
    a.get(t.kind === "float" ? repeatedFloat(a, t, 1) : repeated(a, t.bytes, 1n));
    a.op("v128.and");
  } else if (f.kind === "float") {
    if (t.kind === "integer") (lanes === 2 ? doublesToIntegers : floatsToIntegers)(a, f, t, lanes, arg);
    else {
      a.get(arg);
      a.op(t.bytes === 8 ? "f64x2.promote_low_f32x4" : "f32x4.demote_f64x2_zero");
    }
  } else if (t.kind === "float") {
    if (f.bytes < 8) integerToFloat(a, f, t, arg);
    else if (t.bytes === 8) longToDouble(a, f.signed, arg);
    else castByLanes(a, f, t, lanes, arg);
  } else {
    a.get(arg);
    resize(a, lanes, f.bytes, t.bytes, f.signed);
  }
  return true;
}
