/** Tiles cover each element of the tensor once, and are cut at the edges. */
import { _, gmem, makeLayout, makeTensor, type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import type { Tiler } from "../../layout/layout.ts";
import { tiled } from "./tiled.ts";

const counted = (...shape: number[]): Tensor =>
  tensor(Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_unused, i) => i)).reshape(shape) as Tensor;

const elements = (t: Tensor): number[] => [...(t.toTypedArray() as Float32Array)];

test.each<[string, Tensor, Tiler, number]>([
  ["tiles that divide", counted(4, 6), [2, 3], 4],
  ["ragged edges", counted(10, 7), [4, 3], 9],
  ["tiles larger than the tensor", counted(3, 2), [5, 4], 1],
  ["fewer parts than modes", counted(5, 2, 2), [2], 12],
  ["a mode left as it is", counted(4, 5), [_, 2], 12],
  ["a transposed tensor", counted(7, 10).transpose(0, 1) as Tensor, [4, 3], 9],
  ["a 1-D tiler", counted(10), 4, 3],
  ["a tiler layout that divides", counted(8, 6), [makeLayout(2, 4), makeLayout(3, 2)], 8],
  ["a layout that is an integer", counted(10), makeLayout(4, 1), 3],
  [
    "a nested tensor",
    makeTensor(
      gmem(Float32Array.from({ length: 24 }, (_unused, i) => i)),
      makeLayout([[2, 3], 4], [[12, 4], 1]),
    ) as Tensor,
    [2, 2],
    6,
  ],
])("%s: every element is in exactly one tile", (_name, t, tiler, count) => {
  const tiles = [...tiled(t).tiles(tiler)];
  expect(tiles.length).toBe(count);
  expect(tiles.flatMap(({ tile }) => elements(tile)).sort((a, b) => a - b)).toEqual(elements(t).sort((a, b) => a - b));
  for (const { tile } of tiles) expect(tile.storage).toBe(t.storage);
});

test("coordinates are in row-major order, and tiles at the edges are smaller", () => {
  const tiles = [...tiled(counted(5, 3)).tiles([2, 2])];
  expect(tiles.map(({ coord }) => coord)).toEqual([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ]);
  expect(tiles.map(({ tile }) => tile.shape)).toEqual([
    [2, 2],
    [2, 1],
    [2, 2],
    [2, 1],
    [1, 2],
    [1, 1],
  ]);
  expect(tiles[1]?.tile.toArray()).toEqual([[2], [5]]);
  expect(tiles[5]?.tile.toArray()).toEqual([[14]]);
});

test("tiles are created on demand, and write to the tensor", () => {
  const t = counted(4, 4);
  for (const { tile, coord } of tiled(t).tiles([2, 2])) {
    tile.fill_(coord[0] as number);
    if (coord[0] === 1) break;
  }
  expect(t.toArray()).toEqual([
    [0, 0, 0, 0],
    [0, 0, 0, 0],
    [1, 1, 10, 11],
    [1, 1, 14, 15],
  ]);
});

test.each([[0], [-1], [1.5], "2", [undefined]])("a tiler with %j throws at once", (tiler) => {
  expect(() => tiled(counted(6)).tiles(tiler as Tiler)).toThrow(
    /^tiles: a tiler has an integer of 1 or more, a layout or _ for each mode, got (0|-1|1.5|"2"|nothing). Example/,
  );
});

test("an empty tensor has no tiles", () => {
  expect([...tiled(zeros([0, 3]) as Tensor).tiles([2, 2])]).toEqual([]);
});

test("a tiler layout that does not divide throws at once", () => {
  expect(() => tiled(counted(7)).tiles(makeLayout(2, 2))).toThrow(
    "tiles: the tiler 2:2 of 2 elements does not divide a mode of 7 elements of tensor (float32 [7])",
  );
});
