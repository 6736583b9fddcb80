/** Arithmetic of two or more tensors, with broadcasting. Integers wrap around, in their own dtype. */
import * as sw from "../../index.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";
import { operandsOf } from "./operands.ts";

type Binary = (a: sw.Tensor, b: sw.Tensor) => sw.Tensor;

const binary = (fn: Binary) => (call: Call) => {
  const [a, b] = operandsOf(call);
  if (a.dtype !== b.dtype) throw call.error(`both inputs must have the same type, got ${a.dtype} and ${b.dtype}`);
  return fn(a, b);
};

/** An operator of one or more tensors. */
const variadic = (fn: Binary) => (call: Call) => {
  const all = call.tensors();
  if (all.length === 0) throw call.error("there must be at least one input");
  return all.reduce((a, b) => fn(a, b));
};

const sum = variadic((a, b) => sw.add(a, b));

/** The result has the type of the first input. Integers to a power that is not one are computed in float64 and truncated. */
function power(call: Call): sw.Tensor {
  const [x, y] = operandsOf(call);
  // Small powers that are known are products, which take a fraction of the time.
  const exponent = y.ndim <= x.ndim && /^float(32|64)$/.test(String(x.dtype)) ? call.knownNumber(1) : null;
  if (exponent !== null) return sw.pow(x, exponent);
  if (!isIntegerType(x.dtype)) return sw.pow(x, y).to(x.dtype);
  return isIntegerType(y.dtype) ? sw.pow(x, y.to(x.dtype)) : sw.pow(x.to("float64"), y.to("float64")).to(x.dtype);
}

export const arithmetic: OperatorTable = {
  Add: binary((a, b) => sw.add(a, b)),
  Sub: binary((a, b) => sw.sub(a, b)),
  Mul: binary((a, b) => sw.mul(a, b)),
  // Integers are divided toward zero.
  Div: binary((a, b) => (isIntegerType(a.dtype) ? sw.div(a, b, { roundingMode: "trunc" }) : sw.div(a, b))),
  // The remainder has the sign of the divisor, or with fmod, as in C, of the dividend.
  Mod(call) {
    const [a, b] = [call.tensor(0), call.tensor(1)];
    if (call.int("fmod", 0) === 1) return sw.fmod(a, b);
    if (!isIntegerType(a.dtype)) throw call.error(`the attribute fmod must be 1 for ${a.dtype}`);
    return sw.remainder(a, b);
  },
  Pow: power,
  Max: variadic((a, b) => sw.maximum(a, b)),
  Min: variadic((a, b) => sw.minimum(a, b)),
  Sum: sum,
  Mean: (call) => sw.div(sum(call), call.inputs.length),
};
