/** Gradients of convolutions, of the first and the second order, against differences. */
import { describe, expect, test } from "vitest";
import {
  conv1d,
  conv2d,
  conv3d,
  convTranspose1d,
  convTranspose2d,
  convTranspose3d,
  grad,
  randn,
  type Tensor,
  zeros,
} from "../../src/index.ts";
import type { ConvOptions, ConvTransposeOptions } from "../../src/ops/contract/conv.ts";
import { checkGradients, leaf, weighted } from "../support/check-gradients.ts";

describe("of convolutions", () => {
  test.each<[string, typeof conv1d, number[], number[], ConvOptions]>([
    ["one axis", conv1d, [2, 3, 7], [4, 3, 3], {}],
    ["one axis, one signal, steps that leave a rest", conv1d, [2, 8], [3, 2, 3], { stride: 2 }],
    ["same with an even kernel", conv1d, [1, 2, 6], [3, 2, 4], { padding: "same", dilation: 1 }],
    ["two axes", conv2d, [2, 2, 5, 4], [3, 2, 3, 2], { padding: [1, 0] }],
    ["two axes, steps", conv2d, [2, 2, 6, 5], [2, 2, 3, 3], { padding: 1, stride: 2 }],
    ["dilation", conv2d, [1, 2, 6, 7], [2, 2, 2, 3], { dilation: [2, 1], padding: 1, stride: [1, 2] }],
    ["groups", conv2d, [2, 4, 4, 4], [6, 2, 3, 3], { groups: 2, padding: 1 }],
    ["groups, steps", conv2d, [2, 4, 5, 5], [6, 2, 3, 3], { groups: 2, padding: 1, stride: 2 }],
    ["single channels", conv2d, [2, 3, 5, 5], [3, 1, 3, 3], { groups: 3, padding: 1 }],
    ["single channels, steps", conv2d, [2, 3, 6, 6], [3, 1, 3, 3], { groups: 3, padding: 1, stride: 2 }],
    ["single channels with several filters", conv2d, [1, 2, 4, 4], [4, 1, 2, 2], { groups: 2, stride: 2 }],
    ["padding wider than the kernel", conv2d, [1, 1, 3, 3], [2, 1, 2, 2], { padding: 3 }],
    ["kernels of one", conv2d, [2, 3, 3, 2], [2, 3, 1, 1], {}],
    ["three axes", conv3d, [1, 2, 3, 4, 3], [2, 2, 2, 2, 2], { padding: [1, 0, 0], stride: [1, 2, 1] }],
  ])("%s", (_name, conv, shape, filters, options) => {
    const [x, weight, bias] = [leaf(shape), leaf(filters), leaf([filters[0] as number])];
    checkGradients(() => conv(x, weight, bias, options), x, weight, bias);
  });

  test("of complex numbers", () => {
    const [x, weight] = [leaf([1, 2, 4, 3], "complex128"), leaf([2, 2, 2, 2], "complex128")];
    checkGradients(() => conv2d(x, weight, null, { padding: 1, stride: [2, 1] }), x, weight);
  });

  test("of views", () => {
    const [x, weight] = [leaf([4, 5, 2]), leaf([2, 3, 3, 2])];
    checkGradients(
      () => conv2d(x.permute(2, 0, 1) as Tensor, weight.permute(3, 0, 1, 2).narrow(1, 0, 2) as Tensor),
      x,
      weight,
    );
  });

  test("of an empty batch are zeros", () => {
    const weight = leaf([2, 3, 2, 2]);
    const x = zeros([0, 3, 4, 4], { dtype: "float64", requiresGrad: true }) as Tensor;
    const [gx, gw] = grad(conv2d(x, weight).sum(), [x, weight]) as [Tensor, Tensor];
    expect(gx.shape).toEqual([0, 3, 4, 4]);
    expect(gw.abs().sum().item()).toBe(0);
  });
});

describe("of transposed convolutions", () => {
  test.each<[string, typeof convTranspose1d, number[], number[], ConvTransposeOptions]>([
    ["one axis", convTranspose1d, [2, 3, 4], [3, 2, 3], { padding: 1 }],
    ["a longer result", convTranspose1d, [1, 2, 4], [2, 2, 3], { stride: 3, outputPadding: 2, padding: 1 }],
    [
      "a longer result than steps are",
      convTranspose1d,
      [1, 1, 4],
      [1, 2, 3],
      { dilation: 2, outputPadding: 1, padding: 1 },
    ],
    ["two axes, steps, groups", convTranspose2d, [2, 4, 3, 2], [4, 3, 3, 2], { stride: 2, groups: 2, padding: [1, 0] }],
    ["single channels, steps", convTranspose2d, [1, 3, 3, 3], [3, 1, 3, 3], { stride: 2, groups: 3, padding: 1 }],
    ["wide padding", convTranspose2d, [1, 2, 5, 5], [2, 1, 2, 2], { padding: 2 }],
    ["three axes", convTranspose3d, [1, 2, 2, 2, 2], [2, 1, 2, 2, 2], { stride: [2, 1, 1] }],
  ])("%s", (_name, conv, shape, filters, options) => {
    const [x, weight] = [leaf(shape), leaf(filters)];
    const bias = leaf([(filters[1] as number) * (options.groups ?? 1)]);
    checkGradients(() => conv(x, weight, bias, options), x, weight, bias);
  });
});

/** Gradients of large cases, against products over one tap of the kernel at a time. */
test.each([
  ["Winograd's way", [2, 16, 33, 30], [17, 16, 3, 3], { padding: 1 }],
  ["Winograd's way without padding", [1, 20, 36, 36], [32, 20, 3, 3], {}],
  ["several pieces", [2, 8, 90, 70], [8, 8, 5, 5], { stride: 2, padding: 2 }],
] as const)("%s agrees with the sum over taps", (_name, shape, filters, options) => {
  const [x, weight] = [leaf(shape), leaf(filters)];
  const { padding = 0, stride = 1 } = options as ConvOptions as { padding?: number; stride?: number };
  const [, , height, width] = shape;
  const [outputs, inputs, k] = filters;
  const y = conv2d(x, weight, null, options);
  const [gx, gw] = grad(weighted(y), [x, weight]) as [Tensor, Tensor];
  const area = zeros([shape[0], inputs, height + 2 * padding, width + 2 * padding], { dtype: "float64" }) as Tensor;
  const inside = (t: Tensor): Tensor => t.narrow(2, padding, height).narrow(3, padding, width) as Tensor;
  inside(area).copy_(x.detach() as never);
  const back = zeros(area.shape, { dtype: "float64" }) as Tensor;
  const out = y.detach().requiresGrad_() as Tensor;
  const [gy] = grad(weighted(out), [out]) as [Tensor];
  const [, , rows, columns] = y.shape as [number, number, number, number];
  const taps = zeros([outputs, inputs, k, k], { dtype: "float64" }) as Tensor;
  for (let i = 0; i < k; i++)
    for (let j = 0; j < k; j++) {
      const part = (t: Tensor): Tensor =>
        t
          .slice(2, i, i + (rows - 1) * stride + 1, stride)
          .slice(3, j, j + (columns - 1) * stride + 1, stride) as Tensor;
      const flat = (t: Tensor): Tensor => t.transpose(0, 1).reshape(t.shape[1] as number, -1) as Tensor;
      taps
        .select(3, j)
        .select(2, i)
        .copy_(flat(gy).matmul(flat(part(area)).T as never) as never);
      const filter = weight.detach().select(3, j).select(2, i);
      const spread = (filter.T as Tensor).matmul(gy.reshape(shape[0], outputs, -1) as never) as Tensor;
      part(back).add_(spread.reshape(shape[0], inputs, rows, columns) as never);
    }
  const far = (a: Tensor, b: Tensor): number =>
    Number(
      a
        .sub(b as never)
        .abs()
        .max()
        .item(),
    );
  expect(far(gw, taps)).toBeLessThan(1e-9);
  expect(far(gx, inside(back))).toBeLessThan(1e-9);
});

test("only tensors that the gradients need are saved", () => {
  const x = randn([1, 2, 4], { dtype: "float64" }) as Tensor;
  const weight = leaf([2, 2, 3]);
  const y = conv1d(x, weight).sum();
  weight.data.add_(1 as never);
  y.backward();
  expect(weight.grad?.shape).toEqual([2, 2, 3]);
});
