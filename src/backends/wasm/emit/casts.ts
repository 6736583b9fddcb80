/**
 * Casts of one element, as WebAssembly instructions. A value cast does what `kernel/element.ts` does: to an integer it truncates and wraps
 * modulo 2^bits, and NaN and the infinities become 0; to bool everything but zero is true, also NaN; integers round to floats once.
 * A bit cast keeps the bits of a value of the same size. Nothing traps.
 *
 * Casts of all lanes of a vector, as SIMD128 instructions: the same bits as `scalarCast` gives for each lane.
 * Floats become integers on a fast path if every lane is in its range, else lane by lane; 64-bit integers become float32 lane by lane.
 */
import type { DType } from "../../../storage/dtype.ts";
import { blockType, type Op } from "../encoder/instructions.ts";
import { promoted } from "./division.ts";
import { type Assembler, normalize, type Representation, representation, set, tee } from "./representation.ts";
import { byLanes, maskBytes, narrowLanes, repeated, repeatedFloat, widenLanes } from "./vector-lanes.ts";

/** Pushes trunc(x) modulo 2^64 of an f64 local; 0 if it is not finite. */
function pushWrapped(a: Assembler, x: number): void {
  const magnitude = a.local("f64");
  const bits = a.local("i64");
  a.emit(x, "f64.abs", tee(magnitude), ["f64.const", 2 ** 63], "f64.lt", ["if", blockType.i64]);
  a.emit(x, "i64.trunc_sat_f64_s");
  a.op("else");
  // A number this large is an integer: subtract its multiple of 2^64, exactly. Infinity less infinity is NaN, which converts to 0.
  a.emit(magnitude, magnitude, ["f64.const", 2 ** -64], "f64.mul", "f64.floor", ["f64.const", 2 ** 64], "f64.mul");
  a.emit("f64.sub", "i64.trunc_sat_f64_u", set(bits));
  a.emit(["i64.const", 0], bits, "i64.sub", bits, x, ["f64.const", 0], "f64.lt", "select");
  a.op("end");
}

/** Leaves the value of a scalar local as a different dtype on the stack. */
export function scalarCast(a: Assembler, from: DType, to: DType, how: "value" | "bits", arg: number): void {
  const f = representation(from);
  const t = representation(to);
  if (from === to) a.get(arg);
  else if (f.kind === "float" && t.kind === "integer" && how === "value") {
    pushWrapped(a, f.type === "f32" ? promoted(a, arg) : arg);
    if (t.type === "i32") a.op("i32.wrap_i64");
    normalize(a, t);
  } else if (t.kind === "bool") a.emitFor(f.type, arg, [".const", 0], ".ne");
  else {
    const name = conversion(f, t, how);
    a.get(arg);
    if (name !== undefined) a.op(name);
    normalize(a, t);
  }
}

/** The one instruction that converts between two types; undefined within a type. */
function conversion(f: Representation, t: Representation, how: "value" | "bits"): Op | undefined {
  if (f.type === t.type) return undefined;
  if (how === "bits") return `${t.type}.reinterpret_${f.type}` as Op;
  if (t.kind === "float") {
    if (f.kind === "float") return t.type === "f64" ? "f64.promote_f32" : "f32.demote_f64";
    return `${t.type}.convert_${f.type}_${f.sign}` as Op;
  }
  return t.type === "i32" ? "i32.wrap_i64" : `i64.extend_i32_${f.sign}`;
}

function castByLanes(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  byLanes(a, f.dtype, t.dtype, lanes, [arg], (operands) => scalarCast(a, f.dtype, t.dtype, "value", operands[0]));
}

/**
 * 64-bit integers to float64. The halves, put under the exponents of 2^84 and 2^52, are exact floats; subtracting what the exponents
 * add is exact too, so the last sum is the only rounding. A signed integer has its highest bit flipped, which adds 2^63.
 */
function longToDouble(a: Assembler, signed: boolean, arg: number): void {
  const doubles = representation("float64");
  a.get(arg);
  if (signed) a.emit(repeated(a, 8, 1n << 63n), "v128.xor");
  a.emit(["i32.const", 32], "i64x2.shr_u", repeatedFloat(a, doubles, 2 ** 84), "v128.or");
  a.emit(repeatedFloat(a, doubles, 2 ** 84 + (signed ? 2 ** 63 : 0) + 2 ** 52), "f64x2.sub");
  a.emit(arg, repeated(a, 8, 0xffffffffn), "v128.and", repeatedFloat(a, doubles, 2 ** 52), "v128.or", "f64x2.add");
}

/** Integers of up to 32 bits. */
function integerToFloat(a: Assembler, f: Representation, t: Representation, arg: number): void {
  const sign = f.bytes === 4 ? f.sign : "s";
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
    a.emit("f64x2.promote_low_f32x4", tee(wide));
  }
  a.emit("f64x2.abs", repeatedFloat(a, doubles, 2 ** 51), "f64x2.lt", "i64x2.all_true", ["if", blockType.v128]);
  a.emit(wide, "f64x2.trunc", magic, "f64x2.add", magic, "i64x2.sub");
  narrowLanes(a, lanes, 8, t.bytes);
  a.op("else");
  castByLanes(a, f, t, lanes, arg);
  a.op("end");
}

/** Four lanes: int32 if |x| < 2^31, which wraps to every size up to 32 bits. */
function floatsToIntegers(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  a.emit(arg, "f32x4.abs", repeatedFloat(a, f, 2 ** 31), "f32x4.lt", "i32x4.all_true", ["if", blockType.v128]);
  a.emit(arg, "i32x4.trunc_sat_f32x4_s");
  narrowLanes(a, lanes, 4, t.bytes);
  a.op("else");
  castByLanes(a, f, t, lanes, arg);
  a.op("end");
}

/** Leaves the lanes of a v128 local as a different dtype on the stack. Returns false, and emits nothing, if they do not fit in 16 bytes. */
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
    a.emitFor(f.shape, arg, repeated(a, 1, 0n), ".ne");
    widenLanes(a, f.bytes, maskBytes(lanes), true);
  } else if (f.kind === "bool") {
    a.get(arg);
    narrowLanes(a, lanes, maskBytes(lanes), t.bytes);
    a.emit(t.kind === "float" ? repeatedFloat(a, t, 1) : repeated(a, t.bytes, 1n), "v128.and");
  } else if (f.kind === "float") {
    if (t.kind === "integer") (lanes === 2 ? doublesToIntegers : floatsToIntegers)(a, f, t, lanes, arg);
    else a.emit(arg, t.bytes === 8 ? "f64x2.promote_low_f32x4" : "f32x4.demote_f64x2_zero");
  } else if (t.kind === "float") {
    if (f.bytes < 8) integerToFloat(a, f, t, arg);
    else if (t.bytes === 8) longToDouble(a, f.signed, arg);
    else castByLanes(a, f, t, lanes, arg);
  } else {
    a.get(arg);
    if (f.bytes < t.bytes) widenLanes(a, f.bytes, t.bytes, f.signed);
    else narrowLanes(a, lanes, f.bytes, t.bytes);
  }
  return true;
}
