/**
 * The gradient of a convolution's weight: products of outputs with windows of the input, summed over all windows of all images. Windows
 * are copied into columns, some images or some rows of one at a time; 3 x 3 kernels have the fast path of `winograd.ts`.
 */

import { product } from "../../base/ints.ts";
import { once } from "../../base/lazy.ts";
import { lowerCopy } from "../../kernel/copy.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { sizesOf, stridesOf } from "../../tensor/geometry.ts";
import { lowerContiguous, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { transpose } from "../../tensor/views/views-axes.ts";
import type { FormulaKernels } from "../formula-kernels.ts";
import { isBatchLast, lowerBatchLastWeight } from "./convolution-batch.ts";
import { isPointwise, pieceBytes } from "./convolution-forward.ts";
import { lowerPadded, type Windows, windowView } from "./windows.ts";
import {
  inputRows,
  isWinograd,
  kernelRows,
  lowerIfEven,
  lowerTiles,
  lowerTransform,
  outputRows,
  partsOf,
  pieceOf,
  planesOf,
  type Rows,
  sandwich,
} from "./winograd.ts";

// The transpose of every step of Winograd's convolution (`winograd.ts`). Tiles of 2 x 2 outputs and of 4 x 4 inputs are transformed to
// 16 numbers each; 16 products of matrices sum over all tiles of all images, and their results are transformed to 3 x 3 kernels.

const transposed = (rows: Rows): Rows => rows[0].map((_, k) => rows.map((row) => row[k]));

const transforms = /* @__PURE__ */ once(() => [
  sandwich(inputRows),
  sandwich(transposed(outputRows)),
  sandwich(transposed(kernelRows)),
]);

/** Adds the gradient of a 3 x 3 weight from an input and an output. */
function lowerWinogradWeight(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  y: Tensor,
  { before, after }: Windows,
): void {
  const [ofInput, ofOutput, ofKernel] = transforms() as [FormulaKernels[], FormulaKernels[], FormulaKernels[]];
  const [batch, outputs, height, width] = sizesOf(y) as [number, number, number, number];
  const channels = sizesOf(out)[1];
  const [tileRows, tileColumns] = [Math.ceil(height / 2), Math.ceil(width / 2)];
  const odd = [2 * tileRows - height, 2 * tileColumns - width];
  const isLast = isBatchLast(batch, [width]);
  const grown = after.map((size, axis) => size + odd[axis]);
  const inputTiles = lowerTiles(builder, x, 4, before, grown, isLast);
  const outputTiles = lowerTiles(builder, y, 2, [0, 0], odd, isLast);
  const [imagesAtOnce, rowsAtOnce] = pieceOf(y, channels, tileRows, tileColumns, isLast ? 16 : 1);
  const all = imagesAtOnce * rowsAtOnce * tileColumns;
  const [tiles, parts, sums] = [
    scratchTensor(builder, out.dtype, [16, channels, all]),
    scratchTensor(builder, out.dtype, [16, outputs, all]),
    scratchTensor(builder, out.dtype, [16, outputs, channels]),
  ];
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < tileRows; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, tileRows - row)];
      const count = images * rows * tileColumns;
      const shape = (lines: number): number[] => [lines, images, rows, tileColumns];
      lowerTransform(builder, ofInput, shape(channels), inputTiles(n, row), planesOf(tiles, shape(channels), isLast));
      lowerTransform(builder, ofOutput, shape(outputs), outputTiles(n, row), planesOf(parts, shape(outputs), isLast));
      lowerMatmul(
        builder,
        { ...operandOf(sums, "conv2d"), shape: [16, outputs, channels], stride: [outputs * channels, channels, 1] },
        { ...operandOf(parts, "conv2d"), shape: [16, outputs, count], stride: [outputs * count, count, 1] },
        { ...operandOf(tiles, "conv2d"), shape: [16, count, channels], stride: [channels * count, 1, count] },
        n > 0 || row > 0,
      );
    }
  const [so, sc, sr, sk] = stridesOf(out, "conv2d") as [number, number, number, number];
  lowerTransform(
    builder,
    ofKernel,
    [outputs, channels],
    partsOf(sums, [16, 16], 0, 0, outputs * channels, [channels, 1]),
    partsOf(out, [9, 3], out.start, sr, sk, [so, sc]),
  );
}

/** Adds the gradient of a weight from an input and an output. */
export function lowerWeight(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  y: Tensor,
  windows: Windows,
  groups: number,
): void {
  if (x.size === 0 || y.size === 0) {
    lowerFillAll(builder, out, 0, "conv");
    return;
  }
  const [batch, outputs, ...counts] = sizesOf(y) as [number, number, ...number[]];
  const isSmall = isBatchLast(batch, counts) && !isPointwise(windows);
  // With few channels, the transforms take longer than they save.
  const isWorth = !isSmall || outputs * sizesOf(out)[1] >= 1024;
  const lowerUsual = (): void =>
    isSmall
      ? lowerBatchLastWeight(builder, out, x, y, windows, groups)
      : lowerByColumns(builder, out, x, y, windows, groups);
  if (isWorth && isWinograd(y, sizesOf(out)[1], windows, groups))
    lowerIfEven(builder, [x, y], () => lowerWinogradWeight(builder, out, x, y, windows), lowerUsual);
  else lowerUsual();
}

function lowerByColumns(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  y: Tensor,
  windows: Windows,
  groups: number,
): void {
  const [batch, outputs, ...counts] = sizesOf(y) as [number, number, ...number[]];
  const [height, ...others] = counts as [number, ...number[]];
  const perInput = sizesOf(out)[1];
  const perGroup = outputs / groups;
  const rest = product(others);
  const taps = product(windows.kernel);
  const inner = perInput * taps;
  const source = operandOf(
    windowView(lowerPadded(builder, x, windows.before, windows.after, 0), windows, counts),
    "conv",
  );
  // All windows of a channel in one row.
  const lines = operandOf(lowerContiguous(builder, transpose(y, 0, 1), "conv"), "conv");
  const length = batch * height * rest;
  const max = Math.max(1, Math.floor((2 * pieceBytes) / (groups * inner * rest * dtypes[out.dtype].itemsize)));
  const rowsAtOnce = Math.min(height, max);
  const imagesAtOnce = Math.min(batch, Math.max(1, Math.floor(max / height)));
  const columns = operandOf(
    scratchTensor(builder, out.dtype, [groups * inner * imagesAtOnce * rowsAtOnce * rest]),
    "conv",
  );
  const result = operandOf(out, "conv");
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  const axes = counts.length;
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < height; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, height - row)];
      const width = images * rows * rest;
      const shape = [groups * perInput, ...windows.kernel, images, rows, ...others];
      lowerCopy(
        builder,
        {
          ...source,
          offset: source.offset + n * stepBatch + row * steps[0],
          shape,
          stride: [stepChannel, ...steps.slice(axes), stepBatch, ...steps.slice(0, axes)],
        },
        { ...columns, shape, stride: rowMajorStrides(shape) },
      );
      lowerMatmul(
        builder,
        { ...result, shape: [groups, perGroup, inner], stride: [perGroup * inner, inner, 1] },
        {
          ...lines,
          offset: lines.offset + n * height * rest + row * rest,
          shape: [groups, perGroup, width],
          stride: [perGroup * length, length, 1],
        },
        { ...columns, shape: [groups, width, inner], stride: [inner * width, 1, width] },
        n > 0 || row > 0,
      );
    }
}
