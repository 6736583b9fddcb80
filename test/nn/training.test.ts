/** Networks learn: small tasks that need their layers, by plain gradient descent. */
import { manualSeed, noGrad, randint, type Tensor, tensor } from "stridewise";
import * as nn from "stridewise/nn";
import { beforeEach, expect, test } from "vitest";

beforeEach(() => {
  manualSeed(1);
});

/** The loss after some steps of gradient descent with momentum. */
function trained(model: nn.Module, steps: number, rate: number, loss: () => Tensor): number {
  const velocities = model.parameters().map((t) => t.detach().mul(0));
  let last = Number.NaN;
  for (let step = 0; step < steps; step++) {
    model.zeroGrad();
    const value = loss();
    value.backward();
    last = value.item() as number;
    noGrad(() => {
      for (const [k, t] of model.parameters().entries())
        t.sub_(velocities[k]!.mul_(0.9).add_(t.grad!), { alpha: rate });
    });
  }
  return last;
}

test("exclusive or, which no single layer can compute", () => {
  const model = new nn.Sequential(new nn.Linear(2, 8), new nn.Tanh(), new nn.Linear(8, 1));
  const x = tensor([
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  const y = tensor([[0], [1], [1], [0]]);
  const criterion = new nn.BCEWithLogitsLoss();
  expect(trained(model, 200, 0.2, () => criterion.forward(model.forward(x), y))).toBeLessThan(0.05);
  expect(model.forward(x).gt(0).toArray()).toEqual(y.gt(0.5).toArray());
});

test("the parity of a sequence so far, by a recurrent network", () => {
  class Parity extends nn.Module {
    rnn = new nn.GRU(1, 12);
    head = new nn.Linear(12, 1);
    forward(x: Tensor): Tensor {
      return this.head.forward(this.rnn.forward(x).output);
    }
  }
  const model = new Parity();
  const bits = randint(0, 2, [4, 32, 1]).to("float32");
  const parity = bits.cumsum(0).remainder(2);
  const criterion = new nn.BCEWithLogitsLoss();
  const before = criterion.forward(model.forward(bits), parity).item() as number;
  expect(before).toBeGreaterThan(0.6);
  expect(trained(model, 250, 0.2, () => criterion.forward(model.forward(bits), parity))).toBeLessThan(0.15);
});

test("which of two tokens a sequence begins with, by attention", () => {
  class First extends nn.Module {
    table = new nn.Embedding(2, 8);
    positions = new nn.Embedding(5, 8);
    layer = new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, batchFirst: true, dropout: 0 });
    head = new nn.Linear(8, 2);
    forward(x: Tensor): Tensor {
      const positions = this.positions.forward(tensor([0n, 1n, 2n, 3n, 4n]));
      return this.head.forward(this.layer.forward(this.table.forward(x).add(positions)).select(1, 4));
    }
  }
  const model = new First();
  const x = randint(0, 2, [48, 5], { dtype: "int64" });
  const criterion = new nn.CrossEntropyLoss();
  expect(trained(model, 120, 0.05, () => criterion.forward(model.forward(x), x.select(1, 0)))).toBeLessThan(0.1);
});
