/** Examples of tiles and splits; `test/laws/flat-layouts.test.ts` tests that tiles cover everything once. */
import { expect, test } from "vitest";
import type { FlatLayout } from "../../layout/flat.ts";
import { loopNestOf } from "./loop-nest.ts";
import { splitPlan, type Tiles, tilesOf, tiling } from "./tiles.ts";

function tiles(itemsize: number, sizes: number[], ...strides: number[][]): Tiles {
  const plan: FlatLayout = { sizes, strides, starts: strides.map(() => 0) };
  const itemsizes = strides.map(() => itemsize);
  return tilesOf(plan, loopNestOf(plan, itemsizes), itemsizes);
}

const { unit, across, acrossBytes, alongBytes } = tiling;

test("a single element is one unit", () => {
  expect(tiles(4, [], [], [])).toEqual({
    n: 1,
    m: 1,
    tileN: 1,
    tileM: 1,
    tilesN: 1,
    tilesM: 1,
    units: 1,
    unitElements: 1,
  });
});

test("a line is cut into units, the last of which may be shorter", () => {
  expect(tiles(4, [2 * unit + 1], [1], [1])).toMatchObject({ tileN: unit, tilesN: 3, tileM: 1, units: 3 });
});

test("short rows fill a unit together, long rows are cut", () => {
  expect(tiles(4, [unit / 8, 100, 3], [1, unit, unit * 200])).toMatchObject({
    tileM: 8,
    tilesM: 13,
    units: 39,
  });
  expect(tiles(4, [unit * 2, 100], [1, unit * 4])).toMatchObject({ tileN: unit, tilesN: 2, tileM: 1, units: 200 });
});

test.each([1, 2, 4, 8, 16])("transposing tiles are lines of few elements, of %i bytes each", (itemsize) => {
  const tileN = Math.min(across, acrossBytes / itemsize);
  const tileM = alongBytes / itemsize;
  expect(tiles(itemsize, [4096, 4096], [1, 4096], [4096, 1])).toMatchObject({ tileN, tileM });
});

test("a transposing tile is longer in one mode if the plane is short in the other", () => {
  const area = Math.min(across, acrossBytes / 4) * (alongBytes / 4);
  expect(tiles(4, [4, 9999], [1, 4], [9999, 1])).toMatchObject({ tileN: 4, tileM: area / 4 });
  expect(tiles(4, [9999, 4], [1, 9999], [4, 1])).toMatchObject({ tileN: area / 4, tileM: 4 });
});

function parts(plan: FlatLayout): FlatLayout[] {
  const halves = splitPlan(plan);
  return halves === undefined ? [plan] : [...parts(halves[0]), ...parts(halves[1])];
}

const countOf = (plan: FlatLayout): number => plan.sizes.reduce((a, b) => a * b, 1);

test("a layout whose offsets fit in 32 bits is not split", () => {
  expect(splitPlan({ sizes: [2 ** 30], strides: [[1], [0]], starts: [7, 9] })).toBeUndefined();
  expect(splitPlan({ sizes: [], strides: [[]], starts: [2 ** 40] })).toBeUndefined();
});

test("a long line is split into consecutive lines", () => {
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

test("few elements that are far apart are split, too", () => {
  expect(parts({ sizes: [3, 2], strides: [[1, 2 ** 31]], starts: [4] })).toEqual([
    { sizes: [3], strides: [[1]], starts: [4] },
    { sizes: [3], strides: [[1]], starts: [4 + 2 ** 31] },
  ]);
});
