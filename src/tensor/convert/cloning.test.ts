/**
 * structuredClone and postMessage never make a half tensor: they throw, and the error names toMessage. What is data stays cloneable.
 */
import { MessageChannel, Worker } from "node:worker_threads";
import {
  counting,
  fromBuffer,
  fromMessage,
  Generator,
  inferenceMode,
  makeIdentityTensor,
  makeTensor,
  type Tensor,
  tensor,
  zeros,
} from "stridewise";
import { composition, int, type Layout, makeLayout, size } from "stridewise/layout";
import { Linear, parameter, Sequential } from "stridewise/nn";
import { SGD } from "stridewise/optim";
import { expect, test } from "vitest";

const ended = (t: Tensor): Tensor => {
  t.dispose();
  return t;
};
const withName = zeros([2], { names: ["a"] });
withName.label = "weights";

const refused: Readonly<Record<string, () => unknown>> = {
  "a tensor": () => zeros([2]),
  "a view": () => zeros([2, 3]).T,
  "a tensor of 6 axes": () => zeros([1, 1, 1, 1, 1, 2]),
  "an empty tensor": () => zeros([0]),
  "names and a label": () => withName,
  "a tensor over a buffer": () => fromBuffer(new Float32Array(2)),
  "a tensor on the meta device": () => zeros([2], { device: "meta" }),
  "a tensor that asks for gradients": () => zeros([2], { requiresGrad: true }),
  "a result with a history": () => zeros([2], { requiresGrad: true }).mul(2),
  "an inference tensor": () => inferenceMode(() => zeros([2])),
  "a tensor that was disposed": () => ended(zeros([2]) as Tensor),
  "a CuTe tensor": () => makeTensor(new Float32Array(6), [int(2), 3]),
  "a counting tensor": () => makeTensor(counting(0), [2]),
  "a coordinate tensor": () => makeIdentityTensor([2, 2]),
  "an engine": () => zeros([2]).engine,
  "a storage": () => zeros([2]).storage,
  "a parameter": () => parameter(zeros([2])),
  "a module": () => new Linear(2, 2),
  "a nested module": () => new Sequential(new Linear(1, 1)),
  "an optimizer": () => new SGD([parameter(zeros([2]))], { lr: 0.1 }),
  "an object of tensors": () => ({ list: [1, zeros([2])] }),
  "a generator": () => new Generator(7),
};

const { port1, port2 } = new MessageChannel();
port1.unref();
port2.unref();

test.each(Object.entries(refused))("%s is refused", (_name, make) => {
  const value = make();
  for (const send of [() => structuredClone(value), () => port1.postMessage(value)])
    expect(send).toThrow(expect.objectContaining({ name: "DataCloneError" }));
});

test("the error names the value to send instead", () => {
  expect(() => structuredClone(zeros([2]))).toThrow(
    "stridewise: tensors cannot be cloned or posted. Send toMessage() and receive with fromMessage(message)",
  );
  expect(() => structuredClone(new Generator(1))).toThrow("Send getState() and receive with setState(state)");
});

test("a worker gets no tensor, and its message instead", async () => {
  const source =
    "const { parentPort } = require('worker_threads'); parentPort.once('message', (m) => parentPort.postMessage(m));";
  const worker = new Worker(source, { eval: true });
  const t = tensor([1, 2]);
  expect(() => worker.postMessage(t)).toThrow("could not be cloned");
  const answer = new Promise((resolve) => worker.once("message", resolve));
  worker.postMessage(t.toMessage());
  expect(fromMessage((await answer) as never).toArray()).toEqual([1, 2]);
  await worker.terminate();
});

test("layouts, generator states and messages are data, and survive", () => {
  const layout = makeLayout([int(4), [2, int(3)]]);
  const copy = structuredClone(layout) as Layout;
  expect([size(copy), String(makeLayout(copy.shape, copy.stride))]).toEqual([24, String(layout)]);
  expect(String(composition(copy, makeLayout(4, 2)))).toBe(String(composition(layout as Layout, makeLayout(4, 2))));
  const generator = new Generator(7);
  generator.offset = 3;
  expect(new Generator().setState(structuredClone(generator.getState())).getState()).toEqual({ seed: 7n, offset: 3 });
});
