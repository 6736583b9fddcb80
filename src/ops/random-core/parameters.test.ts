/**
 * Parameters of distributions: one for all elements or one for each, the ends of their ranges, and values that mean nothing.
 */
import { expect, test } from "vitest";
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillBinomial, fillPoisson } from "./counts.ts";
import { fillBeta, fillGamma } from "./gammas.ts";
import { fillBernoulli, fillCauchy, fillExponential, fillGeometric, fillUniformBetween } from "./inversion.ts";
import { fillLogNormal, fillNormalAround } from "./normals.ts";

const drawOf = (seed: number): RandomDraw => ({ seedLow: seed, seedHigh: 0, drawLow: 3, drawHigh: 0 });

test("a parameter may differ from element to element, and changes no other element", () => {
  const size = 64;
  const level = Float64Array.from({ length: size }, (_, i) => 0.1 + i / 70);
  const high = level.map((x) => 10 * x + 3);
  const laws: Readonly<Record<string, (t: Float64Array, p: number | Float64Array, q: number | Float64Array) => void>> =
    {
      uniform: (t, p, q) => fillUniformBetween(t, drawOf(1), p, q),
      normal: (t, p, q) => fillNormalAround(t, drawOf(1), q, p),
      logNormal: (t, p, q) => fillLogNormal(t, drawOf(1), q, p),
      exponential: (t, p) => fillExponential(t, drawOf(1), p),
      bernoulli: (t, p) => fillBernoulli(t, drawOf(1), p),
      geometric: (t, p) => fillGeometric(t, drawOf(1), p),
      cauchy: (t, p, q) => fillCauchy(t, drawOf(1), q, p),
      poisson: (t, _, q) => fillPoisson(t, drawOf(1), q),
      binomial: (t, p, q) =>
        fillBinomial(t, drawOf(1), typeof q === "number" ? Math.floor(9 * q) : q.map((x) => Math.floor(9 * x)), p),
      gamma: (t, p) => fillGamma(t, drawOf(1), p),
      beta: (t, p, q) => fillBeta(t, drawOf(1), p, q),
    };
  for (const [name, fill] of Object.entries(laws)) {
    const varied = new Float64Array(size);
    fill(varied, level, high);
    for (let i = 0; i < size; i++) {
      const same = new Float64Array(size);
      fill(same, level[i]!, high[i]!);
      expect(varied[i], `${name} at ${i}`).toBe(same[i]);
    }
  }
});

test("parameters that mean nothing give NaN and end", () => {
  const target = new Float64Array(2);
  const fills: readonly (() => void)[] = [
    () => fillPoisson(target, drawOf(1), -1),
    () => fillPoisson(target, drawOf(1), NaN),
    () => fillPoisson(target, drawOf(1), Infinity),
    () => fillBinomial(target, drawOf(1), -1, 0.5),
    () => fillBinomial(target, drawOf(1), 50, 1.5),
    () => fillBinomial(target, drawOf(1), 50, NaN),
    () => fillGamma(target, drawOf(1), 0),
    () => fillGamma(target, drawOf(1), NaN),
    () => fillBeta(target, drawOf(1), -1, 2),
  ];
  for (const fill of fills) {
    target.fill(7);
    fill();
    expect([...target], String(fill)).toEqual([NaN, NaN]);
  }
});

test("the ends of the parameters are exact", () => {
  const constant = (fill: (t: Float64Array) => void): number => {
    const target = new Float64Array(100);
    fill(target);
    expect(new Set(target).size).toBe(1);
    return target[0]!;
  };
  expect(constant((t) => fillPoisson(t, drawOf(1), 0))).toBe(0);
  expect(constant((t) => fillBinomial(t, drawOf(1), 100, 0))).toBe(0);
  expect(constant((t) => fillBinomial(t, drawOf(1), 100, 1))).toBe(100);
  expect(constant((t) => fillBinomial(t, drawOf(1), 0, 0.3))).toBe(0);
  expect(constant((t) => fillGeometric(t, drawOf(1), 1))).toBe(1);
  expect(constant((t) => fillNormalAround(t, drawOf(1), 4, 0))).toBe(4);
  const wide = new Float32Array(10_000);
  fillUniformBetween(wide, drawOf(1), 1, 1 + 2 ** -22);
  expect(new Set(wide)).toEqual(new Set([1, 1 + 2 ** -23]));
  const small = new Float32Array(1000);
  fillGamma(small, drawOf(1), 1e-3);
  expect(small.every((x) => x >= 2 ** -126)).toBe(true);
});
