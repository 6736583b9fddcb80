/** Modules: their parts, names, state dicts, training and evaluation, freezing, tied weights, copies, text. */
import { inspect } from "node:util";
import { ones, setDefaultDType, type Tensor, tensor, zeros } from "stridewise";
import {
  BatchNorm1d,
  buffer,
  Conv2d,
  Dropout,
  Embedding,
  Flatten,
  LayerNorm,
  Linear,
  LSTM,
  Module,
  ModuleDict,
  ModuleList,
  MultiheadAttention,
  parameter,
  ReLU,
  Sequential,
} from "stridewise/nn";
import { describe, expect, test } from "vitest";

class Block extends Module {
  firstLayer = new Linear(2, 3);
  scale = parameter(ones([3]));
  counter = buffer(zeros([1]));
  scratch = buffer(zeros([1]), { persistent: false });
  loose = zeros([1]);
  branches = [new Linear(3, 1), new Linear(3, 1, { bias: false })];
  byName = { leftHand: new Linear(1, 1, { bias: false }), note: "kept" };

  forward(x: Tensor): Tensor {
    return this.branches[0]!.forward(this.firstLayer.forward(x).mul(this.scale));
  }
}

const names = (entries: readonly (readonly [string, unknown])[]): string[] => entries.map(([name]) => name);

describe("a module finds the parts in its fields", () => {
  const block = new Block();

  test("parameters, own ones first, under PyTorch's names", () => {
    expect(names(block.namedParameters())).toEqual([
      "scale",
      "first_layer.weight",
      "first_layer.bias",
      "branches.0.weight",
      "branches.0.bias",
      "branches.1.weight",
      "by_name.left_hand.weight",
    ]);
    expect(block.parameters().every((t) => t.requiresGrad && t.isLeaf)).toBe(true);
  });

  test("buffers, modules and children", () => {
    expect(names(block.namedBuffers())).toEqual(["counter", "scratch"]);
    expect(names(block.namedChildren())).toEqual(["first_layer", "branches.0", "branches.1", "by_name.left_hand"]);
    expect(names(block.namedModules())).toEqual(["", ...names(block.namedChildren())]);
    expect(block.modules()[0]).toBe(block);
    expect(block.children()).toEqual(block.modules().slice(1));
  });

  test("a state dict has parameters and kept buffers, in the module's memory, without history", () => {
    const state = block.stateDict();
    expect(Object.keys(state)).toEqual([
      "scale",
      "counter",
      "first_layer.weight",
      "first_layer.bias",
      "branches.0.weight",
      "branches.0.bias",
      "branches.1.weight",
      "by_name.left_hand.weight",
    ]);
    expect(state["scale"]?.requiresGrad).toBe(false);
    state["scale"]?.fill_(5);
    expect(block.scale.toArray()).toEqual([5, 5, 5]);
  });

  test("in fields of any name", () => {
    class Named extends Module {
      parts = [new Linear(1, 1, { bias: false })];
      tensors = { walk: parameter(ones([1])) };
      forward(): void {}
    }
    expect(names(new Named().namedParameters())).toEqual(["tensors.walk", "parts.0.weight"]);
  });

  test("a result as a parameter is a new leaf", () => {
    const source = ones([2], { requiresGrad: true });
    const created = parameter(source.mul(2));
    expect([created.isLeaf, created.requiresGrad, created.toArray()]).toEqual([true, true, [2, 2]]);
  });

  test("without gradients if requested", () => {
    expect(parameter(ones([2]), { requiresGrad: false }).requiresGrad).toBe(false);
  });
});

describe("tied weights", () => {
  class Tied extends Module {
    encode = new Linear(2, 2, { bias: false });
    decode = new Linear(2, 2, { bias: false });
    constructor() {
      super();
      this.decode.weight = this.encode.weight;
    }
    forward(x: Tensor): Tensor {
      return this.decode.forward(this.encode.forward(x));
    }
  }

  test("count once, are saved under both names, and stay tied in copies and conversions", () => {
    const tied = new Tied();
    expect(names(tied.namedParameters())).toEqual(["encode.weight"]);
    expect(Object.keys(tied.stateDict())).toEqual(["encode.weight", "decode.weight"]);
    const copy = tied.clone();
    expect(copy.decode.weight === copy.encode.weight).toBe(true);
    expect(copy.encode.weight === tied.encode.weight).toBe(false);
    tied.to("float64");
    expect(tied.decode.weight === tied.encode.weight).toBe(true);
    expect([tied.encode.weight.dtype, copy.encode.weight.dtype]).toEqual(["float64", "float32"]);
  });

  test("accumulate the gradients of both uses", () => {
    const tied = new Tied();
    tied.loadStateDict({
      "encode.weight": tensor([
        [1, 0],
        [0, 1],
      ]),
      "decode.weight": tensor([
        [2, 0],
        [0, 2],
      ]),
    });
    tied
      .forward(tensor([[1, 1]]))
      .sum()
      .backward();
    expect(tied.encode.weight.grad?.toArray()).toEqual([
      [4, 4],
      [4, 4],
    ]);
  });

  test("a module in two fields is one module", () => {
    const shared = new Linear(2, 2);
    const both = new Sequential(shared, shared);
    expect(both.modules()).toEqual([both, shared]);
    expect(Object.keys(both.stateDict())).toHaveLength(4);
  });
});

describe("loading", () => {
  const net = () => new Sequential(new Linear(2, 3), new ReLU(), new Linear(3, 1));

  test("copies values into the existing parameters", () => {
    const [from, to] = [net(), net()];
    const weight = to.parameters()[0]!;
    expect(to.loadStateDict(from.stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
    expect(to.parameters()[0]).toBe(weight);
    expect(weight.detach().toArray()).toEqual(from.parameters()[0]!.detach().toArray());
    expect(weight.requiresGrad).toBe(true);
  });

  test("takes maps, and converts dtypes", () => {
    const layer = new Linear(1, 1, { bias: false });
    layer.loadStateDict(new Map([["weight", tensor([[0.5]], { dtype: "float64" })]]));
    expect([layer.weight.dtype, layer.weight.detach().toArray()]).toEqual(["float32", [[0.5]]]);
  });

  test("reports everything that does not fit, in PyTorch's words, and changes nothing", () => {
    const layer = net();
    const before = layer.parameters().map((t) => t.detach().toArray());
    const state = { "0.weight": zeros([3, 2]), "0.bias": zeros([4]), "2.weight": zeros([1, 3]), extra: zeros([1]) };
    expect(() => layer.loadStateDict(state)).toThrow(
      `loadStateDict: the state dict does not match Sequential:
  missing in the state dict: "2.bias".
  not in the model: "extra".
  0.bias: the state dict has shape [4], the model has shape [3].`,
    );
    expect(layer.parameters().map((t) => t.detach().toArray())).toEqual(before);
  });

  test("not strictly, loads the names that match and reports the rest; sizes must still match", () => {
    const layer = net();
    const state = { "0.bias": ones([3]), extra: zeros([1]) };
    expect(layer.loadStateDict(state, { strict: false })).toEqual({
      missingKeys: ["0.weight", "2.weight", "2.bias"],
      unexpectedKeys: ["extra"],
    });
    expect(layer.at(0).bias?.detach().toArray()).toEqual([1, 1, 1]);
    expect(() => layer.loadStateDict({ "0.bias": ones([4]) }, { strict: false })).toThrow(
      "0.bias: the state dict has shape [4], the model has shape [3]",
    );
  });
});

test("a module that contains its container throws", () => {
  class Child extends Module {
    parent: Module | null = null;
    forward(): void {}
  }
  class Parent extends Module {
    child = new Child();
    forward(): void {}
  }
  const parent = new Parent();
  parent.child.parent = parent;
  expect(() => parent.parameters()).toThrow("Parent: child.parent is a module that contains itself. Store references");
  expect(() => parent.train()).toThrow("child.parent");
});

describe("training and evaluation", () => {
  test("train and eval reach every module", () => {
    const net = new Sequential(new Linear(2, 2), new Sequential(new Dropout(0.9)));
    expect(net.modules().map(({ training }) => training)).toEqual([true, true, true, true]);
    expect(net.eval()).toBe(net);
    expect(net.modules().some(({ training }) => training)).toBe(false);
    const x = ones([4, 2]);
    expect(net.forward(x).toArray()).toEqual(net.at(0).forward(x).toArray());
    expect(net.train().training).toBe(true);
  });

  test("batch norms update their running values only in training", () => {
    const norm = new BatchNorm1d(1);
    const x = tensor([[1], [3]]);
    norm.forward(x);
    const seen = (): number[] =>
      [norm.runningMean, norm.runningVar, norm.numBatchesTracked].map((t) => Number(t?.item()));
    expect(seen()).toEqual([expect.closeTo(0.2), expect.closeTo(1.1), 1]);
    const before = seen();
    norm.eval().forward(x);
    expect(seen()).toEqual(before);
  });

  test("frozen parameters have no gradients, others do", () => {
    const net = new Sequential(new Linear(2, 2), new Linear(2, 1));
    net.at(0).requiresGrad_(false);
    net
      .forward(ones([1, 2]))
      .sum()
      .backward();
    expect(net.namedParameters().map(([name, t]) => [name, t.grad !== null])).toEqual([
      ["0.weight", false],
      ["0.bias", false],
      ["1.weight", true],
      ["1.bias", true],
    ]);
    net.zeroGrad();
    expect(net.parameters().every((t) => t.grad === null)).toBe(true);
  });

  test("apply visits children first", () => {
    const seen: string[] = [];
    new Sequential(new Linear(1, 1), new Sequential(new ReLU())).apply((m) => seen.push(m.constructor.name));
    expect(seen).toEqual(["Linear", "ReLU", "Sequential", "Sequential"]);
  });

  test("to converts floats and leaves counts", () => {
    const norm = new BatchNorm1d(2).to("float64");
    expect(Object.values(norm.stateDict()).map(({ dtype }) => dtype)).toEqual([
      "float64",
      "float64",
      "float64",
      "float64",
      "int64",
    ]);
    expect(norm.weight?.requiresGrad).toBe(true);
    expect(norm.forward(ones([2, 2], { dtype: "float64" })).dtype).toBe("float64");
    expect(names(norm.namedParameters())).toEqual(["weight", "bias"]);
  });

  test("a copy equals the module and is independent of it", () => {
    const net = new Sequential(new Linear(2, 2), new Dropout(0.5)).eval();
    net.at(0).bias?.requiresGrad_(false);
    const copy = net.clone();
    expect(String(copy)).toBe(String(net));
    expect(copy.training).toBe(false);
    expect(copy.parameters().map((t) => t.requiresGrad)).toEqual([true, false]);
    copy.stateDict()["0.weight"]?.fill_(7);
    expect(net.at(0).weight.detach().toArray()).not.toEqual(copy.at(0).weight.detach().toArray());
  });
});

test("keys of a plain object are named as fields are", () => {
  class Net extends Module {
    transformer = { lnF: new LayerNorm(2), wordTable: [{ inProj: new Linear(2, 2, { bias: false }) }] };
    forward(x: Tensor): Tensor {
      return this.transformer.lnF.forward(x);
    }
  }
  const net = new Net();
  const names = ["transformer.ln_f.weight", "transformer.ln_f.bias", "transformer.word_table.0.in_proj.weight"];
  expect(Object.keys(net.stateDict())).toEqual(names);
  expect(net.loadStateDict(new Net().stateDict())).toEqual({ missingKeys: [], unexpectedKeys: [] });
  expect(net.namedModules().map(([name]) => name)).toEqual([
    "",
    "transformer.ln_f",
    "transformer.word_table.0.in_proj",
  ]);
});

describe("containers", () => {
  test("a list and a record hold modules under their keys", () => {
    class Net extends Module {
      layers = new ModuleList([new Linear(2, 2, { bias: false })]).append(new Linear(2, 2, { bias: false }));
      heads = new ModuleDict({ bigOne: new Linear(2, 1, { bias: false }) });
      forward(x: Tensor): Tensor {
        let y = x;
        for (const layer of this.layers) y = layer.forward(y);
        return this.heads.get("bigOne").forward(y);
      }
    }
    const net = new Net();
    expect(Object.keys(net.stateDict())).toEqual(["layers.0.weight", "layers.1.weight", "heads.bigOne.weight"]);
    expect(net.forward(ones([3, 2])).shape).toEqual([3, 1]);
    expect([net.layers.length, net.layers.at(-1)]).toEqual([2, [...net.layers][1]]);
    expect(net.heads.keys()).toEqual(["bigOne"]);
  });

  test("throw unless each item is a module and each index exists", () => {
    expect(() => new Sequential(new Linear(1, 1), (() => 1) as never)).toThrow(
      "Sequential: entry 1 is a function, not a module",
    );
    expect(() => new ModuleList([]).at(0)).toThrow(
      "ModuleList: there is no module at index 0; the number of modules is 0",
    );
    expect(() => new ModuleDict({ a: new ReLU() }).get("b" as "a")).toThrow(
      "ModuleDict: there is no b; the names are a",
    );
    expect(() => new ModuleList([]).forward()).toThrow("ModuleList has no forward");
  });

  test("an empty sequence returns its input", () => {
    const x = ones([2]);
    expect(new Sequential().forward(x)).toBe(x);
  });
});

test("a parameter prints as one, also while its gradients are switched off; buffers and results do not", () => {
  const p = parameter(tensor([1, 2]));
  expect(String(p)).toBe("Parameter containing:\ntensor([1., 2.], requires_grad=True)");
  expect(inspect({ p })).toContain("Parameter containing:\n");
  expect(String(p.requiresGrad_(false))).toBe("Parameter containing:\ntensor([1., 2.])");
  expect(String(p.requiresGrad_().mul(2))).toBe("tensor([2., 4.], grad_fn=<MulBackward0>)");
  expect(String(buffer(tensor([1])))).toBe("tensor([1.])");
  expect(String(p.detach())).toBe("tensor([1., 2.])");
});

test("modules print as the calls that create them, nested", () => {
  class Net extends Module {
    features = new Sequential(new Conv2d(1, 8, 3, { padding: 1, bias: false }), new ReLU(), new Flatten());
    rnn = new LSTM(8, 4, { bidirectional: true });
    attention = new MultiheadAttention(8, 2);
    forward(x: Tensor): Tensor {
      return this.features.forward(x);
    }
  }
  expect(String(new Net())).toBe(`Net(
  (features): Sequential(
    (0): Conv2d(1, 8, 3, { padding: 1, bias: false })
    (1): ReLU()
    (2): Flatten()
  )
  (rnn): LSTM(8, 4, { bidirectional: true })
  (attention): MultiheadAttention(
    8, 2
    (out_proj): Linear(8, 8)
  )
)`);
});

test("layers follow the default dtype", () => {
  setDefaultDType("float64" as never);
  try {
    const layers = [new Linear(2, 2), new Embedding(3, 2), new LayerNorm([2]), new MultiheadAttention(4, 2)];
    for (const layer of layers) for (const p of layer.parameters()) expect(p.dtype).toBe("float64");
    expect(new Linear(2, 2).forward(ones([1, 2])).dtype).toBe("float64");
  } finally {
    setDefaultDType("float32");
  }
});
