/**
 * Poisson and binomial counts. For means below 10, one uniform number is looked up in the running sum of probabilities; above, the
 * transformed rejection of Hoermann (PTRS and BTRS, 1993) takes a time that does not grow with the mean. A parameter out of its range
 * gives NaN.
 *
 * Logarithms of probabilities follow Loader's expansion about the mean ("Fast and accurate computation of binomial probabilities", 2000):
 * no large terms are subtracted, so the error stays near one rounding for counts of any size.
 */
import type { IntegerTarget, RandomDraw } from "../../tensor/create/random-draw.ts";
import { type ElementStream, fillFromStream, type Parameter, valueAt } from "./uniform-words.ts";

/** Fills with Poisson counts of the given rate. */
export function fillPoisson(target: IntegerTarget, draw: RandomDraw, rate: Parameter): void {
  fillFromStream(target, draw, (stream, i) => poisson(stream, valueAt(rate, i)));
}

/** Fills with the number of successes in `count` trials of the given probability. */
export function fillBinomial(target: IntegerTarget, draw: RandomDraw, count: Parameter, probability: Parameter): void {
  fillFromStream(target, draw, (stream, i) => {
    const n = valueAt(count, i);
    const p = valueAt(probability, i);
    return p > 0.5 ? n - binomial(stream, n, 1 - p) : binomial(stream, n, p);
  });
}

function poisson(stream: ElementStream, rate: number): number {
  if (!(rate >= 0 && rate < Infinity)) return NaN;
  if (rate < 10) {
    let rest = stream.uniform();
    let mass = Math.exp(-rate);
    let k = 0;
    // Rounding may leave a remainder after all probability is used.
    while (rest > mass && (mass > 2 ** -60 || k < rate)) {
      rest -= mass;
      k++;
      mass *= rate / k;
    }
    return k;
  }
  const b = 0.931 + 2.53 * Math.sqrt(rate);
  const a = -0.059 + 0.02483 * b;
  const inside = 0.9277 - 3.6224 / (b - 2);
  const height = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const u = stream.uniform() - 0.5;
    const v = stream.uniform();
    const edge = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / edge + b) * u + rate + 0.43);
    if (edge >= 0.07 && v <= inside) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (Math.log((v * height) / (a / (edge * edge) + b)) <= logPoissonMass(k, rate)) return k;
  }
}

/** A binomial count for a probability of at most 0.5. */
function binomial(stream: ElementStream, n: number, p: number): number {
  if (!(n >= 0 && n < Infinity && p >= 0 && p <= 0.5)) return NaN;
  if (n * p < 10) {
    let rest = stream.uniform();
    let mass = Math.exp(n * Math.log1p(-p));
    let k = 0;
    while (rest > mass && k < n && (mass > 2 ** -60 || k < n * p)) {
      rest -= mass;
      mass *= ((n - k) / (k + 1)) * (p / (1 - p));
      k++;
    }
    return k;
  }
  const deviation = Math.sqrt(n * p * (1 - p));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * p;
  const inside = 0.92 - 4.2 / b;
  const height = (2.83 + 5.1 / b) * deviation;
  for (;;) {
    const u = stream.uniform() - 0.5;
    const v = stream.uniform();
    const edge = 0.5 - Math.abs(u);
    const k = Math.floor(((2 * a) / edge + b) * u + n * p + 0.5);
    if (edge >= 0.07 && v <= inside) return k;
    if (k < 0 || k > n) continue;
    const peak = logBinomialMass(Math.floor((n + 1) * p), n, p);
    if (Math.log((v * height) / (a / (edge * edge) + b)) <= logBinomialMass(k, n, p) - peak) return k;
  }
}

/** log(n!) - log(sqrt(2 pi n) (n / e)^n) for an integer n >= 1. */
function stirlingError(n: number): number {
  if (n > 15) {
    const s = 1 / (n * n);
    return (1 / 12 - (1 / 360 - (1 / 1260 - s / 1680) * s) * s) / n;
  }
  let factorial = 1;
  for (let i = 2; i <= n; i++) factorial *= i;
  return Math.log(factorial) - (n + 0.5) * Math.log(n) + n - 0.5 * Math.log(2 * Math.PI);
}

/** x log(x / mean) + mean - x, for x > 0. */
function deviance(x: number, mean: number): number {
  const difference = x - mean;
  if (Math.abs(difference) > 0.1 * (x + mean)) return x * Math.log(x / mean) - difference;
  const ratio = difference / (x + mean);
  let term = 2 * x * ratio;
  let sum = difference * ratio;
  for (let j = 3; ; j += 2) {
    term *= ratio * ratio;
    const next = sum + term / j;
    if (next === sum) return sum;
    sum = next;
  }
}

/** The logarithm of rate^k e^-rate / k!. */
export function logPoissonMass(k: number, rate: number): number {
  return k === 0 ? -rate : -stirlingError(k) - deviance(k, rate) - 0.5 * Math.log(2 * Math.PI * k);
}

/** The logarithm of (n over k) p^k (1 - p)^(n - k), for 0 < p < 1. */
export function logBinomialMass(k: number, n: number, p: number): number {
  if (k === 0) return n * Math.log1p(-p);
  if (k === n) return n * Math.log(p);
  const other = n - k;
  return (
    stirlingError(n) -
    stirlingError(k) -
    stirlingError(other) -
    deviance(k, n * p) -
    deviance(other, n * (1 - p)) +
    0.5 * Math.log(n / (2 * Math.PI * k * other))
  );
}
