/**
 * Multinomial draws: frequencies follow the weights, orders without replacement have their exact probabilities, faults are named.
 */
import { expect, test } from "vitest";
import type { RandomDraw } from "../../tensor/create/random-draw.ts";
import { fillMultinomial } from "./multinomial.ts";

const drawOf = (seed: number): RandomDraw => ({ seedLow: seed, seedHigh: 1, drawLow: 0, drawHigh: 0 });

/** Chi-square of counts against expectations. */
const chiSquare = (observed: readonly number[], expected: readonly number[]): number =>
  observed.reduce((sum, count, i) => sum + (count - expected[i]!) ** 2 / expected[i]!, 0);

test("with replacement, categories come as often as their weights say, and those of weight 0 never", () => {
  const samples = 30_000;
  const weights = Float32Array.from([1, 0, 2, 5, 0, /**/ 0, 3e-30, 1e-30, 0, 4e-30]);
  const target = new Int32Array(2 * samples);
  expect(fillMultinomial(target, drawOf(1), weights, 2, 5, samples, true)).toBeUndefined();
  for (const [row, share] of [
    [0, [1, 0, 2, 5, 0]],
    [1, [0, 3, 1, 0, 4]],
  ] as const) {
    const observed = share.map(
      (_, j) => target.subarray(row * samples, (row + 1) * samples).filter((x) => x === j).length,
    );
    const live = share.map((_, j) => j).filter((j) => share[j]! > 0);
    expect(live.reduce((sum, j) => sum + observed[j]!, 0)).toBe(samples);
    const chi = chiSquare(
      live.map((j) => observed[j]!),
      live.map((j) => (samples * share[j]!) / 8),
    );
    // Two degrees of freedom: one right sample in a thousand is above.
    expect(chi).toBeLessThan(13.8);
  }
});

test("without replacement, every ordered sample has the probability of drawing one after another", () => {
  const rows = 30_000;
  const share = [1, 2, 0, 5];
  const weights = new Float64Array(4 * rows).map((_, i) => share[i % 4]!);
  const target = new Int32Array(2 * rows);
  expect(fillMultinomial(target, drawOf(2), weights, rows, 4, 2, false)).toBeUndefined();
  const observed: number[] = [];
  const expected: number[] = [];
  for (const first of [0, 1, 3])
    for (const second of [0, 1, 3].filter((j) => j !== first)) {
      let count = 0;
      for (let row = 0; row < rows; row++) if (target[2 * row] === first && target[2 * row + 1] === second) count++;
      observed.push(count);
      expected.push((rows * share[first]! * share[second]!) / (8 * (8 - share[first]!)));
    }
  expect(observed.reduce((a, b) => a + b)).toBe(rows);
  // Five degrees of freedom.
  expect(chiSquare(observed, expected)).toBeLessThan(20.5);
});

test("without replacement, a full sample is a permutation of the weighted categories, whatever their sizes", () => {
  const weights = [1e308, 1e-308, 1e308, 5e-324, 3, 0, 1e-300];
  for (let seed = 0; seed < 20; seed++) {
    const target = new Int32Array(6);
    expect(fillMultinomial(target, drawOf(seed), weights, 1, 7, 6, false)).toBeUndefined();
    expect([...target].sort()).toEqual([0, 1, 2, 3, 4, 6]);
    expect([...target.subarray(0, 2)].sort()).toEqual([0, 2]);
  }
});

test("weights whose sum overflows are drawn from all the same", () => {
  const target = new Int32Array(100);
  expect(fillMultinomial(target, drawOf(1), [1e308, 1e308, 0], 1, 3, 100, true)).toBeUndefined();
  expect(new Set(target)).toEqual(new Set([0, 1]));
});

test("samples of a row depend on the row's position, not on the rows after it", () => {
  for (const replacement of [true, false]) {
    const [one, two] = [new Int32Array(3), new Int32Array(6)];
    fillMultinomial(one, drawOf(4), [1, 2, 3, 4], 1, 4, 3, replacement);
    fillMultinomial(two, drawOf(4), [1, 2, 3, 4, 1, 2, 3, 4], 2, 4, 3, replacement);
    expect([...two.subarray(0, 3)]).toEqual([...one]);
  }
});

test.each([
  [[1, 2, 3, -1], true, { row: 1, reason: "negative", value: -1 }],
  [[1, Infinity, 3, -1], true, { row: 0, reason: "not finite", value: Infinity }],
  [[1, 1, NaN, 1], true, { row: 1, reason: "not finite", value: NaN }],
  [[1, 1, 0, 0], true, { row: 1, reason: "all zero", value: 0 }],
  [[1, 1, 0, 4], false, { row: 1, reason: "too few", value: 1 }],
] as const)("weights %j are refused, and nothing is written", (weights, replacement, fault) => {
  const target = new Int32Array(4).fill(9);
  expect(fillMultinomial(target, drawOf(1), weights, 2, 2, 2, replacement)).toEqual(fault);
  expect([...target]).toEqual([9, 9, 9, 9]);
});
