/**
 * Transposed convolutions. With a stride of 1, these are convolutions with flipped kernels; otherwise products of weights and inputs,
 * whose columns are added to the windows of the result, some images or some rows of one at a time.
 */
import { product } from "../../base/ints.ts";
import { lowerCopy } from "../../kernel/copy.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { rowMajorStrides } from "../../tensor/contiguity.ts";
import { flatStrides, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { add } from "../elementwise/arithmetic.ts";
import { lowerOp } from "../op.ts";
import { lowerConvolution, pieceBytes } from "./convolution-forward.ts";
import { insideOf, type Windows } from "./windows.ts";
import { isWinograd } from "./winograd.ts";

/** Adds a transposed convolution of a contiguous input and weight. */
export function lowerTransposed(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  windows: Windows,
  groups: number,
  more: readonly number[],
): void {
  if (out.size === 0) return;
  if (x.size === 0) {
    lowerFillAll(builder, out, 0, "conv");
    return;
  }
  const { kernel, stride, dilation } = windows;
  const reach = kernel.map((size, axis) => dilation[axis] * (size - 1));
  const before = reach.map((size, axis) => size - windows.before[axis]);
  const after = reach.map((size, axis) => size - windows.after[axis] + more[axis]);
  const isDense = stride.every((step) => step === 1);
  // A convolution whose channels do not mix is fast even with zeros between the elements.
  const isSingle = sizesOf(weight)[1] === 1 && sizesOf(weight)[0] === groups;
  const isInside = [...before, ...after].every((size) => size >= 0);
  const around = { kernel, stride: stride.map(() => 1), dilation, before, after };
  if (isInside && (isSingle || (isDense && isCheaper(out, x, weight, around, groups))))
    lowerConvolution(
      builder,
      out,
      isDense ? x : lowerZeroInsertion(builder, x, stride),
      lowerFlipped(builder, weight, groups),
      around,
      groups,
    );
  else lowerByColumns(builder, out, x, weight, windows, groups);
}

/** True if a convolution copies less than the columns have elements, or has a fast path. */
function isCheaper(out: Tensor, x: Tensor, weight: Tensor, around: Windows, groups: number): boolean {
  const inputs = sizesOf(weight)[0] / groups;
  return isWinograd(out, inputs, around, groups) || x.s1 * areaOf(out) <= 2 * out.s1 * areaOf(x);
}

const areaOf = (t: Tensor): number => product(sizesOf(t).slice(2));

/** Flips the kernels and swaps their input and output channels. */
function lowerFlipped(builder: ProgramBuilder, weight: Tensor, groups: number): Tensor {
  const [rows, columns, ...kernel] = sizesOf(weight) as [number, number, ...number[]];
  const taps = product(kernel);
  const perGroup = rows / groups;
  const result = scratchTensor(builder, weight.dtype, [columns * groups, perGroup, ...kernel]);
  const from = operandOf(weight, "conv");
  const shape = [groups, columns, perGroup, taps];
  lowerCopy(
    builder,
    {
      ...from,
      offset: from.offset + taps - 1,
      shape,
      stride: [perGroup * columns * taps, taps, columns * taps, -1],
    },
    { ...operandOf(result, "conv"), shape, stride: rowMajorStrides(shape) },
  );
  return result;
}

/** Inserts zeros between the elements of a tensor, so that they are `stride` apart. */
function lowerZeroInsertion(builder: ProgramBuilder, x: Tensor, stride: readonly number[]): Tensor {
  const [batch, channels, ...counts] = sizesOf(x) as [number, number, ...number[]];
  const sizes = counts.map((count, axis) => (count - 1) * stride[axis] + 1);
  const whole = scratchTensor(builder, x.dtype, [batch, channels, ...sizes]);
  lowerFillAll(builder, whole, 0, "conv");
  const steps = flatStrides(whole).map((step, axis) => step * (stride[axis - 2] ?? 1));
  lowerCopyAll(builder, x, asStrided(whole, sizesOf(x), steps, whole.start), "conv");
  return whole;
}

function lowerByColumns(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  { kernel, stride, dilation, before, after }: Windows,
  groups: number,
): void {
  const [batch, channels, ...counts] = sizesOf(x) as [number, number, ...number[]];
  const [perInput, perGroup] = [channels / groups, sizesOf(weight)[1]];
  const outputs = perGroup * groups;
  const sizes = sizesOf(out).slice(2);
  const isWhole = [...before, ...after].every((size) => size === 0);
  // The result with its borders, which are cropped when an image is complete.
  const grown = sizes.map((size, axis) => size + before[axis] + after[axis]);
  const whole = isWhole ? out : scratchTensor(builder, out.dtype, [batch, outputs, ...grown]);
  lowerFillAll(builder, whole, 0, "conv");
  const taps = product(kernel);
  const [height, ...others] = counts as [number, ...number[]];
  const rest = product(others);
  const max = Math.max(1, Math.floor((4 * pieceBytes) / (outputs * taps * rest * dtypes[out.dtype].itemsize)));
  const rowsAtOnce = Math.min(height, max);
  const imagesAtOnce = Math.min(batch, Math.max(1, Math.floor(max / height)));
  const columns = scratchTensor(builder, out.dtype, [imagesAtOnce * outputs * taps * rowsAtOnce * rest]);
  const [inputs, filters, products] = [operandOf(x, "conv"), operandOf(weight, "conv"), operandOf(columns, "conv")];
  const steps = flatStrides(whole) as [number, number, ...number[]];
  const strides = counts.map((_, axis) => steps[axis + 2] * stride[axis]);
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < height; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, height - row)];
      const width = rows * rest;
      lowerMatmul(
        builder,
        {
          ...products,
          shape: [images, groups, perGroup * taps, width],
          stride: [outputs * taps * width, perGroup * taps * width, width, 1],
        },
        {
          ...filters,
          shape: [images, groups, perGroup * taps, perInput],
          stride: [0, perInput * perGroup * taps, 1, perGroup * taps],
        },
        {
          ...inputs,
          offset: inputs.offset + n * channels * height * rest + row * rest,
          shape: [images, groups, perInput, width],
          stride: [channels * height * rest, perInput * height * rest, height * rest, 1],
        },
      );
      const shape = [images, outputs, rows, ...others];
      const own = rowMajorStrides([rows, ...others]);
      for (let tap = 0; tap < taps; tap++) {
        let at = whole.start + n * steps[0] + row * strides[0];
        for (let axis = kernel.length - 1, left = tap; axis >= 0; axis--) {
          at += (left % kernel[axis]) * dilation[axis] * steps[axis + 2];
          left = Math.floor(left / kernel[axis]);
        }
        const target = asStrided(whole, shape, [steps[0], steps[1], ...strides], at);
        const from = [outputs * taps * width, taps * width, ...own];
        lowerOp(builder, add, target, asStrided(columns, shape, from, tap * width), { out: target });
      }
      if (row + rows < height) continue;
      const [from, to] = [insideOf(whole, before, sizesOf(out)), out].map((t) => narrow(t, 0, n, images)) as [
        Tensor,
        Tensor,
      ];
      if (!isWhole) lowerCopyAll(builder, from, to, "conv");
      builder.finished(operandOf(to, "conv"));
    }
}
