/**
 * Gamma functions, the inverse error function, Bessel's i0, divisors and multiples, adjacent floats, and mantissas. The files
 * `special-*.ts` compute them; further special functions are in `special-functions.ts`.
 */

import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { compositeOp } from "../op.ts";
import type { Fitting, FloatOf, OutOption, Promote, Together, UnaryFloat, UnaryFloatWith } from "../op-types.ts";
import { add, mul, neg, square, sub } from "./arithmetic.ts";
import { exp, log } from "./functions.ts";
import { map, type OpFunction } from "./map.ts";
import { besselI0 } from "./special-bessel.ts";
import { adjacentFloats, checkFloats, checkIntegers, type Frexp, frexpOp, overIntegers } from "./special-bits.ts";
import { erfinvText } from "./special-error.ts";
import {
  digammaText,
  incompleteGamma,
  lgammaText,
  maxDerivatives,
  polygammaOf,
  polygammaText,
} from "./special-gamma.ts";
import { byOther, computedOp, overNumbers } from "./special-numbers.ts";
import { checkReal, special } from "./special-text.ts";

/** Returns the logarithm of the absolute value of the gamma function. */
export const lgamma: UnaryFloat = /* @__PURE__ */ special("lgamma", lgammaText, (g, x) => mul(g, digamma(x)));
/** Returns the digamma function, the derivative of log gamma(x). */
export const digamma: UnaryFloat = /* @__PURE__ */ special("digamma", digammaText, (g, x) => mul(g, polygamma(1, x)));
/** Returns the inverse error function of each element. */
export const erfinv: UnaryFloat = /* @__PURE__ */ special("erfinv", erfinvText, (g, x) =>
  mul(mul(g, 0.886226925452758), exp(square(erfinv(x)))),
);
/** Returns the modified Bessel function of the first kind of order 0. */
export const i0: UnaryFloat = besselI0;

/** The type of ops on two tensors that return their common dtype. */
export interface BinaryTensors extends OpFunction {
  <A extends Tensor, B extends Tensor>(
    x: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ): Tensor<Together<A, B>, Promote<A["dtype"], B["dtype"]>>;
  readonly method: <A extends Tensor, B extends Tensor>(
    this: A,
    other: Fitting<A, B>,
    options?: OutOption,
  ) => Tensor<Together<A, B>, Promote<A["dtype"], B["dtype"]>>;
}

const incomplete = (name: string, isLower: boolean): BinaryTensors =>
  computedOp(
    name,
    "like(value, x + other)",
    (x, other) => checkFloats(name, x, other),
    (x, other) => overNumbers(name, (a, b) => incompleteGamma(a, b, isLower), x, other),
    byOther(name, (g, x, other) => {
      const density = exp(sub(sub(mul(sub(x, 1), log(other)), other), lgamma(x)));
      return mul(isLower ? g : neg(g), density);
    }),
  );
/** Returns the regularized lower incomplete gamma function of order x at other. */
export const igamma: BinaryTensors = /* @__PURE__ */ incomplete("igamma", true);
/** Returns the regularized upper incomplete gamma function of order x at other, 1 - igamma(x, other). */
export const igammac: BinaryTensors = /* @__PURE__ */ incomplete("igammac", false);

const integersOp = (name: string, isMultiple: boolean): BinaryTensors =>
  computedOp(
    name,
    "like(value, x + other)",
    (x, other) => checkIntegers(name, x, other),
    (x, other) => overIntegers(name, x, other, isMultiple),
  );
/** Returns the greatest common divisor, which is never negative. */
export const gcd: BinaryTensors = /* @__PURE__ */ integersOp("gcd", false);
/** Returns the least common multiple, which is never negative. */
export const lcm: BinaryTensors = /* @__PURE__ */ integersOp("lcm", true);
/** Returns the next floating-point number after x toward other. */
export const nextafter: BinaryTensors = /* @__PURE__ */ computedOp(
  "nextafter",
  "like((x != x) | (other != other) ? nan : x == other ? other : value, x + other)",
  (x, other) => checkFloats("nextafter", x, other),
  adjacentFloats,
);
/** Decomposes x into mantissa * 2^exponent, with abs(mantissa) in [0.5, 1); both are 0 for 0. */
export const frexp: Frexp = /* @__PURE__ */ frexpOp();

type Call = (...args: unknown[]) => Tensor;

const toDouble: OpFunction & Call = /* @__PURE__ */ map("mvlgamma.double(x)", "float64(x)");
const storeMvlgamma: OpFunction & Call = /* @__PURE__ */ map("mvlgamma.store(x, value)", "like(value, x * 1.0)");
/** Returns the logarithm of the multivariate gamma function of dimension p. */
export const mvlgamma: UnaryFloatWith<[p: number]> = /* @__PURE__ */ compositeOp(
  "mvlgamma(x: Tensor, ...; out)",
  (x: Tensor, p: number, options?: OutOption) => {
    checkReal("mvlgamma", x);
    if (!(Number.isInteger(p) && p >= 1))
      throw new StridewiseError(`mvlgamma: p must be a positive integer, got ${describeValue(p)}`);
    // Each dimension takes a pass over x.
    if (p > 2 ** 20) throw new StridewiseError(`mvlgamma: p must be at most ${2 ** 20}, got ${p}`);
    const wide = toDouble(x);
    let sum: Tensor = add(lgamma(wide), (p * (p - 1) * Math.log(Math.PI)) / 4);
    for (let j = 1; j < p; j++) sum = add(sum, lgamma(sub(wide, j / 2)));
    return storeMvlgamma(x, sum, options);
  },
);

/** The type of polygamma. */
export interface Polygamma extends OpFunction {
  <X extends Tensor>(n: number, x: X, options?: OutOption): Tensor<X["shape"], FloatOf<X["dtype"]>>;
  readonly method: <X extends Tensor>(
    this: X,
    n: number,
    options?: OutOption,
  ) => Tensor<X["shape"], FloatOf<X["dtype"]>>;
}
const derivatives: OpFunction & Call = /* @__PURE__ */ special(
  "polygamma",
  ({ n }) => polygammaText(n as number),
  (g, x, _, n) => mul(g, polygamma(n + 1, x)),
  { number: "n" },
);
const highDerivatives: OpFunction & Call = /* @__PURE__ */ computedOp(
  "polygamma.high",
  "like(value, x * 1.0)",
  (x) => checkReal("polygamma", x),
  (x, n) => overNumbers("polygamma", (a, b) => polygammaOf(b, a), x, n),
  ({ args: [x, n], save }) => {
    const at = save(x as Tensor);
    return ([g]) => [mul(g, polygamma((n as number) + 1, at()))];
  },
);
/** Returns the n-th derivative of digamma at x. */
export const polygamma: Polygamma = /* @__PURE__ */ compositeOp(
  "polygamma(...; out)",
  (first: Tensor | number, second: Tensor | number, options?: OutOption) => {
    const [n, x] = first instanceof Tensor ? [second, first] : [first, second];
    if (!(typeof n === "number" && Number.isInteger(n) && n >= 0))
      throw new StridewiseError(`polygamma: n must be a non-negative integer, got ${describeValue(n)}`);
    if (n === 0) return digamma(x as Tensor, options);
    return (n <= maxDerivatives ? derivatives : highDerivatives)(x, n, options);
  },
);
