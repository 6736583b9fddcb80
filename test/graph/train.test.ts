/** Compiled training steps: losses, parameters, buffers and the numbers drawn equal those of eager steps, bit for bit. */
import { expect, test } from "vitest";
import { compile } from "../../src/graph/compile/compile.ts";
import * as sw from "../../src/index.ts";
import {
  BatchNorm1d,
  BatchNorm2d,
  Conv2d,
  Dropout,
  Flatten,
  LayerNorm,
  Linear,
  MaxPool2d,
  type Module,
  ReLU,
  Sequential,
} from "../../src/nn/index.ts";
import * as optim from "../../src/optim/index.ts";

type Tensor = sw.Tensor;
type Params = Tensor[];

interface Setup {
  readonly optimizer: (params: Params) => optim.AnyOptimizer;
  readonly clip?: (params: Params) => unknown;
  readonly schedule?: (optimizer: optim.AnyOptimizer) => optim.LRScheduler;
  readonly layers?: () => readonly Module[];
}

function setup({ optimizer: make, clip, schedule: plan, layers }: Setup) {
  sw.manualSeed(1);
  const model = new Sequential(
    ...([new Linear(8, 16), ...(layers?.() ?? []), new ReLU(), new Linear(16, 4)] as Linear[]),
  );
  const params = [...model.parameters()] as Params;
  const optimizer = make(params);
  const schedule = plan?.(optimizer);
  const step = (x: Tensor, y: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = (model.forward(x) as Tensor).sub(y).square().mean() as Tensor;
    loss.backward();
    clip?.(params);
    optimizer.step();
    return loss.detach() as Tensor;
  };
  return { model, optimizer, step, schedule };
}

const adam = (params: Params): optim.Adam => new optim.Adam(params, { lr: 0.01 });

const setups: Record<string, Setup> = {
  SGD: { optimizer: (p) => new optim.SGD(p, { lr: 0.1 }) },
  momentum: { optimizer: (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9, nesterov: true, weightDecay: 0.01 }) },
  Adam: { optimizer: adam },
  AMSGrad: { optimizer: (p) => new optim.AdamW(p, { lr: 0.01, amsgrad: true }) },
  AdamW: { optimizer: (p) => new optim.AdamW(p, { lr: 0.01, weightDecay: 0.1 }) },
  NAdam: { optimizer: (p) => new optim.NAdam(p, { lr: 0.01 }) },
  RAdam: { optimizer: (p) => new optim.RAdam(p, { lr: 0.01 }) },
  Adamax: { optimizer: (p) => new optim.Adamax(p, { lr: 0.01 }) },
  RMSprop: { optimizer: (p) => new optim.RMSprop(p, { lr: 0.01, momentum: 0.5, centered: true }) },
  Adagrad: { optimizer: (p) => new optim.Adagrad(p, { lr: 0.05 }) },
  Adadelta: { optimizer: (p) => new optim.Adadelta(p) },
  "clipping by norm": { optimizer: adam, clip: (p) => optim.clipGradNorm_(p, 0.1) },
  "clipping by value": { optimizer: adam, clip: (p) => optim.clipGradValue_(p, 0.01) },
  "a step schedule": { optimizer: adam, schedule: (o) => new optim.StepLR(o, { stepSize: 7, gamma: 0.5 }) },
  "a cosine schedule": { optimizer: adam, schedule: (o) => new optim.CosineAnnealingLR(o, { tMax: 50 }) },
  "one cycle": {
    optimizer: (p) => new optim.SGD(p, { lr: 0.1, momentum: 0.9 }),
    schedule: (o) => new optim.OneCycleLR(o, { maxLr: 0.2, totalSteps: 101 }),
  },
  dropout: { optimizer: adam, layers: () => [new Dropout(0.3)] },
  "batch norm": { optimizer: adam, layers: () => [new BatchNorm1d(16)] },
  everything: {
    optimizer: (p) => new optim.AdamW(p, { lr: 0.02 }),
    clip: (p) => optim.clipGradNorm_(p, 0.5),
    schedule: (o) => new optim.ExponentialLR(o, { gamma: 0.97 }),
    layers: () => [new BatchNorm1d(16), new Dropout(0.2)],
  },
};

test("a step whose options change is traced again", () => {
  const [eager, compiled] = [setup({ optimizer: adam }), setup({ optimizer: adam })];
  const fast = compile(compiled.step);
  for (let k = 0; k < 12; k++) {
    if (k % 4 === 0)
      for (const { optimizer } of [eager, compiled]) {
        const [group] = optimizer.paramGroups as unknown as [{ betas: readonly [number, number]; eps: number }];
        group.betas = [0.9 - k / 100, 0.99];
        group.eps = 1e-8 * (k + 1);
      }
    const [x, y] = [sw.randn([5, 8]), sw.randn([5, 4])] as Tensor[];
    expect(fast(x, y).item(), `step ${k}`).toBe(eager.step(x, y).item());
  }
});

test.each(Object.entries(setups))("100 training steps with %s", (_name, options) => {
  const [eager, compiled] = [setup(options), setup(options)];
  let traces = 0;
  const fast = compile((x: Tensor, y: Tensor) => {
    traces++;
    return compiled.step(x, y);
  });
  for (let k = 0; k < 100; k++) {
    sw.manualSeed(1000 + k);
    const [x, y] = [sw.randn([5, 8]), sw.randn([5, 4])] as Tensor[];
    sw.manualSeed(k);
    const expected = eager.step(x, y).item();
    sw.manualSeed(k);
    expect(fast(x, y).item(), `step ${k}`).toBe(expected);
    eager.schedule?.step();
    compiled.schedule?.step();
  }
  // One eager call, and two traces.
  expect(traces).toBe(3);
  const [a, b] = [eager, compiled].map(({ model }) => Object.values(model.stateDict()).map((p) => p.toArray()));
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
  const optimizer = new optim.Adam(parameters, { lr: 0.01, weightDecay: 0.1 });
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
