/** Loop nests: the same visits as the shape, in few loops. */
import { expect, test } from "vitest";
import { type Nest, nextTurn, planNest, type VisitOrder } from "./nest.ts";

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

const cases: { shape: number[]; strides: number[][]; loops: Record<VisitOrder, number> }[] = [
  { shape: [], strides: [[], []], loops: { "row-major": 0, free: 0 } },
  {
    shape: [1, 1],
    strides: [
      [5, 7],
      [1, 1],
    ],
    loops: { "row-major": 0, free: 0 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [12, 4, 1],
    ],
    loops: { "row-major": 1, free: 1 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [24, 8, 2],
    ],
    loops: { "row-major": 1, free: 1 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, 4, 1],
      [12, 4, 2],
    ],
    loops: { "row-major": 2, free: 2 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [1, 2, 6],
      [1, 2, 6],
    ],
    loops: { "row-major": 3, free: 1 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [-12, -4, -1],
      [-12, -4, -1],
    ],
    loops: { "row-major": 1, free: 1 },
  },
  {
    shape: [2, 3, 4],
    strides: [
      [12, -4, 1],
      [12, -4, 1],
    ],
    loops: { "row-major": 3, free: 1 },
  },
  {
    shape: [2, 1, 4],
    strides: [
      [4, 99, 1],
      [4, -3, 1],
    ],
    loops: { "row-major": 1, free: 1 },
  },
  {
    shape: [4, 5],
    strides: [
      [5, 1],
      [1, 4],
    ],
    loops: { "row-major": 2, free: 2 },
  },
  {
    shape: [4, 5],
    strides: [
      [5, 1],
      [0, 0],
    ],
    loops: { "row-major": 1, free: 1 },
  },
];

test.each(cases)("shape $shape with strides $strides: row-major visits come in order", ({ shape, strides, loops }) => {
  const nest = planNest(shape, [100, 200], strides, "row-major");
  expect(visits(nest)).toEqual(visitsOfShape(shape, [100, 200], strides));
  expect(nest.sizes.length).toBe(loops["row-major"]);
});

test.each(cases)("shape $shape with strides $strides: free visits are the same ones", ({ shape, strides, loops }) => {
  const nest = planNest(shape, [100, 200], strides, "free");
  expect(visits(nest).sort()).toEqual(visitsOfShape(shape, [100, 200], strides).sort());
  expect(nest.sizes.length).toBe(loops.free);
});

test("free visits put the smallest steps of the first operand innermost", () => {
  const nest = planNest(
    [4, 5, 6],
    [0, 0],
    [
      [1, 100, -10],
      [30, 6, 1],
    ],
    "free",
  );
  expect(nest).toEqual({
    sizes: [5, 6, 4],
    strides: [
      [100, 10, 1],
      [6, -1, 30],
    ],
    starts: [-50, 5],
  });
});

test("loops in which nothing moves are dropped from free visits", () => {
  expect(planNest([4, 5], [3], [[0, 2]], "free")).toEqual({ sizes: [5], strides: [[2]], starts: [3] });
  expect(visits(planNest([2, 2], [3], [[0, 0]], "row-major"))).toEqual(["3", "3", "3", "3"]);
});
