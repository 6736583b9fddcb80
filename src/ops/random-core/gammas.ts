/**
 * The gamma distribution by Marsaglia and Tsang (2000), and the beta and Dirichlet distributions, which are computed from logarithms of
 * gamma numbers: those of a small shape underflow. A shape that is not above 0 gives NaN.
 */
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { ElementStream, fillFromStream, type Parameter, valueAt } from "./uniform-words.ts";

type Floats = Float32Array | Float64Array;

/** Fills with density proportional to x^(shape - 1) e^-x for x > 0; no number is below the smallest normal float. */
export function fillGamma(target: Floats, draw: RandomDraw, shape: Parameter): void {
  const min = target.BYTES_PER_ELEMENT === 8 ? 2 ** -1022 : 2 ** -126;
  fillFromStream(target, draw, (stream, i) => {
    const a = valueAt(shape, i);
    return Math.max(a < 1 ? Math.exp(logGamma(stream, a)) : largeGamma(stream, a), min);
  });
}

/** Fills with density proportional to x^(a - 1) (1 - x)^(b - 1) for 0 < x < 1. */
export function fillBeta(target: Floats, draw: RandomDraw, a: Parameter, b: Parameter): void {
  fillFromStream(target, draw, (stream, i) => {
    const first = logGamma(stream, valueAt(a, i));
    return 1 / (1 + Math.exp(logGamma(stream, valueAt(b, i)) - first));
  });
}

/** Fills rows of `categories` numbers that sum to 1, with density proportional to the product of x[j]^(concentration[j] - 1). */
export function fillDirichlet(target: Floats, draw: RandomDraw, concentration: Parameter, categories: number): void {
  const stream = new ElementStream(draw);
  const logs = new Float64Array(categories);
  for (let start = 0; start < target.length; start += categories) {
    let largest = -Infinity;
    for (let j = 0; j < categories; j++) {
      stream.start(start + j);
      logs[j] = logGamma(stream, valueAt(concentration, start + j));
      largest = Math.max(largest, logs[j]!);
    }
    let sum = 0;
    for (let j = 0; j < categories; j++) sum += Math.exp(logs[j]! - largest);
    for (let j = 0; j < categories; j++) target[start + j] = Math.exp(logs[j]! - largest) / sum;
  }
}

/** The logarithm of a gamma number. */
function logGamma(stream: ElementStream, shape: number): number {
  if (!(shape < 1)) return Math.log(largeGamma(stream, shape));
  if (!(shape > 0)) return NaN;
  return Math.log(largeGamma(stream, shape + 1)) + Math.log(stream.uniform()) / shape;
}

/** A gamma number for a shape of at least 1. */
function largeGamma(stream: ElementStream, shape: number): number {
  if (!(shape < Infinity)) return shape;
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = stream.normal();
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const u = stream.uniform();
    if (u < 1 - 0.0331 * x ** 4 || Math.log(u) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}
