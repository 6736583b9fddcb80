/**
 * Two copies of the package in one process, as when a dependency brings its own: a tensor of one is refused by the other in words that say
 * so, as every argument of every op, and wherever else tensors are taken.
 */
import { describe, expect, test, vi } from "vitest";
import * as data from "../../src/data/index.ts";
import * as s from "../../src/index.ts";
import * as io from "../../src/io/index.ts";
import * as nn from "../../src/nn/index.ts";
import * as optim from "../../src/optim/index.ts";
import { callSample, exportedOps, samplesOf } from "../support/op-samples.ts";

vi.resetModules();
const other: typeof s = await import("../../src/index.ts");
const message = /: [\s\S]*comes from another copy of stridewise \(see npm ls stridewise\)/;
const f = other.tensor([
  [1, 2],
  [3, 4],
]) as unknown as s.Tensor<[2, 2]>;
const x = s.tensor([
  [1, 2],
  [3, 4],
]);

test("there are two copies", () => {
  expect(f).not.toBeInstanceOf(s.Tensor);
  expect(f).toBeInstanceOf(other.Tensor);
});

const ops = [...exportedOps()].filter(([name, op]) => samplesOf(name, op).length > 0);

test("every op refuses one in every argument", () => {
  const wrong: string[] = [];
  let calls = 0;
  for (const [name, op] of ops) {
    const sample = samplesOf(name, op)[0] as string;
    for (let k = 0; ; k++) {
      let count = 0;
      const change = (t: s.Tensor): s.Tensor =>
        count++ === k ? (other.tensor(t.toArray() as never, { dtype: t.dtype }) as unknown as s.Tensor) : t;
      let got = "a result";
      try {
        callSample(name, sample, change);
      } catch (error) {
        got = String(error);
      }
      if (count <= k) break;
      calls++;
      if (!message.test(got)) wrong.push(`${name}(${sample}), tensor ${k}: ${got}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(calls).toBeGreaterThan(500);
});

const locations: Record<string, () => unknown> = {
  "an operand": () => x.add(f),
  "an operand in place": () => x.add_(f),
  "the first operand": () => s.add(f, x),
  "an operand of a formula": () => s.elementwise("a + b", { a: x, b: f }),
  "the output": () => s.add(x, x, { out: f } as never),
  "an index": () => x.at(f as never),
  indices: () => x.pick(f as never),
  "an element": () => x.set(0, 0, f as never),
  "a source to copy": () => x.copy_(f as never),
  "a value to assign": () => x.assign(f as never),
  "a value to fill with": () => x.fill_(f as never),
  "a shape to expand to": () => x.expandAs(f as never),
  data: () => s.tensor(f as never),
  "a list of data": () => s.tensor([f, f] as never),
  "a pattern of zeros": () => s.zerosLike(f),
  "a gradient": () =>
    s
      .tensor([1, 2], { requiresGrad: true })
      .mul(2)
      .backward(f as never),
  "an argument of vmap": () => s.vmap((a: s.Tensor) => a.mul(2))(f),
  "an .npy file": () => io.encodeNpy(f),
  "an .npz file": () => io.encodeNpz({ f }),
  "tensors by name": () => io.encodeNpz(f as never),
  "an input of a layer": () => new nn.Linear(2, 2).forward(f),
  "a parameter": () => nn.parameter(f),
  "a state dict": () => new nn.Linear(2, 2).loadStateDict({ weight: f, bias: f }),
  "parameters to optimize": () => new optim.SGD([f], { lr: 0.1 }),
  "one parameter": () => new optim.SGD(f as never, { lr: 0.1 }),
  "parameters to clip": () => optim.clipGradNorm_([f], 1),
  "a dataset": () => new data.TensorDataset([f]),
  "a source of a loader": () => new data.DataLoader(f),
};

describe("it is refused as", () => {
  test.each(Object.entries(locations))("%s", (_, call) => {
    expect(call).toThrow(message);
  });
});
