/**
 * Counts: Poisson and binomial. Means below 10 search upwards from 0 with one uniform number; above, the transformed rejection of
 * Hoermann (PTRS and BTRS, 1993), whose time does not grow with the mean. A parameter out of its range gives NaN.
 */
import type { IntegerTarget, RandomDraw } from "../../tensor/create/random-draw.ts";
import { logBinomialMass, logPoissonMass } from "./log-mass.ts";
import { type ElementStream, fillFromStream, type Parameter, valueAt } from "./uniform-words.ts";

/** Counts of events that come at a rate. */
export function fillPoisson(
  target: IntegerTarget,
  draw: RandomDraw,
  rate: Parameter,
  begin?: number,
  end?: number,
): void {
  fillFromStream(target, draw, (stream, i) => poisson(stream, valueAt(rate, i)), begin, end);
}

/** Counts of successes in `count` trials of the given probability. */
export function fillBinomial(
  target: IntegerTarget,
  draw: RandomDraw,
  count: Parameter,
  probability: Parameter,
  begin?: number,
  end?: number,
): void {
  const sample = (stream: ElementStream, i: number): number => {
    const n = valueAt(count, i);
    const p = valueAt(probability, i);
    return p > 0.5 ? n - binomial(stream, n, 1 - p) : binomial(stream, n, p);
  };
  fillFromStream(target, draw, sample, begin, end);
}

function poisson(stream: ElementStream, rate: number): number {
  if (!(rate >= 0 && rate < Infinity)) return NaN;
  if (rate < 10) {
    let rest = stream.uniform();
    let mass = Math.exp(-rate);
    let k = 0;
    // Rounding may leave a rest when all mass is spent.
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

/** For a probability of at most one half. */
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
