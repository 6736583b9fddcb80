/**
 * Categories drawn by weight, row by row. With replacement, each sample is looked up in the running sums of the weights. Without,
 * each category gets an exponential arrival time with its weight as the rate, and the first to arrive are the sample, in order.
 */
import type { IntegerTarget, RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillFromUniform } from "./uniform-words.ts";

/** The reason why a row of weights cannot be sampled. */
export interface MultinomialFault {
  readonly row: number;
  readonly reason: "negative" | "not finite" | "all zero" | "too few";
  /** The weight that is negative or not finite, or the number of weights above 0. */
  readonly value: number;
}

/** Returns the first row that cannot be sampled; `needed` is the number of different categories that a row must offer. */
function multinomialFault(
  weights: ArrayLike<number>,
  rows: number,
  categories: number,
  needed: number,
): MultinomialFault | undefined {
  for (let row = 0; row < rows; row++) {
    let positive = 0;
    for (let j = 0; j < categories; j++) {
      const value = weights[row * categories + j]!;
      if (!(Math.abs(value) < Infinity)) return { row, reason: "not finite", value };
      if (value < 0) return { row, reason: "negative", value };
      if (value > 0) positive++;
    }
    if (positive === 0) return { row, reason: "all zero", value: 0 };
    if (positive < needed) return { row, reason: "too few", value: positive };
  }
  return undefined;
}

/**
 * Fills target[row * samples + s] with a category of the row, drawn by weights[row * categories + j]. A category of weight 0 is never
 * drawn. If a row cannot be sampled, returns the fault and writes nothing.
 */
export function fillMultinomial(
  target: IntegerTarget,
  draw: RandomDraw,
  weights: ArrayLike<number>,
  rows: number,
  categories: number,
  samples: number,
  replacement: boolean,
): MultinomialFault | undefined {
  const fault = multinomialFault(weights, rows, categories, replacement ? 1 : samples);
  if (fault !== undefined) return fault;
  const perRow = replacement ? samples : categories;
  const uniforms = new Float64Array(rows * perRow);
  fillFromUniform(uniforms, draw, (u) => u);
  const rowWeights = new Float64Array(categories);
  for (let row = 0; row < rows; row++) {
    // Divided by the largest, so that no sum overflows; positive weights stay positive.
    let largest = 0;
    for (let j = 0; j < categories; j++) largest = Math.max(largest, weights[row * categories + j]!);
    for (let j = 0; j < categories; j++) {
      const weight = weights[row * categories + j]!;
      rowWeights[j] = weight > 0 ? Math.max(weight / largest, Number.MIN_VALUE) : 0;
    }
    const rowTarget = target.subarray(row * samples, (row + 1) * samples) as IntegerTarget;
    const rowUniforms = uniforms.subarray(row * perRow, (row + 1) * perRow);
    if (replacement) lookUp(rowTarget, rowUniforms, rowWeights);
    else race(rowTarget, rowUniforms, rowWeights);
  }
  return undefined;
}

function lookUp(target: IntegerTarget, uniforms: Float64Array, sums: Float64Array): void {
  for (let j = 1; j < sums.length; j++) sums[j]! += sums[j - 1]!;
  const total = sums[sums.length - 1]!;
  for (let s = 0; s < target.length; s++) {
    // The first category whose sum is above the mark. Its weight is not 0, or the previous sum would be above the mark, too.
    const mark = uniforms[s]! * total;
    let low = 0;
    let high = sums.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > mark) high = middle;
      else low = middle + 1;
    }
    target[s] = low;
  }
}

function race(target: IntegerTarget, times: Float64Array, rates: Float64Array): void {
  for (let j = 0; j < times.length; j++) times[j] = -Math.log(times[j]!) / rates[j]!;
  const last = times.slice().sort()[target.length - 1]!;
  const first: number[] = [];
  for (let j = 0; j < times.length && first.length < target.length; j++)
    if (rates[j]! > 0 && times[j]! <= last) first.push(j);
  first.sort((a, b) => times[a]! - times[b]!);
  target.set(first);
}
