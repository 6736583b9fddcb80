/**
 * The regularised incomplete gamma functions P and Q = 1 - P (DLMF 8.2), of numbers: the power series (8.11.4) where x is small, the
 * continued fraction (8.9.2) where it is large, and Temme's uniform expansion (8.12) where both would take too many steps.
 */
import { taylorAtTwo } from "./special-gamma.ts";

/** log gamma(a + 1) - (a log a - a + log(2 pi a) / 2): Stirling's series, after the recurrence where a is small. */
function stirlingRest(a: number): number {
  if (a >= 12) {
    const w = 1 / (a * a);
    return (1 / 12 - w * (1 / 360 - w * (1 / 1260 - w * (1 / 1680 - w * (1 / 1188 - (w * 691) / 360360))))) / a;
  }
  // From one rest to the next: (a + 1/2) log(1 + 1 / a) - 1.
  return stirlingRest(a + 1) + (a + 0.5) * Math.log1p(1 / a) - 1;
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
  return Math.exp(a * logRest(a, x) - stirlingRest(a)) / Math.sqrt(2 * Math.PI * a);
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

/** Q by its continued fraction, from the front by Lentz' method. */
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

/** Q of small a and x: 1 - x^a / gamma(a + 1) sum of (-x)^n a / (n! (a + n)), where 1 - P would lose what is left. */
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
