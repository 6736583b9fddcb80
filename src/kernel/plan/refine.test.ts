/** Common refinements in examples; that the promise holds is a law in `test/laws/kernel-plan.test.ts`. */
import { expect, test } from "vitest";
import { commonRefinement, type Leaves } from "./refine.ts";

const leaves = (shape: number[], stride: number[]): Leaves => ({ shape, stride });

test("operands that cut alike keep their modes", () => {
  expect(commonRefinement([leaves([2, 1, 3], [1, 9, 2]), leaves([2, 1, 3], [3, 9, 1])])).toEqual({
    sizes: [2, 1, 3],
    strides: [
      [1, 9, 2],
      [3, 9, 1],
    ],
  });
});

test("coarse modes are cut where finer ones end", () => {
  expect(
    commonRefinement([
      leaves([2, 3, 4], [12, 4, 1]),
      leaves([6, 4], [-5, 50]),
      leaves([24], [2]),
      leaves([1, 24], [7, 0]),
    ]),
  ).toEqual({
    sizes: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [-5, -10, 50],
      [2, 4, 12],
      [0, 0, 0],
    ],
  });
});

test("cuts that the strides do not need are no obstacle", () => {
  expect(commonRefinement([leaves([2, 3], [1, 2]), leaves([3, 2], [2, 1])])).toEqual({
    sizes: [3, 2],
    strides: [
      [1, 3],
      [2, 1],
    ],
  });
});

test.each([
  { why: "cuts do not divide", a: leaves([2, 3], [3, 1]), b: leaves([3, 2], [2, 1]) },
  { why: "the second is longer", a: leaves([2, 3], [3, 1]), b: leaves([2, 3, 2], [3, 1, 6]) },
  { why: "the second is shorter", a: leaves([6], [1]), b: leaves([3], [1]) },
])("there is no refinement where $why", ({ a, b }) => {
  expect(commonRefinement([a, b])).toBeUndefined();
});
