/**
 * Formulas of the Bessel functions of orders 0 and 1, and of the Airy function. J and Y: up to 8, interpolations of the even functions
 * in them; above, amplitude and phase, interpolated in 1 / x^2. The modified I and K: power series (DLMF 10.25.2, 10.31), and for large
 * x the asymptotic series of I (DLMF 10.40.1) and an interpolation of the factor of K.
 */
import { listOf } from "../../base/list-of.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import type { UnaryFloat } from "../op-types.ts";
import { abs, div, mul, sub } from "./arithmetic.ts";
import { where } from "./choose.ts";
import { lt } from "./comparison.ts";
import { interpolated, poly, special, termsOf } from "./special-text.ts";

type Order = 0 | 1;

/**
 * The factor F(z) by which Bessel functions differ from their first asymptotic term, for 1 / 2z = re + i im, as its two parts. It is an
 * integral (DLMF 10.32.8, 10.9.10): of e^-u u^(v - 1/2) (1 + u / 2z)^(v - 1/2) over u > 0, divided by its value at infinity. Then
 * K(x) = sqrt(pi / 2x) e^-x F(x) and J(x) + i Y(x) = sqrt(2 / pi x) e^(i (x - v pi/2 - pi/4)) F(-i x), where F(-i x) = P + i Q.
 *
 * Slow, with an error of about 1e-15; formulas interpolate it.
 */
function hankelFactor(order: number, re: number, im: number): readonly [re: number, im: number] {
  const power = order - 0.5;
  let whole = 0;
  let real = 0;
  let imaginary = 0;
  // The trapezoidal rule after u = exp(s - exp(-s)), under which the integrand falls doubly exponentially.
  for (let s = -5; s <= 5; s += 1 / 32) {
    const inner = Math.exp(-s);
    const u = Math.exp(s - inner);
    const weight = Math.exp(-u) * u ** (power + 1) * (1 + inner);
    const size = weight * Math.hypot(1 + u * re, u * im) ** power;
    const angle = power * Math.atan2(u * im, 1 + u * re);
    whole += weight;
    real += size * Math.cos(angle);
    imaginary += size * Math.sin(angle);
  }
  return [real / whole, imaginary / whole];
}

/** J(n, x) as the mean of cos(n angle - x sin(angle)) (DLMF 10.9.2): exact to the last bits for n, x far below the 2 * 64 points. */
function besselJ(n: number, x: number): number {
  let sum = 0;
  for (let j = 0; j < 64; j++) {
    const angle = (Math.PI * (j + 0.5)) / 64;
    sum += Math.cos(n * angle - x * Math.sin(angle));
  }
  return sum / 64;
}

/** Half of pi times Y(order, x), without the terms with log x and 1 / x: Neumann's expansion (DLMF 10.23.15) and its derivative. */
function regularY(order: Order, x: number): number {
  let sum = -0.11593151565841245 * besselJ(order, x) + (order === 0 ? 0 : (1 - besselJ(0, x)) / x);
  for (let k = 1; k <= 20; k++) {
    const sign = k % 2 === 0 ? 1 : -1;
    sum += (sign * (order === 0 ? -2 * besselJ(2 * k, x) : besselJ(2 * k - 1, x) - besselJ(2 * k + 1, x))) / k;
  }
  return sum;
}

/** The text of a polynomial of n = a^2 / 32 - 1 that is f(a), or f(a) / a times a if the order is 1, for 0 <= a <= 8. */
const nearText = (order: Order, f: (x: number) => number): string => {
  const even = interpolated(22, (t) => {
    const x = Math.sqrt(32 * (t + 1));
    return order === 0 ? f(x) : f(x) / x;
  });
  return `${poly("n", even)}${order === 0 ? "" : " * a"}`;
};

/** The text that computes p = P and q = Q for z >= `from`. */
function amplitude(order: number, z: string, from: number, n: number): string {
  const part = (k: 0 | 1): number[] =>
    interpolated(n, (t) => {
      const at = from * Math.sqrt(2 / (t + 1));
      return hankelFactor(order, 0, 0.5 / at)[k] * (k === 0 ? 1 : at);
    });
  return `let t = ${2 * from * from} / (${z} * ${z}) - 1; let p = ${poly("t", part(0))}; let q = ${poly("t", part(1))} / ${z}`;
}

/** The formula of J of order 0 or 1. */
export function besselJText(order: Order): string {
  const far = order === 0 ? "p * (c + s) - q * (s - c)" : "p * (s - c) + q * (s + c)";
  return `let a = abs(x); let n = a * a * 0.03125 - 1; let c = cos(a); let s = sin(a); ${amplitude(order, "a", 8, 15)};
    let j = a <= 8 ? ${nearText(order, (x) => besselJ(order, x))} : (${far}) / sqrt(pi * a); ${order === 0 ? "j" : "x < 0 ? -j : j"}`;
}

/** The formula of Y of order 0 or 1: -Infinity at 0, NaN for negative x. */
export function besselYText(order: Order): string {
  const far = order === 0 ? "p * (s - c) + q * (c + s)" : "q * (s - c) - p * (s + c)";
  const near = `log(a) * ${nearText(order, (x) => besselJ(order, x))} + ${nearText(order, (x) => regularY(order, x))}`;
  return `let a = x; let n = a * a * 0.03125 - 1; let c = cos(a); let s = sin(a); ${amplitude(order, "a", 8, 15)};
    x == 0 ? -inf : x < 0 ? nan : a <= 8 ? 0.6366197723675814 * (${near}${order === 0 ? "" : " - 1 / a"}) : (${far}) / sqrt(pi * a)`;
}

/** The formula of Airy's Ai: the Maclaurin series (DLMF 9.4.1) near 0, K and J of order 1/3 (DLMF 9.6.2, 9.7.9) elsewhere. */
export function airyAiText(): string {
  const even = termsOf(16, 0.3550280538878172, (k) => 1 / (3 * k * (3 * k - 1)));
  const odd = termsOf(16, -0.2588194037928068, (k) => 1 / (3 * k * (3 * k + 1)));
  const factor = interpolated(18, (t) => hankelFactor(1 / 3, 0.5 / (1.8 + (3 * (1 + t)) / (1 - t)), 0)[0]);
  return `let a = abs(x); let z = a * sqrt(a) * 0.6666666666666666; let d = sqrt(pi * sqrt(a)); let e = x * x * x;
    let c = cos(z); let s = sin(z); ${amplitude(1 / 3, "z", 5, 21)};
    let k = 1 - 6 / (z + 1.2);
    let below = (p * (c + s) - q * (s - c)) * 0.7071067811865476 / d;
    let above = 0.5 * exp(-z) * ${poly("k", factor)} / d;
    a == inf ? nan : x > 2 ? above : z > 5 ? below : ${poly("e", even)} + x * ${poly("e", odd)}`;
}

/** The coefficients of I(x) (2 / x)^order in powers of x^2 / 4. */
const seriesOf = (order: Order, n: number): number[] => termsOf(n, 1, (k) => 1 / (k * (k + order)));

/** The formula of I(x), times e^-|x| if `isScaled`. */
export function besselIText(order: Order, isScaled: boolean): string {
  const near = `${poly("h", seriesOf(order, 42))}${order === 0 ? "" : " * a * 0.5"}${isScaled ? " * exp(-a)" : ""}`;
  const tail = poly(
    "r",
    termsOf(20, 1, (k) => ((2 * k - 1) ** 2 - 4 * order) / (8 * k)),
  );
  // The exponential as two factors, so that it does not overflow before I does.
  const far = `${tail} / sqrt(2 * pi * a)${isScaled ? "" : " * e * e"}`;
  return `let a = abs(x); let h = 0.25 * a * a; let r = 1 / a;${isScaled ? "" : " let e = exp(a * 0.5);"}
    let i = a < 25 ? ${near} : ${isScaled ? "" : "a == inf ? inf : "}${far}; ${order === 0 ? "i" : "copysign(i, x)"}`;
}

/** The formula of K(x) for x > 0, times e^x if `isScaled`; Infinity at 0. */
export function besselKText(order: Order, isScaled: boolean): string {
  // psi(k + 1) = H(k) - euler, with H(k) the sum of 1 / j up to k.
  let harmonic = -0.5772156649015329;
  const psi = listOf(16, (k) => {
    if (k > 0) harmonic += 1 / k;
    return harmonic;
  });
  const series = seriesOf(order, 15);
  const logs = series.map((c, k) => c * (psi[k] + (order === 0 ? 0 : psi[k + 1])));
  const near =
    order === 0
      ? `${poly("h", logs)} - log(x * 0.5) * ${poly("h", series)}`
      : `1 / x + x * 0.5 * (log(x * 0.5) * ${poly("h", series)} - 0.5 * ${poly("h", logs)})`;
  const factor = interpolated(18, (t) => hankelFactor(order, 0.5 / (6 / (1 - t) - 1), 0)[0]);
  const [inNear, inFar] = isScaled ? [" * exp(x)", ""] : ["", " * exp(-x)"];
  return `let h = 0.25 * x * x; let t = 1 - 6 / (x + 1);
    x == 0 ? inf : x <= 2 ? (${near})${inNear} : ${poly("t", factor)} / sqrt(x * 0.6366197723675814)${inFar}`;
}

/** The op of the modified Bessel function of the first kind of order 0. */
export const besselI0: UnaryFloat = /* @__PURE__ */ special(
  "i0",
  () => besselIText(0, false),
  (g, x) => mul(g, besselI1(x)),
);
/** The op of the modified Bessel function of the first kind of order 1. */
export const besselI1: UnaryFloat = /* @__PURE__ */ special(
  "i1",
  () => besselIText(1, false),
  (g, x, y) => awayFromZero(g, x, (at) => sub(besselI0(at), div(y(), at))),
  { isOfResult: true },
);

/** g times a slope that divides by x; g / 2 where x is 0, or so close to it that 1 / x may overflow. */
export function awayFromZero(g: Tensor, x: Tensor, slope: (at: Tensor) => Tensor): Tensor {
  const isZero = lt(abs(x), x.dtype === "float32" || x.dtype === "float64" ? 1e-16 : 1e-3);
  return mul(g, where(isZero, 0.5, slope(where(isZero, 1, x))));
}
