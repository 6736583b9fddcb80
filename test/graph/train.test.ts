/** Compiled training steps: losses and parameters equal those of eager steps, bit for bit. */
import { expect, test } from "vitest";
import { compile } from "../../src/graph/compile.ts";
import * as sw from "../../src/index.ts";
import { BatchNorm2d, Conv2d, Flatten, LayerNorm, Linear, MaxPool2d, ReLU, Sequential } from "../../src/nn/index.ts";
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

/** The parameters of some steps of a model of which `forward` returns logits, eager or compiled. */
function trained(
  isCompiled: boolean,
  create: () => { parameters: sw.Tensor[]; forward(x: sw.Tensor): sw.Tensor },
  shape: number[],
) {
  sw.manualSeed(3);
  const { parameters, forward } = create();
  const optimizer = new Adam(parameters, { lr: 0.01, weightDecay: 0.1 });
  const step = (x: sw.Tensor, labels: sw.Tensor): sw.Tensor => {
    optimizer.zeroGrad();
    const loss = sw.crossEntropy(forward(x), labels) as sw.Tensor;
    loss.backward();
    optimizer.step();
    return loss.detach() as sw.Tensor;
  };
  const run = isCompiled ? sw.compile(step) : step;
  const losses = Array.from({ length: 6 }, () => {
    const labels = sw.randint(0, 5, [shape[0]]) as sw.Tensor;
    return run(sw.randn(shape) as sw.Tensor, labels).item();
  });
  return { losses, parameters: parameters.map((p) => p.toArray()) };
}

test("a transformer block with attention, layerNorm and gelu", () => {
  const [length, width, heads] = [18, 48, 2];
  const create = () => {
    const layers = [1, 1, 1, 1, 4].map((times) => new Linear(width, times * width));
    const [q, k, v, o, up] = layers;
    const down = new Linear(4 * width, width);
    const head = new Linear(width, 5);
    const norms = [new LayerNorm([width]), new LayerNorm([width])];
    const split = (t: sw.Tensor): sw.Tensor => t.reshape(-1, length, heads, width / heads).transpose(1, 2) as sw.Tensor;
    const forward = (x: sw.Tensor): sw.Tensor => {
      const h = norms[0].forward(x) as sw.Tensor;
      const [qs, ks, vs] = [q, k, v].map((layer) => split(layer.forward(h) as sw.Tensor));
      const p = sw.softmax(qs.matmul(ks.mT).mul(0.2), -1) as sw.Tensor;
      const y = x.add(o.forward(p.matmul(vs).transpose(1, 2).reshape(-1, length, width) as sw.Tensor)) as sw.Tensor;
      const z = y.add(down.forward(sw.gelu(up.forward(norms[1].forward(y) as sw.Tensor)) as sw.Tensor)) as sw.Tensor;
      return head.forward(z.mean(1) as sw.Tensor) as sw.Tensor;
    };
    const parameters = [...layers, down, head, ...norms].flatMap((layer) => [...layer.parameters()]) as sw.Tensor[];
    return { parameters, forward };
  };
  expect(trained(true, create, [3, length, width])).toEqual(trained(false, create, [3, length, width]));
});

test("a convnet with batch normalization", () => {
  const create = () => {
    const net = new Sequential(
      new Conv2d(3, 20, 3),
      new BatchNorm2d(20),
      new ReLU(),
      new MaxPool2d(2),
      new Conv2d(20, 8, 1),
      new Flatten(),
      new Linear(8 * 25, 5),
    );
    return { parameters: [...net.parameters()] as sw.Tensor[], forward: (x: sw.Tensor) => net.forward(x) as sw.Tensor };
  };
  expect(trained(true, create, [4, 3, 12, 12])).toEqual(trained(false, create, [4, 3, 12, 12]));
});
