/** Gradients of losses: against differences to the second order, and at the kinks what PyTorch gives there. */
import { describe, expect, test } from "vitest";
import * as F from "../../src/index.ts";
import { grad, type Tensor, tensor } from "../../src/index.ts";
import { checkGradients, leaf } from "../support/check-gradients.ts";

const numbers = (t: unknown): number[] => (t as Tensor).reshape(-1).toArray() as number[];
const doubles = (list: unknown, requiresGrad = true): Tensor =>
  tensor(list as number[], { dtype: "float64", requiresGrad }) as Tensor;
const labels = (list: unknown): Tensor => tensor(list as number[], { dtype: "int64" }) as Tensor;
const gradientOf = (y: Tensor, x: Tensor): number[] => numbers(grad(y.sum() as Tensor, x));
const reductions = ["mean", "sum", "none"] as const;

describe("losses of elements", () => {
  const pairs = {
    mseLoss: [{}],
    l1Loss: [{}],
    smoothL1Loss: [{}, { beta: 0.5 }],
    huberLoss: [{}, { delta: 0.3 }],
    softMarginLoss: [{}],
    poissonNllLoss: [{}, { logInput: true, full: false }],
    binaryCrossEntropyWithLogits: [{}],
    klDiv: [{ logTarget: true }, { logTarget: true, reduction: "batchmean" }],
  };
  type Call = (x: Tensor, target: Tensor, options: object) => Tensor;

  test.each(Object.entries(pairs))("%s", (name, options) => {
    const [x, target] = [leaf([2, 3]), leaf([2, 3])];
    for (const reduction of reductions)
      for (const each of options)
        checkGradients(
          () => (F as unknown as Record<string, Call>)[name]?.(x, target, { reduction, ...each }) as Tensor,
          x,
          target,
        );
  });

  test("of probabilities, with weights", () => {
    const [logits, target, weight] = [leaf([2, 3]), leaf([2, 3]), leaf([3])];
    const probability = (t: Tensor): Tensor => t.sigmoid() as Tensor;
    checkGradients(() => F.binaryCrossEntropy(probability(logits), probability(target)), logits, target);
    checkGradients(
      () => F.binaryCrossEntropy(probability(logits), probability(target), { weight: weight.detach() as Tensor }),
      logits,
    );
    checkGradients(
      () => F.binaryCrossEntropyWithLogits(logits, target, { weight, posWeight: weight.exp() as Tensor }),
      logits,
      target,
      weight,
    );
    checkGradients(() => F.klDiv(logits, probability(target)), logits, target);
    checkGradients(() => F.gaussianNllLoss(logits, target, logits.exp() as Tensor, { full: true }), logits, target);
    checkGradients(
      () => F.poissonNllLoss(logits.exp() as Tensor, target.exp().add(1) as Tensor, { logInput: false, full: true }),
      logits,
      target,
    );
  });

  test("stay finite at the ends, and have PyTorch's gradients at the kinks", () => {
    const p = doubles([0, 1, 0, 1]);
    expect(gradientOf(F.binaryCrossEntropy(p, doubles([0, 1, 1, 0], false), { reduction: "none" }), p)).toEqual([
      0, 0, -1e12, 1e12,
    ]);
    const x = doubles([0, 1000, -1000]);
    expect(
      gradientOf(F.binaryCrossEntropyWithLogits(x, doubles([0.25, 0, 1], false), { reduction: "none" }), x),
    ).toEqual([0.25, 1, -1]);
    expect(gradientOf(F.softMarginLoss(x, doubles([1, -1, 1], false), { reduction: "none" }), x)).toEqual([
      -0.5, 1, -1,
    ]);
    const margin = doubles([1, 2, 1]);
    expect(
      gradientOf(F.hingeEmbeddingLoss(margin, doubles([-1, -1, 1], false), { reduction: "none" }), margin),
    ).toEqual([-1, 0, 1]);
    expect(
      gradientOf(
        F.marginRankingLoss(margin, margin.detach() as Tensor, doubles([1, 1, -1], false), { reduction: "none" }),
        margin,
      ),
    ).toEqual([-1, -1, 1]);
    const small = doubles([1e-9]);
    const spread = F.gaussianNllLoss(doubles([1], false), doubles([1], false), small, { eps: 0.5 });
    expect(gradientOf(spread, small)).toEqual([1]);
  });

  test("have the second gradient of their smooth form at 0", () => {
    const x = doubles([0]);
    for (const [loss, expected] of [
      [() => F.huberLoss(x, doubles([0], false)), 1],
      [() => F.smoothL1Loss(x, doubles([0], false), { beta: 0.5 }), 2],
      [() => F.binaryCrossEntropyWithLogits(x, doubles([1], false)), 0.25],
      [() => F.multilabelSoftMarginLoss(x, doubles([1], false)), 0.25],
    ] as [() => Tensor, number][]) {
      const first = grad(loss(), x, { createGraph: true }) as Tensor;
      expect(gradientOf(first, x)).toEqual([expected]);
    }
  });
});

describe("losses of classes", () => {
  test("crossEntropy with weights, smoothing, classes that are left out, and probabilities", () => {
    const [x, weight] = [leaf([3, 4, 2]), leaf([4]).detach().abs() as Tensor];
    const target = labels([
      [1, 0],
      [3, -100],
      [2, 2],
    ]);
    for (const reduction of reductions)
      for (const more of [{}, { weight }, { labelSmoothing: 0.2 }, { weight, labelSmoothing: 0.2 }])
        checkGradients(() => F.crossEntropy(x, target, { reduction, ...more }), x);
    const other = leaf([3, 4, 2]);
    checkGradients(() => F.crossEntropy(x, other, { weight, labelSmoothing: 0.1 }), x, other);
    const one = leaf([5]);
    checkGradients(() => F.crossEntropy(one, labels(3)), one);
  });

  test("nllLoss, and margins between classes", () => {
    const [x, weight] = [leaf([3, 4]), leaf([4])];
    checkGradients(() => F.nllLoss(x, labels([1, -100, 3]), { weight: weight.detach() as Tensor }), x);
    for (const p of [1, 2]) checkGradients(() => F.multiMarginLoss(x, labels([1, 0, 3]), { p }), x);
    checkGradients(
      () =>
        F.multilabelMarginLoss(
          x,
          labels([
            [1, 3, -1, 0],
            [0, -1, 2, 2],
            [-1, 0, 0, 0],
          ]),
        ),
      x,
    );
    checkGradients(
      () =>
        F.multilabelSoftMarginLoss(
          x,
          doubles(
            [
              [1, 0, 1, 0],
              [0, 0, 1, 1],
              [1, 1, 1, 0],
            ],
            false,
          ),
          { weight },
        ),
      x,
      weight,
    );
    const even = doubles([[1, 0]]);
    expect(gradientOf(F.multiMarginLoss(even, labels([0])), even).map(Math.abs)).toEqual([0, 0]);
  });

  test("an ignored class alone gives NaN as a mean and no gradient as a sum", () => {
    const x = leaf([2, 3]);
    expect(gradientOf(F.crossEntropy(x, labels([-100, -100]), { reduction: "sum" }), x)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe("losses of pairs and triples", () => {
  test("agree with differences", () => {
    const [a, b, c] = [leaf([3, 4]), leaf([3, 4]), leaf([3, 4])];
    const sign = doubles([1, -1, 1], false);
    checkGradients(() => F.marginRankingLoss(a, b, sign.unsqueeze(1) as Tensor, { margin: 0.3 }), a, b);
    checkGradients(() => F.cosineEmbeddingLoss(a, b, sign, { margin: -0.9 }), a, b);
    checkGradients(() => F.hingeEmbeddingLoss(a, sign.unsqueeze(1) as Tensor), a);
    checkGradients(() => F.tripletMarginLoss(a, b, c, { margin: 5, swap: true }), a, b, c);
    checkGradients(() => F.tripletMarginLoss(a, b, c, { margin: 5, p: 3 }), a, b, c);
    checkGradients(() => F.tripletMarginWithDistanceLoss(a, b, c, { margin: 5 }), a, b, c);
    checkGradients(() => F.cosineSimilarity(a, b), a, b);
    checkGradients(() => F.pairwiseDistance(a, b, { p: 1.5 }), a, b);
  });

  test("targets that only choose have no gradient", () => {
    const [a, target] = [leaf([3, 4]), doubles([1, -1, 1])];
    const loss = F.cosineEmbeddingLoss(a, a.mul(a as never) as Tensor, target);
    expect(grad(loss, [target], { allowUnused: true })).toEqual([null]);
    const hinge = F.hingeEmbeddingLoss(a, target.unsqueeze(1) as Tensor);
    expect(grad(hinge, [target], { allowUnused: true })).toEqual([null]);
  });

  test("vectors of length 0 have finite gradients", () => {
    const [zero, b] = [doubles([[0, 0]]), leaf([1, 2])];
    for (const y of [F.cosineSimilarity(zero, b), F.normalize(zero) as Tensor, F.pairwiseDistance(zero, b)])
      expect(gradientOf(y, zero).every(Number.isFinite)).toBe(true);
  });
});

describe("ctcLoss", () => {
  test("agrees with differences, where paths are impossible, too", () => {
    const x = leaf([5, 3, 4]);
    const targets = labels([
      [1, 2, 2],
      [3, 1, 0],
      [2, 0, 0],
    ]);
    for (const reduction of reductions)
      checkGradients(() => F.ctcLoss(x.logSoftmax(2) as Tensor, targets, [5, 4, 3], [3, 2, 1], { reduction }), x);
  });

  test("a sample that cannot be spelled passes nothing on", () => {
    const x = leaf([2, 1, 3]);
    const loss = F.ctcLoss(x.logSoftmax(2) as Tensor, labels([[1, 1]]), [2], [2], { zeroInfinity: true });
    expect(gradientOf(loss, x).map(Math.abs)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
