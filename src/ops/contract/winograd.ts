/**
 * Convolutions with 3 x 3 kernels by Winograd's minimal filtering F(2 x 2, 3 x 3): tiles of 4 x 4 inputs become, by additions alone,
 * 16 numbers each, which are multiplied by 16 of the kernel; sums of the products make 2 x 2 outputs. That takes 4 multiplications for
 * an output where the definition takes 9. Lavin and Gray, Fast Algorithms for Convolutional Neural Networks.
 *
 * The products over all channels are 16 products of matrices. Errors are a few units in the last place of the largest term, as those
 * of the definition are.
 */
import { runMatmul } from "../../kernel/launch/run-contract.ts";
import { dtypes } from "../../storage/dtype.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { sizesOf, stridesOf } from "../../tensor/geometry.ts";
import { operandOf } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { asStrided } from "../../tensor/views/views-shape.ts";
import { parseFormula } from "../formula/parse.ts";
import { FormulaKernels } from "../formula-kernels.ts";
import { fresh } from "../op.ts";
import { padded, type Windows } from "./windows.ts";

/** Bytes of transformed tiles, inputs and products, that are made at once. */
export const pieceBytes = 2 ** 21;

/** Fewer channels than this, or multiplications than that, do not pay for the transforms. */
const fewestChannels = 16;
const fewestProducts = 2 ** 20;

/** A matrix by which 3 or 4 numbers are multiplied, one row for each result. */
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

/** The formulas of rows * x * transposed rows, for the elements x_ij: one for each row of results, y_0, y_1, ... */
export function sandwich(rows: Rows): readonly FormulaKernels[] {
  const line = (factors: readonly number[], name: (k: number) => string): string =>
    factors
      .flatMap((factor, k) => (factor === 0 ? [] : [`${factor} * ${name(k)}`]))
      .join(" + ")
      .replaceAll("+ -", "- ")
      .replaceAll(/(?<![.\d])1 \* /g, "");
  return rows.map((factors) => {
    const sums = (rows[0] as readonly number[]).map((_, j) => `let t_${j} = ${line(factors, (k) => `x_${k}${j}`)}`);
    const results = rows.map((each, j) => `y_${j} = ${line(each, (k) => `t_${k}`)}`);
    return new FormulaKernels(parseFormula([...sums, ...results].join("; "), "conv2d"));
  });
}

interface Transforms {
  readonly input: readonly FormulaKernels[];
  readonly kernel: readonly FormulaKernels[];
  readonly output: readonly FormulaKernels[];
}
let transforms: Transforms | null = null;

/** Computes the elements y_ij, in rows, from the elements x_ij. */
export function transform(
  formulas: readonly FormulaKernels[],
  inputs: readonly Tensor[],
  outputs: readonly Tensor[],
): void {
  const [side, width] = [Math.sqrt(inputs.length), formulas.length];
  formulas.forEach((each, row) => {
    each.run(
      each.formula.operands.map((name) => inputs[Number(name[2]) * side + Number(name[3])] as Tensor),
      outputs.slice(row * width, (row + 1) * width),
    );
  });
}

export const sixteen = Array.from({ length: 16 }, (_, k) => k);

/** True if and only if this way is taken to outputs from so many channels. */
export function isWinograd(
  out: Tensor,
  channels: number,
  { kernel, stride, dilation }: Windows,
  groups: number,
): boolean {
  const [, outputs, rows, columns] = sizesOf(out) as [number, number, number, number];
  return (
    groups === 1 &&
    dtypes[out.dtype].category === "float" &&
    kernel.length === 2 &&
    kernel.every((size) => size === 3) &&
    [...stride, ...dilation].every((step) => step === 1) &&
    outputs >= fewestChannels &&
    channels >= fewestChannels &&
    outputs * channels * rows * columns >= fewestProducts
  );
}

/** Fills the outputs of such a convolution. */
export function fillWinograd(out: Tensor, x: Tensor, weight: Tensor, { before, after }: Windows): void {
  transforms ??= { input: sandwich(inputRows), kernel: sandwich(kernelRows), output: sandwich(outputRows) };
  const [batch, outputs, height, width] = sizesOf(out) as [number, number, number, number];
  const channels = sizesOf(weight)[1] as number;
  const [tileRows, tileColumns] = [Math.ceil(height / 2), Math.ceil(width / 2)];
  const odd = [2 * tileRows - height, 2 * tileColumns - width];
  const area = padded(
    x,
    before,
    after.map((size, axis) => size + (odd[axis] as number)),
    0,
  );
  const factors = fresh(out.dtype, [16, outputs, channels]);
  const [so, sc, sr, sk] = stridesOf(weight, "conv2d") as [number, number, number, number];
  transform(
    transforms.kernel,
    Array.from({ length: 9 }, (_, k) =>
      asStrided(weight, [outputs, channels], [so, sc], weight.start + Math.floor(k / 3) * sr + (k % 3) * sk),
    ),
    sixteen.map((k) => asStrided(factors, [outputs, channels], [channels, 1], k * outputs * channels)),
  );
  const { itemsize } = dtypes[out.dtype];
  const most = Math.floor(pieceBytes / (16 * (channels + outputs) * itemsize * tileColumns));
  const rowsAtOnce = Math.max(1, Math.min(tileRows, most));
  const tiles = fresh(out.dtype, [16, channels, rowsAtOnce * tileColumns]);
  const products = fresh(out.dtype, [16, outputs, rowsAtOnce * tileColumns]);
  // Outputs of odd size are made in a tensor that has all of the last tiles, and copied.
  const isEven = odd[0] === 0 && odd[1] === 0;
  const whole = isEven ? out : fresh(out.dtype, [1, outputs, 2 * rowsAtOnce, 2 * tileColumns]);
  const [wn, wo, wr, wc] = stridesOf(whole, "conv2d") as [number, number, number, number];
  const [an, ac, ar, ak] = stridesOf(area, "conv2d") as [number, number, number, number];
  for (let n = 0; n < batch; n++)
    for (let row = 0; row < tileRows; row += rowsAtOnce) {
      const count = Math.min(rowsAtOnce, tileRows - row);
      const places = count * tileColumns;
      const planes = (t: Tensor, lines: number): Tensor[] =>
        sixteen.map((k) => asStrided(t, [lines, count, tileColumns], [places, tileColumns, 1], k * lines * places));
      transform(
        transforms.input,
        sixteen.map((k) =>
          asStrided(
            area,
            [channels, count, tileColumns],
            [ac, 2 * ar, 2 * ak],
            area.start + n * an + (2 * row + (k >> 2)) * ar + (k & 3) * ak,
          ),
        ),
        planes(tiles, channels),
      );
      const plane = (t: Tensor, lines: number, columns: number) => ({
        ...operandOf(t, "conv2d"),
        shape: [16, lines, columns],
        stride: [lines * columns, columns, 1],
      });
      runMatmul(plane(products, outputs, places), plane(factors, outputs, channels), plane(tiles, channels, places));
      const first = isEven ? whole.start + n * wn + 2 * row * wr : whole.start;
      transform(
        transforms.output,
        planes(products, outputs),
        [0, 1, 2, 3].map((k) =>
          asStrided(whole, [outputs, count, tileColumns], [wo, 2 * wr, 2 * wc], first + (k >> 1) * wr + (k & 1) * wc),
        ),
      );
      if (!isEven) crop(out, whole, n, 2 * row, Math.min(2 * count, height - 2 * row));
    }
}

/** Copies rows of outputs, without what is past the last column. */
function crop(out: Tensor, whole: Tensor, n: number, row: number, rows: number): void {
  const [, outputs, , width] = sizesOf(out) as [number, number, number, number];
  const [on, oo, or, oc] = stridesOf(out, "conv2d") as [number, number, number, number];
  const [, wo, wr, wc] = stridesOf(whole, "conv2d") as [number, number, number, number];
  const shape = [outputs, rows, width];
  copyAll(
    asStrided(whole, shape, [wo, wr, wc], whole.start),
    asStrided(out, shape, [oo, or, oc], out.start + n * on + row * or),
    "conv2d",
  );
}
