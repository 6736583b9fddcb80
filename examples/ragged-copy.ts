/**
 * A ragged copy: a 10 x 7 matrix is copied through a buffer of 4 x 3, tile by tile. The last tiles extend past the
 * matrix. The identity tensor, divided into the same tiles, maps each element of a tile to its coordinate in the
 * matrix, and copyIf touches only those inside. Run it: `npx tsx examples/ragged-copy.ts`.
 */
import { copyIf, fill, gmem, localTile, makeIdentityTensor, makeTensor, smem } from "stridewise";
import { elemLess } from "stridewise/tuple";

const shape = [10, 7] as const;
const tile = [4, 3] as const;

/** Returns the text of the last tile's coordinates, the buffer after it, and the copied matrix. */
export function raggedCopy(): string {
  const matrix = makeTensor(gmem(Float32Array.from({ length: 70 }, (_, i) => i)), shape);
  const result = makeTensor(gmem(new Float32Array(70)), shape);
  const buffer = makeTensor(smem(new Float32Array(12)), tile);
  const coords = makeIdentityTensor(shape);

  for (let m = 0; m < 3; m++)
    for (let n = 0; n < 3; n++) {
      const coordsHere = localTile(coords, tile, [m, n]);
      const isInside = (i: number): boolean => elemLess(coordsHere.getCoord(i), shape);
      fill(buffer, -1);
      copyIf(isInside, localTile(matrix, tile, [m, n]), buffer);
      copyIf(isInside, buffer, localTile(result, tile, [m, n]));
    }

  const last = localTile(coords, tile, [2, 2]);
  const corners = [0, 3, 8, 11].map((i) => `(${last.getCoord(i)})`).join(" ");
  return [
    `the last tile has the corners ${corners} of a ${shape.join(" x ")} matrix`,
    `the buffer after it: elements outside are still -1`,
    String(buffer),
    `the matrix, put together again from its tiles:`,
    String(result),
  ].join("\n");
}

if (process.argv[1]?.endsWith("ragged-copy.ts")) console.log(raggedCopy());
