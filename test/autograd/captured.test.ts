/** Transformed functions (gradOf, jvp and others) may not write values with gradients to captured tensors; all other writes are allowed. */
import { describe, expect, test } from "vitest";
import {
  gradOf,
  hessian,
  hvp,
  jacobian,
  jvp,
  noGrad,
  ones,
  type Tensor,
  tensor,
  valueAndGrad,
  vjp,
  vmap,
  zeros,
} from "../../src/index.ts";

type F = (x: Tensor) => Tensor;

const transforms: Readonly<Record<string, (fn: F, x: Tensor) => unknown>> = {
  gradOf: (fn, x) => gradOf(fn)(x),
  valueAndGrad: (fn, x) => valueAndGrad(fn, x),
  vjp: (fn, x) => vjp(fn, x),
  jvp: (fn, x) => jvp(fn, x, ones([2])),
  jacobian: (fn, x) => jacobian(fn, x),
  "jacobian, forward": (fn, x) => jacobian(fn, x, { mode: "forward" }),
  hessian: (fn, x) => hessian(fn, x),
  hvp: (fn, x) => hvp(fn, x, ones([2])),
  "jvp in jvp": (fn, x) => jvp((y) => jvp(fn, y, ones([2])).tangent, x, ones([2])),
};

describe.each(Object.entries(transforms))("%s", (_name, transform) => {
  const x = tensor([1, 2]) as Tensor;

  test.each<[string, (c: Tensor, y: Tensor) => unknown]>([
    ["add_", (c, y) => c.add_(y)],
    ["copy_", (c, y) => c.at(0).assign(y.at(0))],
    ["copy_", (c, y) => c.reshape(2, 1).copy_(y.reshape(2, 1))],
  ])("refuses to write to a tensor from before, and leaves it: %s", (who, write) => {
    const captured: Tensor = zeros([2]);
    const fn: F = (y) => {
      write(captured, y);
      return y.mul(y).sum();
    };
    expect(() => transform(fn, x)).toThrow(
      `${who}: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call an in-place operation that would mutate a captured tensor.`,
    );
    expect([captured.requiresGrad, captured.toArray()]).toEqual([false, [0, 0]]);
  });

  test("allows writes to its own tensors, of values without a gradient, and without recording", () => {
    const [captured, seen] = [zeros([2]) as Tensor, zeros([2]) as Tensor];
    const fn: F = (y) => {
      captured.add_(1);
      seen.copy_(y.detach());
      noGrad(() => captured.mul_(1));
      const own: Tensor = zeros([2]);
      own.at(1).assign(y.at(1));
      return own.add_(y).square().sum();
    };
    expect(() => transform(fn, x)).not.toThrow();
    expect([seen.toArray(), captured.requiresGrad]).toEqual([[1, 2], false]);
  });
});

test("arguments may be written to, and other writes are allowed again afterward", () => {
  const scratch: Tensor = zeros([2]);
  expect(gradOf((x, c) => (c as Tensor).add_(x).square().sum())(tensor([1, 2]), scratch).toArray()).toEqual([2, 4]);
  expect(jvp((x) => x.mul_(3).sum(), tensor([1, 2]), ones([2])).tangent.item()).toBe(6);
  const x = tensor([1, 2], { requiresGrad: true });
  const sum: Tensor = zeros([2]);
  expect(() => gradOf((y) => sum.add_(y).sum())(tensor([1, 2]))).toThrow("captured");
  sum.add_(x).sum().backward();
  expect(x.grad?.toArray()).toEqual([1, 1]);
});

test("tensors created by an outer function count as captured in an inner one", () => {
  const outer: F = (x) => {
    const created: Tensor = zeros([2]);
    return gradOf((y) => created.add_(y).square().sum())(x).sum();
  };
  expect(() => gradOf(outer)(tensor([1, 2]))).toThrow("captured");
});

test("under vmap an argument of each sample may be written to", () => {
  const each = (x: Tensor): Tensor => jvp((y) => y.mul_(3).sum(), x, ones([2])).tangent;
  expect(vmap(each)(ones([3, 2])).toArray()).toEqual([6, 6, 6]);
});
