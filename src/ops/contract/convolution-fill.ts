/**
 * The forward pass of a convolution: products of the weights with the windows of the input, which are copied into columns a piece at a
 * time, so that they stay in the cache. There are fast paths for 3 x 3 kernels (`winograd.ts`), channels that do not mix, single
 * elements, and many small images (`convolution-batch.ts`).
 */

import { product } from "../../base/ints.ts";
import { lowerDepthwise } from "../../kernel/contract/depthwise.ts";
import { copyElements } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import { runMatmul } from "../../kernel/program/lower-contract.ts";
import { execute } from "../../kernel/program/run-program.ts";
import { dtypes } from "../../storage/dtype.ts";
import { contiguous, withFlatModes } from "../../tensor/clone.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { copy_, fillUnchecked } from "../../tensor/in-place.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { fresh } from "../op.ts";
import { fillBatchLast, isBatchLast } from "./convolution-batch.ts";
import { padded, type Windows, windowView } from "./windows.ts";
import { fillWinograd, isEven, isWinograd } from "./winograd.ts";

/** Bytes of channels that are padded at once by a convolution whose channels do not mix. */
const depthwisePieceBytes = 2 ** 19;

/** Bytes of columns that are copied at once. */
export const pieceBytes = 2 ** 20;

/** Computes a convolution of a batch; the weight is contiguous. */
export function fillConvolution(out: Tensor, input: Tensor, weight: Tensor, windows: Windows, groups: number): void {
  const [batch, channels, ...counts] = sizesOf(out) as [number, number, ...number[]];
  if (out.size === 0) return;
  const x = withFlatModes(input);
  if (sizesOf(weight)[1] === 1 && fillDepthwise(out, x, weight, windows)) return;
  if (isWinograd(out, sizesOf(weight)[1], windows, groups) && isEven(x) && isEven(weight)) {
    fillWinograd(out, x, weight, windows);
    return;
  }
  if (isPointwise(windows)) {
    fillPointwise(out, contiguous(x), weight, groups);
    return;
  }
  if (isBatchLast(batch, counts)) {
    fillBatchLast(out, x, weight, windows, groups);
    return;
  }
  const area = padded(x, windows.before, windows.after, 0);
  const view = windowView(area, windows, counts);
  const inner = sizesOf(weight)[1] * product(windows.kernel);
  const perGroup = channels / groups;
  const rest = product(counts.slice(1));
  const { itemsize } = dtypes[out.dtype];
  // As many whole rows of windows as fit into a piece.
  const rows = Math.max(1, Math.min(counts[0], Math.floor(pieceBytes / Math.max(1, inner * rest * itemsize))));
  const columns = operandOf(fresh(out.dtype, [inner, rows * rest]), "conv");
  const filters = operandOf(weight, "conv");
  const result = operandOf(out, "conv");
  const source = operandOf(view, "conv");
  const axes = counts.length;
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  for (let n = 0; n < batch; n++)
    for (let group = 0; group < groups; group++)
      for (let row = 0; row < counts[0]; row += rows) {
        const count = Math.min(rows, counts[0] - row);
        const from: Operand = {
          ...source,
          offset: source.offset + n * stepBatch + group * sizesOf(weight)[1] * stepChannel + row * steps[0],
          shape: [sizesOf(weight)[1], ...windows.kernel, count, ...counts.slice(1)],
          stride: [stepChannel, ...steps.slice(axes), ...steps.slice(0, axes)],
        };
        const width = count * rest;
        copyElements(from, { ...columns, shape: from.shape, stride: rowMajorStrides(from.shape) });
        runMatmul(
          {
            ...result,
            offset: result.offset + n * result.stride[0] + group * perGroup * result.stride[1] + row * result.stride[2],
            shape: [perGroup, width],
            stride: [result.stride[1], 1],
          },
          {
            ...filters,
            offset: filters.offset + group * perGroup * inner,
            shape: [perGroup, inner],
            stride: [inner, 1],
          },
          { ...columns, shape: [inner, width], stride: [width, 1] },
        );
      }
}

/** True if windows are single elements at every index: then the input is the columns. */
export const isPointwise = ({ kernel, stride, before, after }: Windows): boolean =>
  [...kernel, ...stride].every((size) => size === 1) && [...before, ...after].every((size) => size === 0);

/** Computes a pointwise convolution of a contiguous input as one product for all images. */
function fillPointwise(out: Tensor, x: Tensor, weight: Tensor, groups: number): void {
  const [batch, outputs] = [out.s0, out.s1];
  const [perGroup, inner] = [outputs / groups, sizesOf(weight)[1]];
  const area = out.size / (batch * outputs);
  runMatmul(
    {
      ...operandOf(out, "conv"),
      shape: [batch, groups, perGroup, area],
      stride: [outputs * area, perGroup * area, area, 1],
    },
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
}

/**
 * Computes a convolution whose channels do not mix: each output is a sum over the windows of one channel. Padded images or channels are
 * copied a few at a time, so that copies stay in the cache. Returns false, with `out` unspecified, if the kernel cannot read the strides.
 */
function fillDepthwise(out: Tensor, x: Tensor, weight: Tensor, windows: Windows): boolean {
  const [batch, outputs, ...counts] = sizesOf(out) as [number, number, ...number[]];
  const [, channels, ...sizes] = sizesOf(x) as [number, number, ...number[]];
  const multiplier = outputs / channels;
  const run = (result: Tensor, area: Tensor, filters: Tensor): boolean => {
    const [to, from, by] = [result, windowView(area, windows, counts), filters].map((t) => operandOf(t, "conv")) as [
      Operand,
      Operand,
      Operand,
    ];
    let isDone = false;
    execute([to], [from, by], (builder) => {
      isDone = lowerDepthwise(builder, to, from, by, multiplier);
    });
    return isDone;
  };
  const { before, after } = windows;
  if (before.every((count) => count === 0) && after.every((count) => count === 0))
    return run(out, withFlatModes(x), weight);
  const grown = sizes.map((size, axis) => size + before[axis] + after[axis]);
  const bytes = grown.reduce((product, size) => product * size, dtypes[x.dtype].itemsize);
  const most = Math.max(1, Math.min(channels, Math.floor(depthwisePieceBytes / bytes)));
  const mostImages = Math.max(1, Math.min(batch, Math.floor(depthwisePieceBytes / (bytes * most))));
  const whole = fresh(x.dtype, [mostImages, most, ...grown]);
  fillUnchecked(whole, 0, "conv");
  const inside = sizes.reduce((t, size, axis) => narrow(t, axis + 2, before[axis], size), whole);
  for (let n = 0; n < batch; n += mostImages)
    for (let from = 0; from < channels; from += most) {
      const [images, count] = [Math.min(mostImages, batch - n), Math.min(most, channels - from)];
      const part = (t: Tensor, each = 1): Tensor => narrow(narrow(t, 0, n, images), 1, from * each, count * each);
      const here = (t: Tensor): Tensor => narrow(narrow(t, 0, 0, images), 1, 0, count);
      copy_(here(inside), part(x));
      const filters = narrow(weight, 0, from * multiplier, count * multiplier);
      if (!run(part(out, multiplier), here(whole), filters)) return false;
    }
  return true;
}
