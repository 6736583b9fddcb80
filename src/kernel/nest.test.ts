/** Loop nests: the same visits as the shape, in few loops. */
import { expect, test } from "vitest";
import { type Nest, nextTurn, planNest } from "./nest.ts";

/** The positions of all operands at every visit, in the order of the nest. */
function visits(nest: Nest): string[] {
  const positions = nest.starts.slice();
  const turns = nest.sizes.map(() => 0);
  const seen: string[] = [];
  do seen.push(positions.join());
  while (nextTurn(nest, 0, turns, positions));
  return seen;
}

function visitsOfShape(shape: readonly number[], starts: readonly number[], strides: readonly number[][]): string[] {
  let found = [starts.slice()];
  shape.forEach((size, axis) => {
    found = found.flatMap((at) =>
      Array.from({ length: size }, (_, i) => at.map((x, k) => x + i * (strides[k]?.[axis] as number))),
    );
  });
  return found.map((at) => at.join());
}

const cases: { shape: number[]; strides: number[][]; loops: number }[] = [
  { shape: [], strides: [[], []], loops: 0 },
  {
    shape: [1, 1],
    strides: [
      [5, 7],
      [1, 1],
    ],
    loops: 0,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [12, 4, 1],
    ],
    loops: 1,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [24, 8, 2],
    ],
    loops: 1,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [12, 4, 2],
    ],
    loops: 2,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [1, 2, 6],
      [1, 2, 6],
    ],
    loops: 3,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [-12, -4, -1],
      [-12, -4, -1],
    ],
    loops: 1,
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, -4, 1],
      [12, -4, 1],
    ],
    loops: 3,
  },
  {
    shape: [2, 1, 4],
    strides: [
      [4, 99, 1],
      [4, -3, 1],
    ],
    loops: 1,
  },
  {
    shape: [4, 5],
    strides: [
      [5, 1],
      [1, 4],
    ],
    loops: 2,
  },
  {
    shape: [4, 5],
    strides: [
      [5, 1],
      [0, 0],
    ],
    loops: 1,
  },
];

test.each(cases)("shape $shape with strides $strides: visits come in order", ({ shape, strides, loops }) => {
  const nest = planNest(shape, [100, 200], strides);
  expect(visits(nest)).toEqual(visitsOfShape(shape, [100, 200], strides));
  expect(nest.sizes.length).toBe(loops);
});

test("a loop in which nothing moves visits all the same", () => {
  expect(visits(planNest([2, 2], [3], [[0, 0]]))).toEqual(["3", "3", "3", "3"]);
});
