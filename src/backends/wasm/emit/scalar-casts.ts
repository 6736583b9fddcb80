/**
 * Casts of one element, as WebAssembly instructions. A value cast is what `kernel/element.ts` does: towards an integer a fraction is
 * cut off and the rest wraps modulo 2^bits, NaN and the infinities give 0; towards bool everything but zero is true, NaN too;
 * integers round to floats once. A bit cast keeps the bits of a value of the same size. Nothing here traps.
 */
import type { DType } from "../../../storage/dtype.ts";
import { blockType, type Op } from "../encoder/instructions.ts";
import type { Assembler } from "./assembler.ts";
import { normalise, ops, pushNumber, type Representation, representation, scalarOp } from "./representation.ts";

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
