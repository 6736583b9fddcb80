/**
 * Formulas of lgamma, digamma and its derivatives: Taylor's series around 2, or around digamma's root, and the recurrence to there for small
 * numbers, Stirling's series (DLMF 5.11) elsewhere, and the reflection formula (DLMF 5.5) for negative ones.
 *
 * In float64, for positive x: lgamma within 8, digamma within 4 units in the last place, at their roots too. For negative x both are
 * differences, with errors of a few units of 2^-52 times the larger part: near the roots there, which are many, relative errors grow.
 */
import { listOf } from "../../base/list-of.ts";
import { poly } from "./special-text.ts";
import { hurwitz } from "./special-zeta.ts";

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
export function taylorAtTwo(): readonly number[] {
  taylor ??= [1 - 0.5772156649015329, ...listOf(25, (k) => ((k % 2 === 0 ? 1 : -1) * hurwitz(k + 2, 2)) / (k + 2))];
  return taylor;
}
let taylor: readonly number[] | null = null;

/** log |gamma(x)|. */
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

/** The derivative of log gamma(x): Taylor's series around the root for 1 <= x < 2, and the recurrence's terms 1 / (x - j) from there. */
export function digammaText(): string {
  const tail = bernoulli.map((b, k) => -b / (2 * k + 2));
  const taylor = listOf(38, (k) => (k % 2 === 0 ? 1 : -1) * hurwitz(k + 2, root));
  const terms = [1, 2, 3, 4, 5, 6].map((j) => `(n > ${j} ? 1 / (a - ${j}) : 0.0)`);
  return `let a = abs(x); let n = floor(a); let r = 1 / a; let w = r * r; let t = a - n - ${root - 1} - ${rootRest};
    let value = a < 7 ? t * ${poly("t", taylor)} + ${terms.join(" + ")} - (a < 1 ? r : 0.0) : log(a) - 0.5 * r + w * ${poly("w", tail)};
    let f = a - round(a);
    x == 0 ? copysign(inf, -x) : x > 0 ? value : f == 0 ? nan : value + r + pi / tan(pi * f)`;
}

/** The text of a power k >= 1; equal parts of a formula are computed once. */
function powerText(base: string, k: number): string {
  if (k === 1) return base;
  const half = powerText(base, k >> 1);
  return k % 2 === 0 ? `(${half} * ${half})` : `(${half} * ${half} * ${base})`;
}

/** Orders up to this one have a formula. */
export const mostDerivatives = 12;

/**
 * The derivative of order n >= 1 of digamma: (-1)^(n + 1) n! times the sum of (y + j)^-(n + 1), its tail by the Euler-Maclaurin formula
 * (DLMF 25.11.5); of negative numbers by the reflection formula (DLMF 5.15.6), a polynomial of the cotangent.
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
