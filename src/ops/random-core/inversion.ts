/**
 * Distributions whose quantile function is a formula: element i is the quantile of one uniform number.
 * Parameters out of their range give NaN or a value of the nearest distribution; callers check them.
 */
import { fillUniform, type IntegerTarget, type RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillFromUniform, type Parameter, valueAt } from "./uniform-words.ts";

type Floats = Float32Array | Float64Array;

/** Fills with numbers uniform in [low, high); `bits` as in `fillUniform`, for values that are rounded later. */
export function fillUniformBetween(
  target: Floats,
  draw: RandomDraw,
  low: Parameter,
  high: Parameter,
  bits?: number,
): void {
  fillUniform(target, draw, 0, target.length, bits);
  for (let i = 0; i < target.length; i++) {
    const from = valueAt(low, i);
    const to = valueAt(high, i);
    target[i] = from + target[i]! * (to - from);
    // Rounding may reach the excluded end.
    if (target[i]! >= to) target[i] = from;
  }
}

/** Fills with density rate * e^(-rate x) for x > 0. */
export function fillExponential(target: Floats, draw: RandomDraw, rate: Parameter): void {
  fillFromUniform(target, draw, (u, i) => -Math.log(u) / valueAt(rate, i));
}

/** Fills with 1 with the given probability, else 0. */
export function fillBernoulli(target: IntegerTarget, draw: RandomDraw, probability: Parameter): void {
  fillFromUniform(target, draw, (u, i) => (u < valueAt(probability, i) ? 1 : 0));
}

/** Fills with the number of trials of the given probability up to and including the first success. */
export function fillGeometric(target: IntegerTarget, draw: RandomDraw, probability: Parameter): void {
  const quantile = (u: number, i: number) => Math.max(1, Math.ceil(Math.log(u) / Math.log1p(-valueAt(probability, i))));
  fillFromUniform(target, draw, quantile);
}

/** Fills with density 1 / (pi * scale * (1 + ((x - median) / scale)^2)). */
export function fillCauchy(target: Floats, draw: RandomDraw, median: Parameter, scale: Parameter): void {
  const quantile = (u: number, i: number) => valueAt(median, i) + valueAt(scale, i) * Math.tan(Math.PI * (u - 0.5));
  fillFromUniform(target, draw, quantile);
}
