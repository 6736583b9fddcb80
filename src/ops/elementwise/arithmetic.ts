/**
 * Arithmetic: sums, products, quotients and their rests, powers, the larger and the smaller of two.
 */

import { StridewiseError } from "../../base/errors.ts";
import { DTypeError, isIntegerDType } from "../../storage/dtype.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { everyday } from "../formula/functions.ts";
import type { Between, Binary, BinaryFloat, Ternary, Unary, UnaryFloat, UnaryReal, UnaryWith } from "../op-types.ts";
import { mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** x + other, or x + alpha * other. */
export const add: Binary<{ alpha?: number }> = map("add(x, other; alpha = 1)", ({ alpha }) =>
  alpha === 1 ? "x + other" : "x + alpha * other",
);
/** x - other, or x - alpha * other. */
export const sub: Binary<{ alpha?: number }> = map("sub(x, other; alpha = 1)", ({ x, other, alpha }) => {
  checkNoBool("sub", x, other);
  return alpha === 1 ? "x - other" : "x - alpha * other";
});
/** other - x, or other - alpha * x. */
export const rsub: Binary<{ alpha?: number }> = map("rsub(x, other; alpha = 1)", ({ x, other, alpha }) => {
  checkNoBool("rsub", x, other);
  return alpha === 1 ? "other - x" : "other - alpha * x";
});

const isBool = (operand: unknown): boolean =>
  operand instanceof Tensor ? operand.dtype === "bool" : typeof operand === "boolean";
/** Truth values have no difference: what is meant is mostly a negation, or that they differ. */
function checkNoBool(who: string, x: unknown, other: unknown): void {
  if (!isBool(x) && !isBool(other)) return;
  throw new DTypeError(
    isBool(x) && isBool(other)
      ? `${who}: bool tensors cannot be subtracted. Use logicalXor(x, other)`
      : `${who}: a bool tensor cannot be subtracted. To invert a mask use logicalNot(x)`,
  );
}
/** x * other. */
export const mul: Binary = map("mul(x, other)", "x * other");

const quotients: Readonly<Record<string, string>> = { floor: "x // other", trunc: "truncDiv(x, other)" };
/** x / other; integers become floats, unless the result is rounded: down ("floor") or towards 0 ("trunc"). */
export const div: BinaryFloat<{ rounding?: "floor" | "trunc" | null }> = map(
  "div(x, other; rounding = null)",
  ({ rounding }) => {
    if (rounding === null) return "x / other";
    const body = typeof rounding === "string" ? quotients[rounding] : undefined;
    if (body === undefined)
      throw new StridewiseError(`div: rounding is null, "floor" or "trunc", got ${describeValue(rounding)}`);
    return body;
  },
);
/** x / other, rounded down. */
export const floorDivide: Binary = map("floorDivide(x, other)", "x // other", null);
/** The rest of x / other rounded down; it has the sign of other. */
export const remainder: Binary = map("remainder(x, other)", "x % other");
/** The rest of x / other cut off; it has the sign of x. */
export const fmod: Binary = map("fmod(x, other)", "truncRem(x, other)");
/** x to the power of other. */
export const pow: Binary = map(
  "pow(x, other)",
  ({ x, other }) => {
    if (x instanceof Tensor && typeof other === "number" && other < 0 && isIntegerDType(x.dtype))
      throw new DTypeError("pow: integers have no negative powers. Make the base a float: to('float32')");
    if (typeof other === "boolean") return other ? "x" : "like(1, x)";
    // Small powers are products, as exact and much faster; the formula says so where it shows the number.
    return other === 2 || other === 3 || other === 0.5 ? `x ** ${other}` : "x ** other";
  },
  {},
  { isChosenByNumbers: true },
);
const isComplexIn = (...operands: readonly unknown[]): boolean => operands.some(isComplexTensor);
/** x to the power of other, in float64 or complex128. */
export const floatPower: Binary = map("floatPower(x, other)", ({ x, other }) => {
  const wide = isComplexIn(x, other) ? "complex128" : "float64";
  return `${wide}(x) ** ${wide}(other)`;
});
/** x * x. */
export const square: Unary = map("square(x)", ({ x }) => (isBool(x) ? "int64(x)" : "square(x)"));
/** The root of x. */
export const sqrt: UnaryFloat = map("sqrt(x)");
/** 1 / the root of x. */
export const rsqrt: UnaryFloat = map("rsqrt(x)", "rsqrt(x)", { x: "g * C(-0.5 * y * y * y)" });
/** 1 / x. */
export const reciprocal: UnaryFloat = map("reciprocal(x)", "reciprocal(x)", { x: "-g * C(y * y)" });
/** -x. */
export const neg: Unary = map("neg(x)", "-x");
/** The distance of x from 0. */
export const abs: UnaryReal = map("abs(x)", ({ x }) => (isBool(x) ? "x" : "abs(x)"));
/** The body instead of the function, through which nothing passes: a gradient of 0 that reads x has one of its own. */
const signBody = everyday.sign.body;
/** -1, 0 or 1: the sign of x. */
export const sign: Unary = map("sign(x)", ({ x }) => (isBool(x) ? "x" : signBody));
/** x divided by its distance from 0; 0 where x is 0. */
export const sgn: Unary = map("sgn(x)", ({ x }) => {
  if (isComplexTensor(x)) return "x == 0 ? like(0, x) : x / abs(x)";
  return isBool(x) ? "x" : signBody;
});
/** 0 where x is negative, 1 where it is positive, and where it is 0 the value given. */
export const heaviside: Binary = map("heaviside(x, values)", "x == 0 ? values : like(x > 0 ? 1 : 0, x)", null);
/** The larger of both; NaN if one is NaN. */
export const maximum: Binary = map("maximum(x, other)", "max(x, other)");
/** The smaller of both; NaN if one is NaN. */
export const minimum: Binary = map("minimum(x, other)", "min(x, other)");
/** The larger of both; where one is NaN the other one. */
export const fmax: Binary = map("fmax(x, other)", "x != x ? other : other != other ? x : max(x, other)", {
  x: "(x >= other) | (other != other) ? g : 0",
  other: "(x >= other) | (other != other) ? 0 : g",
});
/** The smaller of both; where one is NaN the other one. */
export const fmin: Binary = map("fmin(x, other)", "x != x ? other : other != other ? x : min(x, other)", {
  x: "(x <= other) | (other != other) ? g : 0",
  other: "(x <= other) | (other != other) ? 0 : g",
});

// At a bound it is x that moves.
const aboveMin = { x: "x >= min ? g : 0", min: "x < min ? g : 0" };
const belowMax = { x: "x <= max ? g : 0", max: "x > max ? g : 0" };
const between = {
  x: "(x >= min) & (x <= max) ? g : 0",
  min: "(x < min) & (min < max) ? g : 0",
  max: "(x > max) | (max < min) ? g : 0",
};
type Bound = Tensor | number | bigint | null;
/** x, but at least min and at most max; a bound that is null or left away does not count. */
export const clamp: UnaryWith<[min?: Bound, max?: Bound]> = map(
  "clamp(x, min = null, max = null)",
  ({ min, max }) => {
    if (min === null && max === null) throw new StridewiseError("clamp: needs min or max");
    if (max === null) return "max(x, min)";
    return min === null ? "min(x, max)" : "clamp(x, min, max)";
  },
  ({ min, max }) => (max === null ? aboveMin : min === null ? belowMax : between),
);
/** x, but at least min. */
export const clampMin: Binary = map("clampMin(x, min)", "max(x, min)", aboveMin);
/** x, but at most max. */
export const clampMax: Binary = map("clampMax(x, max)", "min(x, max)", belowMax);
/** The point between x and end at the given weight: x at 0, end at 1. */
export const lerp: Between = map(
  "lerp(x, end, weight)",
  "abs(weight) < 0.5 ? x + weight * (end - x) : end - (end - x) * (1 - weight)",
  { x: "g * C(1 - weight)", end: "g * C(weight)", weight: "g * C(end - x)" },
);
/** x + value * first * second. */
export const addcmul: Ternary<{ value?: number }> = map("addcmul(x, first, second; value = 1)", ({ value }) =>
  value === 1 ? "x + first * second" : "x + value * first * second",
);
/** x + value * first / second. */
export const addcdiv: Ternary<{ value?: number }> = map("addcdiv(x, first, second; value = 1)", ({ value }) =>
  value === 1 ? "x + first / second" : "x + value * (first / second)",
);
/** a and b, the operands in their common dtype, integers as floats; the quotient is for its dtype alone, and is not computed. */
const asFloats = "let q = x / other; let a = like(x, q); let b = like(other, q); ";
/** The length of the vector (x, other), without overflow on the way. */
export const hypot: BinaryFloat = map(
  "hypot(x, other)",
  `${asFloats}let c = max(a, -a); let d = max(b, -b); let m = max(c, d); let r = min(c, d) / m; (c == inf) | (d == inf) ? inf : m == 0 ? m : m * sqrt(1 + r * r)`,
  { x: "g * (x / y)", other: "g * (other / y)" },
);
/** x times 2 to the power of other. */
export const ldexp: BinaryFloat = map("ldexp(x, other)", "x * exp2(other)");
/** x with the sign of other. */
export const copysign: BinaryFloat = map("copysign(x, other)");
/** log(exp(x) + exp(other)), without overflow on the way. */
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
/** log2(2^x + 2^other), without overflow on the way. */
export const logaddexp2: BinaryFloat = map(
  "logaddexp2(x, other)",
  `${asFloats}a == b ? a + 1.0 : max(a, b) + 1.4426950408889634 * log1p(exp2(-abs(a - b)))`,
  { x: "g / (1 + exp2(other - x))", other: "g / (1 + exp2(x - other))" },
);
/** x * log(other); 0 where x is 0 and other is no NaN. */
export const xlogy: BinaryFloat = map("xlogy(x, other)", `${asFloats}(a == 0) & (b == b) ? 0.0 : a * log(b)`, {
  x: "(x == 0) & (other <= 0) ? 0 : g * log(like(other, g))",
  other: "g * x / other",
});
/** x * log(1 + other); 0 where x is 0 and other is no NaN. */
export const xlog1py: BinaryFloat = map("xlog1py(x, other)", `${asFloats}(a == 0) & (b == b) ? 0.0 : a * log1p(b)`, {
  x: "(x == 0) & (other <= -1) ? 0 : g * log1p(like(other, g))",
  other: "g * x / (other + 1)",
});
