/**
 * Convolutions with 3 x 3 kernels by Winograd's minimal filtering F(2 x 2, 3 x 3): tiles of 4 x 4 inputs are transformed by additions to
 * 16 numbers each, which are multiplied by 16 numbers of the kernel; sums of the products are 2 x 2 outputs. That takes 4 multiplications
 * per output instead of 9. Lavin and Gray, Fast Algorithms for Convolutional Neural Networks.
 *
 * The products over all channels are 16 products of matrices. Errors are a few units in the last place of the largest element of a tile,
 * even in outputs that do not depend on it: so elements must be of similar size (`lowerIfEven`), and float16 and bfloat16 are excluded.
 */

import { getOrCompute, once } from "../../base/lazy.ts";
import { listOf } from "../../base/list-of.ts";
import { call, cast } from "../../kernel/ir/scalar.ts";
import { shortName } from "../../kernel/map/short-name.ts";
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { lowerMatmul } from "../../kernel/program/lower-contract.ts";
import { lowerReduce } from "../../kernel/program/lower-reduce.ts";
import { ReduceKernel } from "../../kernel/reduce/spec.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { sizesOf, stridesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll, lowerFillAll, scratchTensor } from "../../tensor/lowering.ts";
import { operandOf } from "../../tensor/operand.ts";
import { storageOf, type Tensor } from "../../tensor/tensor.ts";
import { select } from "../../tensor/views/views-parts.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import { isBatchLast, lowerLast, scratchLast } from "./convolution-batch.ts";
import { lowerFormulaParts, type Part } from "./formula-parts.ts";
import type { Windows } from "./windows.ts";

/** Bytes of transformed tiles, of inputs and products, at once. */
const pieceBytes = 2 ** 21;

/** The fewest channels, and the fewest multiplications, for which the transforms pay off. */
const minChannels = 16;
const minProducts = 2 ** 20;

/** A matrix that transforms 2, 3 or 4 numbers, one row for each result. */
export type Rows = readonly (readonly number[])[];

export const inputRows: Rows = [
  [1, 0, -1, 0],
  [0, 1, 1, 0],
  [0, -1, 1, 0],
  [0, 1, 0, -1],
];
export const kernelRows: Rows = [
  [1, 0, 0],
  [0.5, 0.5, 0.5],
  [0.5, -0.5, 0.5],
  [0, 0, 1],
];
export const outputRows: Rows = [
  [1, 1, 1, 0],
  [0, 1, -1, -1],
];

/** The formulas of rows * x * transpose(rows) for the elements x_ij: one for each row of results, y_0, y_1, ... */
export function sandwich(rows: Rows): readonly FormulaKernels[] {
  const line = (factors: readonly number[], name: (k: number) => string): string =>
    factors
      .flatMap((factor, k) => (factor === 0 ? [] : [`${factor} * ${name(k)}`]))
      .join(" + ")
      .replaceAll("+ -", "- ")
      .replaceAll(/(?<![.\d])1 \* /g, "");
  return rows.map((factors) => {
    const sums = rows[0].map((_, j) => `let t_${j} = ${line(factors, (k) => `x_${k}${j}`)}`);
    const results = rows.map((each, j) => `y_${j} = ${line(each, (k) => `t_${k}`)}`);
    return new FormulaKernels(parseFormula([...sums, ...results].join("; "), "conv2d"));
  });
}

interface Transforms {
  readonly input: readonly FormulaKernels[];
  readonly kernel: readonly FormulaKernels[];
  readonly output: readonly FormulaKernels[];
}
const transforms = /* @__PURE__ */ once(
  (): Transforms => ({ input: sandwich(inputRows), kernel: sandwich(kernelRows), output: sandwich(outputRows) }),
);

/** Adds the steps that compute the elements y_ij from the elements x_ij, both in row-major order; each is a part of a tensor, of one shape. */
export function lowerTransform(
  builder: ProgramBuilder,
  formulas: readonly FormulaKernels[],
  shape: readonly number[],
  inputs: readonly Part[],
  outputs: readonly Part[],
): void {
  const [side, width] = [Math.sqrt(inputs.length), formulas.length];
  formulas.forEach((each, row) => {
    lowerFormulaParts(
      builder,
      each,
      shape,
      outputs.slice(row * width, (row + 1) * width),
      each.formula.operands.map((name) => inputs[Number(name[2]) * side + Number(name[3])]),
    );
  });
}

/** `count` parts of a tensor in rows of `width`, whose offsets differ by `row` and `column`. */
export const partsOf = (
  tensor: Tensor,
  [count, width]: readonly [number, number],
  offset: number,
  row: number,
  column: number,
  stride: readonly number[],
): Part[] =>
  listOf(count, (k) => ({
    of: tensor,
    offset: offset + Math.floor(k / width) * row + (k % width) * column,
    stride,
  }));

/** True if and only if outputs from this number of channels are computed by Winograd's algorithm. */
export function isWinograd(
  out: Tensor,
  channels: number,
  { kernel, stride, dilation }: Windows,
  groups: number,
): boolean {
  const [batch, outputs, rows, columns] = sizesOf(out) as [number, number, number, number];
  const { category, itemsize } = dtypes[out.dtype];
  // Small images are transformed together.
  const images = isBatchLast(batch, [columns]) ? batch : 1;
  return (
    groups === 1 &&
    category === "float" &&
    itemsize >= 4 &&
    kernel.length === 2 &&
    kernel.every((size) => size === 3) &&
    [...stride, ...dilation].every((step) => step === 1) &&
    outputs >= minChannels &&
    channels >= minChannels &&
    images * outputs * channels * rows * columns >= minProducts
  );
}

/** Adds such a convolution. */
export function lowerWinograd(
  builder: ProgramBuilder,
  out: Tensor,
  x: Tensor,
  weight: Tensor,
  { before, after }: Windows,
): void {
  const [batch, outputs, height, width] = sizesOf(out) as [number, number, number, number];
  const channels = sizesOf(weight)[1];
  const [tileRows, tileColumns] = [Math.ceil(height / 2), Math.ceil(width / 2)];
  const odd = [2 * tileRows - height, 2 * tileColumns - width];
  const isLast = isBatchLast(batch, [width]);
  const grown = after.map((size, axis) => size + odd[axis]);
  const inputs = lowerTiles(builder, x, 4, before, grown, isLast);
  const factors = scratchTensor(builder, out.dtype, [16, outputs, channels]);
  const [so, sc, sr, sk] = stridesOf(weight, "conv2d") as [number, number, number, number];
  const size = outputs * channels;
  lowerTransform(
    builder,
    transforms().kernel,
    [outputs, channels],
    partsOf(weight, [9, 3], weight.start, sr, sk, [so, sc]),
    partsOf(factors, [16, 16], 0, 0, size, [channels, 1]),
  );
  const [imagesAtOnce, rowsAtOnce] = pieceOf(out, channels, tileRows, tileColumns, isLast ? 16 : 1);
  const all = imagesAtOnce * rowsAtOnce * tileColumns;
  const tiles = scratchTensor(builder, out.dtype, [16, channels, all]);
  const products = scratchTensor(builder, out.dtype, [16, outputs, all]);
  // Outputs of odd size, and those of small images, are computed as whole tiles in a scratch tensor and copied.
  const isHere = odd[0] === 0 && odd[1] === 0 && !isLast;
  const some = [imagesAtOnce, outputs, 2 * rowsAtOnce, 2 * tileColumns];
  const whole = isHere ? out : isLast ? scratchLast(builder, out.dtype, some) : scratchTensor(builder, out.dtype, some);
  const [wn, wo, wr, wc] = stridesOf(whole, "conv2d") as [number, number, number, number];
  for (let n = 0; n < batch; n += imagesAtOnce)
    for (let row = 0; row < tileRows; row += rowsAtOnce) {
      const [images, rows] = [Math.min(imagesAtOnce, batch - n), Math.min(rowsAtOnce, tileRows - row)];
      const count = images * rows * tileColumns;
      const shape = (lines: number): number[] => [lines, images, rows, tileColumns];
      lowerTransform(
        builder,
        transforms().input,
        shape(channels),
        inputs(n, row),
        planesOf(tiles, shape(channels), isLast),
      );
      const plane = (t: Tensor, lines: number, columns: number) => ({
        ...operandOf(t, "conv2d"),
        shape: [16, lines, columns],
        stride: [lines * columns, columns, 1],
      });
      lowerMatmul(
        builder,
        plane(products, outputs, count),
        plane(factors, outputs, channels),
        plane(tiles, channels, count),
      );
      const first = isHere ? whole.start + n * wn + 2 * row * wr : whole.start;
      lowerTransform(
        builder,
        transforms().output,
        shape(outputs),
        planesOf(products, shape(outputs), isLast),
        partsOf(whole, [4, 2], first, wr, wc, [wo, wn, 2 * wr, 2 * wc]),
      );
      const piece = rowsOf(out, n, images, 2 * row, Math.min(2 * rows, height - 2 * row));
      // The elements after the last column are left.
      if (!isHere) lowerCopyAll(builder, firstOf(whole, piece), piece, "conv2d");
      builder.finished(operandOf(piece, "conv2d"));
    }
}

/**
 * Adds a copy of images with zeros around them, and returns the elements of their tiles: those of images from n and rows of tiles from `row`, as
 * side x side parts. Tiles start at every second row and column. The elements of a part are adjacent in memory: even and odd columns are
 * stored apart, or images are innermost (`isLast`).
 */
export function lowerTiles(
  builder: ProgramBuilder,
  x: Tensor,
  side: number,
  before: readonly number[],
  after: readonly number[],
  isLast: boolean,
): (n: number, row: number) => Part[] {
  if (isLast) {
    const area = lowerLast(builder, x, before, after);
    const [an, ac, ar, ak] = stridesOf(area, "conv2d") as [number, number, number, number];
    return (n, row) =>
      partsOf(area, [side * side, side], area.start + n * an + 2 * row * ar, ar, ak, [ac, an, 2 * ar, 2 * ak]);
  }
  const [batch, channels, height, width] = sizesOf(x) as [number, number, number, number];
  const [xn, xc, xr, xk] = stridesOf(x, "conv2d") as [number, number, number, number];
  const half = (width + before[1] + after[1]) / 2;
  const sizes = [batch, channels, height + before[0] + after[0], 2, half];
  const area = scratchTensor(builder, x.dtype, sizes);
  const [an, ac, ar] = stridesOf(area, "conv2d") as [number, number, number];
  if (area.size !== x.size) lowerFillAll(builder, area, 0, "conv2d");
  for (const parity of [0, 1]) {
    const first = (parity + before[1]) % 2;
    const shape = [batch, channels, height, Math.ceil((width - first) / 2)];
    const column = (first + before[1] - parity) / 2;
    lowerCopyAll(
      builder,
      asStrided(x, shape, [xn, xc, xr, 2 * xk], x.start + first * xk),
      asStrided(area, shape, [an, ac, ar, 1], before[0] * ar + parity * half + column),
      "conv2d",
    );
  }
  return (n, row) =>
    listOf(side * side, (k) => {
      const [r, c] = [Math.floor(k / side), k % side];
      return {
        of: area,
        offset: n * an + (2 * row + r) * ar + (c % 2) * half + Math.floor(c / 2),
        stride: [ac, an, 2 * ar, 1],
      };
    });
}

/** The number of images, and of rows of tiles, that are transformed at once: at least `fewest` images, if there are enough. */
export function pieceOf(
  out: Tensor,
  channels: number,
  tileRows: number,
  tileColumns: number,
  min: number,
): [images: number, rows: number] {
  const perRow = 16 * (channels + out.s1) * dtypes[out.dtype].itemsize * tileColumns;
  const max = Math.floor(pieceBytes / perRow);
  const images = Math.min(out.s0, Math.max(min, Math.floor(max / tileRows)));
  return [images, Math.max(1, Math.min(tileRows, Math.floor(max / images)))];
}

/** The 16 parts of transformed tiles: lines, images, rows and columns of tiles, with the images innermost if `isLast`. */
export function planesOf(t: Tensor, shape: readonly number[], isLast: boolean): Part[] {
  const [lines, images, rows, columns] = shape as [number, number, number, number];
  const count = images * rows * columns;
  const strides = isLast ? [count, 1, columns * images, images] : [count, rows * columns, columns, 1];
  return partsOf(t, [16, 16], 0, 0, lines * count, strides);
}

/** Rows of some images. */
function rowsOf(out: Tensor, n: number, images: number, row: number, rows: number): Tensor {
  const [, outputs, , width] = sizesOf(out) as [number, number, number, number];
  const [on, oo, or, oc] = stridesOf(out, "conv2d") as [number, number, number, number];
  return asStrided(out, [images, outputs, rows, width], [on, oo, or, oc], out.start + n * on + row * or);
}

/** The first elements of a tensor, as many as a piece has along each axis. */
const firstOf = (whole: Tensor, piece: Tensor): Tensor =>
  asStrided(whole, sizesOf(piece), stridesOf(whole, "conv2d"), whole.start);

/** Bounds of the largest absolute value: this multiple of the mean, and this number. */
const maxTimes = 512;
const max = 2 ** 60;

const sizesKernels = /* @__PURE__ */ new Map<DType, ReduceKernel>();

/** The largest absolute value and the sum of all absolute values. */
const sizesKernel = (dtype: DType): ReduceKernel =>
  new ReduceKernel({
    name: `${shortName(dtype)}_sizes`,
    outputs: ["float64", "float64"],
    inputs: [dtype],
    scalars: [],
    accumulators: [
      { fn: "max", total: dtype },
      { fn: "add", total: "float64" },
    ],
    terms: ([x]) => {
      const size = call("abs", x);
      return [size, size];
    },
    finish: ([largest, sum]) => [cast("float64", largest), sum],
  });

/**
 * Adds the steps of `then`, which run if in each of two float tensors no element is much larger than the mean, infinite or NaN; otherwise those
 * of `otherwise` run. Subtracting a large element again would leave errors in other outputs, and an infinite one NaN.
 */
export function lowerIfEven(
  builder: ProgramBuilder,
  tensors: readonly Tensor[],
  then: () => void,
  otherwise: () => void,
): void {
  const sizes = scratchTensor(builder, "float64", [tensors.length, 2]);
  tensors.forEach((t, k) => {
    const results = [0, 1].map((which) => operandOf(select(select(sizes, 0, k), 0, which), "conv"));
    lowerReduce(builder, getOrCompute(sizesKernels, t.dtype, sizesKernel), results, [operandOf(t, "conv")]);
  });
  const counts = tensors.map(({ size }) => size);
  const storage = storageOf(sizes, "conv");
  const slot = builder.slotOf(storage);
  const shift = builder.shiftOf({ storage, start: 0, itemsize: 8 });
  builder.choose(
    "elements are of similar size",
    ({ memories, addresses }) => {
      const values = memories[slot].array("f64");
      const at = (addresses[slot] + shift) / 8;
      return counts.every((count, k) => {
        const [largest, sum] = [values[at + 2 * k], values[at + 2 * k + 1]];
        return largest * count <= maxTimes * sum && largest < max;
      });
    },
    then,
    otherwise,
    { slot, shift, counts, times: maxTimes, max },
  );
}
