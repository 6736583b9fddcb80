/** Flat layouts in examples; their postconditions are laws in `test/laws/flat-layouts.test.ts`. */
import { expect, test } from "vitest";
import { flatLayout, refineFlat, simplifyFlat } from "./flat.ts";

/** Shape; strides of two operands; sizes of the plan; its strides. */
const cases: Record<string, [number[], number[][], number[], number[][]]> = {
  "a scalar": [[], [[], []], [], [[], []]],
  "axes of size 1": [
    [1, 1],
    [
      [5, 7],
      [0, -1],
    ],
    [],
    [[], []],
  ],
  "dense axes": [
    [2, 3, 4],
    [
      [12, 4, 1],
      [12, 4, 1],
    ],
    [24],
    [[1], [1]],
  ],
  "dense axes in a different order": [
    [2, 3, 4],
    [
      [1, 8, 2],
      [2, 16, 4],
    ],
    [24],
    [[1], [2]],
  ],
  "a repeated row": [
    [4, 5],
    [
      [5, 1],
      [0, 1],
    ],
    [5, 4],
    [
      [1, 5],
      [1, 0],
    ],
  ],
  "a repeated number": [
    [4, 5],
    [
      [5, 1],
      [0, 0],
    ],
    [20],
    [[1], [0]],
  ],
  "a transposed input": [
    [4, 5],
    [
      [5, 1],
      [1, 4],
    ],
    [5, 4],
    [
      [1, 5],
      [4, 1],
    ],
  ],
  "a transposed output": [
    [4, 5],
    [
      [1, 4],
      [5, 1],
    ],
    [4, 5],
    [
      [1, 4],
      [5, 1],
    ],
  ],
  "an axis where only the input moves": [
    [4, 5],
    [
      [0, 1],
      [7, 9],
    ],
    [5, 4],
    [
      [1, 0],
      [9, 7],
    ],
  ],
  "an axis where nothing moves": [
    [4, 5],
    [
      [0, 1],
      [0, 9],
    ],
    [5, 4],
    [
      [1, 0],
      [9, 0],
    ],
  ],
};

test.each(Object.entries(cases))(
  "%s: only the modes needed, smallest steps first",
  (_what, [shape, strides, sizes, planned]) => {
    expect(simplifyFlat(shape, [100, 200], strides)).toEqual({ sizes, strides: planned, starts: [100, 200] });
  },
);

test("descending modes of the first operand that moves in them are reversed", () => {
  const strides = [
    [-12, 4, -1, 0],
    [-12, -4, -1, -50],
  ];
  expect(simplifyFlat([2, 3, 4, 5], [12, 200], strides)).toEqual({
    sizes: [4, 3, 2, 5],
    strides: [
      [1, 4, 12, 0],
      [1, -4, 12, 50],
    ],
    starts: [12 - 3 - 12, 200 - 3 - 12 - 200],
  });
});

test("modes that differ only in direction have one order, however they are listed", () => {
  const plan = {
    sizes: [2, 4],
    strides: [
      [1, 1],
      [-1, 1],
    ],
    starts: [0, 0],
  };
  expect(
    simplifyFlat(
      [2, 2, 2],
      [0, 0],
      [
        [1, 1, 2],
        [1, -1, 2],
      ],
    ),
  ).toEqual(plan);
  expect(
    simplifyFlat(
      [2, 2, 2],
      [0, 0],
      [
        [2, 1, 1],
        [2, -1, 1],
      ],
    ),
  ).toEqual(plan);
});

test("modes in which nothing moves are dropped if repetition has no effect", () => {
  expect(simplifyFlat([4, 5], [3], [[0, 2]], true)).toEqual({ sizes: [5], strides: [[2]], starts: [3] });
  expect(
    simplifyFlat(
      [4, 5],
      [3, 0],
      [
        [0, 0],
        [0, 0],
      ],
      true,
    ),
  ).toEqual({ sizes: [], strides: [[], []], starts: [3, 0] });
});

test("layouts with equal sizes keep their modes", () => {
  expect(refineFlat([flatLayout([2, 1, 3], [1, 9, 2], 5), flatLayout([2, 1, 3], [3, 9, 1])])).toEqual({
    sizes: [2, 1, 3],
    strides: [
      [1, 9, 2],
      [3, 9, 1],
    ],
    starts: [5, 0],
  });
});

test("coarse modes are split where finer ones end", () => {
  const layouts = [
    flatLayout([2, 3, 4], [12, 4, 1]),
    flatLayout([6, 4], [-5, 50]),
    flatLayout([24], [2]),
    flatLayout([1, 24], [7, 0]),
  ];
  expect(refineFlat(layouts)).toEqual({
    sizes: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [-5, -10, 50],
      [2, 4, 12],
      [0, 0, 0],
    ],
    starts: [0, 0, 0, 0],
  });
});

test("splits that the strides do not require are ignored", () => {
  expect(refineFlat([flatLayout([2, 3], [1, 2]), flatLayout([3, 2], [2, 1])])).toEqual({
    sizes: [3, 2],
    strides: [
      [1, 3],
      [2, 1],
    ],
    starts: [0, 0],
  });
});

test.each([
  { why: "cuts do not divide", a: flatLayout([2, 3], [3, 1]), b: flatLayout([3, 2], [2, 1]) },
  { why: "the second is longer", a: flatLayout([2, 3], [3, 1]), b: flatLayout([2, 3, 2], [3, 1, 6]) },
  { why: "the second is shorter", a: flatLayout([6], [1]), b: flatLayout([3], [1]) },
])("there is no common refinement where $why", ({ a, b }) => {
  expect(refineFlat([a, b])).toBeUndefined();
});
