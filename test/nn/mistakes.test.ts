/**
 * Common mistakes of new users: modules in unexpected fields, states that do not fit, lists instead of tensors, masks
 * as positional arguments. A mistake throws an error and changes nothing.
 */
import { empty, gradgradcheck, keep, ones, randn, relu, scope, type Tensor, zeros } from "stridewise";
import { encodeSafetensors, parseSafetensors, saveSafetensors } from "stridewise/io";
import {
  BatchNorm1d,
  BatchNorm2d,
  Conv2d,
  Dropout,
  GRU,
  LayerNorm,
  Linear,
  LSTM,
  Module,
  ModuleList,
  MultiheadAttention,
  parameter,
  Sequential,
  TransformerEncoder,
  TransformerEncoderLayer,
} from "stridewise/nn";
import { describe, expect, test } from "vitest";

class Nested extends Module {
  blocks = [[new Linear(1, 1), new Linear(1, 1, { bias: false })], [new Linear(1, 1, { bias: false })]];
  heads = { first: { deep: [new Linear(1, 1, { bias: false })] }, none: null, sizes: [1, 2, 3] };
  forward(x: Tensor): Tensor {
    return x;
  }
}
class Free extends Module {
  [name: string]: unknown;
  forward(): void {}
}

describe("parts of a module", () => {
  test("nested in lists and objects are found, copied and converted", () => {
    const model = new Nested();
    const names = ["blocks.0.0.weight", "blocks.0.0.bias", "blocks.0.1.weight", "blocks.1.0.weight"];
    expect(model.namedParameters().map(([name]) => name)).toEqual([...names, "heads.first.deep.0.weight"]);
    const copy = model.clone().to("float64");
    expect(copy.parameters().map(({ dtype }) => dtype)).toEqual(new Array(5).fill("float64"));
    expect(model.blocks[1]?.[0]?.weight.dtype).toBe("float32");
    expect(model.eval().blocks[0]?.[1]?.training).toBe(false);
  });

  test("a record that contains itself is visited once; a module that contains itself throws, even when printed", () => {
    const model = new Free();
    const settings: Record<string, unknown> = { layer: new Linear(1, 1) };
    model["settings"] = Object.assign(settings, { self: settings });
    expect(model.parameters()).toHaveLength(2);
    model["child"] = Object.assign(new Free(), { parent: model });
    expect(() => String(model)).toThrow(
      "Free: child.parent is a module that contains itself. Store references to parents in a #private field or a function",
    );
    expect(() => model.parameters()).toThrow(
      "Free: child.parent is a module that contains itself. Store references to parents in a #private field or a function",
    );
  });

  test("converted in a scope stay alive after it; integer dtypes throw", () => {
    const model = new Sequential(new Linear(2, 2), new BatchNorm1d(2));
    scope(() => void model.to("float64"));
    expect(model.forward(randn([3, 2], { dtype: "float64" })).dtype).toBe("float64");
    expect(() => model.to("int32")).toThrow("Sequential.to: only floating-point dtypes are accepted");
  });
});

describe("a state that does not fit changes nothing", () => {
  const make = () => new Sequential(new Linear(2, 2), new BatchNorm1d(2));
  const disposed = ones([2]);
  disposed.dispose();
  const last = "1.running_var";
  test.each<[string, unknown, string]>([
    ["nothing", null, "an object or a Map of tensors by name"],
    ["a list", [ones([2])], "got a list"],
    ["a tensor", ones([2]), "an object or a Map of tensors by name"],
    ["a promise", Promise.resolve(make().stateDict()), "got a promise. Await it first"],
    ["a model", make(), "got a model. Pass model.stateDict()"],
    [
      "a file",
      parseSafetensors(encodeSafetensors(make().stateDict())),
      "got a file with its metadata. Pass its .tensors",
    ],
    ["a number", { ...make().stateDict(), [last]: 3 }, "1.running_var: expected a tensor, got 3"],
    ["a list in it", { ...make().stateDict(), [last]: [1, 2] }, "1.running_var: expected a tensor, got a list"],
    [
      "a disposed tensor",
      { ...make().stateDict(), [last]: disposed },
      "1.running_var: the tensor was disposed. Return it from its scope, or pass it to keep.",
    ],
    ["no values", { ...make().stateDict(), [last]: empty([2], { device: "meta" }) }, "has no values"],
    ["complex numbers", { ...make().stateDict(), [last]: ones([2], { dtype: "complex64" }) }, "is complex64"],
    ["a different shape", { ...make().stateDict(), [last]: ones([3]) }, "1.running_var: the state dict has shape [3]"],
  ])("%s", (_, state, text) => {
    const model = make();
    const before = model.clone().stateDict();
    expect(() => model.loadStateDict(state as never)).toThrow(text);
    for (const [name, t] of Object.entries(model.stateDict())) expect(t.equal(before[name] as Tensor), name).toBe(true);
  });

  test("a model is saved by its state", async () => {
    const text = "needs tensors by name, got a model. Pass model.stateDict().";
    expect(() => encodeSafetensors(make() as never)).toThrow(`encodeSafetensors: ${text}`);
    await expect(saveSafetensors("never-written", make() as never)).rejects.toThrow(`saveSafetensors: ${text}`);
  });

  test("a copy keeps the best weights so far, and leaves a scope by keep", () => {
    const model = make();
    let best: Record<string, Tensor> = {};
    scope(() => {
      best = keep(model.clone().stateDict());
    });
    const weight = (best["0.weight"] as Tensor).toArray();
    scope(() => model.loadStateDict(make().stateDict()));
    expect(model.at(0).weight.detach().toArray()).not.toEqual(weight);
    model.loadStateDict(best);
    expect(model.at(0).weight.detach().toArray()).toEqual(weight);
  });
});

describe("a mistake names the layer", () => {
  const x = ones([2, 1, 4]);
  const mask = ones([2, 2], { dtype: "bool" });
  test.each<[string, () => unknown, string]>([
    [
      "a list",
      () => new Linear(2, 2).forward([[1, 2]] as never),
      "Linear(2, 2): the input must be a tensor, got a list. Write tensor(list)",
    ],
    [
      "nothing",
      () => new Conv2d(1, 1, 3).forward(undefined as never),
      "Conv2d(1, 1, 3): the input must be a tensor, got undefined",
    ],
    ["a number", () => new LayerNorm(2).forward(3 as never), "LayerNorm(2): the input must be a tensor, got number"],
    ["null", () => new BatchNorm1d(2).forward(null as never), "BatchNorm1d(2): the input must be a tensor, got null"],
    ["a text", () => new LSTM(2, 2).forward("x" as never), "LSTM(2, 2): the input must be a tensor, got string"],
    [
      "no keys",
      () => new MultiheadAttention(4, 2).forward(x, undefined as never, x),
      "the input must be a tensor, got undefined",
    ],
    [
      "a mask by place",
      () => new TransformerEncoderLayer(4, 2).forward(x, mask as never),
      "masks must be an object, such as { srcMask, srcKeyPaddingMask }, got a tensor of shape [2, 2]",
    ],
    [
      "a mask of attention by place",
      () => new MultiheadAttention(4, 2).forward(x, x, x, mask as never),
      "masks must be an object",
    ],
    [
      "a mask of integers",
      () => new MultiheadAttention(4, 2).forward(x, x, x, { attnMask: mask.to("uint8") }),
      'only bool and floating types of attnMask are supported, got uint8. Convert it with to("bool")',
    ],
    [
      "a list as a parameter",
      () => parameter([1] as never),
      "parameter: a parameter must be a tensor, got a list. Write parameter(tensor(list))",
    ],
    ["an empty kernel", () => new Conv2d(1, 1, 0), "kernelSize must be a positive integer, got 0"],
    [
      "a list of layers",
      () => new Sequential([new Linear(1, 1)] as never),
      "Sequential: entry 0 is a list, not a module. Write new Sequential(...list)",
    ],
    [
      "a function in a list",
      () => new ModuleList([]).append(relu as never),
      "ModuleList: entry 0 is a function, not a module. Call functions in forward",
    ],
    [
      "an option that does not exist",
      () => new Linear(2, 2, { biases: false } as never),
      "Linear(2, 2, { biases: false }): there is no option biases; the options are bias, dtype",
    ],
    [
      "options by place",
      () => new Conv2d(1, 1, 3, 1 as never),
      "Conv2d(1, 1, 3, 1): options must be an object { stride, padding, dilation, groups, bias, dtype, paddingMode }, got 1",
    ],
    [
      "an option of another layer",
      () => new GRU(1, 1, { nonlinearity: "tanh" } as never),
      "there is no option nonlinearity; the options are numLayers, bias, batchFirst, dropout, bidirectional, dtype",
    ],
    [
      "a text for a number",
      () => new Dropout("0.5" as never),
      'between 0 and 1, but got "0.5". Pass a fraction such as 0.1',
    ],
    ["no kernel", () => new Conv2d(1, 1, undefined as never), "kernelSize must be a number or a list of 2, got"],
    [
      "a padding of another name",
      () => new Conv2d(1, 1, 3, { padding: "full" as never }),
      'padding must be a number, a number per axis, "same" or "valid", got "full"',
    ],
    [
      "steps that cannot keep the size",
      () => new Conv2d(1, 1, 3, { padding: "same", stride: [1, 2] }),
      "got stride [1, 2]. Pass the number of elements to add to both sides",
    ],
    [
      "no shape",
      () => new LayerNorm([]),
      "LayerNorm([]): normalizedShape must be the size of the last axis, or a list of sizes, got []",
    ],
    [
      "a state by place",
      () => new GRU(2, 2).forward(ones([1, 1, 2]), ones([1, 1, 2]) as never),
      "GRU(2, 2): the state must be an object { hidden }, got tensor of shape [1, 1, 2]",
    ],
    [
      "half a state",
      () => new LSTM(2, 2).forward(ones([1, 1, 2]), { hidden: ones([1, 1, 2]) } as never),
      "LSTM(2, 2): Expected cell size [1, 1, 2], got nothing. Pass { hidden, cell }",
    ],
    [
      "a class for a layer",
      () => new TransformerEncoder(TransformerEncoderLayer as never, 2),
      "the first argument must be a layer to copy, such as new TransformerEncoderLayer(...), got TransformerEncoderLayer",
    ],
    ["integers", () => new Linear(2, 2).forward(zeros([1, 2], { dtype: "int64" })), 'Convert one: to("float32")'],
  ])("%s", (_, run, text) => {
    expect(run).toThrow(text);
  });
});

test.each([
  ["GRU", new GRU(2, 2, { dtype: "float64" })],
  ["LSTM", new LSTM(2, 2, { dtype: "float64" })],
])("gradients of %s have gradients", (_, model) => {
  const x = randn([2, 1, 2], { dtype: "float64" }).requiresGrad_();
  expect(gradgradcheck((t) => model.forward(t).output, x as Tensor)).toBe(true);
});

test("an empty batch has gradients of zeros, and running values stay", () => {
  const norm = new BatchNorm2d(2);
  const model = new Sequential(new Conv2d(1, 2, 3), norm);
  model
    .forward(zeros([0, 1, 5, 5]))
    .sum()
    .backward();
  for (const [name, t] of model.namedParameters()) expect(t.grad?.abs().sum().item(), name).toBe(0);
  expect(norm.runningVar?.toArray()).toEqual([1, 1]);
});
