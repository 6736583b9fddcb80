/**
 * The forward pass of a convolution: products of the weights with the windows of the input, which are copied into columns a piece at a
 * time, so that they stay in the cache. There are fast paths for 3 x 3 kernels (`winograd.ts`), channels that do not mix, single
 * elements, and many small images (`convolution-batch.ts`).
 */

import { product } from "../../base/ints.ts";
import { isDepthwise, lowerDepthwise } from "../../kernel/contract/depthwise.ts";
import { lowerCopy } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { lowerContiguous, lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { isBatchLast, lowerBatchLast } from "./convolution-batch.ts";
import { insideOf, lowerPadded, type Windows, windowView } from "./windows.ts";
import { isWinograd, lowerIfEven, lowerWinograd } from "./winograd.ts";

/** Bytes of channels that are padded at once by a convolution whose channels do not mix. */
const depthwisePieceBytes = 2 ** 19;

/** Bytes of columns that are copied at once. */
export const pieceBytes = 2 ** 20;

/** Adds a convolution of a batch; the weight is contiguous. With an int32 output, x and the weight may each be int8, uint8 or int16. */
export function lowerConvolution(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  windows: Windows,
  groups: number,
): void {
  if (out.size === 0) return;
  if (isWinograd(out, sizesOf(weight)[1], windows, groups))
    lowerIfEven(
      builder,
      [x, weight],
      () => lowerWinograd(builder, out, x, weight, windows),
      () => lowerProducts(builder, out, x, weight, windows, groups),
    );
  else if (x.dtype !== out.dtype || sizesOf(weight)[1] !== 1 || !lowerChannels(builder, out, x, weight, windows))
    lowerProducts(builder, out, x, weight, windows, groups);
}

/** Adds a convolution as products of matrices. */
function lowerProducts(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  windows: Windows,
  groups: number,
): void {
  const [batch, channels, ...counts] = sizesOf(out) as [number, number, ...number[]];
  if (isPointwise(windows)) {
    lowerPointwise(builder, out, lowerContiguous(builder, x, "conv"), weight, groups);
    return;
  }
  if (isBatchLast(batch, counts)) {
    lowerBatchLast(builder, out, x, weight, windows, groups);
    return;
  }
  const area = lowerPadded(builder, x, windows.before, windows.after, 0);
  const source = operandOf(windowView(area, windows, counts), "conv");
  const [perInput, perGroup] = [sizesOf(weight)[1], channels / groups];
  const inner = perInput * product(windows.kernel);
  const [height, ...others] = counts as [number, ...number[]];
  const rest = product(others);
  // As many rows of windows of all groups as fit into a piece, or as many images; single groups if a row of all is too large.
  const rowBytes = inner * rest * dtypes[x.dtype].itemsize;
  const groupsAtOnce = Math.max(1, Math.min(groups, Math.floor(pieceBytes / rowBytes)));
  const max = Math.max(1, Math.floor(pieceBytes / (groupsAtOnce * rowBytes)));
  const rowsAtOnce = Math.min(height, max);
  const imagesAtOnce = groupsAtOnce < groups ? 1 : Math.min(batch, Math.max(1, Math.floor(max / height)));
  const whole = scratchTensor(builder, x.dtype, [imagesAtOnce * groupsAtOnce * inner * rowsAtOnce * rest]);
  const [columns, filters, result] = [whole, weight, out].map((t) => operandOf(t, "conv")) as [
    Operand,
    Operand,
    Operand,
  ];
  const axes = counts.length;
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  const [toBatch, toChannel, toRow] = result.stride as [number, number, number];
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let group = 0; group < groups; group += groupsAtOnce)
      for (let row = 0; row < height; row += rowsAtOnce) {
        const [images, some] = [Math.min(imagesAtOnce, batch - n), Math.min(groupsAtOnce, groups - group)];
        const rows = Math.min(rowsAtOnce, height - row);
        const width = rows * rest;
        const shape = [images, some * perInput, ...windows.kernel, rows, ...others];
        lowerCopy(
          builder,
          {
            ...source,
            offset: source.offset + n * stepBatch + group * perInput * stepChannel + row * steps[0],
            shape,
            stride: [stepBatch, stepChannel, ...steps.slice(axes), ...steps.slice(0, axes)],
          },
          { ...columns, shape, stride: rowMajorStrides(shape) },
        );
        const piece: Operand = {
          ...result,
          offset: result.offset + n * toBatch + group * perGroup * toChannel + row * toRow,
          shape: [images, some, perGroup, width],
          stride: [toBatch, perGroup * toChannel, toChannel, 1],
        };
        lowerMatmul(
          builder,
          piece,
          {
            ...filters,
            offset: filters.offset + group * perGroup * inner,
            shape: [images, some, perGroup, inner],
            stride: [0, perGroup * inner, inner, 1],
          },
          {
            ...columns,
            shape: [images, some, inner, width],
            stride: [some * inner * width, inner * width, width, 1],
          },
        );
        builder.finished(piece);
      }
}

/** True if windows are single elements at every index: then the input is the columns. */
export const isPointwise = ({ kernel, stride, before, after }: Windows): boolean =>
  [...kernel, ...stride].every((size) => size === 1) && [...before, ...after].every((size) => size === 0);

/** Adds a pointwise convolution of a contiguous input as one product for all images. */
function lowerPointwise(builder: ProgramBuilder, out: Tensor, x: Tensor, weight: Tensor, groups: number): void {
  const [batch, outputs] = [out.s0, out.s1];
  const [perGroup, inner] = [outputs / groups, sizesOf(weight)[1]];
  const area = out.size / (batch * outputs);
  const result: Operand = {
    ...operandOf(out, "conv"),
    shape: [batch, groups, perGroup, area],
    stride: [outputs * area, perGroup * area, area, 1],
  };
  lowerMatmul(
    builder,
    result,
    {
      ...operandOf(weight, "conv"),
      shape: [batch, groups, perGroup, inner],
      stride: [0, perGroup * inner, inner, 1],
    },
    {
      ...operandOf(x, "conv"),
      shape: [batch, groups, inner, area],
      stride: [groups * inner * area, inner * area, area, 1],
    },
  );
  builder.finished(result);
}

/**
 * Adds a convolution whose channels do not mix: each output is a sum over the windows of one channel. Padded images or channels are copied
 * a few at a time, so that copies stay in the cache. Returns false, and adds nothing, if the kernel cannot compute it.
 */
function lowerChannels(builder: ProgramBuilder, out: Tensor, x: Tensor, weight: Tensor, windows: Windows): boolean {
  const [batch, outputs, ...counts] = sizesOf(out) as [number, number, ...number[]];
  const [, channels, ...sizes] = sizesOf(x) as [number, number, ...number[]];
  const { before, after } = windows;
  const isPadded = [...before, ...after].some((count) => count > 0);
  const [result, input, filters] = [out, x, weight].map((t) => operandOf(t, "conv")) as [Operand, Operand, Operand];
  const others = isPadded ? [filters.storage] : [input.storage, filters.storage];
  if (!isDepthwise(builder, result, others, product(windows.kernel))) return false;
  const multiplier = outputs / channels;
  const lower = (...tensors: readonly [out: Tensor, area: Tensor, filters: Tensor]): void => {
    const [to, area, by] = tensors;
    const [a, b, c] = [to, windowView(area, windows, counts), by].map((t) => operandOf(t, "conv"));
    lowerDepthwise(builder, a as Operand, b as Operand, c as Operand, multiplier);
    builder.finished(a as Operand);
  };
  if (!isPadded) {
    lower(out, x, weight);
    return true;
  }
  const grown = sizes.map((size, axis) => size + before[axis] + after[axis]);
  const bytes = product(grown) * dtypes[x.dtype].itemsize;
  const max = Math.max(1, Math.min(channels, Math.floor(depthwisePieceBytes / bytes)));
  const maxImages = Math.max(1, Math.min(batch, Math.floor(depthwisePieceBytes / (bytes * max))));
  const whole = scratchTensor(builder, x.dtype, [maxImages, max, ...grown]);
  lowerFillAll(builder, whole, 0, "conv");
  const inside = insideOf(whole, before, [maxImages, max, ...sizes]);
  for (let n = 0; n < batch; n += maxImages)
    for (let from = 0; from < channels; from += max) {
      const [images, count] = [Math.min(maxImages, batch - n), Math.min(max, channels - from)];
      const part = (t: Tensor, each = 1): Tensor => narrow(narrow(t, 0, n, images), 1, from * each, count * each);
      const here = (t: Tensor): Tensor => narrow(narrow(t, 0, 0, images), 1, 0, count);
      lowerCopyAll(builder, part(x), here(inside), "conv");
      lower(part(out, multiplier), here(whole), narrow(weight, 0, from * multiplier, count * multiplier));
    }
  return true;
}
