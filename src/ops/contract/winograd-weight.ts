/**
 * The gradient of the weight of a convolution that goes Winograd's way (`winograd.ts`): every step of it transposed. Tiles of 2 x 2
 * outputs become 16 numbers each, tiles of 4 x 4 inputs become 16 as before; 16 products of matrices sum over all tiles of all images,
 * and their results become kernels of 3 x 3 at the end.
 */
import { runMatmul } from "../../kernel/launch/run-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { sizesOf, stridesOf } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import type { FormulaKernels } from "../formula-kernels.ts";
import { fresh } from "../op.ts";
import { padded, type Windows } from "./windows.ts";
import { inputRows, kernelRows, outputRows, pieceBytes, type Rows, sandwich, sixteen, transform } from "./winograd.ts";

const turned = (rows: Rows): Rows => (rows[0] as readonly number[]).map((_, k) => rows.map((row) => row[k] as number));

let transforms: readonly (readonly FormulaKernels[])[] | null = null;

/** Fills such a weight from an input and an output. */
export function fillWinogradWeight(out: Tensor, x: Tensor, y: Tensor, { before, after }: Windows): void {
  transforms ??= [sandwich(inputRows), sandwich(turned(outputRows)), sandwich(turned(kernelRows))];
  const [ofInput, ofOutput, ofKernel] = transforms as [FormulaKernels[], FormulaKernels[], FormulaKernels[]];
  const [batch, outputs, height, width] = sizesOf(y) as [number, number, number, number];
  const channels = sizesOf(out)[1] as number;
  const [tileRows, tileColumns] = [Math.ceil(height / 2), Math.ceil(width / 2)];
  const odd = [2 * tileRows - height, 2 * tileColumns - width];
  const area = padded(
    x,
    before,
    after.map((size, axis) => size + (odd[axis] as number)),
    0,
  );
  const given = padded(y, [0, 0], odd, 0);
  const perRow = 16 * (channels + outputs) * dtypes[out.dtype].itemsize * tileColumns;
  const most = Math.max(1, Math.floor(pieceBytes / perRow));
  const rowsAtOnce = Math.min(tileRows, most);
  const imagesAtOnce = Math.min(batch, Math.max(1, Math.floor(most / tileRows)));
  const all = imagesAtOnce * rowsAtOnce * tileColumns;
  const [tiles, parts, sums] = [
    fresh(out.dtype, [16, channels, all]),
    fresh(out.dtype, [16, outputs, all]),
    fresh(out.dtype, [16, outputs, channels]),
  ];
  const [an, ac, ar, ak] = stridesOf(area, "conv2d") as [number, number, number, number];
  const [gn, go, gr, gk] = stridesOf(given, "conv2d") as [number, number, number, number];
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < tileRows; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, tileRows - row)];
      const places = images * rows * tileColumns;
      const planes = (t: Tensor, lines: number): Tensor[] =>
        sixteen.map((k) =>
          asStrided(
            t,
            [lines, images, rows, tileColumns],
            [places, rows * tileColumns, tileColumns, 1],
            k * lines * places,
          ),
        );
      transform(
        ofInput,
        sixteen.map((k) =>
          asStrided(
            area,
            [channels, images, rows, tileColumns],
            [ac, an, 2 * ar, 2 * ak],
            area.start + n * an + (2 * row + (k >> 2)) * ar + (k & 3) * ak,
          ),
        ),
        planes(tiles, channels),
      );
      transform(
        ofOutput,
        [0, 1, 2, 3].map((k) =>
          asStrided(
            given,
            [outputs, images, rows, tileColumns],
            [go, gn, 2 * gr, 2 * gk],
            given.start + n * gn + (2 * row + (k >> 1)) * gr + (k & 1) * gk,
          ),
        ),
        planes(parts, outputs),
      );
      runMatmul(
        { ...operandOf(sums, "conv2d"), shape: [16, outputs, channels], stride: [outputs * channels, channels, 1] },
        { ...operandOf(parts, "conv2d"), shape: [16, outputs, places], stride: [outputs * places, places, 1] },
        { ...operandOf(tiles, "conv2d"), shape: [16, places, channels], stride: [channels * places, 1, places] },
        n > 0 || row > 0,
      );
    }
  const [so, sc, sr, sk] = stridesOf(out, "conv2d") as [number, number, number, number];
  transform(
    ofKernel,
    sixteen.map((k) => asStrided(sums, [outputs, channels], [channels, 1], k * outputs * channels)),
    Array.from({ length: 9 }, (_, k) =>
      asStrided(out, [outputs, channels], [so, sc], out.start + Math.floor(k / 3) * sr + (k % 3) * sk),
    ),
  );
}
