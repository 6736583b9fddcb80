/**
 * Exponential, logarithmic, trigonometric, hyperbolic and error functions, rounding, and complex conjugates and angles.
 */

import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { BinaryFloat, Unary, UnaryFloat, UnaryFloatWith, UnaryRealFloat, UnaryWith } from "../op-types.ts";
import { type Body, mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** The formula of an op of x: one for complex numbers, one for all others. */
const onComplex =
  (complex: string, real: string): Body =>
  ({ x }) =>
    isComplexTensor(x) ? complex : real;
/** The logarithm times a number, by parts: a complex product would compute 0 * Infinity. */
const scaledLog = (by: number): string => `let l = log(x); complex(real(l) * ${by}, imag(l) * ${by})`;
/** The square roots of 1 - x and 1 + x, by parts: the sign of an imaginary 0 selects the side of the branch cut, and 0 - 0 loses it. */
const roots = "let p = sqrt(complex(1 - real(x), -imag(x))); let q = sqrt(complex(1 + real(x), imag(x)));";

/** Returns the exponential of each element. */
export const exp: UnaryFloat = map("exp(x)");
/** Returns 2 to the power of each element. */
export const exp2: UnaryFloat = map("exp2(x)", onComplex("exp(x * 0.6931471805599453)", "exp2(x)"));
/** Returns exp(x) - 1, accurate near 0. */
export const expm1: UnaryFloat = map(
  "expm1(x)",
  onComplex(
    "let e = expm1(real(x)); let s = sin(imag(x) / 2); let c = -2 * s * s; complex(e * (1 + c) + c, (e + 1) * sin(imag(x)))",
    "expm1(x)",
  ),
  { x: "g * C(y + 1)" },
);
/** Returns the natural logarithm of each element. */
export const log: UnaryFloat = map("log(x)");
/** Returns the logarithm to base 2 of each element. */
export const log2: UnaryFloat = map("log2(x)", onComplex(scaledLog(Math.LOG2E), "log2(x)"));
/** Returns the logarithm to base 10 of each element. */
export const log10: UnaryFloat = map("log10(x)", onComplex(scaledLog(Math.LOG10E), "log10(x)"));
/** Returns log(1 + x), accurate near 0. */
export const log1p: UnaryFloat = map(
  "log1p(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let t = a * (2 + a) + b * b; complex(t < 0.5 ? 0.5 * log1p(t) : log(abs(1 + x)), atan2(b, 1 + a))",
    "log1p(x)",
  ),
  { x: "g / C(x + 1)" },
);
/** Returns the logit log(x / (1 - x)); with eps, x is clamped to [eps, 1 - eps] first. */
export const logit: UnaryFloatWith<[eps?: number | null]> = map(
  "logit(x, eps = null)",
  ({ eps }) =>
    eps === null ? "let p = x * 1.0; log(p / (1 - p))" : "let p = min(max(x * 1.0, eps), 1 - eps); log(p / (1 - p))",
  ({ eps }) => ({
    x:
      eps === null
        ? "(x < 0) | (x > 1) ? nan : g / (x * (1 - x))"
        : "(x >= eps) & (x <= 1 - eps) ? g / (x * (1 - x)) : 0",
  }),
);
/** Returns the sigmoid function 1 / (1 + exp(-x)) of each element. */
export const sigmoid: UnaryFloat = map("sigmoid(x)");

/** Returns the sine of each element. */
export const sin: UnaryFloat = map("sin(x)");
/** Returns the cosine of each element. */
export const cos: UnaryFloat = map("cos(x)");
/** Returns the tangent of each element. */
export const tan: UnaryFloat = map("tan(x)");
/** Returns the hyperbolic sine of each element. */
export const sinh: UnaryFloat = map("sinh(x)");
/** Returns the hyperbolic cosine of each element. */
export const cosh: UnaryFloat = map("cosh(x)");
/** Returns the hyperbolic tangent of each element. */
export const tanh: UnaryFloat = map("tanh(x)");
/** Returns the inverse sine of each element. */
export const asin: UnaryFloat = map(
  "asin(x)",
  onComplex(`${roots} complex(atan2(real(x), real(p * q)), asinh(imag(conj(p) * q)))`, "asin(x)"),
  { x: "g / C(sqrt(1 - x * x))" },
);
/** Returns the inverse cosine of each element. */
export const acos: UnaryFloat = map(
  "acos(x)",
  onComplex(`${roots} complex(2 * atan2(real(p), real(q)), asinh(imag(conj(q) * p)))`, "acos(x)"),
  { x: "-g / C(sqrt(1 - x * x))" },
);
/** Returns the inverse tangent of each element. */
export const atan: UnaryFloat = map(
  "atan(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let s = a * a; let u = s + (1 - b) * (1 - b); complex(0.5 * atan2(2 * a, (1 - b) * (1 + b) - s), 0.25 * log1p(4 * b / u))",
    "atan(x)",
  ),
  { x: "g / C(x * x + 1)" },
);
/** Returns the inverse hyperbolic sine of each element. */
export const asinh: UnaryFloat = map(
  "asinh(x)",
  onComplex(
    "let p = sqrt(complex(1 + imag(x), -real(x))); let q = sqrt(complex(1 - imag(x), real(x))); complex(asinh(imag(conj(p) * q)), atan2(imag(x), real(p * q)))",
    "asinh(x)",
  ),
  { x: "g / C(sqrt(x * x + 1))" },
);
/** Returns the inverse hyperbolic cosine of each element. */
export const acosh: UnaryFloat = map(
  "acosh(x)",
  onComplex(
    "let p = sqrt(x - 1); let q = sqrt(complex(real(x) + 1, imag(x))); complex(asinh(real(conj(p) * q)), 2 * atan2(imag(p), real(q)))",
    "acosh(x)",
  ),
  ({ x }) => ({
    x: `g / C(sqrt(${isComplexTensor(x) ? "x - 1) * sqrt(x + 1" : "x * x - 1"}))`,
  }),
);
/** Returns the inverse hyperbolic tangent of each element. */
export const atanh: UnaryFloat = map(
  "atanh(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let s = b * b; let u = s + (1 - a) * (1 - a); complex(0.25 * log1p(4 * a / u), 0.5 * atan2(2 * b, (1 - a) * (1 + a) - s))",
    "atanh(x)",
  ),
  { x: "g / C(1 - x * x)" },
);
/** Returns the inverse tangent of x / other in the quadrant of the point (other, x). */
export const atan2: BinaryFloat = map("atan2(x, other)");
/** Returns the normalized sinc function sin(pi x) / (pi x), and 1 at 0. */
export const sinc: UnaryFloat = map("sinc(x)", "let p = pi * x; x == 0 ? 1.0 : sin(p) / p", {
  x: "x * x == 0 ? 0 : g * C((pi * x * cos(pi * x) - sin(pi * x)) / (pi * x * x))",
});
/** Converts degrees to radians. */
export const deg2rad: UnaryFloat = map("deg2rad(x)", "x * 0.017453292519943295");
/** Converts radians to degrees. */
export const rad2deg: UnaryFloat = map("rad2deg(x)", "x * 57.29577951308232");
/** Returns the error function of each element. */
export const erf: UnaryFloat = map("erf(x)");
/** Returns the complementary error function 1 - erf(x), accurate for large x. */
export const erfc: UnaryFloat = map("erfc(x)");

/** Rounds each element down to an integer. */
export const floor: Unary = map("floor(x)");
/** Rounds each element up to an integer. */
export const ceil: Unary = map("ceil(x)");
/** Truncates each element to its integer part. */
export const trunc: Unary = map("trunc(x)");
/** Returns the fractional part of each element, x - trunc(x), which has the sign of x. */
export const frac: Unary = map("frac(x)", "x - trunc(x)");
/** Rounds each element to the nearest integer, half to even, or to the given number of decimals. */
export const round: UnaryWith<[], { decimals?: number }> = map("round(x; decimals = 0)", ({ decimals }) => {
  if (typeof decimals !== "number" || !Number.isInteger(decimals))
    throw new StridewiseError(`round: decimals must be an integer, got ${describeValue(decimals)}`);
  if (decimals === 0) return "round(x)";
  const scale = `${10 ** Math.abs(decimals)}.0`;
  return decimals > 0 ? `round(x * ${scale}) / ${scale}` : `round(x / ${scale}) * ${scale}`;
});

/** Returns the complex conjugate of each element. */
export const conj: Unary = map("conj(x)");
/** Returns the angle of each element in radians: for real numbers 0, or pi if they are negative. */
export const angle: UnaryRealFloat = map(
  "angle(x)",
  ({ x }) => (isComplexTensor(x) ? "angle(x)" : "let y = x * 1.0; x != x ? y : like(x < 0 ? pi : 0.0, y)"),
  ({ x }) => ({
    x: isComplexTensor(x) ? "x == 0 ? 0 : g * 1i * (x / abs(x) / abs(x))" : "like(0, g)",
  }),
);
