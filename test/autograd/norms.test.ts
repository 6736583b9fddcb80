/** Gradients of softmax and of the normalizations: against differences to the second order, in float32, and with running statistics. */
import { describe, expect, test } from "vitest";
import * as F from "../../src/index.ts";
import { randn, type Tensor, tensor, zeros } from "../../src/index.ts";
import { checkGradients, leaf } from "../support/check-gradients.ts";

const numbers = (t: Tensor | null): number[] => (t as Tensor).reshape(-1).toArray() as number[];

describe("softmax", () => {
  test.each([0, 1, -1])("along axis %d", (axis) => {
    const x = leaf([3, 4, 2]);
    checkGradients(() => x.softmax(axis) as Tensor, x);
    checkGradients(() => x.logSoftmax(axis) as Tensor, x);
    checkGradients(() => F.softmin(x, axis) as Tensor, x);
  });

  test("of other dtypes, scalars, empty tensors and masked elements", () => {
    const x = tensor([1, 2, 3], { requiresGrad: true }) as Tensor;
    const y = x.softmax(0, { dtype: "float64" }) as Tensor;
    (y.select(0, 1) as Tensor).backward();
    expect(x.grad?.dtype).toBe("float32");
    const [a, b, c] = numbers(y.detach() as Tensor) as [number, number, number];
    [-a * b, b * (1 - b), -c * b].forEach((value, k) => {
      expect(numbers(x.grad)[k]).toBeCloseTo(value, 6);
    });
    const one = leaf([]);
    checkGradients(() => one.softmax(0) as Tensor, one);
    const none = leaf([0, 3]);
    none.softmax(0).sum().backward();
    expect(none.grad?.shape).toEqual([0, 3]);
    const masked = tensor([1, Number.NEGATIVE_INFINITY, 3], { dtype: "float64", requiresGrad: true }) as Tensor;
    (masked.softmax(0).select(0, 0) as Tensor).backward();
    expect(numbers(masked.grad)[1]).toBeCloseTo(0, 12);
  });
});

describe("normalizations of rows", () => {
  test("layerNorm over one axis and over two, with and without weight and bias", () => {
    const [x, w, b] = [leaf([2, 3, 4]), leaf([3, 4]), leaf([3, 4])];
    checkGradients(() => F.layerNorm(x, [3, 4], w, b) as Tensor, x, w, b);
    checkGradients(() => F.layerNorm(x, [4], null, null, { eps: 0.1 }) as Tensor, x);
    checkGradients(() => F.layerNorm(x.detach() as Tensor, [3, 4], w) as Tensor, w);
    checkGradients(() => F.layerNorm(x.transpose(0, 2) as Tensor, [2]) as Tensor, x);
  });

  test("rmsNorm, groupNorm and instanceNorm", () => {
    const [x, w, b] = [leaf([2, 4, 3]), leaf([4]), leaf([4])];
    const last = leaf([3]);
    checkGradients(() => F.rmsNorm(x, [3], last) as Tensor, x, last);
    checkGradients(() => F.rmsNorm(x, [4, 3]) as Tensor, x);
    checkGradients(() => F.groupNorm(x, 2, w, b) as Tensor, x, w, b);
    checkGradients(() => F.instanceNorm(x, { weight: w, bias: b }) as Tensor, x, w, b);
    checkGradients(() => F.localResponseNorm(x, 2, { alpha: 0.5 }) as Tensor, x);
    checkGradients(() => F.normalize(x) as Tensor, x);
    checkGradients(() => F.normalize(x, 3, 2) as Tensor, x);
  });

  test("in float32 they agree with float64", () => {
    const [x, g] = [randn([5, 300], { dtype: "float64" }) as Tensor, randn([5, 300], { dtype: "float64" }) as Tensor];
    const gradients = (["float64", "float32"] as const).map((dtype) => {
      const [input, w] = [x.to(dtype), x.select(0, 1).to(dtype)].map((t) => t.clone().requiresGrad_()) as [
        Tensor,
        Tensor,
      ];
      F.layerNorm(input, [300], w, w).backward(g.to(dtype));
      return [...numbers(input.grad), ...numbers(w.grad)];
    }) as [number[], number[]];
    gradients[1].forEach((value, k) => {
      expect(Math.abs(value - (gradients[0][k] as number))).toBeLessThan(1e-4);
    });
  });
});

describe("batchNorm", () => {
  test("in training, in all shapes", () => {
    const [x, w, b] = [leaf([3, 2, 2, 2]), leaf([2]), leaf([2])];
    const more = { training: true, eps: 0.01 };
    checkGradients(() => F.batchNorm(x, { weight: w, bias: b, ...more }) as Tensor, x, w, b);
    checkGradients(() => F.batchNorm(x, more) as Tensor, x);
    checkGradients(() => F.batchNorm(x.detach() as Tensor, { bias: b, ...more }) as Tensor, b);
    const y = leaf([5, 3]);
    checkGradients(() => F.batchNorm(y, more) as Tensor, y);
    checkGradients(() => F.batchNorm(x.transpose(0, 1) as Tensor, more) as Tensor, x);
  });

  test("moves running values, which have no gradient, and reads them without training", () => {
    const [x, w, b] = [leaf([6, 2]), leaf([2]), leaf([2])];
    const running = {
      runningMean: zeros([2], { dtype: "float64" }) as Tensor,
      runningVar: leaf([2]).detach().abs() as Tensor,
    };
    const y = F.batchNorm(x, { ...running, weight: w, training: true }) as Tensor;
    y.sum().backward();
    expect(running.runningMean.requiresGrad).toBe(false);
    numbers(x.detach().mean(0) as Tensor).forEach((value, k) => {
      expect(numbers(running.runningMean)[k]).toBeCloseTo(0.1 * value, 12);
    });
    checkGradients(() => F.batchNorm(x, { ...running, weight: w, bias: b }) as Tensor, x, w, b);
    const z = leaf([2, 2, 3]);
    F.instanceNorm(z, { ...running })
      .sum()
      .backward();
    expect(z.grad).not.toBe(null);
  });
});
