/**
 * Formulas of the Bessel functions J and Y of orders 0 and 1, and of Airy's function. Up to 8, interpolations of the even functions in
 * them; beyond, amplitude and phase: the factor P + i Q of `special-hankel.ts`, interpolated by 1 / x^2.
 */
import { hankelFactor } from "./special-hankel.ts";
import { interpolated, poly, termsOf } from "./special-text.ts";

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
function regularY(order: 0 | 1, x: number): number {
  let sum = -0.11593151565841245 * besselJ(order, x) + (order === 0 ? 0 : (1 - besselJ(0, x)) / x);
  for (let k = 1; k <= 20; k++) {
    const sign = k % 2 === 0 ? 1 : -1;
    sum += (sign * (order === 0 ? -2 * besselJ(2 * k, x) : besselJ(2 * k - 1, x) - besselJ(2 * k + 1, x))) / k;
  }
  return sum;
}

/** The text of a polynomial of n = a^2 / 32 - 1 that is f(a), or f(a) / a times a if the order is 1, for 0 <= a <= 8. */
const nearText = (order: 0 | 1, f: (x: number) => number): string => {
  const even = interpolated(22, (t) => {
    const x = Math.sqrt(32 * (t + 1));
    return order === 0 ? f(x) : f(x) / x;
  });
  return `${poly("n", even)}${order === 0 ? "" : " * a"}`;
};

/** Values p and q of z >= `from`, with P + i Q = p + i q. */
function amplitude(order: number, z: string, from: number, n: number): string {
  const part = (k: 0 | 1): number[] =>
    interpolated(n, (t) => {
      const at = from * Math.sqrt(2 / (t + 1));
      return hankelFactor(order, 0, 0.5 / at)[k] * (k === 0 ? 1 : at);
    });
  return `let t = ${2 * from * from} / (${z} * ${z}) - 1; let p = ${poly("t", part(0))}; let q = ${poly("t", part(1))} / ${z}`;
}

/** J of order 0 or 1. */
export function besselJText(order: 0 | 1): string {
  const far = order === 0 ? "p * (c + s) - q * (s - c)" : "p * (s - c) + q * (s + c)";
  return `let a = abs(x); let n = a * a * 0.03125 - 1; let c = cos(a); let s = sin(a); ${amplitude(order, "a", 8, 15)};
    let j = a <= 8 ? ${nearText(order, (x) => besselJ(order, x))} : (${far}) / sqrt(pi * a); ${order === 0 ? "j" : "x < 0 ? -j : j"}`;
}

/** Y of order 0 or 1; minus infinity at 0, NaN below. */
export function besselYText(order: 0 | 1): string {
  const far = order === 0 ? "p * (s - c) + q * (c + s)" : "q * (s - c) - p * (s + c)";
  const near = `log(a) * ${nearText(order, (x) => besselJ(order, x))} + ${nearText(order, (x) => regularY(order, x))}`;
  return `let a = x; let n = a * a * 0.03125 - 1; let c = cos(a); let s = sin(a); ${amplitude(order, "a", 8, 15)};
    x == 0 ? -inf : x < 0 ? nan : a <= 8 ? 0.6366197723675814 * (${near}${order === 0 ? "" : " - 1 / a"}) : (${far}) / sqrt(pi * a)`;
}

/** Airy's Ai: Maclaurin's series (DLMF 9.4.1) in the middle, K and J of order 1/3 (DLMF 9.6.2, 9.7.9) outside. */
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
