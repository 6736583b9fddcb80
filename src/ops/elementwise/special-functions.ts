/**
 * Special functions of PyTorch's torch.special: related to the error function, Bessel and Airy functions, the Hurwitz zeta function,
 * orthogonal polynomials. The files `special-*.ts` compute them.
 */
import { DTypeError } from "../../storage/dtype.ts";
import type { GradientRule } from "../../tensor/dispatch/gradient.ts";
import { isComplexTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { DTypeOf, Fitting, FloatOf, OpOperand, OutOption, Together } from "../op-types.ts";
import { add, div, mul, neg, reciprocal, sgn, sub } from "./arithmetic.ts";
import { map, type OpFunction } from "./map.ts";
import { digamma, igamma, igammac, lgamma, mvlgamma } from "./special.ts";
import {
  airyAiText,
  awayFromZero,
  besselI1,
  besselIText,
  besselJText,
  besselKText,
  besselYText,
} from "./special-bessel.ts";
import { erfcxText, logNdtrText, ndtriText } from "./special-error.ts";
import { hurwitz } from "./special-gamma.ts";
import { byOther, computedOp, overNumbers } from "./special-numbers.ts";
import {
  chebyshevT,
  chebyshevU,
  chebyshevV,
  chebyshevW,
  hermiteH,
  hermiteHe,
  laguerreL,
  legendreP,
  shifted,
} from "./special-polynomials.ts";
import { checkReal, special } from "./special-text.ts";

/** The type of special functions of one tensor; integers become floats. */
export interface SpecialUnary extends OpFunction {
  <X extends Tensor>(x: X, options?: OutOption): Tensor<X["shape"], FloatOf<X["dtype"]>>;
}
/** The type of special functions of two operands; integers become floats. */
export interface SpecialBinary extends OpFunction {
  <A extends OpOperand, B extends OpOperand>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ): Tensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
}
/** The type of polynomials of degree n. */
export interface PolynomialOfDegree extends OpFunction {
  <A extends OpOperand, B extends OpOperand>(
    x: A,
    n: Fitting<A, B>,
    options?: OutOption,
  ): Tensor<Together<A, B>, FloatOf<DTypeOf<A, B>>>;
}

/** Returns the scaled complementary error function exp(x * x) * erfc(x), without overflow. */
export const erfcx: SpecialUnary = /* @__PURE__ */ special("erfcx", erfcxText, {
  x: "g * (2 * x * y - 1.1283791670955126)",
});
/** Returns the cumulative distribution function of the standard normal distribution. */
export const ndtr: SpecialUnary = /* @__PURE__ */ special("ndtr", () => "0.5 * erfc(x * -0.7071067811865476)", {
  x: "g * 0.3989422804014327 * exp(-0.5 * x * x)",
});
/** Returns the quantile function of the standard normal distribution, the inverse of ndtr. */
export const ndtri: SpecialUnary = /* @__PURE__ */ special("ndtri", ndtriText, {
  x: "g * 2.5066282746310002 * exp(0.5 * y * y)",
});
/** Returns the logarithm of ndtr, accurate for small probabilities. */
export const logNdtr: SpecialUnary = /* @__PURE__ */ special("logNdtr", logNdtrText, (g, x) =>
  mul(div(g, erfcx(mul(x, -Math.SQRT1_2))), Math.sqrt(2 / Math.PI)),
);
/** Returns the entropy -x * log(x): 0 for 0, and -Infinity for negative elements. */
export const entr: SpecialUnary = /* @__PURE__ */ special(
  "entr",
  () => "x > 0 ? -x * log(x) : x == 0 ? 0.0 : x < 0 ? -inf : x",
  { x: "-g * (1 + log(x))" },
);
/** Returns the logarithm of the absolute value of the gamma function; an alias of lgamma. */
export const gammaln: SpecialUnary = lgamma;
/** Returns the digamma function; an alias of digamma. */
export const psi: SpecialUnary = digamma;
/** Returns the logarithm of the multivariate gamma function; an alias of mvlgamma. */
export const multigammaln: typeof mvlgamma = mvlgamma;
/** Returns the regularized lower incomplete gamma function; an alias of igamma. */
export const gammainc: typeof igamma = igamma;
/** Returns the regularized upper incomplete gamma function; an alias of igammac. */
export const gammaincc: typeof igammac = igammac;

/** Returns the exponentially scaled modified Bessel function exp(-|x|) * i0(x). */
export const i0e: SpecialUnary = /* @__PURE__ */ special(
  "i0e",
  () => besselIText(0, true),
  (g, x, y) => mul(g, sub(i1e(x), mul(sgn(x), y()))),
  { isOfResult: true },
);
/** Returns the modified Bessel function of the first kind of order 1. */
export const i1: SpecialUnary = besselI1;
/** Returns the exponentially scaled modified Bessel function exp(-|x|) * i1(x). */
export const i1e: SpecialUnary = /* @__PURE__ */ special(
  "i1e",
  () => besselIText(1, true),
  (g, x, y) => awayFromZero(g, x, (at) => sub(i0e(at), mul(y(), add(sgn(at), reciprocal(at))))),
  { isOfResult: true },
);
/** Returns the modified Bessel function of the first kind of order 0. */
export const modifiedBesselI0: SpecialUnary = /* @__PURE__ */ special(
  "modifiedBesselI0",
  () => besselIText(0, false),
  null,
);
/** Returns the modified Bessel function of the first kind of order 1. */
export const modifiedBesselI1: SpecialUnary = /* @__PURE__ */ special(
  "modifiedBesselI1",
  () => besselIText(1, false),
  null,
);
/** Returns the modified Bessel function of the second kind of order 0. */
export const modifiedBesselK0: SpecialUnary = /* @__PURE__ */ special(
  "modifiedBesselK0",
  () => besselKText(0, false),
  null,
);
/** Returns the modified Bessel function of the second kind of order 1. */
export const modifiedBesselK1: SpecialUnary = /* @__PURE__ */ special(
  "modifiedBesselK1",
  () => besselKText(1, false),
  null,
);
/** Returns the exponentially scaled modified Bessel function exp(x) * modifiedBesselK0(x). */
export const scaledModifiedBesselK0: SpecialUnary = /* @__PURE__ */ special(
  "scaledModifiedBesselK0",
  () => besselKText(0, true),
  null,
);
/** Returns the exponentially scaled modified Bessel function exp(x) * modifiedBesselK1(x). */
export const scaledModifiedBesselK1: SpecialUnary = /* @__PURE__ */ special(
  "scaledModifiedBesselK1",
  () => besselKText(1, true),
  null,
);
/** Returns the Bessel function of the first kind of order 0. */
export const besselJ0: SpecialUnary = /* @__PURE__ */ special("besselJ0", () => besselJText(0), null);
/** Returns the Bessel function of the first kind of order 1. */
export const besselJ1: SpecialUnary = /* @__PURE__ */ special("besselJ1", () => besselJText(1), null);
/** Returns the Bessel function of the second kind of order 0. */
export const besselY0: SpecialUnary = /* @__PURE__ */ special("besselY0", () => besselYText(0), null);
/** Returns the Bessel function of the second kind of order 1. */
export const besselY1: SpecialUnary = /* @__PURE__ */ special("besselY1", () => besselYText(1), null);
/** Returns the spherical Bessel function of order 0, sin(x) / x. */
export const sphericalBesselJ0: SpecialUnary = /* @__PURE__ */ special(
  "sphericalBesselJ0",
  () => "abs(x) == inf ? 0.0 : x == 0 ? 1.0 : sin(x) / x",
  null,
);
/** Returns the Airy function Ai. */
export const airyAi: SpecialUnary = /* @__PURE__ */ special("airyAi", airyAiText, null);

/** An op that calls a function of two numbers for each pair of elements. */
const ofTwo = <F extends SpecialBinary | PolynomialOfDegree>(
  name: string,
  fn: (a: number, b: number) => number,
  gradient: GradientRule | null = null,
  second = "n",
): F =>
  computedOp(
    name,
    "like(value, (x + other) * 1.0)",
    (x, other) => checkReal(name, x, other),
    (x, other) => overNumbers(name, fn, x, other),
    gradient,
    second,
  );
/** Returns the Hurwitz zeta function: the sum of (other + k)^-x over k = 0, 1, ... */
export const zeta: SpecialBinary = /* @__PURE__ */ ofTwo(
  "zeta",
  hurwitz,
  byOther("zeta", (g, x, other) => mul(mul(neg(x), g), zeta(add(x, 1), other))),
  "other",
);
/** Returns the Chebyshev polynomial of the first kind of degree n at x. */
export const chebyshevPolynomialT: PolynomialOfDegree = /* @__PURE__ */ ofTwo("chebyshevPolynomialT", chebyshevT);
/** Returns the Chebyshev polynomial of the second kind of degree n at x. */
export const chebyshevPolynomialU: PolynomialOfDegree = /* @__PURE__ */ ofTwo("chebyshevPolynomialU", chebyshevU);
/** Returns the Chebyshev polynomial of the third kind of degree n at x. */
export const chebyshevPolynomialV: PolynomialOfDegree = /* @__PURE__ */ ofTwo("chebyshevPolynomialV", chebyshevV);
/** Returns the Chebyshev polynomial of the fourth kind of degree n at x. */
export const chebyshevPolynomialW: PolynomialOfDegree = /* @__PURE__ */ ofTwo("chebyshevPolynomialW", chebyshevW);
/** Returns the Chebyshev polynomial of the first kind of degree n at 2 * x - 1. */
export const shiftedChebyshevPolynomialT: PolynomialOfDegree = /* @__PURE__ */ ofTwo(
  "shiftedChebyshevPolynomialT",
  /* @__PURE__ */ shifted(chebyshevT),
);
/** Returns the Chebyshev polynomial of the second kind of degree n at 2 * x - 1. */
export const shiftedChebyshevPolynomialU: PolynomialOfDegree = /* @__PURE__ */ ofTwo(
  "shiftedChebyshevPolynomialU",
  /* @__PURE__ */ shifted(chebyshevU),
);
/** Returns the Chebyshev polynomial of the third kind of degree n at 2 * x - 1. */
export const shiftedChebyshevPolynomialV: PolynomialOfDegree = /* @__PURE__ */ ofTwo(
  "shiftedChebyshevPolynomialV",
  /* @__PURE__ */ shifted(chebyshevV),
);
/** Returns the Chebyshev polynomial of the fourth kind of degree n at 2 * x - 1. */
export const shiftedChebyshevPolynomialW: PolynomialOfDegree = /* @__PURE__ */ ofTwo(
  "shiftedChebyshevPolynomialW",
  /* @__PURE__ */ shifted(chebyshevW),
);
/** Returns the physicist's Hermite polynomial of degree n at x. */
export const hermitePolynomialH: PolynomialOfDegree = /* @__PURE__ */ ofTwo("hermitePolynomialH", hermiteH);
/** Returns the probabilist's Hermite polynomial of degree n at x. */
export const hermitePolynomialHe: PolynomialOfDegree = /* @__PURE__ */ ofTwo("hermitePolynomialHe", hermiteHe);
/** Returns the Laguerre polynomial of degree n at x. */
export const laguerrePolynomialL: PolynomialOfDegree = /* @__PURE__ */ ofTwo("laguerrePolynomialL", laguerreL);
/** Returns the Legendre polynomial of degree n at x. */
export const legendrePolynomialP: PolynomialOfDegree = /* @__PURE__ */ ofTwo("legendrePolynomialP", legendreP);

// A root by logarithms in float64 and one step of Newton's method, which makes it accurate in float64, too.
const cubeRoot =
  "let v = x * 1.0; let a = float64(abs(v)); let r = exp2(log2(a) / 3); let c = r - (r - a / (r * r)) / 3; (a == 0) | (a == inf) ? v : like(v < 0 ? -c : c, v)";

/** Returns the real cube root of each element. */
export const cbrt: SpecialUnary = /* @__PURE__ */ map(
  "cbrt(x)",
  ({ x }) => {
    if (isComplexTensor(x))
      throw new DTypeError("cbrt: not defined for complex numbers, which have three cube roots. Use pow(x, 1 / 3)");
    return cubeRoot;
  },
  { x: "g / (3 * y * y)" },
);
