/**
 * Convolutions of many small images. Copies and products of rows of a few elements are slow, so elements are copied with the images as
 * the innermost axis, which makes rows long, and outputs are copied back.
 */
import { product } from "../../base/ints.ts";
import { lowerCopy } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { insideOf, type Windows, windowView } from "./windows.ts";

/** Bytes of columns that are copied at once. */
const pieceBytes = 2 ** 19;
/** The smallest and largest number of images at once. */
const [minImages, maxImages] = [16, 128];
/** Rows of at least this length are long enough by themselves. */
const longRow = 16;

/** True if and only if a batch with these numbers of windows is computed this way. */
export const isBatchLast = (batch: number, counts: readonly number[]): boolean =>
  batch >= minImages && (counts.at(-1) as number) < longRow;

/** The number of images at once, if the columns of one row of an image have this number of elements. */
const imagesAtOnce = (elements: number, t: Tensor): number =>
  Math.min(
    t.s0,
    maxImages,
    Math.max(minImages, Math.floor(pieceBytes / Math.max(1, elements * dtypes[t.dtype].itemsize))),
  );

/** The number of rows at once. */
const rowsAtOnce = (elements: number, t: Tensor, height: number): number =>
  Math.max(1, Math.min(height, Math.floor(pieceBytes / Math.max(1, elements * dtypes[t.dtype].itemsize))));

/** Returns a tensor of this shape in the workspace, with its first axis innermost. */
export function scratchLast(builder: ProgramBuilder, dtype: DType, [batch, ...others]: readonly number[]): Tensor {
  const whole = scratchTensor(builder, dtype, [...others, batch]);
  const strides = flatStrides(whole);
  return asStrided(whole, [batch, ...others], [1, ...strides.slice(0, -1)], 0);
}

/** Copies a tensor to the workspace with its first axis innermost, and zeros around its last axes. */
export function lowerLast(
  builder: ProgramBuilder,
  t: Tensor,
  before: readonly number[],
  after: readonly number[],
): Tensor {
  const sizes = sizesOf(t);
  const grown = sizes.map((size, axis) => size + (before[axis - 2] ?? 0) + (after[axis - 2] ?? 0));
  const result = scratchLast(builder, t.dtype, grown);
  if (product(grown) !== t.size) lowerFillAll(builder, result, 0, "conv");
  lowerCopyAll(builder, t, insideOf(result, before, sizes), "conv");
  return result;
}

/** Adds such a convolution; the weight is contiguous. */
export function lowerBatchLast(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  windows: Windows,
  groups: number,
): void {
  const [batch, channels, ...counts] = sizesOf(out) as [number, number, ...number[]];
  const [height, ...others] = counts as [number, ...number[]];
  const perInput = sizesOf(weight)[1];
  const inner = perInput * product(windows.kernel);
  const perGroup = channels / groups;
  const rest = product(others);
  const max = imagesAtOnce(inner * rest, out);
  const axes = counts.length;
  const lowerImages = (n: number): void => {
    const images = Math.min(max, batch - n);
    const area = lowerLast(builder, narrow(x, 0, n, images), windows.before, windows.after);
    const source = operandOf(windowView(area, windows, counts), "conv");
    const [, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
    const outputs = scratchLast(builder, out.dtype, [images, channels, ...counts]);
    const result = operandOf(outputs, "conv");
    const line = rest * images;
    const rows = rowsAtOnce(inner * line, out, height);
    const columns = operandOf(scratchTensor(builder, x.dtype, [inner * rows * line]), "conv");
    for (let group = 0; group < groups; group++)
      for (let row = 0; row < height; row += rows) {
        const count = Math.min(rows, height - row);
        const width = count * line;
        const from: Operand = {
          ...source,
          offset: source.offset + group * perInput * stepChannel + row * steps[0],
          shape: [perInput, ...windows.kernel, count, ...others, images],
          stride: [stepChannel, ...steps.slice(axes), ...steps.slice(0, axes), 1],
        };
        lowerCopy(builder, from, { ...columns, shape: from.shape, stride: rowMajorStrides(from.shape) });
        lowerMatmul(
          builder,
          {
            ...result,
            offset: group * perGroup * height * line + row * line,
            shape: [perGroup, width],
            stride: [height * line, 1],
          },
          {
            ...operandOf(weight, "conv"),
            offset: weight.start + group * perGroup * inner,
            shape: [perGroup, inner],
            stride: [inner, 1],
          },
          { ...columns, shape: [inner, width], stride: [width, 1] },
        );
      }
    const piece = narrow(out, 0, n, images);
    lowerCopyAll(builder, outputs, piece, "conv");
    builder.finished(operandOf(piece, "conv"));
  };
  for (let n = 0; n < batch; n += max) builder.workspace(0, () => lowerImages(n));
}

/** Adds the weight gradient of such a convolution from an input and an output. */
export function lowerBatchLastWeight(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  y: Tensor,
  windows: Windows,
  groups: number,
): void {
  const [batch, outputs, ...counts] = sizesOf(y) as [number, number, ...number[]];
  const [height, ...others] = counts as [number, ...number[]];
  const channels = groups * sizesOf(out)[1];
  const inner = sizesOf(out)[1] * product(windows.kernel);
  const perGroup = outputs / groups;
  const rest = product(others);
  const max = imagesAtOnce(groups * inner * rest, y);
  const axes = counts.length;
  const none = counts.map(() => 0);
  const lowerImages = (n: number): void => {
    const images = Math.min(max, batch - n);
    const area = lowerLast(builder, narrow(x, 0, n, images), windows.before, windows.after);
    const source = operandOf(windowView(area, windows, counts), "conv");
    const [, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
    const lines = operandOf(lowerLast(builder, narrow(y, 0, n, images), none, none), "conv");
    const line = rest * images;
    const rows = rowsAtOnce(groups * inner * line, out, height);
    const columns = operandOf(scratchTensor(builder, out.dtype, [groups * inner * rows * line]), "conv");
    for (let row = 0; row < height; row += rows) {
      const count = Math.min(rows, height - row);
      const width = count * line;
      const shape = [channels, ...windows.kernel, count, ...others, images];
      lowerCopy(
        builder,
        {
          ...source,
          offset: source.offset + row * steps[0],
          shape,
          stride: [stepChannel, ...steps.slice(axes), ...steps.slice(0, axes), 1],
        },
        { ...columns, shape, stride: rowMajorStrides(shape) },
      );
      lowerMatmul(
        builder,
        { ...operandOf(out, "conv"), shape: [groups, perGroup, inner], stride: [perGroup * inner, inner, 1] },
        {
          ...lines,
          offset: lines.offset + row * line,
          shape: [groups, perGroup, width],
          stride: [perGroup * height * line, height * line, 1],
        },
        { ...columns, shape: [groups, width, inner], stride: [inner * width, 1, width] },
        n > 0 || row > 0,
      );
    }
  };
  for (let n = 0; n < batch; n += max) builder.workspace(0, () => lowerImages(n));
}
