/** Tiles in examples; that they cover everything once is a law in `test/laws/flat-layouts.test.ts`. */
import { expect, test } from "vitest";
import type { FlatLayout } from "../../layout/flat.ts";
import { formOf } from "./form.ts";
import { type Tiles, tilesOf, tiling } from "./tiles.ts";

function tiles(itemsize: number, sizes: number[], ...strides: number[][]): Tiles {
  const plan: FlatLayout = { sizes, strides, starts: strides.map(() => 0) };
  const itemsizes = strides.map(() => itemsize);
  return tilesOf(plan, formOf(plan, itemsizes), itemsizes);
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

test("a transposing tile is longer one way where the plane is short the other way", () => {
  const area = Math.min(across, acrossBytes / 4) * (alongBytes / 4);
  expect(tiles(4, [4, 9999], [1, 4], [9999, 1])).toMatchObject({ tileN: 4, tileM: area / 4 });
  expect(tiles(4, [9999, 4], [1, 9999], [4, 1])).toMatchObject({ tileN: area / 4, tileM: 4 });
});
