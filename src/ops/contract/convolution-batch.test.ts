/**
 * Batches of small images, whose elements are gone over image by image innermost, against the same convolutions of one image at a time.
 */
import { abs, cat, sub, type Tensor, tensor } from "stridewise";
import { expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { convolution, convolutionTransposed, convolutionWeight } from "./convolution.ts";
import { isBatchLast } from "./convolution-batch.ts";
import { isWinograd } from "./winograd.ts";

const integers = (
  roll: (low: number, high: number) => number,
  shape: readonly number[],
  dtype: "float32" | "float64",
) => {
  const count = shape.reduce((product, size) => product * size, 1);
  return tensor(Array.from({ length: count }, () => roll(-4, 4)))
    .to(dtype)
    .reshape([...shape]) as Tensor;
};

const apart = (a: Tensor, b: Tensor): number => {
  expect(a.shape).toEqual(b.shape);
  return Number(
    abs(sub(a, b as never) as Tensor)
      .max()
      .item(),
  );
};

interface Case {
  readonly name: string;
  readonly batch: number;
  readonly channels: number;
  readonly outputs: number;
  readonly sizes: readonly number[];
  readonly kernel: readonly number[];
  readonly stride?: number;
  readonly dilation?: number;
  readonly padding?: readonly [before: number, after: number];
  readonly groups?: number;
  readonly isWinograd?: boolean;
}

const cases: readonly Case[] = [
  { name: "an image of one row", batch: 16, channels: 2, outputs: 3, sizes: [1, 5], kernel: [1, 2] },
  { name: "one axis", batch: 20, channels: 3, outputs: 4, sizes: [9], kernel: [4], stride: 2, padding: [1, 2] },
  { name: "steps and groups", batch: 17, channels: 6, outputs: 4, sizes: [7, 6], kernel: [3, 2], stride: 2, groups: 2 },
  { name: "dilation", batch: 16, channels: 2, outputs: 2, sizes: [7, 8], kernel: [3, 3], dilation: 2, padding: [2, 1] },
  { name: "three axes", batch: 18, channels: 2, outputs: 3, sizes: [4, 3, 5], kernel: [2, 3, 2], padding: [1, 1] },
  { name: "several pieces", batch: 150, channels: 12, outputs: 5, sizes: [9, 13], kernel: [5, 5], padding: [2, 2] },
  { name: "single elements", batch: 16, channels: 6, outputs: 8, sizes: [3, 5], kernel: [1, 1], groups: 2 },
  {
    name: "one channel, many images",
    batch: 300,
    channels: 1,
    outputs: 4,
    sizes: [8, 8],
    kernel: [3, 3],
    padding: [1, 1],
  },
  {
    name: "tiles",
    batch: 40,
    channels: 32,
    outputs: 32,
    sizes: [6, 8],
    kernel: [3, 3],
    padding: [1, 1],
    isWinograd: true,
  },
  {
    name: "odd tiles",
    batch: 33,
    channels: 32,
    outputs: 48,
    sizes: [5, 7],
    kernel: [3, 3],
    padding: [1, 1],
    isWinograd: true,
  },
  {
    name: "pieces of tiles",
    batch: 21,
    channels: 130,
    outputs: 140,
    sizes: [13, 9],
    kernel: [3, 3],
    padding: [0, 2],
    isWinograd: true,
  },
];

test.for(cases)("$name: outputs and both gradients", (each) => {
  const { batch, channels, outputs, sizes, kernel, stride = 1, dilation = 1, padding = [0, 0], groups = 1 } = each;
  const roll = dice(batch + channels);
  const all = (value: number): number[] => kernel.map(() => value);
  const windows = {
    kernel,
    stride: all(stride),
    dilation: all(dilation),
    before: all(padding[0]),
    after: all(padding[1]),
  };
  const x = integers(roll, [channels, batch, ...sizes], "float64").transpose(0, 1) as Tensor;
  const weight = integers(roll, [outputs, channels / groups, ...kernel], "float64");
  const y = convolution(x, weight, windows, groups);
  expect(isBatchLast(batch, y.shape.slice(2) as number[])).toBe(true);
  if (each.isWinograd) expect(isWinograd(y, channels, windows, groups)).toBe(true);
  const images = Array.from({ length: batch }, (_, n) => n);
  const one = (t: Tensor, n: number): Tensor => t.narrow(0, n, 1) as Tensor;
  const alone = images.map((n) => convolution(one(x, n), weight, windows, groups));
  expect(apart(y, cat(alone, 0) as Tensor)).toBe(0);

  const g = integers(roll, y.shape as number[], "float64");
  const span = (axis: number): number => sizes[axis]! + padding[0] + padding[1] - dilation * (kernel[axis]! - 1) - 1;
  const more = kernel.map((_, axis) => span(axis) % stride);
  const back = convolutionTransposed(g, weight, windows, groups, more);
  const backs = images.map((n) => convolutionTransposed(one(g, n), weight, windows, groups, more));
  expect(apart(back, cat(backs, 0) as Tensor)).toBe(0);

  const filters = convolutionWeight(x, g, windows, groups);
  const parts = images.map((n) => convolutionWeight(one(x, n), one(g, n), windows, groups));
  const sum = parts.reduce((total, part) => total.add(part) as Tensor);
  expect(apart(filters, sum)).toBe(0);
});

test("numbers of 32 bits come out as close as those of the definition", () => {
  const roll = dice(5);
  const [x, weight] = [integers(roll, [64, 16, 4, 4], "float32"), integers(roll, [32, 16, 3, 3], "float32")];
  const windows = { kernel: [3, 3], stride: [1, 1], dilation: [1, 1], before: [1, 1], after: [1, 1] };
  const [a, b] = [x.mul(0.37) as Tensor, weight.mul(0.11) as Tensor];
  const images = Array.from({ length: 64 }, (_, n) => a.narrow(0, n, 1).to("float64") as Tensor);
  const exact = cat(
    images.map((image) => convolution(image, b.to("float64") as Tensor, windows, 1)),
    0,
  ) as Tensor;
  expect(apart(convolution(a, b, windows, 1).to("float64") as Tensor, exact)).toBeLessThan(2e-5);
});
