/**
 * Whole trainings compared with PyTorch's: from the same weights, 30 steps of layers, losses, gradients, clipping,
 * optimizers and schedules have the same losses in float64. Recorded by record_trajectories.py.
 */
import { readFileSync } from "node:fs";
import { arange, crossEntropy, mseLoss, noGrad, scope, smoothL1Loss, type Tensor } from "stridewise";
import {
  BatchNorm1d,
  Embedding,
  GRU,
  Linear,
  LSTM,
  Module,
  ReLU,
  Sequential,
  TransformerEncoder,
  TransformerEncoderLayer,
} from "stridewise/nn";
import { Adam, AdamW, clipGradNorm_, OneCycleLR, type Optimizer, RMSprop, SGD, StepLR } from "stridewise/optim";
import { expect, test } from "vitest";

const recorded = JSON.parse(readFileSync(new URL("trajectories.json", import.meta.url), "utf8")) as Record<
  string,
  number[]
>;

const wave = (shape: readonly number[], start: number): Tensor =>
  arange(
    shape.reduce((size, n) => size * n, 1),
    { dtype: "float64" },
  )
    .mul(0.7)
    .add(start)
    .sin()
    .mul(0.4)
    .reshape(shape);

/** The model in float64, with waves as parameters. */
function started<M extends Module>(model: M): M {
  const named = model.to("float64").namedParameters();
  named.sort(([a], [b]) => (a < b ? -1 : 1));
  noGrad(() => {
    for (const [k, [, t]] of named.entries()) t.copy_(wave(t.shape, 1 + 13 * k));
  });
  return model;
}

function follows(
  name: string,
  model: Module,
  optimizer: Optimizer,
  loss: () => Tensor,
  { schedule, clip }: { schedule?: { step(): void }; clip?: number } = {},
): void {
  const losses = recorded[name] as number[];
  for (const [step, expected] of losses.entries()) {
    const found = scope(() => {
      optimizer.zeroGrad();
      const value = loss();
      value.backward();
      if (clip !== undefined) clipGradNorm_(model.parameters(), clip);
      optimizer.step();
      schedule?.step();
      return Number(value.item());
    });
    expect(Math.abs(found - expected) / (1 + Math.abs(expected)), `${name}, step ${step}`).toBeLessThan(1e-11);
  }
  expect(losses.at(-1)).toBeLessThan((losses[0] as number) * 0.95);
}

const classes = arange(12, { dtype: "int64" }).remainder(3) as Tensor;
const series = wave([8, 7, 4], 0).mul(3) as Tensor;
const target = wave([8, 1], 5).mul(3) as Tensor;

test("an MLP with a batch norm by SGD with Nesterov momentum and weight decay", () => {
  const x = wave([12, 5], 0).mul(3) as Tensor;
  const norm = new BatchNorm1d(8);
  const model = started(new Sequential(new Linear(5, 8), norm, new ReLU(), new Linear(8, 3)));
  const optimizer = new SGD(model.parameters(), { lr: 0.1, momentum: 0.9, weightDecay: 1e-3, nesterov: true });
  follows("mlp", model, optimizer, () => crossEntropy(model.forward(x), classes, { labelSmoothing: 0.1 }));
  const running = (norm.runningVar as Tensor).toArray() as number[];
  for (const [k, value] of running.entries()) expect(value).toBeCloseTo(recorded["running"]?.[k] as number, 10);
});

class Reader extends Module {
  reader: LSTM | GRU;
  out: Linear;
  constructor(reader: LSTM | GRU, size: number) {
    super();
    this.reader = reader;
    this.out = new Linear(size, 1);
  }
  forward(x: Tensor): Tensor {
    return this.out.forward(this.reader.forward(x).output.select(1, -1));
  }
}

test("two layers of a bidirectional LSTM by Adam, clipped, with a step schedule", () => {
  const model = started(new Reader(new LSTM(4, 6, { numLayers: 2, bidirectional: true, batchFirst: true }), 12));
  const optimizer = new Adam(model.parameters(), { lr: 0.01, amsgrad: true });
  const schedule = new StepLR(optimizer, { stepSize: 10, gamma: 0.5 });
  follows("lstm", model, optimizer, () => mseLoss(model.forward(series), target), { schedule, clip: 0.5 });
});

test("a GRU by centered RMSprop with momentum", () => {
  const model = started(new Reader(new GRU(4, 6, { batchFirst: true }), 6));
  const optimizer = new RMSprop(model.parameters(), { lr: 0.005, momentum: 0.5, centered: true });
  follows("gru", model, optimizer, () => smoothL1Loss(model.forward(series), target));
});

class Encoder extends Module {
  emb = new Embedding(11, 8);
  enc: TransformerEncoder;
  out = new Linear(8, 3);
  constructor(normFirst: boolean) {
    super();
    const options = { dimFeedforward: 16, dropout: 0, batchFirst: true, normFirst, activation: "gelu" } as const;
    this.enc = new TransformerEncoder(new TransformerEncoderLayer(8, 2, options), 2);
  }
  forward(x: Tensor): Tensor {
    const read = this.enc.forward(this.emb.forward(x), { srcKeyPaddingMask: x.eq(0) });
    return this.out.forward(read.mean(1));
  }
}

test.each([
  ["encoder", false],
  ["encoder, norms first", true],
] as const)("a transformer with padding by AdamW in one cycle: %s", (name, normFirst) => {
  const words = arange(48, { dtype: "int64" }).remainder(11).reshape([8, 6]) as Tensor;
  const model = started(new Encoder(normFirst));
  const optimizer = new AdamW(model.parameters(), { lr: 0.003 });
  const schedule = new OneCycleLR(optimizer, { maxLr: 0.01, totalSteps: 40 });
  follows(name, model, optimizer, () => crossEntropy(model.forward(words), classes.narrow(0, 0, 8)), { schedule });
});
