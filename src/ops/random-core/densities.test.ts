/**
 * Continuous distributions against their densities, by the largest distance between the two distribution functions
 * (Kolmogorov and Smirnov). Seeds are fixed, so what passes once passes always; the bound is one that one right sample in
 * a thousand would break.
 */
import { describe, expect, test } from "vitest";
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillBeta, fillDirichlet, fillGamma } from "./gammas.ts";
import { fillCauchy, fillExponential, fillUniformBetween } from "./inversion.ts";
import { fillLogNormal, fillNormalAround } from "./normals.ts";

type Floats = Float32Array | Float64Array;
type Fill = (target: Floats, draw: RandomDraw) => void;

const drawOf = (seed: number): RandomDraw => ({ seedLow: seed, seedHigh: 0, drawLow: 3, drawHigh: 0 });
const count = 50_000;
const tolerated = 1.95;

/** sqrt(count) times the largest distance of the sample's distribution function from that of an unscaled density. */
function distanceTo(sample: ArrayLike<number>, density: (x: number) => number, from: number, to: number): number {
  const steps = 20_000;
  const width = (to - from) / steps;
  const areas = new Float64Array(steps + 1);
  for (let i = 0; i < steps; i++) areas[i + 1] = areas[i]! + density(from + (i + 0.5) * width);
  const sorted = Float64Array.from(sample).sort();
  let largest = 0;
  sorted.forEach((x, i) => {
    const at = Math.min(Math.max((x - from) / width, 0), steps - 1e-9);
    const low = areas[Math.floor(at)]!;
    const value = (low + (at % 1) * (areas[Math.floor(at) + 1]! - low)) / areas[steps]!;
    largest = Math.max(largest, Math.abs(value - i / sorted.length), Math.abs(value - (i + 1) / sorted.length));
  });
  return largest * Math.sqrt(sorted.length);
}

const bell = (x: number): number => Math.exp((-x * x) / 2);
const logGammaDensity = (shape: number) => (y: number) => Math.exp(shape * y - Math.exp(y));

interface Continuous {
  readonly fill: Fill;
  /** Of the mapped value, without its scale. */
  readonly density: (x: number) => number;
  readonly from: number;
  readonly to: number;
  readonly map?: (x: number) => number;
}

const logit = (x: number): number => Math.log(x / (1 - x));
const logitDensity = (a: number, b: number) => (y: number) =>
  Math.exp(-a * Math.log1p(Math.exp(-y)) - b * Math.log1p(Math.exp(y)));

const continuous: Readonly<Record<string, Continuous>> = {
  "uniform in [-2, 5)": {
    fill: (t, d) => fillUniformBetween(t, d, -2, 5),
    density: () => 1,
    from: -2,
    to: 5,
  },
  "normal(3, 2)": {
    fill: (t, d) => fillNormalAround(t, d, 3, 2),
    density: (x) => bell((x - 3) / 2),
    from: -15,
    to: 20,
  },
  "log normal(-1, 0.5)": {
    fill: (t, d) => fillLogNormal(t, d, -1, 0.5),
    density: (y) => bell((y + 1) / 0.5),
    from: -5,
    to: 3,
    map: Math.log,
  },
  "exponential(2.5)": {
    fill: (t, d) => fillExponential(t, d, 2.5),
    density: (x) => Math.exp(-2.5 * x),
    from: 0,
    to: 10,
  },
  "cauchy(1, 3)": {
    fill: (t, d) => fillCauchy(t, d, 1, 3),
    // Its angle is uniform.
    density: () => 1,
    from: -Math.PI / 2,
    to: Math.PI / 2,
    map: (x) => Math.atan((x - 1) / 3),
  },
  ...Object.fromEntries(
    [0.05, 0.7, 1, 2.5, 40].map((shape) => [
      `gamma(${shape})`,
      {
        fill: (t: Floats, d: RandomDraw) => fillGamma(t, d, shape),
        density: logGammaDensity(shape),
        from: shape < 1 ? -20 / shape : -15,
        to: 6,
        map: Math.log,
      },
    ]),
  ),
  "beta(2, 5)": {
    fill: (t, d) => fillBeta(t, d, 2, 5),
    density: (x) => x * (1 - x) ** 4,
    from: 0,
    to: 1,
  },
  "beta(0.3, 0.4)": {
    fill: (t, d) => fillBeta(t, d, 0.3, 0.4),
    density: logitDensity(0.3, 0.4),
    from: -80,
    to: 60,
    map: logit,
  },
};

function sampleOf({ fill, map }: Pick<Continuous, "fill" | "map">, seed: number, double = true): Floats {
  const sample = double ? new Float64Array(count) : new Float32Array(count);
  fill(sample, drawOf(seed));
  return map === undefined ? sample : sample.map(map);
}

describe.each(Object.entries(continuous))("%s", (name, law) => {
  test("has its density", () => {
    expect(distanceTo(sampleOf(law, 1), law.density, law.from, law.to)).toBeLessThan(tolerated);
    // The smallest gamma numbers of this shape are out of reach for float32.
    if (name === "gamma(0.05)" || name === "beta(0.3, 0.4)") return;
    expect(distanceTo(sampleOf(law, 2, false), law.density, law.from, law.to)).toBeLessThan(tolerated);
  });

  test("a longer draw begins with the shorter one, and another seed gives another", () => {
    for (const Target of [Float64Array, Float32Array]) {
      const [whole, short, other] = [new Target(101), new Target(50), new Target(101)];
      law.fill(whole, drawOf(5));
      law.fill(short, drawOf(5));
      law.fill(other, drawOf(6));
      expect(short).toEqual(whole.slice(0, 50));
      expect(other).not.toEqual(whole);
    }
  });
});

test("the distance tells a deviation of 1.04 from one of 1, and a shape of 2.55 from 2.5", () => {
  const wide = sampleOf({ fill: (t, d) => fillNormalAround(t, d, 0, 1.04) }, 1);
  expect(distanceTo(wide, bell, -8, 8)).toBeGreaterThan(tolerated);
  const gamma = sampleOf({ fill: (t, d) => fillGamma(t, d, 2.55), map: Math.log }, 1);
  expect(distanceTo(gamma, logGammaDensity(2.5), -15, 6)).toBeGreaterThan(tolerated);
});

test("dirichlet rows sum to 1 and their parts have beta distributions, however small the concentrations", () => {
  const rows = 20_000;
  const concentration = [0.5, 1, 2.5];
  const target = new Float64Array(3 * rows);
  fillDirichlet(
    target,
    drawOf(1),
    target.map((_, i) => concentration[i % 3]!),
    3,
  );
  const column = (j: number) => target.filter((_, i) => i % 3 === j);
  const sums = column(0).map((x, row) => x + target[3 * row + 1]! + target[3 * row + 2]!);
  expect(sums.every((sum) => Math.abs(sum - 1) < 1e-15)).toBe(true);
  // Each part alone is beta(a, 4 - a).
  concentration.forEach((a, j) => {
    expect(distanceTo(column(j).map(logit), logitDensity(a, 4 - a), -60, 60)).toBeLessThan(tolerated);
  });
  const tiny = new Float64Array(400);
  fillDirichlet(tiny, drawOf(1), 1e-7, 4);
  expect(tiny.filter((x) => x > 0.999).length).toBe(100);
});
