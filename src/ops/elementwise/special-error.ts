/**
 * Formulas related to the error function: its inverse, its scaled complement, and the normal distribution.
 */
import { poly } from "./special-text.ts";

/** y / s where erfc(y) = q, by s = sqrt(-log(q (2 - q))) <= 27.4; error below 1e-6. The coefficients were fitted for this project. */
const guess: readonly number[] = [
  0.932547399, 0.107301582, 0.0123655505, -0.140128031, 0.0262053096, 0.307712861, -0.144408745, -0.740831842,
  0.36025736, 1.44765895, -0.545673265, -1.97625976, 0.49864828, 1.71401204, -0.251623394, -0.839720277, 0.0537324926,
  0.176079262,
];

/** The text that computes y >= 0 with erf(y) = a: a first approximation, corrected by the Taylor series of the inverse. Uses a and q = 1 - a. */
const inverse =
  (): string => `let s = sqrt(-log(a < 0.5 ? 1 - a * a : q * (2 - q))); let u = 1.218978102189781 - 6.656934306569343 / (s + 3);
  let g = s * ${poly("u", guess)}; let half = exp(g * g * 0.5);
  let e = (a < 0.5 ? erf(g) - a : q - erfc(g)) * 0.886226925452758 * half * half;
  let w = g * g; let y = q == 0 ? inf : g - e * (1 - e * (g - e * ((1 + 4 * w) / 3 - e * g * (7 + 12 * w) / 6)))`;

/** The formula of the inverse error function. */
export const erfinvText = (): string => `let a = abs(x); let q = 1 - a; ${inverse()}; copysign(y, x)`;

/** The formula of the quantile function of the standard normal distribution. */
export const ndtriText = (): string =>
  `let a = abs(2 * x - 1); let q = 2 * min(x, 1 - x); ${inverse()}; copysign(y * 1.4142135623730951, x - 0.5)`;

/** The text that computes scaled = exp(v^2) erfc(v); above 25 by its asymptotic series (DLMF 7.12.1). */
const scaled = (v: string): string =>
  `let v = ${v}; let w = 0.5 / (v * v);
  let scaled = v < 25 ? exp(v * v) * erfc(v) : ${poly("w", [1, -1, 3, -15, 105])} / (v * 1.772453850905516)`;

/** The formula of exp(x^2) erfc(x), without overflow. */
export const erfcxText = (): string => `${scaled("x")}; scaled`;

/** The formula of the logarithm of the normal distribution function. */
export const logNdtrText = (): string =>
  `${scaled("x * -0.7071067811865476")}; x < -1 ? log(0.5 * scaled) - v * v : log1p(-0.5 * erfc(-v))`;
