/**
 * Distributions whose quantile function is a formula: element i is the quantile of one uniform number.
 * Parameters out of their range give NaN or a value of the nearest distribution; the caller checks them.
 */
import { fillUniform, type IntegerTarget, type RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillFromUniform, type Parameter, valueAt } from "./uniform-words.ts";

/** Uniform in [low, high); `bits` as in `fillUniform`, for values that are rounded later. */
export function fillUniformBetween(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  low: Parameter,
  high: Parameter,
  begin = 0,
  end = target.length,
  bits = 24,
): void {
  fillUniform(target, draw, begin, end, bits);
  for (let i = begin; i < end; i++) {
    const from = valueAt(low, i);
    const to = valueAt(high, i);
    target[i] = from + target[i]! * (to - from);
    // Rounding may reach the end that is left out.
    if (target[i]! >= to) target[i] = from;
  }
}

/** Density rate * e^(-rate x) for x > 0. */
export function fillExponential(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  rate: Parameter = 1,
  begin?: number,
  end?: number,
): void {
  fillFromUniform(target, draw, (u, i) => -Math.log(u) / valueAt(rate, i), begin, end);
}

/** 1 with the given probability, else 0. */
export function fillBernoulli(
  target: IntegerTarget,
  draw: RandomDraw,
  probability: Parameter,
  begin?: number,
  end?: number,
): void {
  fillFromUniform(target, draw, (u, i) => (u < valueAt(probability, i) ? 1 : 0), begin, end);
}

/** How many trials of the given probability until the first success, from 1 on. */
export function fillGeometric(
  target: IntegerTarget,
  draw: RandomDraw,
  probability: Parameter,
  begin?: number,
  end?: number,
): void {
  const quantile = (u: number, i: number) => Math.max(1, Math.ceil(Math.log(u) / Math.log1p(-valueAt(probability, i))));
  fillFromUniform(target, draw, quantile, begin, end);
}

/** Density 1 / (pi * scale * (1 + ((x - median) / scale)^2)). */
export function fillCauchy(
  target: Float32Array | Float64Array,
  draw: RandomDraw,
  median: Parameter = 0,
  scale: Parameter = 1,
  begin?: number,
  end?: number,
): void {
  const quantile = (u: number, i: number) => valueAt(median, i) + valueAt(scale, i) * Math.tan(Math.PI * (u - 0.5));
  fillFromUniform(target, draw, quantile, begin, end);
}
