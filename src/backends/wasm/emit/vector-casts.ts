/**
 * Casts of all lanes of a vector, as SIMD128 instructions: the same bits as `scalarCast` gives for each lane.
 * Floats become integers on a fast path if every lane is in its range, else lane by lane; 64-bit integers become float32 lane by
 * lane. Refused, and nothing emitted, is only what does not fit in 16 bytes.
 */
import type { DType } from "../../../storage/dtype.ts";
import { blockType } from "../encoder/instructions.ts";
import type { Assembler } from "./assembler.ts";
import { ops, type Representation, representation, vectorOp } from "./representation.ts";
import { scalarCast } from "./scalar-casts.ts";
import { byLanes, maskBytes, narrowLanes, repeated, repeatedFloat, widenLanes } from "./vector-lanes.ts";

/** The integers of `from` bytes on the stack, wrapped or extended to another size. */
function resize(a: Assembler, lanes: number, from: number, to: number, signed: boolean): void {
  if (from < to) widenLanes(a, from, to, signed);
  else narrowLanes(a, lanes, from, to);
}

function castByLanes(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
  byLanes(a, f.dtype, t.dtype, lanes, [arg], (operands) =>
    scalarCast(a, f.dtype, t.dtype, "value", operands[0] as number),
  );
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
function doubleToInteger(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
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
function floatToInteger(a: Assembler, f: Representation, t: Representation, lanes: number, arg: number): void {
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
    if (t.kind === "integer") (lanes === 2 ? doubleToInteger : floatToInteger)(a, f, t, lanes, arg);
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
