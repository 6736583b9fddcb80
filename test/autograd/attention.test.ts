/** Gradients of attention: against differences, in tiles against all at once, with masks, shared heads and dropped weights. */
import { describe, expect, test } from "vitest";
import {
  arange,
  scaledDotProductAttention as attention,
  manualSeed,
  randn,
  type Tensor,
  tensor,
} from "../../src/index.ts";
import { checkGradients, leaf } from "../support/check-gradients.ts";

const mask = tensor([
  [true, false, true, true],
  [true, true, false, true],
  [false, false, false, false],
]) as Tensor;

describe("attention", () => {
  test("agrees with differences", () => {
    const [q, k, v] = [leaf([2, 3, 2]), leaf([2, 4, 2]), leaf([2, 4, 3])];
    checkGradients(() => attention(q, k, v) as Tensor, q, k, v);
    checkGradients(() => attention(q, k, v, { isCausal: true, scale: 0.7 }) as Tensor, q, k, v);
    checkGradients(() => attention(q, k, v, { attnMask: mask }) as Tensor, q, k, v);
  });

  test("an added mask has a gradient, and repeated heads get the sum", () => {
    const [q, k, v, bias] = [leaf([2, 3, 2]), leaf([1, 4, 2]), leaf([4, 2]), leaf([1, 4])];
    checkGradients(() => attention(q, k, v, { attnMask: bias }) as Tensor, q, k, v, bias);
  });

  test("heads of keys that serve several queries get the sum", () => {
    const [q, k, v] = [leaf([4, 2, 2]), leaf([2, 3, 2]), leaf([2, 3, 2])];
    checkGradients(() => attention(q, k, v, { enableGqa: true }) as Tensor, q, k, v);
    const bias = leaf([4, 2, 3]);
    checkGradients(() => attention(q, k, v, { enableGqa: true, attnMask: bias }) as Tensor, q, bias);
  });

  test.each([false, true])("in tiles equals attention at once, causal: %s", (isCausal) => {
    const shapes = [
      [2, 3, 700, 8],
      [2, 3, 800, 8],
      [2, 3, 800, 4],
    ];
    const whole = shapes.map((shape) => randn(shape, { requiresGrad: true }) as Tensor) as [Tensor, Tensor, Tensor];
    const [q, k, v] = whole;
    const g = randn([2, 3, 700, 4]) as Tensor;
    attention(q, k, v, { isCausal }).backward(g);
    const found = whole.map((t) => t.grad as Tensor);
    for (const t of whole) t.grad = null;
    let scores = q.matmul(k.mT as never).mul(1 / Math.sqrt(8)) as Tensor;
    if (isCausal)
      scores = scores.maskedFill(
        arange(800).gt(arange(700).unsqueeze(1) as never) as never,
        Number.NEGATIVE_INFINITY,
      ) as Tensor;
    (scores.softmax(-1).matmul(v as never) as Tensor).backward(g);
    whole.forEach((t, at) => {
      const distance = t.grad
        ?.sub(found[at] as never)
        .abs()
        .max()
        .item();
      expect(Number(distance)).toBeLessThan(1e-4);
    });
  });

  test("dropped weights pass no gradient", () => {
    const [q, k, v] = [leaf([3, 2]), leaf([4, 2]), leaf([4, 3])];
    const dropped = (): Tensor => {
      manualSeed(7);
      return attention(q, k, v, { dropoutP: 0.5 }) as Tensor;
    };
    checkGradients(dropped, q, k, v);
  });
});
