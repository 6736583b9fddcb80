/**
 * Logarithms of masses against sums of logarithms, and against 1 as their sum.
 */
import { expect, test } from "vitest";
import { logBinomialMass, logPoissonMass } from "./counts.ts";

test.each([0.3, 4, 15.5, 200])("poisson(%d): every mass by its definition", (rate) => {
  let exact = -rate;
  for (let k = 0; k < 3 * rate + 30; k++) {
    if (k > 0) exact += Math.log(rate / k);
    expect(Math.abs(logPoissonMass(k, rate) - exact)).toBeLessThan(1e-12 * Math.max(1, Math.abs(exact)));
  }
});

test.each([
  [1, 0.3],
  [10, 0.5],
  [37, 0.02],
  [400, 0.6],
])("binomial(%d, %d): every mass by its definition", (n, p) => {
  let exact = n * Math.log1p(-p);
  for (let k = 0; k <= n; k++) {
    if (k > 0) exact += Math.log(((n - k + 1) / k) * (p / (1 - p)));
    expect(Math.abs(logBinomialMass(k, n, p) - exact)).toBeLessThan(1e-12 * Math.max(1, Math.abs(exact)));
  }
});

test("masses of large means still sum to 1", () => {
  let poisson = 0;
  let binomial = 0;
  for (let k = 1e8 - 80_000; k <= 1e8 + 80_000; k++) {
    poisson += Math.exp(logPoissonMass(k, 1e8));
    binomial += Math.exp(logBinomialMass(k, 4e8, 0.25));
  }
  expect(poisson).toBeCloseTo(1, 10);
  expect(binomial).toBeCloseTo(1, 10);
});
