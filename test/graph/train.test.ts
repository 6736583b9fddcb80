/** Compiled training steps: losses and parameters equal those of eager steps, bit for bit. */
import { expect, test } from "vitest";
import { compile } from "../../src/graph/compile.ts";
import * as sw from "../../src/index.ts";
import { Linear, ReLU, Sequential } from "../../src/nn/index.ts";
import { Adam, SGD } from "../../src/optim/index.ts";

function setup(make: (params: sw.Tensor[]) => SGD | Adam) {
  sw.manualSeed(1);
  const model = new Sequential(new Linear(8, 16), new ReLU(), new Linear(16, 4));
  const optimizer = make([...model.parameters()] as sw.Tensor[]);
  const step = (x: sw.Tensor, y: sw.Tensor): sw.Tensor => {
    optimizer.zeroGrad();
    const loss = (model.forward(x) as sw.Tensor).sub(y).square().mean() as sw.Tensor;
    loss.backward();
    optimizer.step();
    return loss.detach() as sw.Tensor;
  };
  return { model, step };
}

test.each([
  ["SGD", (p: sw.Tensor[]) => new SGD(p, { lr: 0.1 })],
  ["momentum", (p: sw.Tensor[]) => new SGD(p, { lr: 0.1, momentum: 0.9 })],
  ["Adam", (p: sw.Tensor[]) => new Adam(p, { lr: 0.01 })],
] as const)("a training step with %s", (_name, make) => {
  const [eager, compiled] = [setup(make), setup(make)];
  const fast = compile(compiled.step);
  for (let k = 0; k < 20; k++) {
    const [x, y] = [sw.randn([5, 8]) as sw.Tensor, sw.randn([5, 4]) as sw.Tensor];
    expect(fast(x, y).item(), `step ${k}`).toBe(eager.step(x, y).item());
  }
  const [a, b] = [eager, compiled].map(({ model }) => [...model.parameters()].map((p) => p.toArray()));
  expect(b).toEqual(a);
});
