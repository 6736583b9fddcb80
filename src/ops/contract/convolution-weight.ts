/**
 * The gradient of a convolution's weight: outputs by windows of the input, summed over all positions of all images. Windows are copied
 * into columns, some images or some rows of one at a time, and their products added up; kernels of 3 x 3 go Winograd's way.
 */
import { product } from "../../base/ints.ts";
import { copyElements } from "../../kernel/copy.ts";
import { runMatmul } from "../../kernel/program/lower-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { contiguous } from "../../tensor/clone.ts";
import { nestedBit, sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { transpose } from "../../tensor/views/views-axes.ts";
import { fresh } from "../op.ts";
import { fillBatchLastWeight, isBatchLast } from "./convolution-batch.ts";
import { isPointwise, pieceBytes, rowMajor } from "./convolution-fill.ts";
import { isEven } from "./evenness.ts";
import { padded, type Windows, windowView } from "./windows.ts";
import { isWinograd } from "./winograd.ts";
import { fillWinogradWeight } from "./winograd-weight.ts";

/** Fills a weight from an input and an output. */
export function fillWeight(out: Tensor, input: Tensor, output: Tensor, windows: Windows, groups: number): void {
  if (input.size === 0 || output.size === 0) {
    fillUnchecked(out, 0, "conv");
    return;
  }
  const [x, y] = [input, output].map((t) => (t.bits & nestedBit ? contiguous(t) : t)) as [Tensor, Tensor];
  const [batch, outputs, ...counts] = sizesOf(y) as [number, number, ...number[]];
  const isSmall = isBatchLast(batch, counts) && !isPointwise(windows);
  // Of few channels the transforms take longer than what they save.
  const isWorth = !isSmall || outputs * (sizesOf(out)[1] as number) >= 1024;
  if (isWorth && isWinograd(y, sizesOf(out)[1] as number, windows, groups) && isEven(x) && isEven(y)) {
    fillWinogradWeight(out, x, y, windows);
    return;
  }
  if (isSmall) {
    fillBatchLastWeight(out, x, y, windows, groups);
    return;
  }
  const [height, ...others] = counts as [number, ...number[]];
  const perInput = sizesOf(out)[1] as number;
  const perGroup = outputs / groups;
  const rest = product(others);
  const taps = product(windows.kernel);
  const inner = perInput * taps;
  const source = operandOf(windowView(padded(x, windows.before, windows.after, 0), windows, counts), "conv");
  // All positions of a channel in a row.
  const lines = operandOf(contiguous(transpose(y, 0, 1)), "conv");
  const length = batch * height * rest;
  const most = Math.max(1, Math.floor((2 * pieceBytes) / (groups * inner * rest * dtypes[out.dtype].itemsize)));
  const rowsAtOnce = Math.min(height, most);
  const imagesAtOnce = Math.min(batch, Math.max(1, Math.floor(most / height)));
  const columns = operandOf(fresh(out.dtype, [groups * inner * imagesAtOnce * rowsAtOnce * rest]), "conv");
  const result = operandOf(out, "conv");
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  const axes = counts.length;
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < height; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, height - row)];
      const width = images * rows * rest;
      const shape = [groups * perInput, ...windows.kernel, images, rows, ...others];
      copyElements(
        {
          ...source,
          offset: source.offset + n * stepBatch + row * (steps[0] as number),
          shape,
          stride: [stepChannel, ...steps.slice(axes), stepBatch, ...steps.slice(0, axes)],
        },
        { ...columns, shape, stride: rowMajor(shape, width) },
      );
      runMatmul(
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
