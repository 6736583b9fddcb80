/** Convolutions by Winograd's algorithm, compared with the sum over the taps of the kernel. */
import { expect, test } from "vitest";
import { abs, add, conv2d, einsum, full, ones, pad, randn, sub, zeros } from "../../src/index.ts";
import { isWinograd } from "../../src/ops/contract/winograd.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";

function byTaps(x: Tensor, weight: Tensor, padding: number): Tensor {
  const area = pad(x, [padding, padding, padding, padding]) as Tensor;
  const [batch, , height, width] = area.shape as [number, number, number, number];
  let sum: Tensor = zeros([batch, weight.shape[0] as number, height - 2, width - 2], { dtype: x.dtype });
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) {
      const part = area.narrow(2, i, height - 2).narrow(3, j, width - 2);
      sum = add(sum, einsum("oc,nchw->nohw", weight.select(3, j).select(2, i), part) as never) as Tensor;
    }
  return sum;
}

const windows = { kernel: [3, 3], stride: [1, 1], dilation: [1, 1], before: [1, 1], after: [1, 1] };

test.each([
  ["even sizes", [1, 16, 64, 64], [16, 16, 3, 3], 1],
  ["odd sizes", [1, 32, 37, 35], [32, 32, 3, 3], 1],
  ["a batch, no padding", [3, 17, 40, 51], [65, 17, 3, 3], 0],
  ["several pieces", [1, 64, 60, 33], [64, 64, 3, 3], 1],
  ["a wide padding", [2, 24, 30, 30], [40, 24, 3, 3], 4],
] as const)("%s agree with the definition", (_name, shape, filters, padding) => {
  const x = randn(shape as readonly number[], { dtype: "float64" });
  const weight = randn(filters as readonly number[], { dtype: "float64" });
  const result = conv2d(x, weight, null, { padding });
  expect(isWinograd(result, weight.shape[1] as number, windows, 1)).toBe(true);
  const expected = byTaps(x, weight, padding);
  expect(result.shape).toEqual(expected.shape);
  expect(
    Number(
      abs(sub(result, expected as never) as Tensor)
        .max()
        .item(),
    ),
  ).toBeLessThan(1e-11);
  const short = conv2d(x.to("float32"), weight.to("float32"), null, { padding });
  expect(
    Number(
      abs(sub(short.to("float64"), expected as never) as Tensor)
        .max()
        .item(),
    ),
  ).toBeLessThan(1e-3);
});

test("views of any strides are accepted", () => {
  const x = randn([1, 50, 40, 20], { dtype: "float64" }).permute(0, 3, 1, 2);
  const weight = randn([3, 3, 40, 20], { dtype: "float64" }).permute(2, 3, 0, 1);
  const result = conv2d(x, weight, null, { padding: 1 });
  expect(isWinograd(result, weight.shape[1] as number, windows, 1)).toBe(true);
  expect(
    Number(
      abs(sub(result, byTaps(x, weight, 1) as never) as Tensor)
        .max()
        .item(),
    ),
  ).toBeLessThan(1e-11);
});

test("one large element does not affect the others, and an infinite one reaches only its windows", () => {
  const x = ones([1, 16, 64, 64]);
  const same = zeros([16, 16, 3, 3]);
  for (let i = 0; i < 16; i++) same.set(i, i, 1, 1, 1);
  for (const large of [1e8, Number.POSITIVE_INFINITY, -3e38]) {
    x.set(0, 0, 20, 20, large);
    const weight = large === 1e8 ? same : full([16, 16, 3, 3], 0.25);
    const result = conv2d(x, weight, null, { padding: 1 }).narrow(2, 10, 20).narrow(3, 10, 20);
    const expected = byTaps(x, weight, 1).narrow(2, 10, 20).narrow(3, 10, 20);
    expect(result.toArray()).toEqual(expected.toArray());
  }
  const z = randn([1, 16, 64, 64]);
  const one = randn([16, 16, 3, 3]);
  one.set(3, 3, 0, 0, 1e9);
  const [small, exact] = [conv2d(z, one, null, { padding: 1 }), byTaps(z.to("float64"), one.to("float64"), 1)];
  expect(
    Number(
      abs(sub(small.select(1, 2).to("float64"), exact.select(1, 2) as never) as Tensor)
        .max()
        .item(),
    ),
  ).toBeLessThan(1e-3);
});

test("integers, strides, groups and small sizes use the usual algorithm", () => {
  const out = zeros([1, 64, 56, 56]);
  expect(isWinograd(out, 64, windows, 1)).toBe(true);
  expect(isWinograd(out, 64, windows, 2)).toBe(false);
  expect(isWinograd(out, 64, { ...windows, stride: [2, 1] }, 1)).toBe(false);
  expect(isWinograd(out, 64, { ...windows, dilation: [1, 2] }, 1)).toBe(false);
  expect(isWinograd(out, 64, { ...windows, kernel: [3, 5] }, 1)).toBe(false);
  expect(isWinograd(zeros([1, 64, 56, 56], { dtype: "int32" }), 64, windows, 1)).toBe(false);
  expect(isWinograd(zeros([1, 64, 8, 8]), 64, windows, 1)).toBe(false);
});
