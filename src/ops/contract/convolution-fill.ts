/**
 * The elements of a convolution: the weights by the windows of the input, which are copied into columns a piece at a time, so that they
 * stay in the cache. Kernels of 3 x 3 have a way of their own (`winograd.ts`), and so have single channels (`depthwise.ts`) and many
 * small images (`convolution-batch.ts`).
 */

import { product } from "../../base/ints.ts";
import { copyElements } from "../../kernel/copy.ts";
import type { Operand } from "../../kernel/operand.ts";
import { runMatmul } from "../../kernel/program/lower-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { contiguous, withFlatModes } from "../../tensor/clone.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { fresh } from "../op.ts";
import { fillBatchLast, isBatchLast } from "./convolution-batch.ts";
import { fillDepthwise } from "./depthwise.ts";
import { isEven } from "./evenness.ts";
import { padded, type Windows, windowView } from "./windows.ts";
import { fillWinograd, isWinograd } from "./winograd.ts";

/** Bytes of columns that are made at once. */
export const pieceBytes = 2 ** 20;

/** Fills the result of a convolution of a batch; the weight is contiguous. */
export function fillConvolution(out: Tensor, given: Tensor, weight: Tensor, windows: Windows, groups: number): void {
  const [batch, channels, ...counts] = sizesOf(out) as [number, number, ...number[]];
  if (out.size === 0) return;
  const x = withFlatModes(given);
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
  // Whole rows of positions, as many as the columns have room for.
  const rows = Math.max(1, Math.min(counts[0], Math.floor(pieceBytes / Math.max(1, inner * rest * itemsize))));
  const columns = fresh(out.dtype, [inner, rows * rest]);
  const filters = operandOf(weight, "conv");
  const places = operandOf(columns, "conv");
  const result = operandOf(out, "conv");
  const source = operandOf(view, "conv");
  const axes = counts.length;
  const [stepBatch, stepChannel, ...steps] = source.stride as [number, number, ...number[]];
  for (let n = 0; n < batch; n++)
    for (let group = 0; group < groups; group++)
      for (let row = 0; row < counts[0]; row += rows) {
        const count = Math.min(rows, counts[0] - row);
        const positionsHere = [count, ...counts.slice(1)];
        const from: Operand = {
          ...source,
          offset: source.offset + n * stepBatch + group * sizesOf(weight)[1] * stepChannel + row * steps[0],
          shape: [sizesOf(weight)[1], ...windows.kernel, ...positionsHere],
          stride: [stepChannel, ...steps.slice(axes), ...steps.slice(0, axes)],
        };
        const width = count * rest;
        copyElements(from, { ...places, shape: from.shape, stride: rowMajor(from.shape, width) });
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
          { ...places, shape: [inner, width], stride: [width, 1] },
        );
      }
}

/** True if windows are single elements, and each has one: then the input is the columns. */
export const isPointwise = ({ kernel, stride, before, after }: Windows): boolean =>
  [...kernel, ...stride].every((size) => size === 1) && [...before, ...after].every((size) => size === 0);

/** The same for such windows and a contiguous input: one product for all images. */
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

/** Strides of a dense array of this shape whose last axes together have `width` elements. */
export function rowMajor(shape: readonly number[], width: number): number[] {
  const strides: number[] = new Array(shape.length);
  for (let axis = shape.length - 1, step = 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= shape[axis];
  }
  return width === 0 ? shape.map(() => 0) : strides;
}
