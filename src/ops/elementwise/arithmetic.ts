/**
 * Arithmetic: sums, products, quotients, remainders, powers, minima and maxima.
 */

import { StridewiseError } from "../../base/errors.ts";
import { DTypeError, isComplex, isIntegerDType, type Value } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { composites } from "../formula/functions.ts";
import type {
  Binary,
  BinaryFloat,
  Clamp,
  LerpOp,
  Power,
  Scaled,
  Ternary,
  TernaryFloat,
  Unary,
  UnaryFloat,
  UnaryNumeric,
  UnaryReal,
  WidePower,
  WithMax,
  WithMin,
  WithValues,
} from "../op-types.ts";
import { mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** Adds other, times alpha, to x. */
export const add: Binary<{ alpha?: number }> = map("add(x, other; alpha = 1)", ({ alpha }) =>
  alpha === 1 ? "x + other" : "x + alpha * other",
);
/** Subtracts other, times alpha, from x. */
export const sub: Binary<{ alpha?: number }> = map("sub(x, other; alpha = 1)", ({ x, other, alpha }) => {
  checkNoBool("sub", x, other);
  return alpha === 1 ? "x - other" : "x - alpha * other";
});
/** Subtracts x, times alpha, from other. */
export const rsub: Binary<{ alpha?: number }> = map("rsub(x, other; alpha = 1)", ({ x, other, alpha }) => {
  checkNoBool("rsub", x, other);
  return alpha === 1 ? "other - x" : "other - alpha * x";
});

const isBool = (operand: unknown): boolean =>
  operand instanceof Tensor ? operand.dtype === "bool" : typeof operand === "boolean";
/** Throws for bool operands, which have no difference; most callers want a negation or an exclusive or. */
function checkNoBool(who: string, x: unknown, other: unknown): void {
  if (!isBool(x) && !isBool(other)) return;
  throw new DTypeError(
    isBool(x) && isBool(other)
      ? `${who}: bool tensors cannot be subtracted. Use logicalXor(x, other)`
      : `${who}: a bool tensor cannot be subtracted. To invert a mask use logicalNot(x)`,
  );
}
/** Multiplies x by other. */
export const mul: Binary = map("mul(x, other)", "x * other");

/** The options of div. */
export interface RoundingOptions {
  /** Rounds the quotient down ("floor") or toward 0 ("trunc"); null does not round. */
  readonly roundingMode?: "floor" | "trunc" | null | undefined;
  /**
   * Same as roundingMode.
   * @deprecated Use roundingMode.
   */
  readonly rounding?: "floor" | "trunc" | null | undefined;
}
const quotients: Readonly<Record<string, string>> = { floor: "x // other", trunc: "truncDiv(x, other)" };
/** Divides x by other; integers become floats, unless the quotient is rounded down ("floor") or toward 0 ("trunc"). */
export const div: BinaryFloat<RoundingOptions> = map("div(x, other; roundingMode = null)", ({ roundingMode: mode }) => {
  if (mode === null) return "x / other";
  const body = typeof mode === "string" ? quotients[mode] : undefined;
  if (body === undefined)
    throw new StridewiseError(`div: roundingMode must be null, "floor" or "trunc", got ${describeValue(mode)}`);
  return body;
});
/** Divides x by other and rounds down. */
export const floorDivide: Binary = map("floorDivide(x, other)", "x // other", null);
/** Returns the remainder of floor division, which has the sign of other. */
export const remainder: Binary = map("remainder(x, other)", "x % other");
/** Returns the remainder of truncated division, which has the sign of x. */
export const fmod: Binary = map("fmod(x, other)", "truncRem(x, other)");
/** Raises x to the power of exponent. */
export const pow: Power = map(
  "pow(x, exponent)",
  ({ x, exponent }) => {
    if (x instanceof Tensor && typeof exponent === "number" && exponent < 0 && isIntegerDType(x.dtype))
      throw new DTypeError('pow: integers have no negative powers. Convert the base: to("float32")');
    if (typeof exponent === "boolean") return exponent ? "x" : "like(1, x)";
    // Small powers are products, which are as exact and much faster; the formula must contain the number for that.
    return exponent === 2 || exponent === 3 || exponent === 0.5 ? `x ** ${exponent}` : "x ** exponent";
  },
  {},
  { isChosenByNumbers: true },
);
const isComplexIn = (...operands: readonly unknown[]): boolean =>
  operands.some((x) => isComplexTensor(x) || (typeof x === "object" && isComplex(x as Value)));
/** Raises x to the power of exponent, computed in float64 or complex128. */
export const floatPower: WidePower = map("floatPower(x, exponent)", ({ x, exponent }) => {
  const wide = isComplexIn(x, exponent) ? "complex128" : "float64";
  return `${wide}(x) ** ${wide}(exponent)`;
});
/** Returns the square of each element. */
export const square: UnaryNumeric<"int64"> = map("square(x)", ({ x }) => (isBool(x) ? "int64(x)" : "square(x)"));
/** Returns the square root of each element. */
export const sqrt: UnaryFloat = map("sqrt(x)");
/** Returns the reciprocal of the square root of each element. */
export const rsqrt: UnaryFloat = map("rsqrt(x)", "rsqrt(x)", { x: "g * C(-0.5 * y * y * y)" });
/** Returns the reciprocal of each element. */
export const reciprocal: UnaryFloat = map("reciprocal(x)", "reciprocal(x)", { x: "-g * C(y * y)" });
/** Returns the negative of each element. */
export const neg: Unary = map("neg(x)", "-x");
/** Returns the absolute value of each element. */
export const abs: UnaryReal = map("abs(x)", ({ x }) => (isBool(x) ? "x" : "abs(x)"));
/** The body, not the function, whose gradient is not recorded: the gradient 0 that reads x can be differentiated again. */
const signBody = composites.sign.body;
/** Returns the sign of each element: -1, 0 or 1. */
export const sign: Unary = map("sign(x)", ({ x }) => (isBool(x) ? "x" : signBody));
/** Returns the sign of each element; for complex numbers x / abs(x), and 0 for 0. */
export const sgn: Unary = map("sgn(x)", ({ x }) => {
  if (isComplexTensor(x)) return "x == 0 ? like(0, x) : x / abs(x)";
  return isBool(x) ? "x" : signBody;
});
/** Computes the Heaviside step function: 0 for negative elements, 1 for positive ones, and `values` for 0. */
export const heaviside: WithValues = map("heaviside(x, values)", "x == 0 ? values : like(x > 0 ? 1 : 0, x)", null);
/** Returns the elementwise maximum; NaN if either element is NaN. */
export const maximum: Binary = map("maximum(x, other)", "max(x, other)");
/** Returns the elementwise minimum; NaN if either element is NaN. */
export const minimum: Binary = map("minimum(x, other)", "min(x, other)");
/** Returns the elementwise maximum; if one element is NaN, the other one. */
export const fmax: Binary = map("fmax(x, other)", "x != x ? other : other != other ? x : max(x, other)", {
  x: "(x >= other) | (other != other) ? g : 0",
  other: "(x >= other) | (other != other) ? 0 : g",
});
/** Returns the elementwise minimum; if one element is NaN, the other one. */
export const fmin: Binary = map("fmin(x, other)", "x != x ? other : other != other ? x : min(x, other)", {
  x: "(x <= other) | (other != other) ? g : 0",
  other: "(x <= other) | (other != other) ? 0 : g",
});

// At a bound, the gradient goes to x.
const aboveMin = { x: "x >= min ? g : 0", min: "x < min ? g : 0" };
const belowMax = { x: "x <= max ? g : 0", max: "x > max ? g : 0" };
const between = {
  x: "(x >= min) & (x <= max) ? g : 0",
  min: "(x < min) & (min < max) ? g : 0",
  max: "(x > max) | (max < min) ? g : 0",
};
/** Clamps each element to the range [min, max]; a bound that is null or omitted does not apply. */
export const clamp: Clamp = map(
  "clamp(x, min = null, max = null)",
  ({ min, max }) => {
    if (min === null && max === null) throw new StridewiseError("clamp: min or max is required");
    if (max === null) return "max(x, min)";
    return min === null ? "min(x, max)" : "clamp(x, min, max)";
  },
  ({ min, max }) => (max === null ? aboveMin : min === null ? belowMax : between),
);
/** Clamps each element to be at least min. */
export const clampMin: WithMin = map("clampMin(x, min)", "max(x, min)", aboveMin);
/** Clamps each element to be at most max. */
export const clampMax: WithMax = map("clampMax(x, max)", "min(x, max)", belowMax);
/** Interpolates linearly between x and end: x at weight 0, end at weight 1. */
export const lerp: LerpOp = map(
  "lerp(x, end, weight)",
  "abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight)",
  { x: "g * C(1 - weight)", end: "g * C(weight)", weight: "g * C(end - x)" },
);
/** Returns x + value * tensor1 * tensor2. */
export const addcmul: Ternary<{ value?: number }> = map("addcmul(x, tensor1, tensor2; value = 1)", ({ value }) =>
  value === 1 ? "x + tensor1 * tensor2" : "x + value * tensor1 * tensor2",
);
/** Returns x + value * tensor1 / tensor2. */
export const addcdiv: TernaryFloat<{ value?: number }> = map("addcdiv(x, tensor1, tensor2; value = 1)", ({ value }) =>
  value === 1 ? "x + tensor1 / tensor2" : "x + value * (tensor1 / tensor2)",
);
/** The operands a and b in their common floating-point dtype; the quotient only determines the dtype and is not computed. */
const asFloats = "let q = x / other; let a = like(x, q); let b = like(other, q); ";
/** Returns the hypotenuse sqrt(x^2 + other^2), without intermediate overflow. */
export const hypot: BinaryFloat = map(
  "hypot(x, other)",
  `${asFloats}let c = max(a, -a); let d = max(b, -b); let m = max(c, d); let r = min(c, d) / m; (c == inf) | (d == inf) ? inf : m == 0 ? m : m * sqrt(1 + r * r)`,
  { x: "g * (x / y)", other: "g * (other / y)" },
);
/** Multiplies x by 2 to the power of other. */
export const ldexp: Scaled = map("ldexp(x, other)", "x * exp2(other)");
/** Returns x with the sign of other. */
export const copysign: BinaryFloat = map("copysign(x, other)");
/** Returns log(exp(x) + exp(other)), without intermediate overflow. */
export const logaddexp: BinaryFloat = map(
  "logaddexp(x, other)",
  ({ x, other }) =>
    isComplexIn(x, other)
      ? "let m = real(x) < real(other) ? other : x; let n = real(x) < real(other) ? x : other; m + log(1 + exp(n - m))"
      : `${asFloats}a == b ? a + 0.6931471805599453 : max(a, b) + log1p(exp(-abs(a - b)))`,
  ({ x, other }) =>
    isComplexIn(x, other)
      ? { x: "g / C(1 + exp(other - x))", other: "g / C(1 + exp(x - other))" }
      : // With sigmoid, the gradient of an operand that is -inf is 0.
        { x: "g * sigmoid(x - other)", other: "g * sigmoid(other - x)" },
);
/** Returns log2(2^x + 2^other), without intermediate overflow. */
export const logaddexp2: BinaryFloat = map(
  "logaddexp2(x, other)",
  `${asFloats}a == b ? a + 1.0 : max(a, b) + 1.4426950408889634 * log1p(exp2(-abs(a - b)))`,
  { x: "g / (1 + exp2(other - x))", other: "g / (1 + exp2(x - other))" },
);
/** Returns x * log(other), and 0 where x is 0 and other is not NaN. */
export const xlogy: BinaryFloat = map("xlogy(x, other)", `${asFloats}(a == 0) & (b == b) ? 0.0 : a * log(b)`, {
  x: "(x == 0) & (other <= 0) ? 0 : g * log(like(other, g))",
  other: "g * x / other",
});
/** Returns x * log1p(other), and 0 where x is 0 and other is not NaN. */
export const xlog1py: BinaryFloat = map("xlog1py(x, other)", `${asFloats}(a == 0) & (b == b) ? 0.0 : a * log1p(b)`, {
  x: "(x == 0) & (other <= -1) ? 0 : g * log1p(like(other, g))",
  other: "g * x / (other + 1)",
});
