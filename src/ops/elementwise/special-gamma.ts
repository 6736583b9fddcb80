/**
 * Gamma functions. Formulas of lgamma, digamma and its derivatives: for small numbers the Taylor series around 2, or around the root of
 * digamma, and the recurrence; Stirling's series (DLMF 5.11) elsewhere; the reflection formula (DLMF 5.5) for negative numbers.
 *
 * Errors in float64 for positive x: at most 8 units in the last place for lgamma and 5 for digamma, including their roots. For negative x both
 * are differences with errors of a few times 2^-52 of the larger part, so relative errors grow near the roots.
 *
 * Functions of numbers, which `special-numbers.ts` turns into ops: the Hurwitz zeta function, and by it higher derivatives of digamma, by
 * a few terms and the Euler-Maclaurin formula (DLMF 25.11.5); and the regularized incomplete gamma functions P and Q = 1 - P (DLMF 8.2):
 * the power series (8.11.4) for small x, the continued fraction (8.9.2) for large x, and Temme's uniform expansion (8.12) where both
 * would take too many steps.
 */

import { once } from "../../base/lazy.ts";
import { listOf } from "../../base/list-of.ts";
import { poly } from "./special-text.ts";

/** B(2k) / (2k)! of the Euler-Maclaurin formula. */
const weights: readonly number[] = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
  43867 / 5109094217170944000,
];

/** The sum of (q + k)^-s over k = 0, 1, ..., for q > 0. */
function sumFrom(s: number, q: number): number {
  let sum = 0;
  let a = q;
  // The formula is accurate where terms change slowly.
  for (; a < 10 + s; a++) {
    const term = a ** -s;
    sum += term;
    if (term <= sum * 1e-17) return sum;
  }
  const last = a ** -s;
  sum += (last * a) / (s - 1) + 0.5 * last;
  let factor = (last * s) / a;
  for (let k = 0; k < weights.length; k++) {
    const term = factor * weights[k];
    sum += term;
    if (Math.abs(term) < sum * 1e-17) break;
    factor *= ((s + 2 * k + 1) * (s + 2 * k + 2)) / (a * a);
  }
  return sum;
}

/**
 * The Hurwitz zeta function for s > 1. Negative q requires an integer s: the sum over all integers minus the sum beyond q, so that no loop
 * grows with q.
 */
export function hurwitz(s: number, q: number): number {
  if (!(s >= 1) || Number.isNaN(q)) return NaN;
  if (s === 1) return Infinity;
  if (q > 0) return q === Infinity ? 0 : sumFrom(s, q);
  const above = q - Math.floor(q);
  if (above === 0) return Infinity;
  if (s !== Math.floor(s)) return NaN;
  const sign = s % 2 === 0 ? 1 : -1;
  return sumFrom(s, above) + sign * (sumFrom(s, Math.ceil(q) - q) - sumFrom(s, 1 - q));
}

/** The derivative of order n >= 1 of digamma at x. */
export function polygammaOf(n: number, x: number): number {
  let factorial = n % 2 === 0 ? -1 : 1;
  // 171! overflows.
  for (let k = 2; k <= Math.min(n, 171); k++) factorial *= k;
  return factorial * hurwitz(n + 1, x);
}

/** Bernoulli's numbers B2, B4, ... */
const bernoulli: readonly number[] = [
  1 / 6,
  -1 / 30,
  1 / 42,
  -1 / 30,
  5 / 66,
  -691 / 2730,
  7 / 6,
  -3617 / 510,
  43867 / 798,
  -174611 / 330,
];

/** log gamma(2 + z) / z by powers of z, for |z| <= 1/2: 1 - euler, then (-1)^k (zeta(k) - 1) / k. */
const taylorAtTwo = /* @__PURE__ */ once((): readonly number[] => [
  1 - 0.5772156649015329,
  ...listOf(25, (k) => ((k % 2 === 0 ? 1 : -1) * hurwitz(k + 2, 2)) / (k + 2)),
]);

/** The formula of log |gamma(x)|. */
export function lgammaText(): string {
  const stirling = bernoulli.map((b, k) => b / ((2 * k + 2) * (2 * k + 1)));
  // gamma(a) = (a - 1) (a - 2) ... (a - n + 2) gamma(2 + z): the logarithms of both factors have one sign, or the second is small.
  const factors = [1, 2, 3, 4, 5].map((j) => `(n > ${j + 1} ? a - ${j} : 1.0)`);
  return `let a = abs(x); let isNegative = x < -1e-20; let n = round(a); let f = a - n; let isNear = a < 7.5; let isMiddle = isNear & (n > 2);
    let z = a < 0.5 ? a : a < 1.5 ? a - 1 : f; let r = 1 / a; let l = log(a);
    let sum = isNear ? z * ${poly("z", taylorAtTwo())} : a * (l - 1) - 0.5 * l + 0.9189385332046727 + r * ${poly("(r * r)", stirling)};
    let p = ${factors.join(" * ")}; let q = a < 0.5 ? a * (1 + a) : a < 1.5 ? a : 1.0;
    let m = log(isNegative ? pi / abs(sin(pi * f)) * ((isMiddle ? 1 / p : q) / a) : isMiddle ? p : q);
    (a == inf) | (isNegative & (f == 0)) ? inf : isNegative ? m - sum : isMiddle ? sum + m : sum - m`;
}

/** The root of digamma, in two parts. */
const root = 1.4616321449683622;
const rootRest = 9.549995429965697e-17;

/** The formula of digamma: the Taylor series around the root for 1 <= x < 2, and the terms 1 / (x - j) of the recurrence above. */
export function digammaText(): string {
  const tail = bernoulli.map((b, k) => -b / (2 * k + 2));
  const taylor = listOf(38, (k) => (k % 2 === 0 ? 1 : -1) * hurwitz(k + 2, root));
  const terms = [1, 2, 3, 4, 5, 6].map((j) => `(n > ${j} ? 1 / (a - ${j}) : 0.0)`);
  return `let a = abs(x); let n = floor(a); let r = 1 / a; let w = r * r; let t = a - n - ${root - 1} - ${rootRest};
    let value = a < 7 ? t * ${poly("t", taylor)} + ${terms.join(" + ")} - (a < 1 ? r : 0.0) : log(a) - 0.5 * r + w * ${poly("w", tail)};
    let f = a - round(a);
    x == 0 ? copysign(inf, -x) : x > 0 ? value : f == 0 ? nan : value + r + pi / tan(pi * f)`;
}

/** The text of a power k >= 1; equal subexpressions of a formula are computed once. */
function powerText(base: string, k: number): string {
  if (k === 1) return base;
  const half = powerText(base, k >> 1);
  return k % 2 === 0 ? `(${half} * ${half})` : `(${half} * ${half} * ${base})`;
}

/** The highest order with a formula. */
export const maxDerivatives = 12;

/**
 * The formula of the derivative of order n >= 1 of digamma: (-1)^(n + 1) n! times the sum of (y + j)^-(n + 1), with its tail by the
 * Euler-Maclaurin formula (DLMF 25.11.5); for negative numbers by the reflection formula (DLMF 5.15.6), a polynomial of the cotangent.
 */
export function polygammaText(n: number): string {
  const count = 8 + n;
  const near = listOf(count, (j) => j).map((j) => powerText(`(1 / (y + ${j}))`, n + 1));
  // B(2k) (n + 1) ... (n + 2k - 1) / (2k)!
  let weight = (n + 1) / 2;
  const tail = bernoulli.map((b, k) => {
    if (k > 0) weight *= ((n + 2 * k) * (n + 2 * k + 1)) / ((2 * k + 1) * (2 * k + 2));
    return b * weight;
  });
  let scale = n % 2 === 0 ? -1 : 1;
  for (let k = 2; k <= n; k++) scale *= k;
  // The derivatives of cot: c becomes -(1 + c^2).
  let slopes: number[] = [0, 1];
  for (let k = 0; k < n; k++) {
    const slope = slopes.slice(1).map((c, i) => -c * (i + 1));
    slopes = listOf(slopes.length + 1, (i) => (slope[i] ?? 0) + (slope[i - 2] ?? 0));
  }
  return `let y = x < 0 ? 1 - x : x; let isNear = y < ${count}; let r = 1 / (isNear ? y + ${count} : y);
    let far = ${powerText("r", n)} * (${1 / n} + r * (0.5 + r * ${poly("(r * r)", tail)}));
    let value = ${scale} * (isNear ? ${near.join(" + ")} + far : far); let c = 1 / tan(pi * (x - round(x)));
    x < 0 ? ${n % 2 === 0 ? "" : "-"}value - ${Math.PI ** (n + 1)} * ${poly("c", slopes)} : value`;
}

/** log gamma(a + 1) - (a log a - a + log(2 pi a) / 2): Stirling's series, after the recurrence where a is small. */
function stirlingRemainder(a: number): number {
  if (a >= 12) {
    const w = 1 / (a * a);
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - (w * 691) / 360360))))) / a;
  }
  // The difference of remainders at a and a + 1 is (a + 1/2) log(1 + 1 / a) - 1.
  return stirlingRemainder(a + 1) + (a + 0.5) * Math.log1p(1 / a) - 1;
}

/** log(x / a) - m with m = (x - a) / a, without cancellation. */
function logRest(a: number, x: number): number {
  const m = (x - a) / a;
  if (Math.abs(m) > 0.3) return Math.log(x / a) - m;
  // log(1 + m) = 2 (t + t^3 / 3 + t^5 / 5 + ...) with t = m / (2 + m), and m - 2 t = m t.
  const t = m / (2 + m);
  let sum = 0;
  for (let k = 31; k >= 3; k -= 2) sum = t * t * (1 / k + sum);
  return 2 * t * sum - m * t;
}

/** x^a e^-x / gamma(a + 1). */
function density(a: number, x: number): number {
  if (a < 1e-300) return Math.exp(-x);
  return Math.exp(a * logRest(a, x) - stirlingRemainder(a)) / Math.sqrt(2 * Math.PI * a);
}

/** P by its power series. */
function lowerSeries(a: number, x: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; term > sum * 1e-17 && n < 20000; n++) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * density(a, x);
}

/** Q by its continued fraction, evaluated by Lentz' method. */
function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < 20000; n++) {
    const step = n * (a - n);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    h *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return h * a * density(a, x);
}

/** Q of small a and x: 1 - x^a / gamma(a + 1) sum of (-x)^n a / (n! (a + n)), where 1 - P would cancel. */
function upperSeries(a: number, x: number): number {
  let term = 1;
  let sum = 0;
  for (let n = 1; n < 100 && Math.abs(term) > 1e-18; n++) {
    term *= -x / n;
    sum += (a * term) / (a + n);
  }
  const log = a * Math.log(x) - logGammaAfterOne(a);
  return -Math.expm1(log) - Math.exp(log) * sum;
}

/** log gamma(1 + a) of 0 <= a <= 1. */
function logGammaAfterOne(a: number): number {
  const z = a < 0.5 ? a : a - 1;
  const sum = z * taylorAtTwo().reduceRight((rest, c) => rest * z + c, 0);
  return a < 0.5 ? sum - Math.log1p(a) : sum;
}

const temme: readonly (readonly number[])[] = [
  [-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515, -571 / 261273600],
  [-1 / 540, -1 / 288, 1 / 378, -77 / 77760],
];

/** P if `isLower`, else Q, for a of 1e5 or more and x near it. */
function uniform(a: number, x: number, isLower: boolean): number {
  const eta = Math.sign(x - a) * Math.sqrt(-2 * logRest(a, x));
  const [first, second] = temme.map((c) => c.reduceRight((sum, value) => sum * eta + value, 0)) as [number, number];
  const rest = (Math.exp(-0.5 * a * eta * eta) / Math.sqrt(2 * Math.PI * a)) * (first + second / a);
  // erfc(y) = Q(1/2, y^2).
  const half = 0.5 * incompleteGamma(0.5, 0.5 * a * eta * eta, false);
  return (eta < 0 === isLower ? half : 1 - half) + (isLower ? -rest : rest);
}

/** P of a and x if `isLower`, else Q; NaN for negative numbers. */
export function incompleteGamma(a: number, x: number, isLower: boolean): number {
  const [none, all] = isLower ? [0, 1] : [1, 0];
  if (!(a >= 0 && x >= 0) || (a === x && (a === 0 || a === Infinity))) return NaN;
  if (a === 0 || x === Infinity) return all;
  if (x === 0 || a === Infinity) return none;
  if (a >= 1e5 && Math.abs(x - a) < 0.1 * a) return uniform(a, x, isLower);
  if (x > 1.1 && x > a) return isLower ? 1 - upperFraction(a, x) : upperFraction(a, x);
  if (isLower) return lowerSeries(a, x);
  return a < 1 && x <= 1.1 ? upperSeries(a, x) : 1 - lowerSeries(a, x);
}
