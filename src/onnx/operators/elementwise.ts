/** Mathematical functions and activations of each element. */
import * as sw from "../../index.ts";
import { type Call, isIntegerType } from "../call.ts";
import type { OperatorTable } from "../operator.ts";

type Unary = (x: sw.Tensor) => sw.Tensor;

const unary = (fn: Unary) => (call: Call) => fn(call.tensor(0));

/** An activation: a formula of x and of attributes with their defaults. */
const activation = (formula: string, defaults: Readonly<Record<string, number>> = {}) => {
  const kernel = sw.elementwise(formula);
  const names = Object.entries(defaults);
  return (call: Call): sw.Tensor => {
    const operands: Record<string, sw.Tensor | number> = { x: call.tensor(0) };
    for (const [name, value] of names) operands[name] = call.float(name, value);
    return kernel(operands);
  };
};

/** A formula whose attributes have fractions, which also takes integers: they are computed in float64 and truncated. */
const onAnyType = (body: (call: Call, x: sw.Tensor) => sw.Tensor) => (call: Call) => {
  const x = call.tensor(0);
  return isIntegerType(x.dtype) ? body(call, x.to("float64")).to(x.dtype) : body(call, x);
};

/** The function max(0, min(1, alpha * x + beta)). */
const hardSigmoid = "clamp(alpha * x + beta, 0, 1)";

function gelu(call: Call): sw.Tensor {
  const approximate = call.string("approximate", "none");
  if (approximate !== "none" && approximate !== "tanh")
    throw call.error(`the attribute approximate must be "none" or "tanh", got "${approximate}"`);
  return sw.gelu(call.tensor(0), { approximate });
}

/** Before version 7 there is one slope for each channel. */
function prelu(call: Call): sw.Tensor {
  const [x, slope] = [call.tensor(0), call.tensor(1)];
  const isByChannel = call.version < 7 && slope.size > 1;
  const fitted = isByChannel ? slope.reshape(x.shape.slice(1).map((_, k) => (k === 0 ? -1 : 1))) : slope;
  return sw.elementwise("x < 0 ? slope * x : x", { x, slope: fitted });
}

/** The largest number of float32. */
const largest = 2 ** 128 - 2 ** 104;

/**
 * Versions before 11 have the bounds as attributes, whose defaults are finite, so that infinities become them. If the bounds cross, the result is the
 * upper one.
 */
function clip(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const bound = (k: number, name: string, otherwise: number): sw.Tensor | null =>
    call.version >= 11 ? call.optionalTensor(k) : sw.tensor(call.float(name, otherwise), { dtype: x.dtype });
  const [low, high] = [bound(1, "min", -largest), bound(2, "max", largest)];
  for (const [k, each] of [low, high].entries())
    if (each !== null && each.size !== 1) throw call.error(`input ${k + 1} must have one element, got ${each.size}`);
  const raised = low === null ? x : sw.maximum(x, low.reshape([]));
  return high === null ? raised : sw.minimum(raised, high.reshape([]));
}

function isInf(call: Call): sw.Tensor {
  const x = call.tensor(0);
  const [negative, positive] = [call.int("detect_negative", 1) !== 0, call.int("detect_positive", 1) !== 0];
  if (negative && positive) return sw.isinf(x);
  if (!negative && !positive) return sw.zerosLike(x, { dtype: "bool" });
  return negative ? sw.isneginf(x) : sw.isposinf(x);
}

export const elementwise: OperatorTable = {
  Abs: unary((x) => sw.abs(x)),
  Neg: unary((x) => sw.neg(x)),
  // The library's own sign of NaN is 0, as in PyTorch.
  Sign: unary((x) => (isIntegerType(x.dtype) ? sw.sign(x) : sw.elementwise("x != x ? x : sign(x)", { x }))),
  Ceil: unary((x) => sw.ceil(x)),
  Floor: unary((x) => sw.floor(x)),
  Round: unary((x) => sw.round(x)),
  Sqrt: unary((x) => sw.sqrt(x)),
  Reciprocal: unary((x) => sw.reciprocal(x)),
  Exp: unary((x) => sw.exp(x)),
  Log: unary((x) => sw.log(x)),
  Sin: unary((x) => sw.sin(x)),
  Cos: unary((x) => sw.cos(x)),
  Tan: unary((x) => sw.tan(x)),
  Asin: unary((x) => sw.asin(x)),
  Acos: unary((x) => sw.acos(x)),
  Atan: unary((x) => sw.atan(x)),
  Sinh: unary((x) => sw.sinh(x)),
  Cosh: unary((x) => sw.cosh(x)),
  Tanh: unary((x) => sw.tanh(x)),
  Asinh: unary((x) => sw.asinh(x)),
  Acosh: unary((x) => sw.acosh(x)),
  Atanh: unary((x) => sw.atanh(x)),
  Erf: unary((x) => (isIntegerType(x.dtype) ? sw.erf(x.to("float64")).to(x.dtype) : sw.erf(x))),
  Sigmoid: unary((x) => sw.sigmoid(x)),
  Relu: unary((x) => sw.relu(x)),
  Mish: unary((x) => sw.mish(x)),
  Softplus: unary((x) => sw.elementwise("softplus(x)", { x })),
  Softsign: unary((x) => sw.softsign(x)),
  HardSwish: unary((x) => sw.hardswish(x)),
  Gelu: gelu,
  LeakyRelu: (call) => sw.leakyRelu(call.tensor(0), call.float("alpha", 0.01)),
  Elu: (call) => sw.elu(call.tensor(0), call.float("alpha", 1)),
  Celu: (call) => sw.celu(call.tensor(0), call.float("alpha", 1)),
  Selu: activation("gamma * (x > 0 ? x : alpha * expm1(min(x, 0)))", {
    alpha: 1.6732632423543772,
    gamma: 1.0507009873554805,
  }),
  ThresholdedRelu: activation("x > alpha ? x : 0", { alpha: 1 }),
  HardSigmoid: activation(hardSigmoid, { alpha: 0.2, beta: 0.5 }),
  Swish: activation("x * sigmoid(alpha * x)", { alpha: 1 }),
  PRelu: prelu,
  Shrink: onAnyType((call, x) =>
    sw.elementwise("x < -lambd ? x + bias : x > lambd ? x - bias : 0", {
      x,
      lambd: call.float("lambd", 0.5),
      bias: call.float("bias", 0),
    }),
  ),
  Clip: clip,
  IsInf: isInf,
  IsNaN: unary((x) => sw.isnan(x)),
};
