/** A whole network whose weights PyTorch wrote (`record.py`) computes the same here; weights are saved and loaded. */
import { readFileSync } from "node:fs";
import type { Tensor } from "stridewise";
import { encodeSafetensors, parseSafetensors } from "stridewise/io";
import {
  BatchNorm2d,
  Conv2d,
  GELU,
  LayerNorm,
  Linear,
  LSTM,
  MaxPool2d,
  Module,
  ReLU,
  Sequential,
  TransformerDecoder,
  TransformerDecoderLayer,
  TransformerEncoder,
  TransformerEncoderLayer,
} from "stridewise/nn";
import { expect, test } from "vitest";

class Network extends Module {
  features = new Sequential(
    new Conv2d(1, 4, 3, { padding: 1 }),
    new BatchNorm2d(4),
    new ReLU(),
    new MaxPool2d(2),
    new Conv2d(4, 6, 3),
    new GELU(),
  );
  encoder = new TransformerEncoder(new TransformerEncoderLayer(6, 2, { dimFeedforward: 8, batchFirst: true }), 2, {
    norm: new LayerNorm(6),
  });
  lstm = new LSTM(6, 5, { batchFirst: true, bidirectional: true });
  head = new Linear(10, 3);

  forward(x: Tensor): Tensor {
    const steps = this.features.forward(x).flatten(2).transpose(1, 2);
    return this.head.forward(this.lstm.forward(this.encoder.forward(steps)).output.select(1, -1));
  }
}

const { tensors } = parseSafetensors(readFileSync(new URL("network.safetensors", import.meta.url)));
const taken = (name: string): Tensor => {
  const found = tensors.get(name) as Tensor;
  tensors.delete(name);
  return found;
};
const [x, y] = [taken("x"), taken("y")];

const difference = (a: Tensor, b: Tensor): number => a.sub(b).abs().max().item() as number;

test("a network trained there runs here, with the same outputs", () => {
  const network = new Network().eval();
  expect(network.loadStateDict(tensors)).toEqual({ missingKeys: [], unexpectedKeys: [] });
  expect(difference(network.forward(x).detach(), y)).toBeLessThan(1e-5);
});

test("weights are saved to a file and loaded", () => {
  const [from, to] = [new Network().eval(), new Network().eval()];
  from.loadStateDict(tensors);
  const file = encodeSafetensors(from.stateDict());
  to.loadStateDict(parseSafetensors(file).tensors);
  expect(to.forward(x).toArray()).toEqual(from.forward(x).toArray());
});

test("copied layers of a transformer start equal and learn independently", () => {
  const encoder = new TransformerEncoder(new TransformerEncoderLayer(4, 2, { dimFeedforward: 4, dropout: 0 }), 2);
  const [first, second] = [encoder.layers.at(0), encoder.layers.at(1)];
  expect(first.linear1.weight.detach().toArray()).toEqual(second.linear1.weight.detach().toArray());
  encoder
    .forward(x.narrow(0, 0, 1).reshape([8, 2, 4]))
    .square()
    .sum()
    .backward();
  expect(first.linear1.weight.grad?.toArray()).not.toEqual(second.linear1.weight.grad?.toArray());
  expect(encoder.parameters()).toHaveLength(24);
});

test("a causal mask hides later steps, in encoders and decoders", () => {
  const options = { dimFeedforward: 4, batchFirst: true } as const;
  const encoder = new TransformerEncoder(new TransformerEncoderLayer(4, 2, options), 2).eval();
  const decoder = new TransformerDecoder(new TransformerDecoderLayer(4, 2, options), 2).eval();
  const whole = x.narrow(0, 0, 1).reshape([1, 16, 4]);
  const part = whole.narrow(1, 0, 5);
  const encoded = encoder.forward(whole, { isCausal: true });
  expect(difference(encoded.narrow(1, 0, 5), encoder.forward(part, { isCausal: true }))).toBeLessThan(1e-6);
  const decoded = decoder.forward(whole, encoded, { tgtIsCausal: true });
  expect(difference(decoded.narrow(1, 0, 5), decoder.forward(part, encoded, { tgtIsCausal: true }))).toBeLessThan(1e-6);
  expect(difference(encoded.narrow(1, 0, 5), encoder.forward(part))).toBeGreaterThan(1e-3);
});
