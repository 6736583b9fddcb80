/**
 * Activation functions of neural networks.
 */

import { StridewiseError } from "../../base/errors.ts";
import type { DefaultDType } from "../../storage/default-dtype.ts";
import { type DType, dtypes, isComplexDType, isIntegerDType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { notImplemented } from "../dtype-errors.ts";
import type { Unary, UnaryFloat, UnaryFloatWith, UnaryNumeric, UnaryWith, WithWeight } from "../op-types.ts";
import { mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** Returns the formula, or throws if a parameter is out of its domain. The values of tensor parameters are not checked. */
function checked(isWrong: boolean, fault: () => string, formula: string): string {
  if (isWrong) throw new StridewiseError(fault());
  return formula;
}

/** Applies the rectified linear unit, max(x, 0). */
export const relu: Unary = map(
  "relu(x)",
  ({ x }) => {
    if (x instanceof Tensor && x.dtype === "bool") throw notImplemented("relu", "bool", "int32");
    return "relu(x)";
  },
  { x: "y <= 0 ? 0 : g" },
);
/** Applies the rectified linear unit with an upper bound of 6, min(max(x, 0), 6). */
export const relu6: UnaryNumeric<"int64"> = map("relu6(x)", "min(max(x, 0), 6)", {
  x: "(x <= 0) | (x >= 6) ? 0 : g",
});
/** Applies the Gaussian error linear unit x * ndtr(x), with ndtr the cumulative distribution function of the standard normal distribution; with "tanh", its tanh approximation. */
export const gelu: UnaryFloatWith<[], { approximate?: "none" | "tanh" }> = map(
  "gelu(x; approximate = none)",
  ({ approximate }) => {
    if (approximate === "tanh") return "x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))";
    if (approximate === "none") return "gelu(x)";
    throw new StridewiseError(`gelu: approximate must be "none" or "tanh", got ${describeValue(approximate)}`);
  },
);
/** Applies the sigmoid linear unit x * sigmoid(x), also called swish. */
export const silu: UnaryFloat = map("silu(x)");
/** Applies the softplus function log(1 + exp(beta * x)) / beta, without overflow; returns x where beta * x is above the threshold. */
export const softplus: UnaryFloatWith<[beta?: number, threshold?: number]> = map(
  "softplus(x, beta = 1, threshold = 20)",
  "let z = x * beta; z > threshold ? x * 1.0 : softplus(z) / beta",
  { x: "let z = x * beta; z > threshold ? g : g * sigmoid(z)" },
);
/** Returns the logarithm of the sigmoid of each element, without overflow. */
export const logSigmoid: UnaryFloat = map("logSigmoid(x)", "min(x, 0) - log1p(exp(-abs(x)))", {
  x: "g * sigmoid(-x)",
});
/** Applies the exponential linear unit: x if positive, else alpha * (exp(x) - 1). */
export const elu: UnaryFloatWith<[alpha?: number]> = map("elu(x, alpha = 1)", "x > 0 ? x * 1.0 : alpha * expm1(x)", {
  x: "x < 0 ? g * (alpha * exp(x)) : x == 0 ? g * alpha : g",
});
/** Applies the scaled exponential linear unit: scale * x if positive, else scale * alpha * (exp(x) - 1), with alpha = 1.6733 and scale = 1.0507. */
export const selu: UnaryFloat = map(
  "selu(x)",
  "1.0507009873554805 * (x > 0 ? x * 1.0 : 1.6732632423543772 * expm1(x))",
  {
    x: "(x < 0 ? g * (1.6732632423543772 * exp(x)) : x == 0 ? g * 1.6732632423543772 : g) * 1.0507009873554805",
  },
);
/** Applies the continuously differentiable exponential linear unit: x if positive, else alpha * (exp(x / alpha) - 1). */
export const celu: UnaryFloatWith<[alpha?: number]> = map(
  "celu(x, alpha = 1)",
  ({ alpha }) =>
    checked(alpha === 0, () => "celu: alpha must not be 0.", "max(x, 0) + min(0.0, alpha * expm1(x / alpha))"),
  { x: "x < 0 ? g * exp(x / alpha) : g" },
);
/** Applies the leaky rectified linear unit: x if positive, else negativeSlope * x. */
export const leakyRelu: UnaryNumeric<DefaultDType, [negativeSlope?: number]> = map(
  "leakyRelu(x, negativeSlope = 0.01)",
  "x > 0 ? x : negativeSlope * x",
  {
    x: "x > 0 ? g : g * negativeSlope",
  },
);
/** Applies the leaky rectified linear unit with one slope per element: weight, broadcast to x. See prelu for one slope per channel. */
export const preluOf: WithWeight = map("preluOf(x, weight)", "x > 0 ? x : weight * x");
/** Applies the mish function x * tanh(softplus(x)). */
export const mish: UnaryFloat = map("mish(x)", "x * tanh(softplus(x))");
/** Applies the hardswish function x * relu6(x + 3) / 6, a piecewise approximation of silu. */
export const hardswish: UnaryFloat = map("hardswish(x)", "x * min(max(x + 3, 0), 6) / 6", {
  x: "x <= -3 ? 0 : x < 3 ? g * (x / 3 + 0.5) : g",
});
/** Applies the hardsigmoid function relu6(x + 3) / 6, a piecewise linear approximation of sigmoid. */
export const hardsigmoid: UnaryFloat = map("hardsigmoid(x)", "min(max(x + 3, 0), 6) / 6", {
  x: "(x > -3) & (x < 3) ? g / 6 : 0",
});
/** Clamps each element to the range [minVal, maxVal]. */
export const hardtanh: UnaryNumeric<DefaultDType, [minVal?: number, maxVal?: number]> = map(
  "hardtanh(x, minVal = -1, maxVal = 1)",
  ({ x, minVal, maxVal }) =>
    checked(
      typeof minVal === "number" &&
        ((typeof maxVal === "number" && minVal > maxVal) || (minVal < 0 && x instanceof Tensor && /^u/.test(x.dtype))),
      () =>
        `hardtanh: minVal must not be greater than maxVal, nor negative for unsigned integers, got ${minVal} and ${maxVal}.`,
      "min(max(x, minVal), maxVal)",
    ),
  { x: "(x <= minVal) | (x >= maxVal) ? 0 : g" },
);
/** Applies hard shrinkage: x if its absolute value is above lambd, else 0. */
export const hardshrink: UnaryWith<[lambd?: number]> = map(
  "hardshrink(x, lambd = 0.5)",
  "(x >= -lambd) & (x <= lambd) ? like(0, x) : x",
);
/** Applies soft shrinkage: x - lambd if x > lambd, x + lambd if x < -lambd, else 0. */
export const softshrink: UnaryNumeric<DefaultDType, [lambd?: number]> = map(
  "softshrink(x, lambd = 0.5)",
  ({ lambd }) =>
    checked(
      typeof lambd === "number" && !(lambd >= 0),
      () => `softshrink: lambd must be at least 0, got ${lambd}.`,
      "x > lambd ? x - lambd : x < -lambd ? x + lambd : x * 0",
    ),
  { x: "(x >= -lambd) & (x <= lambd) ? 0 : g" },
);
/** Applies the softsign function x / (1 + |x|). */
export const softsign: UnaryFloat = map("softsign(x)", "x / (1 + abs(x))");
/** Applies tanh shrinkage, x - tanh(x). */
export const tanhshrink: UnaryFloat = map("tanhshrink(x)", "x - tanh(x)");
/** Returns x where it is above the threshold, else the value. */
export const threshold: UnaryWith<[threshold: number, value: number]> = map(
  "threshold(x, threshold, value)",
  "x <= threshold ? like(value, x) : x",
);

const largest: Readonly<Partial<Record<DType, string>>> = {
  float16: "65504.0",
  bfloat16: "3.3895313892515355e38",
  float32: "3.4028234663852886e38",
  float64: "1.7976931348623157e308",
};
/** Replaces NaN and infinities, by default with 0 and with the largest finite numbers. */
export const nanToNum: UnaryWith<[nan?: number, posinf?: number | null, neginf?: number | null]> = map(
  "nanToNum(x, nan = 0, posinf = null, neginf = null)",
  ({ x, posinf, neginf }) => {
    const dtype: DType = x instanceof Tensor ? x.dtype : "bool";
    if (isIntegerDType(dtype) || dtypes[dtype].category === "bool") return "x";
    const part = (value: string): string => {
      const max = largest[dtype] ?? largest[dtype === "complex64" ? "float32" : "float64"];
      const [up, down] = [posinf === null ? max : "posinf", neginf === null ? `-${max}` : "neginf"];
      return `${value} != ${value} ? nan_ : ${value} == inf ? ${up} : ${value} == -inf ? ${down} : ${value}`;
    };
    if (!isComplexDType(dtype)) return part("x");
    return `let a = real(x); let b = imag(x); complex(${part("a")}, ${part("b")})`;
  },
);
