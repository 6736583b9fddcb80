/** `t()`: the transpose of a matrix, as in PyTorch. */
import { expect, test } from "vitest";
import { arange, type Tensor, tensor, vmap } from "../../src/index.ts";

test("swaps the axes of a matrix, as a view", () => {
  const a = arange(6).reshape([2, 3]);
  expect(a.t().toArray()).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  a.t().set(2, 1, 9);
  expect(a.get(1, 2)).toBe(9);
});

test("returns tensors with fewer axes unchanged, and throws for more", () => {
  expect(arange(3).t().toArray()).toEqual([0, 1, 2]);
  expect(tensor(5).t().item()).toBe(5);
  expect(() => arange(8).reshape([2, 2, 2]).t()).toThrow("transpose: pass two axes to exchange");
});

test("has gradients, and counts the axes of one sample under vmap", () => {
  const x = tensor([[1, 2]], { requiresGrad: true });
  x.t()
    .mul(tensor([[3], [4]]))
    .sum()
    .backward();
  expect(x.grad?.toArray()).toEqual([[3, 4]]);
  expect(vmap((m: Tensor) => m.t())(arange(12).reshape([2, 2, 3])).shape).toEqual([2, 3, 2]);
});
