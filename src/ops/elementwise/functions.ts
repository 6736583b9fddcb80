/**
 * The functions of analysis: exponentials, logarithms, angles, error functions; rounding; and the parts of complex numbers.
 */

import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { BinaryFloat, Unary, UnaryFloat, UnaryFloatWith, UnaryReal, UnaryWith } from "../op-types.ts";
import { type Body, mapInto, type OpFunction } from "./map.ts";

/** The ops that are methods of tensors: all of this file. */
const methods: OpFunction[] = [];
export default methods;
const map = mapInto(methods);

/** The formula of an op of x alone: one for complex numbers, one for all others. */
const onComplex =
  (complex: string, real: string): Body =>
  ({ x }) =>
    isComplexTensor(x) ? complex : real;
/** The logarithm times a number, part by part: 0 times infinity is NaN. */
const scaledLog = (by: number): string => `let l = log(x); complex(real(l) * ${by}, imag(l) * ${by})`;
/** The roots of 1 - x and 1 + x, by parts: the sign of an imaginary part of 0 says on which side of the cut one is, and 0 - 0 loses it. */
const roots = "let p = sqrt(complex(1 - real(x), -imag(x))); let q = sqrt(complex(1 + real(x), imag(x)));";

/** e to the power of x. */
export const exp: UnaryFloat = map("exp(x)");
/** 2 to the power of x. */
export const exp2: UnaryFloat = map("exp2(x)", onComplex("exp(x * 0.6931471805599453)", "exp2(x)"));
/** exp(x) - 1, exact near 0. */
export const expm1: UnaryFloat = map(
  "expm1(x)",
  onComplex(
    "let e = expm1(real(x)); let s = sin(imag(x) / 2); let c = -2 * s * s; complex(e * (1 + c) + c, (e + 1) * sin(imag(x)))",
    "expm1(x)",
  ),
  { x: "g * C(y + 1)" },
);
/** The natural logarithm. */
export const log: UnaryFloat = map("log(x)");
/** The logarithm to base 2. */
export const log2: UnaryFloat = map("log2(x)", onComplex(scaledLog(Math.LOG2E), "log2(x)"));
/** The logarithm to base 10. */
export const log10: UnaryFloat = map("log10(x)", onComplex(scaledLog(Math.LOG10E), "log10(x)"));
/** log(1 + x), exact near 0. */
export const log1p: UnaryFloat = map(
  "log1p(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let t = a * (2 + a) + b * b; complex(t < 0.5 ? 0.5 * log1p(t) : log(abs(1 + x)), atan2(b, 1 + a))",
    "log1p(x)",
  ),
  { x: "g / C(x + 1)" },
);
/** log(x / (1 - x)); with eps, x is kept that far from 0 and 1. */
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
/** 1 / (1 + exp(-x)). */
export const sigmoid: UnaryFloat = map("sigmoid(x)");

/** The sine. */
export const sin: UnaryFloat = map("sin(x)");
/** The cosine. */
export const cos: UnaryFloat = map("cos(x)");
/** The tangent. */
export const tan: UnaryFloat = map("tan(x)");
/** The hyperbolic sine. */
export const sinh: UnaryFloat = map("sinh(x)");
/** The hyperbolic cosine. */
export const cosh: UnaryFloat = map("cosh(x)");
/** The hyperbolic tangent. */
export const tanh: UnaryFloat = map("tanh(x)");
/** The angle whose sine is x. */
export const asin: UnaryFloat = map(
  "asin(x)",
  onComplex(`${roots} complex(atan2(real(x), real(p * q)), asinh(imag(conj(p) * q)))`, "asin(x)"),
  { x: "g / C(sqrt(1 - x * x))" },
);
/** The angle whose cosine is x. */
export const acos: UnaryFloat = map(
  "acos(x)",
  onComplex(`${roots} complex(2 * atan2(real(p), real(q)), asinh(imag(conj(q) * p)))`, "acos(x)"),
  { x: "-g / C(sqrt(1 - x * x))" },
);
/** The angle whose tangent is x. */
export const atan: UnaryFloat = map(
  "atan(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let s = a * a; let u = s + (1 - b) * (1 - b); complex(0.5 * atan2(2 * a, (1 - b) * (1 + b) - s), 0.25 * log1p(4 * b / u))",
    "atan(x)",
  ),
  { x: "g / C(x * x + 1)" },
);
/** The number whose hyperbolic sine is x. */
export const asinh: UnaryFloat = map(
  "asinh(x)",
  onComplex(
    "let p = sqrt(complex(1 + imag(x), -real(x))); let q = sqrt(complex(1 - imag(x), real(x))); complex(asinh(imag(conj(p) * q)), atan2(imag(x), real(p * q)))",
    "asinh(x)",
  ),
  { x: "g / C(sqrt(x * x + 1))" },
);
/** The number whose hyperbolic cosine is x. */
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
/** The number whose hyperbolic tangent is x. */
export const atanh: UnaryFloat = map(
  "atanh(x)",
  onComplex(
    "let a = real(x); let b = imag(x); let s = b * b; let u = s + (1 - a) * (1 - a); complex(0.25 * log1p(4 * a / u), 0.5 * atan2(2 * b, (1 - a) * (1 + a) - s))",
    "atanh(x)",
  ),
  { x: "g / C(1 - x * x)" },
);
/** The angle of the point (other, x). */
export const atan2: BinaryFloat = map("atan2(x, other)");
/** sin(pi x) / (pi x), and 1 at 0. */
export const sinc: UnaryFloat = map("sinc(x)", "let p = pi * x; x == 0 ? 1.0 : sin(p) / p", {
  x: "x * x == 0 ? 0 : g * C((pi * x * cos(pi * x) - sin(pi * x)) / (pi * x * x))",
});
/** Degrees as radians. */
export const deg2rad: UnaryFloat = map("deg2rad(x)", "x * 0.017453292519943295");
/** Radians as degrees. */
export const rad2deg: UnaryFloat = map("rad2deg(x)", "x * 57.29577951308232");
/** The error function. */
export const erf: UnaryFloat = map("erf(x)");
/** 1 - erf(x), exact for large x. */
export const erfc: UnaryFloat = map("erfc(x)");

/** The largest integer that is not above x. */
export const floor: Unary = map("floor(x)");
/** The smallest integer that is not below x. */
export const ceil: Unary = map("ceil(x)");
/** x without its fraction. */
export const trunc: Unary = map("trunc(x)");
/** The fraction of x, with its sign. */
export const frac: Unary = map("frac(x)", "x - trunc(x)");
/** The nearest integer, halves to the even one; with decimals, the nearest multiple of that power of ten. */
export const round: UnaryWith<[], { decimals?: number }> = map("round(x; decimals = 0)", ({ decimals }) => {
  if (typeof decimals !== "number" || !Number.isInteger(decimals))
    throw new StridewiseError(`round: decimals is an integer, got ${describeValue(decimals)}`);
  if (decimals === 0) return "round(x)";
  const scale = `${10 ** Math.abs(decimals)}.0`;
  return decimals > 0 ? `round(x * ${scale}) / ${scale}` : `round(x / ${scale}) * ${scale}`;
});

/** x with its imaginary part turned over; x itself if it is real. */
export const conj: Unary = map("conj(x)");
/** The angle of a complex number; of a real one 0, or pi where it is negative. */
export const angle: UnaryReal = map(
  "angle(x)",
  ({ x }) => (isComplexTensor(x) ? "angle(x)" : "let y = x * 1.0; x != x ? y : like(x < 0 ? pi : 0.0, y)"),
  ({ x }) => ({
    x: isComplexTensor(x) ? "x == 0 ? 0 : g * 1i * (x / abs(x) / abs(x))" : "like(0, g)",
  }),
);
