/**
 * gelu, x times the normal distribution function at x: x / 2 * erfc(-x / sqrt(2)). It is a function of its own, because that formula needs
 * two parts of x / sqrt(2) to be exact for large negative x, and float32 has a shorter one.
 *
 * float32: max(x, 0) - a Q(a) with a = |x|, where Q(a) = e^(-a^2 / 2) P(a) / D(a) is the upper tail of the distribution. No coefficient of P
 * and D is negative, so nothing is canceled; there is no choice between formulas, which would cost more than the second one.
 * Measured on every 256th float32: 5.1 ulp, for negative x; 2.9 for positive x.
 */
import { call, constantScalar, type Scalar } from "../../ir/scalar.ts";
import {
  abs,
  add,
  atLeast,
  atMost,
  bitsOf,
  div,
  firstHalf,
  floatOf,
  mul,
  polynomial,
  shiftLeft,
  sub,
} from "./arithmetic.ts";
import { erfcDouble } from "./erf-double.ts";

/** e^(a^2 / 2) times the tail at a is P(a) / D(a) on 0 <= a <= 14.5, within 2^-26.6. D has the leading coefficient 1. */
const tailP = [48.45933, 42.491535, 17.765707, 3.9396596, 0.3989468];
const tailD = [96.91866, 162.313, 116.57873, 45.517715, 9.8758745, 1];
/** The tail is 0 in float32 from here on. */
const end = 15;

/** P is scaled down and the power is scaled up by 2^64, so that only the result can be below the smallest normal number, and rounds once. */
const scale = 64;
const rounder = 12582912 + scale;
const scaledP = tailP.map((c) => c * 2 ** -scale);

/** e^(-r / 2) = 1 - r / 2 + r^2 P(r) on |r| <= 0.6954. */
const powerTail = [0.5, 0.16666517, 0.04166639, 0.008368955, 0.0013940474].map((c, k) => c * (-0.5) ** (k + 2));

/** 2 ln 2 in two parts; the product of the first with a count below 2^9 is exact. */
const ln4High = 1.38671875;
const ln4Low = -4.2438888e-4;

/** 2^64 e^(-a^2 / 2) for 0 <= a <= 15, where `near` is a^2 rounded. Written for short chains of operations, which decide its speed. */
function gaussian(a: Scalar, near: Scalar): Scalar {
  const sum = add(mul(near, -0.5 * Math.LOG2E), rounder);
  const count = sub(sum, rounder);
  // a^2 in two parts, of which the first is exact.
  const short = firstHalf(a);
  const square = mul(short, short);
  const rest = mul(sub(a, short), add(a, short));
  const r = add(add(square, mul(count, ln4High)), add(rest, mul(count, ln4Low)));
  const r2 = mul(r, r);
  const [c0, c1, c2, c3, c4] = powerTail;
  const high = add(add(mul(r, c3), c2), mul(r2, c4));
  const tail = add(mul(r2, add(mul(r, c1), c0)), mul(mul(r2, r2), high));
  const value = add(sub(tail, mul(r, 0.5)), 1);
  return floatOf(add(bitsOf(value), shiftLeft(bitsOf(sum), 23)));
}

/** (c0 + c1 x) + x^2 (c2 + c3 x) + x^4 (c4 + c5 x), with fewer roundings in a row than by Horner's rule; c5 is 1 or absent. */
function inFourths(x: Scalar, square: Scalar, power: Scalar, c: readonly number[]): Scalar {
  const low = add(polynomial(x, c.slice(0, 2)), mul(square, polynomial(x, c.slice(2, 4))));
  return add(low, mul(power, c[5] === undefined ? c[4] : add(x, c[4])));
}

export function gelu(x: Scalar): Scalar {
  const a = call("smaller", abs(x), constantScalar("float32", end));
  const square = call("smaller", mul(x, x), constantScalar("float32", end ** 2));
  const power = mul(square, square);
  const ratio = div(inFourths(a, square, power, scaledP), inFourths(a, square, power, tailD));
  // The larger of x and -0 is -0 for negative x and for -0.
  return sub(call("larger", x, constantScalar("float32", -0)), mul(ratio, mul(a, gaussian(a, square))));
}

/** d is the rounding error of z = -x / sqrt(2), computed exactly: erfc(z + d) is erfc(z) (1 - 2 z d) for large z. */
export function geluDouble(x: Scalar): Scalar {
  const low = atLeast(x, -40);
  const a = atMost(low, 40);
  const t = mul(a, 257);
  const high = sub(t, sub(t, a));
  const z = mul(a, -Math.SQRT1_2);
  const d = sub(sub(sub(mul(high, -0.70703125), z), mul(sub(a, high), 0.70703125)), mul(a, 0.0000755311865475244));
  return mul(mul(low, sub(0.5, mul(call("larger", z, constantScalar("float64", 0)), d))), erfcDouble(z));
}
