/**
 * Every layer of `stridewise/nn`, compiled: outputs, gradients of inputs and parameters, and buffers equal those of an eager call, bit for bit, in training
 * and in evaluation. The layers and their arguments are those that `test/nn/record.py` recorded, and a list of the others.
 */
import { readFileSync } from "node:fs";
import { compile, type DType, grad, manualSeed, randn, Tensor, tensor } from "stridewise";
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
  readonly inputs: readonly Packed[];
  readonly inputGradients: readonly (readonly number[] | null)[];
  readonly call: Readonly<Record<string, unknown>>;
}

const recorded = JSON.parse(
  readFileSync(new URL("../nn/recorded.json", import.meta.url), "utf8"),
) as readonly Recorded[];

const isPacked = (value: unknown): value is Packed => typeof value === "object" && value !== null && "data" in value;
const unpacked = ({ shape, dtype, data }: Packed): Tensor => {
  const t = tensor(data as number[], { dtype }) as Tensor;
  return (dtype === "float64" ? t.to("float32") : t).reshape(shape as number[]) as Tensor;
};

/** The arguments of forward: states are one object. */
function argumentsOf(layer: string, inputs: readonly Tensor[]): unknown[] {
  const [x, hidden, cell] = inputs;
  if (hidden === undefined) return [x];
  if (layer === "LSTM" || layer === "LSTMCell") return [x, { hidden, cell }];
  return layer === "RNN" || layer === "GRU" ? [x, { hidden }] : [...inputs];
}

type Case = readonly [name: string, make: () => nn.Module, args: () => readonly unknown[]];

const classes = nn as unknown as Record<string, new (...args: unknown[]) => nn.Module>;

const cases: Case[] = recorded.map(({ layer, args, inputs, call, inputGradients }, k) => [
  `${layer}(${JSON.stringify(args).slice(1, -1)}) #${k}`,
  () => new classes[layer]!(...args),
  () => {
    const list = argumentsOf(
      layer,
      inputs.map((each, i) => unpacked(each).requiresGrad_(inputGradients[i] !== null) as Tensor),
    );
    const options = Object.entries(call).map(([name, value]) => [name, isPacked(value) ? unpacked(value) : value]);
    return options.length > 0 ? [...list, Object.fromEntries(options)] : list;
  },
]);

const random = (...shape: number[]): Tensor => (randn(shape) as Tensor).requiresGrad_() as Tensor;

cases.push(
  ["AdaptiveMaxPool3d", () => new nn.AdaptiveMaxPool3d(2), () => [random(1, 2, 4, 4, 4)]],
  ["ChannelShuffle", () => new nn.ChannelShuffle(2), () => [random(1, 4, 2, 3)]],
  ["CircularPad2d", () => new nn.CircularPad2d(1), () => [random(1, 2, 3, 3)]],
  ["Dropout3d", () => new nn.Dropout3d(), () => [random(2, 4, 2, 2, 2)]],
  ["FeatureAlphaDropout", () => new nn.FeatureAlphaDropout(), () => [random(2, 4, 3)]],
  ["InstanceNorm3d", () => new nn.InstanceNorm3d(2, { affine: true }), () => [random(2, 2, 2, 2, 2)]],
  ["RMSNorm", () => new nn.RMSNorm([4]), () => [random(3, 4)]],
  [
    "Sequential",
    () => new nn.Sequential(new nn.Linear(3, 4), new nn.ReLU(), new nn.Linear(4, 2)),
    () => [random(5, 3)],
  ],
  ["ModuleList", () => new Chosen(new nn.ModuleList([new nn.Linear(3, 3)]), null), () => [random(2, 3)]],
  [
    "ModuleDict",
    () => new Chosen(null, new nn.ModuleDict({ a: new nn.Linear(3, 3) } as Record<string, nn.Module>)),
    () => [random(2, 3)],
  ],
  [
    "TransformerEncoder",
    () => new nn.TransformerEncoder(new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16 }), 2),
    () => [random(5, 2, 8)],
  ],
  [
    "TransformerDecoder",
    () => new nn.TransformerDecoder(new nn.TransformerDecoderLayer(8, 2, { dimFeedforward: 16 }), 2),
    () => [random(5, 2, 8), random(4, 2, 8)],
  ],
  ["RNN of two layers with dropout", () => new nn.RNN(3, 4, { numLayers: 2, dropout: 0.5 }), () => [random(5, 2, 3)]],
  ["LSTM in both directions", () => new nn.LSTM(3, 4, { bidirectional: true }), () => [random(5, 2, 3)]],
  ["GRU", () => new nn.GRU(3, 4, { numLayers: 2 }), () => [random(5, 2, 3)]],
  [
    "CTCLoss of rows",
    () => new nn.CTCLoss(),
    // Wider than the longest target.
    () => [random(6, 3, 4), integers([1, 2, 2, 0], [3, 1, 0, 0], [2, 0, 0, 0]), integers(6, 5, 4), integers(3, 2, 1)],
  ],
  [
    "CTCLoss of one list",
    () => new nn.CTCLoss({ reduction: "sum", zeroInfinity: true }),
    () => [random(4, 3, 4), integers(1, 2, 3, 3, 3, 1), integers(4, 4, 2), integers(2, 3, 1)],
  ],
  [
    "CTCLoss of known lengths",
    () => new nn.CTCLoss({ reduction: "none", blank: 3 }),
    () => [random(4, 2, 4), integers([1, 2], [0, 0]), [4, 3], [2, 0]],
  ],
);

const integers = (...data: readonly (number | number[])[]): Tensor =>
  tensor(data as number[], { dtype: "int64" }) as Tensor;

/** A module that calls the members of its list and its dictionary. */
class Chosen extends nn.Module {
  readonly list: nn.ModuleList | null;
  readonly dict: nn.ModuleDict | null;

  constructor(list: nn.ModuleList | null, dict: nn.ModuleDict | null) {
    super();
    this.list = list;
    this.dict = dict;
  }

  forward(x: Tensor): Tensor {
    const all = [...(this.list ?? []), ...Object.values(this.dict ?? {})] as nn.Module[];
    return all.reduce((y, layer) => (layer instanceof nn.Module ? (layer as nn.Linear).forward(y) : y), x);
  }
}

/** The tensors of a result, in their order. */
const flat = (result: unknown): Tensor[] =>
  result instanceof Tensor
    ? [result]
    : result === null || typeof result !== "object"
      ? []
      : Object.values(result).flatMap(flat);

/** A function of a layer that returns its outputs, and the gradients of a weighted sum of them. */
const passes =
  (layer: nn.Module) =>
  (...args: unknown[]): Tensor[] => {
    const outputs = flat((layer.forward as (...args: unknown[]) => unknown)(...args));
    const inputs = flat(args).filter((t) => t.requiresGrad);
    const terms = outputs.filter((t) => t.requiresGrad).map((t) => t.sin().sum() as Tensor);
    const leaves = [...inputs, ...layer.parameters()];
    const loss = terms.reduce<Tensor | null>((sum, t) => (sum === null ? t : (sum.add(t) as Tensor)), null);
    const gradients = loss === null ? [] : grad(loss, leaves, { allowUnused: true });
    return [...outputs, ...gradients.flatMap((t) => (t === null ? [] : [t]))].map((t) => t.detach() as Tensor);
  };

const describeAll = (list: readonly Tensor[]): unknown => list.map((t) => [t.dtype, t.shape, t.toArray()]);

test.each(cases)("%s", (_name, make, args) => {
  manualSeed(3);
  const eager = make();
  const layer = make();
  layer.loadStateDict(eager.stateDict());
  // Arguments that require gradients would make the calls eager; the traced function differentiates by copies of them.
  let calls = 0;
  const compiled = compile((...list: unknown[]) => {
    calls++;
    return passes(layer)(...list.map((each) => leaves(each)));
  });
  for (const isTraining of [true, false, true]) {
    for (const each of [eager, layer]) each.train(isTraining);
    for (let round = 0; round < 3; round++) {
      manualSeed(round);
      const inputs = args();
      manualSeed(round + 10);
      const expected = describeAll(passes(eager)(...inputs));
      manualSeed(round + 10);
      const run = (): Tensor[] => compiled(...inputs.map((each) => marked(each)));
      expect(describeAll(run()), `${isTraining ? "train" : "eval"} ${round}`).toEqual(expected);
      expect(describeAll(Object.values(layer.stateDict())), "buffers").toEqual(
        describeAll(Object.values(eager.stateDict())),
      );
    }
  }
  // One eager call, then two traces for the first mode, and one for the other one if the layer reads its mode.
  expect([3, 4]).toContain(calls);
});

/** A tensor that the traced function is to differentiate by. */
interface Marked {
  readonly leaf: Tensor;
}

const mapTensors = (value: unknown, fn: (t: Tensor) => unknown): unknown => {
  if (value instanceof Tensor) return fn(value);
  if (Array.isArray(value)) return value.map((each) => mapTensors(each, fn));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTensors(each, fn)]));
};

const marked = (value: unknown): unknown =>
  mapTensors(value, (t): Tensor | Marked => (t.requiresGrad ? { leaf: t.detach() as Tensor } : t));

const leaves = (value: unknown): unknown => {
  if (value instanceof Tensor || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(leaves);
  if ("leaf" in value) return (value.leaf as Tensor).detach().requiresGrad_();
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, leaves(each)]));
};

test("all layers are tested", () => {
  const seen = new Set(cases.map(([name]) => name.split(/[( ]/)[0]));
  const others = Object.keys(nn).filter((name) => /^[A-Z]/.test(name) && !seen.has(name));
  expect(others.sort()).toEqual(["Layer", "Module"]);
});
