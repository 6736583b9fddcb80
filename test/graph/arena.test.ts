/** The memory plan: lifetimes that overlap have different bytes, and a plan is at most 5 % larger than the bytes that live at once. */
import { describe, expect, test } from "vitest";
import { type Lifetime, liveBytesOf, planMemory } from "../../src/graph/lower/arena.ts";
import * as sw from "../../src/index.ts";
import { BatchNorm2d, Conv2d, Linear, MaxPool2d, ReLU, Sequential } from "../../src/nn/index.ts";
import { Adam } from "../../src/optim/index.ts";
import { seededRandom } from "../support/files.ts";

type Tensor = sw.Tensor;

test("no two lifetimes that overlap share bytes, and the size is at least the bound", () => {
  const pick = seededRandom(5);
  for (let k = 0; k < 300; k++) {
    const tasks = 1 + pick(40);
    const lifetimes = Array.from({ length: 1 + pick(60) }, (): Lifetime => {
      const first = pick(tasks);
      return { first, last: first + pick(Math.min(tasks - first, 1 + pick(12))), bytes: 64 * (1 + pick(20)) };
    });
    const { offsets, size } = planMemory(lifetimes);
    lifetimes.forEach((a, i) => {
      expect(offsets[i] + a.bytes).toBeLessThanOrEqual(size);
      lifetimes.forEach((b, j) => {
        if (j <= i || a.last < b.first || b.last < a.first) return;
        const isApart = offsets[i] + a.bytes <= offsets[j] || offsets[j] + b.bytes <= offsets[i];
        expect(isApart, `lifetimes ${i} and ${j} of case ${k}`).toBe(true);
      });
    });
    expect(size).toBeGreaterThanOrEqual(liveBytesOf(lifetimes));
  }
});

test("no lifetimes, and lifetimes that never meet", () => {
  expect(planMemory([])).toEqual({ offsets: [], size: 0 });
  const chain = [3, 1, 2].map((blocks, k) => ({ first: k, last: k, bytes: blocks * 64 }));
  expect(planMemory(chain)).toEqual({ offsets: [0, 0, 0], size: 192 });
});

const randn = (...shape: number[]): Tensor => sw.randn(shape) as Tensor;

/** A step of training, compiled. */
function trainingStep(
  model: Sequential,
  inputs: readonly Tensor[],
): readonly [(...args: Tensor[]) => unknown, readonly Tensor[]] {
  const optimizer = new Adam([...model.parameters()] as Tensor[], { lr: 0.01 });
  const step = (x: Tensor, y: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = (model.forward(x) as Tensor).sub(y).square().mean() as Tensor;
    loss.backward();
    optimizer.step();
    return loss.detach() as Tensor;
  };
  return [step as never, inputs];
}

/** The forward pass of a transformer block. */
function transformerBlock(batch: number, length: number, width: number, heads: number) {
  const [q, k, v, o] = [0, 1, 2, 3].map(() => randn(width, width).mul(0.1) as Tensor);
  const [up, down] = [randn(width, 4 * width), randn(4 * width, width)];
  const split = (t: Tensor): Tensor => t.reshape(batch, length, heads, width / heads).transpose(1, 2) as Tensor;
  const block = (x: Tensor): Tensor => {
    const h = sw.layerNorm(x, [width]) as Tensor;
    const [qs, ks, vs] = [q, k, v].map((w) => split(h.matmul(w) as Tensor));
    const p = sw.softmax(qs.matmul(ks.mT).mul(Math.sqrt(heads / width)), -1) as Tensor;
    const a = p.matmul(vs).transpose(1, 2).reshape(batch, length, width) as Tensor;
    const y = x.add(a.matmul(o)) as Tensor;
    return y.add(sw.gelu((sw.layerNorm(y, [width]) as Tensor).matmul(up) as Tensor).matmul(down)) as Tensor;
  };
  return [block as never, [randn(batch, length, width)]] as const;
}

/** A random function of elementwise ops, products and reductions. */
function randomFunction(seed: number) {
  const random = seededRandom(seed);
  const choices = Array.from({ length: 30 }, () => [random(100) / 100, random(100) / 100, random(100) / 100]);
  const fn = (x: Tensor): Tensor => {
    const pool = [x];
    for (const [kind, a, b] of choices) {
      const [left, right] = [a, b].map((r) => pool[Math.floor(r * pool.length)]);
      if (kind < 0.35) pool.push(left.matmul(right).mul(0.01) as Tensor);
      else if (kind < 0.6) pool.push(sw.cumsum(left.add(right), 0) as Tensor);
      else if (kind < 0.8) pool.push(sw.softmax(left.sub(right), 1) as Tensor);
      else pool.push(sw.cat([left.slice(0, 0, 8), right.slice(0, 8, 16)], 0) as Tensor);
    }
    return pool.slice(-3).reduce((sum, t) => sum.add(t) as Tensor);
  };
  return [fn as never, [randn(16, 16)]] as const;
}

const graphs = {
  "an MLP step": () =>
    trainingStep(new Sequential(new Linear(32, 64), new ReLU(), new Linear(64, 10)), [randn(16, 32), randn(16, 10)]),
  "a deeper MLP step": () =>
    trainingStep(new Sequential(...[0, 1, 2, 3].flatMap(() => [new Linear(32, 32), new ReLU()]), new Linear(32, 4)), [
      randn(64, 32),
      randn(64, 4),
    ]),
  "a transformer block": () => transformerBlock(2, 32, 64, 4),
  "a convnet": () => {
    const net = new Sequential(
      new Conv2d(3, 8, 3),
      new BatchNorm2d(8),
      new ReLU(),
      new MaxPool2d(2),
      new Conv2d(8, 16, 3),
      new ReLU(),
    );
    net.eval();
    return [((x: Tensor) => (net.forward(x) as Tensor).detach()) as never, [randn(2, 3, 16, 16)]] as const;
  },
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => [`random function ${seed}`, () => randomFunction(seed)]),
  ),
} as Readonly<Record<string, () => readonly [(...args: Tensor[]) => unknown, readonly Tensor[]]>>;

describe("plans of graphs", () => {
  test.each(Object.entries(graphs))("%s", (_name, create) => {
    const [fn, args] = create();
    const fast = sw.compile(fn as (...args: Tensor[]) => unknown);
    for (let k = 0; k < 2; k++) fast(...args);
    const [, size, bound] = /([\d,]+) bytes of workspace for values, ([\d,]+) bytes at once/.exec(fast.explain()) ?? [];
    const [bytes, least] = [size, bound].map((text) => Number(text.replaceAll(",", "")));
    expect(bytes).toBeGreaterThanOrEqual(least);
    expect(bytes / Math.max(1, least), `${bytes} bytes, at least ${least}`).toBeLessThanOrEqual(1.05);
  });
});
