/**
 * The names of recorded calls are PyTorch's: a table of those that its users see, and for all ops names that are well formed.
 */
import * as sw from "stridewise";
import { expect, test } from "vitest";
import { tensorsIn } from "../support/op-results.ts";
import { callSample, exportedOps, samplesOf } from "../support/op-samples.ts";

const { _, ones, tensor } = sw;
const x = ones([2, 3]).requiresGrad_();
const v = ones([3]).requiresGrad_();
const batch = ones([2, 2, 3]).requiresGrad_();
const square = tensor([
  [2, 1],
  [1, 3],
]).requiresGrad_();
const image = ones([1, 1, 4, 4]).requiresGrad_();

/** What PyTorch 2.6 prints as grad_fn. */
const names: readonly (readonly [name: string, result: () => unknown])[] = [
  ["AddBackward0", () => x.add(1)],
  ["AddBackward0", () => x.clone().add_(1)],
  ["MulBackward0", () => x.mul(x)],
  ["PowBackward0", () => x.pow(2)],
  ["PowBackward0", () => x.square()],
  ["PowBackward1", () => x.pow(x)],
  ["Log1PBackward0", () => x.log1p()],
  ["Expm1Backward0", () => x.expm1()],
  ["Deg2RadBackward0", () => x.deg2rad()],
  ["HardtanhBackward0", () => sw.relu6(x)],
  ["MmBackward0", () => x.matmul(x.T)],
  ["MvBackward0", () => x.matmul(v)],
  ["DotBackward0", () => v.matmul(v)],
  ["BmmBackward0", () => sw.bmm(batch, batch.mT)],
  ["BmmBackward0", () => v.matmul(batch.mT)],
  ["SumBackward0", () => x.sum()],
  ["SumBackward1", () => x.sum(0)],
  ["MeanBackward0", () => x.mean()],
  ["MeanBackward1", () => x.mean(1)],
  ["ProdBackward1", () => x.prod(0)],
  ["MaxBackward1", () => x.max()],
  ["MaxBackward0", () => sw.max(x, 0)],
  ["MinBackward0", () => sw.min(x, 0)],
  ["StdBackward0", () => x.std(0)],
  ["PermuteBackward0", () => x.T],
  ["TransposeBackward0", () => x.mT],
  ["TransposeBackward0", () => x.transpose(0, 1)],
  ["SelectBackward0", () => x.at(0)],
  ["SelectBackward0", () => x.at(_, 1)],
  ["SliceBackward0", () => x.at(sw.range(1))],
  ["SliceBackward0", () => x.narrow(0, 0, 1)],
  ["IndexBackward0", () => x.at(tensor([0n, 1n]))],
  ["ViewBackward0", () => x.reshape([3, 2])],
  ["ViewBackward0", () => x.flatten()],
  ["SqueezeBackward0", () => ones([1, 2]).requiresGrad_().squeeze()],
  ["SqueezeBackward1", () => ones([1, 2]).requiresGrad_().squeeze(0)],
  ["CloneBackward0", () => x.clone()],
  ["ToCopyBackward0", () => x.to("float64")],
  ["CatBackward0", () => sw.cat([x, x])],
  ["SplitBackward0", () => x.chunk(2)[0]],
  ["LinalgDetBackward0", () => sw.linalg.det(square)],
  ["LinalgInvExBackward0", () => sw.linalg.inv(square)],
  ["LinalgVectorNormBackward0", () => sw.linalg.vectorNorm(x)],
  ["LogSoftmaxBackward0", () => sw.logSoftmax(x, 1)],
  ["NativeLayerNormBackward0", () => sw.layerNorm(x, [3])],
  ["ConvolutionBackward0", () => sw.conv2d(image, ones([1, 1, 2, 2]))],
  ["MaxPool2DWithIndicesBackward0", () => sw.maxPool2d(image, 2)],
  ["MseLossBackward0", () => sw.mseLoss(x, ones([2, 3]), { reduction: "none" })],
];

test.each(names)("%s of %s", (name, result) => {
  const [first] = tensorsIn(result());
  expect(first?.gradFn?.name).toBe(name);
  expect(String(first)).toContain(`grad_fn=<${name}>`);
});

test("the names of all ops are words and a number", () => {
  const names = new Set<string>();
  for (const [name, op] of exportedOps())
    for (const sample of samplesOf(name, op)) {
      const isFloat = (t: sw.Tensor): boolean => /float|complex/.test(t.dtype);
      let result: unknown;
      try {
        result = callSample(name, sample, (t) => (isFloat(t) ? t.clone().requiresGrad_() : t));
      } catch {
        // A sample that takes no gradients is not about names.
      }
      for (const t of tensorsIn(result)) if (t.gradFn !== null) names.add(t.gradFn.name);
    }
  expect(names.size).toBeGreaterThan(200);
  expect([...names].filter((name) => !/^[A-Z][A-Za-z0-9]*Backward[0-2]$/.test(name))).toEqual([]);
});
