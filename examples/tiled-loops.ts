/**
 * Tiled loops over one tensor, four ways: by index expressions, by regions with a function, by regions with kernels, and by tiles.
 * Run it: `npx tsx examples/tiled-loops.ts`.
 */
import { tiled, zeros } from "stridewise";

/** Returns the results of the loops on a small matrix as text. */
export function tiledLoops(): string {
  const matrix = zeros([4, 6]);
  const loops = tiled(matrix);

  // Every second column, from column 1 on: element (_0, 2 * _1 + 1) is data[position].
  loops.complexLoops(
    ["_0", "_1 * 2 + 1"],
    (data, position, [row = 0, column = 0]) => {
      data[position] = 10 * row + column;
    },
    { extents: [4, 3] },
  );
  const filled = String(matrix);

  // One call for each row; its elements are contiguous.
  const largest: number[] = [];
  loops.parallelLoops(
    0,
    (data, position, _stride, [length = 0]) => {
      largest.push(Math.max(...data.subarray(position, position + length)));
    },
    { write: false },
  );

  // The same by a kernel, which runs on all threads, and an in-place formula.
  const squares = loops.parallelLoops(0, { reduce: "sum", map: "x * x" });
  loops.parallelLoops(0, "x / 10");

  const tiles = [...loops.tiles([3, 4])].map(({ tile, coord }) => `(${coord}) is ${tile.shape.join(" x ")}`);
  return [
    "filled by index expressions:",
    filled,
    `the largest element of each row: ${largest.join(", ")}`,
    `the sum of squares of each row: ${squares.toArray()}`,
    `a tenth of the last row: ${matrix.at(3).toArray()}`,
    `tiles of 3 x 4: ${tiles.join(", ")}`,
  ].join("\n");
}

if (process.argv[1]?.endsWith("tiled-loops.ts")) console.log(tiledLoops());
