/**
 * Layers compared with PyTorch's: outputs, gradients of inputs and parameters, running values, as recorded by
 * `record.py`.
 */
import { readFileSync } from "node:fs";
import { type DType, Tensor, tensor } from "stridewise";
import * as nn from "stridewise/nn";
import { expect, test } from "vitest";

interface Packed {
  readonly shape: readonly number[];
  readonly dtype: DType;
  readonly data: readonly (number | boolean)[];
}
interface Recorded {
  readonly layer: string;
  readonly args: readonly unknown[];
  readonly train: boolean;
  readonly calls: number;
  readonly state: Readonly<Record<string, Packed>>;
  readonly inputs: readonly Packed[];
  readonly call: Readonly<Record<string, unknown>>;
  readonly outputs: readonly Packed[];
  readonly inputGradients: readonly (readonly number[] | null)[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly buffers: Readonly<Record<string, Packed>>;
}

const recorded = JSON.parse(readFileSync(new URL("recorded.json", import.meta.url), "utf8")) as readonly Recorded[];

const isPacked = (value: unknown): value is Packed => typeof value === "object" && value !== null && "data" in value;
const unpacked = ({ shape, dtype, data }: Packed): Tensor =>
  (tensor(data as number[], { dtype }) as Tensor).reshape(shape as number[]);

/** The tensors of a result, in PyTorch's order. */
const flat = (result: unknown): Tensor[] =>
  result instanceof Tensor ? [result] : result === null ? [] : Object.values(result as object).flatMap(flat);

/** The arguments of forward: states are one object. */
function argumentsOf(layer: string, inputs: readonly Tensor[]): unknown[] {
  const [x, hidden, cell] = inputs;
  if (hidden === undefined) return [x];
  if (layer === "LSTM" || layer === "LSTMCell") return [x, { hidden, cell }];
  return layer === "RNN" || layer === "GRU" ? [x, { hidden }] : [...inputs];
}

/** The largest difference, relative to the largest number. */
function difference(got: Tensor, expected: readonly (number | boolean)[]): number {
  const values = (got.detach() as Tensor).to("float64").reshape([-1]).toArray() as number[];
  expect(values.length).toBe(expected.length);
  const size = Math.max(1, ...expected.map((value) => Math.abs(Number(value))));
  return Math.max(0, ...values.map((value, k) => Math.abs(value - Number(expected[k])))) / size;
}

const named = recorded.map(
  (record, k) => [`${record.layer}(${JSON.stringify(record.args).slice(1, -1)}) #${k}`, record] as const,
);

test.each(named)("%s", (_, record) => {
  const make = (nn as unknown as Record<string, new (...args: unknown[]) => nn.Module>)[record.layer];
  if (make === undefined) throw new Error(`there is no layer ${record.layer}`);
  const layer = new make(...record.args).to("float64").train(record.train);
  const state = Object.fromEntries(Object.entries(record.state).map(([name, t]) => [name, unpacked(t)]));
  expect(layer.loadStateDict(state)).toEqual({ missingKeys: [], unexpectedKeys: [] });
  expect(Object.keys(layer.stateDict())).toEqual(Object.keys(record.state));
  expect(Object.keys(layer.stateDict()).map((name) => layer.stateDict()[name]?.dtype)).toEqual(
    Object.values(record.state).map(({ dtype }) => dtype),
  );
  const inputs = record.inputs.map((packed, k) => unpacked(packed).requiresGrad_(record.inputGradients[k] !== null));
  const call = Object.fromEntries(
    Object.entries(record.call).map(([name, value]) => [name, isPacked(value) ? unpacked(value) : value]),
  );
  const args = argumentsOf(record.layer, inputs);
  if (Object.keys(call).length > 0) args.push(call);
  let outputs: Tensor[] = [];
  for (let k = 0; k < record.calls; k++) outputs = flat(layer.forward(...args));
  expect(outputs.map(({ shape }) => [...shape])).toEqual(record.outputs.map(({ shape }) => shape));
  for (const [k, output] of outputs.entries())
    expect(difference(output, record.outputs[k]!.data), `output ${k}`).toBeLessThan(1e-8);
  for (const [name, expected] of Object.entries(record.buffers))
    expect(difference(layer.stateDict()[name]!, expected.data), name).toBeLessThan(1e-8);

  const losses = outputs.map((output): Tensor => {
    const factors = Array.from({ length: output.size }, (_, k) => Math.sin(1 + k));
    return tensor(factors, { dtype: "float64" })
      .reshape(output.shape as number[])
      .mul(output)
      .sum();
  });
  const loss = losses.reduce((a, b): Tensor => a.add(b));
  if (loss.requiresGrad) loss.backward();
  inputs.forEach((input, k) => {
    const expected = record.inputGradients[k];
    if (expected) expect(difference(input.grad as Tensor, expected), `gradient of input ${k}`).toBeLessThan(1e-7);
  });
  const withGradient = layer.namedParameters().filter(([, t]) => t.grad !== null);
  expect(withGradient.map(([name]) => name).sort()).toEqual(Object.keys(record.gradients).sort());
  for (const [name, t] of withGradient)
    expect(difference(t.grad as Tensor, record.gradients[name]!), `gradient of ${name}`).toBeLessThan(1e-7);
});

test("layers that are not recorded are tested in layers.test.ts, modules.test.ts and network.test.ts", () => {
  const seen = new Set(recorded.map(({ layer }) => layer));
  const layers = Object.keys(nn).filter((name) => /^[A-Z]/.test(name) && !seen.has(name));
  expect(layers.sort()).toMatchInlineSnapshot(`
    [
      "AdaptiveMaxPool3d",
      "CTCLoss",
      "ChannelShuffle",
      "CircularPad2d",
      "Dropout3d",
      "FeatureAlphaDropout",
      "InstanceNorm3d",
      "Layer",
      "Module",
      "ModuleDict",
      "ModuleList",
      "RMSNorm",
      "Sequential",
      "TransformerDecoder",
      "TransformerEncoder",
    ]
  `);
});
