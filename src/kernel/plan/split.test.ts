/** Plans too large for one call fall into parts that are not, and visit the same. */
import { expect, test } from "vitest";
import type { FlatLayout } from "../../layout/flat.ts";
import { splitPlan } from "./tiles.ts";

function parts(plan: FlatLayout): FlatLayout[] {
  const halves = splitPlan(plan);
  return halves === undefined ? [plan] : [...parts(halves[0]), ...parts(halves[1])];
}

const countOf = (plan: FlatLayout): number => plan.sizes.reduce((a, b) => a * b, 1);

test("a plan that 32 bits hold is left whole", () => {
  expect(splitPlan({ sizes: [2 ** 30], strides: [[1], [0]], starts: [7, 9] })).toBeUndefined();
  expect(splitPlan({ sizes: [], strides: [[]], starts: [2 ** 40] })).toBeUndefined();
});

test("a long line falls into lines that follow each other", () => {
  const lines = parts({ sizes: [2 ** 32 + 5], strides: [[1], [-2]], starts: [10, 0] });
  let next = 0;
  for (const line of lines) {
    expect(line.starts).toEqual([10 + next, 0 - 2 * next]);
    expect(countOf(line)).toBeLessThanOrEqual(2 ** 30);
    next += countOf(line);
  }
  expect(next).toBe(2 ** 32 + 5);
});

test("an outermost mode cut down to one round disappears", () => {
  const planes = parts({ sizes: [2 ** 30, 3], strides: [[1, 2 ** 30]], starts: [0] });
  expect(planes).toEqual([0, 1, 2].map((j) => ({ sizes: [2 ** 30], strides: [[1]], starts: [j * 2 ** 30] })));
});

test("few elements that lie far apart are taken apart as well", () => {
  expect(parts({ sizes: [3, 2], strides: [[1, 2 ** 31]], starts: [4] })).toEqual([
    { sizes: [3], strides: [[1]], starts: [4] },
    { sizes: [3], strides: [[1]], starts: [4 + 2 ** 31] },
  ]);
});
