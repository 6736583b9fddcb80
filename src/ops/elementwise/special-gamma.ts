/**
 * Formulas of lgamma, digamma and its derivatives: Taylor's series around 2 where lgamma is small, Stirling's series (DLMF 5.11) elsewhere, reached by
 * the recurrence where numbers are small, and the reflection formula (DLMF 5.5) for negative ones.
 */
import { listOf, poly } from "./special-text.ts";
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

/** x (x + 1) ... (x + 7) by powers of x, from x on. */
const rising: readonly number[] = [5040, 13068, 13132, 6769, 1960, 322, 28, 1];

/** log |gamma(x)|. */
export function lgammaText(): string {
  const stirling = bernoulli.map((b, k) => b / ((2 * k + 2) * (2 * k + 1)));
  return `let a = abs(x); let isNegative = x < -1e-20; let isNear = a < 2.5;
    let z = a < 0.5 ? a : a < 1.5 ? a - 1 : a - 2;
    let s = a < 10 ? a + 8 : a; let r = 1 / s; let l = log(s);
    let sum = isNear ? z * ${poly("z", taylorAtTwo())} : s * (l - 1) - 0.5 * l + 0.9189385332046727 + r * ${poly("(r * r)", stirling)};
    let q = isNear ? (a < 0.5 ? a * (1 + a) : a < 1.5 ? a : 1.0) : a < 10 ? a * ${poly("a", rising)} : 1.0;
    let f = a - round(a); let m = log(isNegative ? pi / abs(sin(pi * f)) * (q / a) : q);
    (a == inf) | (isNegative & (f == 0)) ? inf : isNegative ? m - sum : sum - m`;
}

/** The derivative of log gamma(x); the recurrence's sum of 1 / (x + j) is the logarithmic derivative of their product. */
export function digammaText(): string {
  const tail = bernoulli.map((b, k) => -b / (2 * k + 2));
  const slope = rising.map((c, k) => c * (k + 1));
  return `let a = abs(x); let s = a < 8 ? a + 8 : a; let r = 1 / s; let w = r * r;
    let far = log(s) - 0.5 * r + w * ${poly("w", tail)};
    let value = a < 8 ? far - ${poly("a", slope)} / (a * ${poly("a", rising)}) : far;
    let f = a - round(a);
    x == 0 ? copysign(inf, -x) : x > 0 ? value : f == 0 ? nan : value + 1 / a + pi / tan(pi * f)`;
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
