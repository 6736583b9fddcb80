/**
 * The largest elements of windows and their places, sums of windows, and the gradients of both, against a walk over every window.
 */
import {
  avgPool1d,
  avgPool2d,
  type DType,
  grad,
  lpPool1d,
  lpPool2d,
  maxPool1d,
  maxPool2d,
  maxPool3d,
  ones,
  type Tensor,
  tensor,
} from "stridewise";
import { expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { refusals } from "../../../test/support/refusals.ts";

interface Settings {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly number[];
}

const product = (sizes: readonly number[]): number => sizes.reduce((all, size) => all * size, 1);

function coordsOf(sizes: readonly number[]): number[][] {
  return Array.from({ length: product(sizes) }, (_, i) =>
    sizes.map((size, axis) => Math.floor(i / product(sizes.slice(axis + 1))) % size),
  );
}

/** The indices of the largest elements of one plane: the first of several, or the last NaN. */
function indicesOf(
  plane: readonly number[],
  sizes: readonly number[],
  counts: readonly number[],
  by: Settings,
): number[] {
  return coordsOf(counts).map((position) => {
    let [best, argmax] = [Number.NEGATIVE_INFINITY, -1];
    for (const tap of coordsOf(by.kernel)) {
      const at = tap.map((k, d) => position[d]! * by.stride[d]! + k * by.dilation[d]! - by.padding[d]!);
      if (at.some((p, d) => p < 0 || p >= sizes[d]!)) continue;
      const index = at.reduce((sum, p, d) => sum * sizes[d]! + p, 0);
      const value = plane[index]!;
      if (argmax < 0 || value > best || Number.isNaN(value)) [best, argmax] = [value, index];
    }
    return argmax;
  });
}

const pools = [maxPool1d, maxPool2d, maxPool3d] as readonly (typeof maxPool2d)[];

/** Values with many ties; with infinities and NaN if the dtype has them. */
const valueFor = (roll: (low: number, high: number) => number, dtype: DType): number => {
  const value = roll(-3, 3);
  if (!dtype.startsWith("float")) return Math.abs(value);
  const rare = roll(0, 11);
  return rare === 0 ? NaN : rare < 4 ? Number.NEGATIVE_INFINITY : value;
};

test.for([1, 2, 3])("%i axes: values, places and gradients for any windows", (axes) => {
  const roll = dice(7 * axes);
  for (let round = 0; round < 40; round++) {
    const dtype = (["float32", "float64", "float16", "int32", "uint8"] as const)[roll(0, 4)]!;
    const kernel = Array.from({ length: axes }, () => roll(1, round < 2 ? 5 : 3));
    const each = (low: number, high: number): number[] => kernel.map(() => roll(low, high));
    const isPlain = roll(0, 1) === 1;
    const by: Settings = {
      kernel,
      stride: isPlain ? kernel.map((size) => size + (round % 3 === 0 ? roll(0, 1) : 0)) : each(1, 3),
      dilation: isPlain ? kernel.map(() => 1) : each(1, 2),
      padding: isPlain ? kernel.map(() => 0) : kernel.map((size) => roll(0, Math.floor(size / 2))),
    };
    const sizes = kernel.map((size, d) => (size - 1) * by.dilation[d]! + 1 + roll(0, axes === 3 ? 4 : 12));
    const shape = [roll(1, 2), roll(1, 3), ...sizes];
    const data = Array.from({ length: product(shape) }, () => valueFor(roll, dtype));
    const plain = tensor(data, { dtype }).reshape(shape) as Tensor;
    // A different order in memory, the same elements.
    const x = (roll(0, 1) ? plain : plain.transpose(1, -1).contiguous().transpose(1, -1)) as Tensor;
    const options = { stride: by.stride, dilation: by.dilation, padding: by.padding };
    const pool = pools[axes - 1]!;
    const { values, indices } = pool(x, kernel, { ...options, returnIndices: true });
    const counts = values.shape.slice(2) as number[];
    const area = product(sizes);
    const planes = Array.from({ length: shape[0]! * shape[1]! }, (_, p) => data.slice(p * area, (p + 1) * area));
    const expectedIndices = planes.map((plane) => indicesOf(plane, sizes, counts, by));
    expect(indices.reshape([indices.size]).toArray()).toEqual(expectedIndices.flat());
    const largest = expectedIndices.flatMap((of, p) => of.map((index) => planes[p]![index]!));
    expect(values.reshape([values.size]).toArray()).toEqual(largest);
    if (!dtype.startsWith("float")) continue;
    const leaf = x.detach().requiresGrad_();
    const weights = tensor(
      largest.map(() => roll(1, 9)),
      { dtype },
    );
    const y = pool(leaf, kernel, options);
    const g = grad(y, leaf, { gradOutputs: weights.reshape([...y.shape]) as never }) as unknown as Tensor;
    const expected = new Array<number>(data.length).fill(0);
    const weightValues = weights.toArray() as number[];
    expectedIndices.forEach((of, p) => {
      of.forEach((index, k) => {
        expected[p * area + index] = expected[p * area + index]! + weightValues[p * of.length + k]!;
      });
    });
    expect(g.reshape([g.size]).toArray()).toEqual(expected);
  }
});

test("windows longer than one kernel takes", () => {
  const data = Array.from({ length: 60 }, (_, i) => (i * 37) % 61);
  const x = tensor(data).reshape([1, 1, 60]) as Tensor;
  const expected = [0, 20, 40].map((from) => Math.max(...data.slice(from, from + 20)));
  expect(maxPool1d(x, 20).toArray()).toEqual([[expected]]);
});

test("gradients of gradients go to the chosen elements", () => {
  const x = tensor([[[1, 3, 2, 2]]], { dtype: "float64", requiresGrad: true });
  const first = grad(maxPool1d(x, 2).pow(3).sum(), x, { createGraph: true }) as unknown as Tensor;
  expect(first.detach().toArray()).toEqual([[[0, 27, 12, 0]]]);
  const second = grad(first.sum() as never, x) as unknown as Tensor;
  expect(second.toArray()).toEqual([[[0, 18, 12, 0]]]);
});

test.for([
  [
    [2, 2],
    [2, 2],
    [8, 6],
  ],
  [
    [2, 2],
    [3, 2],
    [9, 7],
  ],
  [
    [3, 3],
    [1, 2],
    [7, 9],
  ],
  [
    [3, 2],
    [3, 2],
    [30, 40],
  ],
] as const)("means over %j by %j, and their gradients", ([kernel, stride, sizes]) => {
  const roll = dice(sizes[0] * sizes[1]);
  const area = product(sizes);
  const data = Array.from({ length: 6 * area }, () => roll(-9, 9));
  const x = tensor(data, { dtype: "float64", requiresGrad: true });
  const y = avgPool2d(x.reshape([2, 3, ...sizes]) as Tensor, [...kernel], { stride: [...stride], divisorOverride: 1 });
  const counts = kernel.map((size, d) => Math.floor((sizes[d]! - size) / stride[d]!) + 1);
  const sums: number[] = [];
  const back = data.map(() => 0);
  for (let plane = 0; plane < 6; plane++)
    for (const position of coordsOf(counts)) {
      let sum = 0;
      for (const tap of coordsOf(kernel)) {
        const [i, j] = tap.map((k, d) => position[d]! * stride[d]! + k) as [number, number];
        const at = plane * area + i * sizes[1] + j;
        sum += data[at]!;
        back[at] = back[at]! + 1;
      }
      sums.push(sum);
    }
  expect(y.detach().reshape([y.size]).toArray()).toEqual(sums);
  y.sum().backward();
  expect(x.grad?.toArray()).toEqual(back);
});

test("a mean of negative zeros is zero", () => {
  const y = avgPool2d(
    tensor([
      [
        [-0, -0],
        [-0, -0],
      ],
    ]) as unknown as Tensor,
    2,
  );
  expect(Object.is(Number(y.item()), 0)).toBe(true);
});

test("norms of windows that reach over the end count as if these were full, as in PyTorch", () => {
  const x = tensor([[3, 4, 6]]) as Tensor;
  expect(lpPool1d(x, 2, 2, { ceilMode: true }).toArray()).toEqual([[5, Math.fround(Math.sqrt(72))]]);
  expect(lpPool1d(x, 2, 2).toArray()).toEqual([[5]]);
  const plane = lpPool2d(tensor([[[3, 4, 6]]]) as Tensor, 1, [1, 2], { ceilMode: true });
  expect(plane.toArray()).toEqual([[[7, 12]]]);
});

test("windows without a place are refused, whichever way their number is rounded", () => {
  const apart = { stride: 2, dilation: 2 };
  const up = { ceilMode: true };
  expect(
    refusals([
      () => maxPool1d(ones([1, 3]), 3, apart),
      () => maxPool1d(ones([1, 3]), 3, { ...apart, ...up }),
      () => maxPool2d(ones([1, 5, 3], { device: "meta" }), 3, { ...apart, ...up }),
      () => maxPool3d(ones([1, 3, 5, 5]), 3, { ...apart, ...up, returnIndices: true }),
      () => avgPool1d(ones([1, 3]), 5, { stride: 1, ...up }),
      () => avgPool2d(ones([1, 3, 3]), 5, { stride: 2, ...up }),
      () => lpPool1d(ones([1, 3]), 2, 5, { stride: 2, ...up }),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: maxPool1d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: maxPool1d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: maxPool2d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: maxPool3d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: avgPool1d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: avgPool2d: the dilated kernel (5) must not be larger than the padded input (3)
    ShapeError: lpPool1d: the dilated kernel (5) must not be larger than the padded input (3)"
  `);
  // A window that lacks less than a step has a place.
  expect(maxPool1d(tensor([[1, 2, 3, 4]]) as Tensor, 3, { ...apart, ...up }).toArray()).toEqual([[3]]);
  expect(avgPool1d(tensor([[1, 2, 3]]) as Tensor, 5, up).toArray()).toEqual([[2]]);
});
