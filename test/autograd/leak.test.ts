/** Memory of training: ten thousand steps hold as much as two, and the backward pass frees its intermediates. */
import { expect, test } from "vitest";
import { crossEntropy, memoryStatistics, ones, randn, scope, type Tensor, zeros } from "../../src/index.ts";
import { Linear, Sequential, Tanh } from "../../src/nn/index.ts";
import { Adam } from "../../src/optim/index.ts";

const live = (): number => memoryStatistics().live;

test("ten thousand training steps hold as many bytes as two", { timeout: 120_000 }, () => {
  const net = new Sequential(new Linear(4, 8), new Tanh(), new Linear(8, 3));
  const optimizer = new Adam(net.parameters(), { lr: 1e-3 });
  const [x, labels] = [randn([6, 4]), zeros([6], { dtype: "int64" })];
  const step = (): void => {
    optimizer.zeroGrad();
    crossEntropy(net.forward(x) as Tensor, labels).backward();
    optimizer.step();
  };
  scope(step);
  scope(step);
  const before = live();
  for (let k = 0; k < 10_000; k++) scope(step);
  expect(live()).toBe(before);
});

test("gradients on their way are freed, without a scope too", () => {
  const x = ones([1024], { requiresGrad: true });
  const y = x.exp().mul(2).sum();
  y.backward();
  x.zeroGrad();
  const before = live();
  const again = x.exp().mul(2).sum();
  const created = live() - before;
  again.backward();
  // What is left is the result of the way forward, and one gradient: that of x.
  expect(live() - before).toBeLessThanOrEqual(created + 4096 + 64);
  x.zeroGrad();
  expect(live() - before).toBeLessThanOrEqual(created + 64);
});

test("a gradient that a hook has seen, or that was asked for, stays", () => {
  const x = ones([4], { requiresGrad: true });
  const seen: Tensor[] = [];
  const y = x.mul(3);
  y.registerHook((gradient) => {
    seen.push(gradient);
    return undefined;
  });
  y.retainGrad();
  y.mul(2).sum().backward();
  expect(seen[0]?.toArray()).toEqual([2, 2, 2, 2]);
  expect(y.grad?.toArray()).toEqual([2, 2, 2, 2]);
  expect(x.grad?.toArray()).toEqual([6, 6, 6, 6]);
});

test("the gradient of a leaf outlives the scope in which it was made, and zeroGrad frees it", () => {
  const x = ones([4], { requiresGrad: true });
  scope(() => x.square().sum().backward());
  const gradient = x.grad as Tensor;
  expect(gradient.toArray()).toEqual([2, 2, 2, 2]);
  x.zeroGrad();
  expect(() => gradient.toArray()).toThrowErrorMatchingInlineSnapshot(
    `[DisposedError: toArray: tensor (float32 [4]) was freed by zeroGrad() (clone() a gradient to keep it); it cannot be used anymore]`,
  );
  expect(x.grad).toBe(null);
});

test("zeroGrad does not free a gradient that the user has set", () => {
  const x = ones([2], { requiresGrad: true });
  const mine = ones([2]);
  x.grad = mine;
  x.zeroGrad();
  expect(mine.toArray()).toEqual([1, 1]);
});

test("backward throws if a saved tensor was disposed", () => {
  const x = ones([2], { requiresGrad: true });
  const y = scope(() => x.mul(2).square().sum());
  expect(() => y.backward()).toThrowErrorMatchingInlineSnapshot(
    `[AutogradError: backward: tensor (float32 [2]) is needed for the backward pass, but was disposed. Call backward inside its scope, or before dispose()]`,
  );
});
