/**
 * Counts against their masses, by chi-square. Seeds are fixed; the bound is one that one right sample in a thousand would break.
 */
import { describe, expect, test } from "vitest";
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillBinomial, fillPoisson } from "./counts.ts";
import { fillBernoulli, fillGeometric } from "./inversion.ts";

type Floats = Float32Array | Float64Array;
type Fill = (target: Floats, draw: RandomDraw) => void;

const drawOf = (seed: number): RandomDraw => ({ seedLow: seed, seedHigh: 0, drawLow: 3, drawHigh: 0 });
const count = 50_000;

function sampleOf(fill: Fill, seed: number, isDouble = true): Floats {
  const sample = isDouble ? new Float64Array(count) : new Float32Array(count);
  fill(sample, drawOf(seed));
  return sample;
}

/** Chi-square as a standard normal number (Wilson and Hilferty); counts of small expectation are joined. */
function excess(sample: ArrayLike<number>, mass: (k: number) => number, from: number, to: number): number {
  const seen = new Map<number, number>();
  for (const k of Array.from(sample)) seen.set(k, (seen.get(k) ?? 0) + 1);
  let [sum, bins, expected, observed] = [0, 0, 0, 0];
  let [restExpected, restObserved] = [sample.length, sample.length];
  for (let k = from; k <= to; k++) {
    expected += sample.length * mass(k);
    observed += seen.get(k) ?? 0;
    if (expected < 20) continue;
    sum += (observed - expected) ** 2 / expected;
    restExpected -= expected;
    restObserved -= observed;
    [bins, expected, observed] = [bins + 1, 0, 0];
  }
  if (restExpected > 5) {
    sum += (restObserved - restExpected) ** 2 / restExpected;
    bins++;
  }
  const variance = 2 / (9 * (bins - 1));
  return (Math.cbrt(sum / (bins - 1)) - 1 + variance) / Math.sqrt(variance);
}

/** Masses from ratios of neighbors, upwards from `from`, scaled to sum 1. */
function massesBy(ratio: (k: number) => number, from: number, to: number): (k: number) => number {
  const logs = [0];
  for (let k = from + 1; k <= to; k++) logs.push(logs[logs.length - 1]! + Math.log(ratio(k)));
  const peak = logs.reduce((a, b) => Math.max(a, b));
  const masses = logs.map((x) => Math.exp(x - peak));
  const sum = masses.reduce((a, b) => a + b);
  return (k) => masses[k - from]! / sum;
}

const range = (mean: number, deviation: number, min: number, max = Infinity): [number, number] => [
  Math.max(min, Math.floor(mean - 8 * deviation)),
  Math.min(max, Math.ceil(mean + 8 * deviation) + 20),
];

interface Counts {
  readonly fill: Fill;
  readonly ratio: (k: number) => number;
  readonly range: readonly [from: number, to: number];
}

const poisson = (rate: number): Counts => ({
  fill: (t, d) => fillPoisson(t, d, rate),
  ratio: (k) => rate / k,
  range: range(rate, Math.sqrt(rate), 0),
});

const binomial = (n: number, p: number): Counts => ({
  fill: (t, d) => fillBinomial(t, d, n, p),
  ratio: (k) => ((n - k + 1) / k) * (p / (1 - p)),
  range: range(n * p, Math.sqrt(n * p * (1 - p)), 0, n),
});

const geometric = (p: number): Counts => ({
  fill: (t, d) => fillGeometric(t, d, p),
  ratio: () => 1 - p,
  range: [1, Math.ceil(60 / p)],
});

const trials = [
  [1, 0.3],
  [10, 0.5],
  [1e6, 3e-6],
  [25, 0.9],
  [25, 0.45],
  [100, 0.1],
  [1000, 0.5],
  [1000, 0.83],
  [1e6, 0.001],
] as const;

const counts: readonly (readonly [string, Counts])[] = [
  ...[0.01, 0.8, 4, 9.99, 10, 12.5, 60, 3000, 1e6].map((rate) => [`poisson(${rate})`, poisson(rate)] as const),
  ...trials.map(([n, p]) => [`binomial(${n}, ${p})`, binomial(n, p)] as const),
  ...[0.02, 0.3, 0.95].map((p) => [`geometric(${p})`, geometric(p)] as const),
];

describe.each(counts)("%s", (_, law) => {
  test("has its masses", () => {
    const [from, to] = law.range;
    for (const [seed, isDouble] of [
      [1, true],
      [2, false],
    ] as const) {
      const sample = sampleOf(law.fill, seed, isDouble);
      expect(sample.every((k) => Number.isInteger(k) && k >= from && k <= to)).toBe(true);
      expect(excess(sample, massesBy(law.ratio, from, to), from, to)).toBeLessThan(3.1);
    }
  });

  test("a longer draw begins with the shorter one", () => {
    const [whole, short] = [new Float64Array(61), new Float64Array(33)];
    law.fill(whole, drawOf(5));
    law.fill(short, drawOf(5));
    expect(short).toEqual(whole.slice(0, 33));
  });
});

test("chi-square tells a rate of 61 from one of 60", () => {
  const sample = sampleOf((t, d) => fillPoisson(t, d, 61), 1);
  expect(
    excess(
      sample,
      massesBy((k) => 60 / k, 0, 150),
      0,
      150,
    ),
  ).toBeGreaterThan(3.1);
});

test.each([0, 0.001, 0.25, 0.9, 1])("bernoulli(%d) is 1 that often", (p) => {
  for (const target of [new Uint8Array(count), new Float64Array(count)]) {
    fillBernoulli(target, drawOf(1), p);
    const ones = Array.from(target).reduce((a, b) => a + b, 0);
    expect(Math.abs(ones - count * p)).toBeLessThanOrEqual(3.3 * Math.sqrt(count * p * (1 - p)));
    expect(target.every((x) => x === 0 || x === 1)).toBe(true);
  }
});
