/** Examples of the forms of kernels. */
import { expect, test } from "vitest";
import type { FlatLayout } from "../../layout/flat.ts";
import { loopNestOf, outerModes } from "./loop-nest.ts";
import { classOf } from "./step-classes.ts";

const plan = (sizes: number[], ...strides: number[][]): FlatLayout => ({
  sizes,
  strides,
  starts: strides.map(() => 0),
});
const floats = [4, 4, 4];

test.each([
  { modes: plan([], [], []), classes: [1, 1] },
  { modes: plan([9], [1], [0]), classes: [1, 0] },
  { modes: plan([9], [1], [-1], [7]), classes: [1, 2, 2] },
])("a plan of at most one mode is a line: $modes.strides", ({ modes, classes }) => {
  const nest = loopNestOf(modes, floats);
  expect(nest).toMatchObject({ kind: "line", second: 0, isTransposing: false });
  expect(modes.strides.map((_of, k) => classOf(nest.classes, k))).toEqual(classes);
  expect(outerModes(modes, nest)).toEqual([]);
});

test("classes of many operands are independent", () => {
  const steps = Array.from({ length: 26 }, (_unused, k) => (k * 5) % 3);
  const { classes } = loopNestOf(
    plan([9], ...steps.map((step) => [step])),
    steps.map(() => 4),
  );
  expect(steps.map((_step, k) => classOf(classes, k))).toEqual(steps);
});

test.each([
  { what: "all in the same order", modes: plan([4, 5, 6], [1, 4, 20], [2, 9, 99]), second: 1, isTransposing: false },
  { what: "a repeated input", modes: plan([4, 5, 6], [1, 4, 20], [0, 1, 5]), second: 1, isTransposing: false },
  {
    what: "an input that runs along the last mode",
    modes: plan([4, 5, 6], [1, 4, 20], [30, 6, 1]),
    second: 2,
    isTransposing: true,
  },
  { what: "the same, downwards", modes: plan([4, 5, 6], [1, 4, 20], [30, 6, -1]), second: 2, isTransposing: true },
  {
    what: "the second input",
    modes: plan([4, 5, 6], [1, 4, 20], [1, 0, 9], [9, 3, 72]),
    second: 1,
    isTransposing: true,
  },
  {
    what: "steps of over a page",
    modes: plan([4, 5, 6], [1, 4, 20], [3000, 9000, 2000]),
    second: 1,
    isTransposing: false,
  },
])("$what: the second mode is $second, transposing: $isTransposing", ({ modes, second, isTransposing }) => {
  expect(loopNestOf(modes, floats)).toMatchObject({ kind: "plane", second, isTransposing });
});

test("all modes but the innermost and the second are walked", () => {
  const modes = plan([4, 5, 6, 7], [1, 4, 20, 120], [210, 42, 1, 6]);
  const nest = loopNestOf(modes, floats);
  expect(nest.second).toBe(2);
  expect(outerModes(modes, nest)).toEqual([5, 4, 42, 7, 120, 6]);
});
