/** Profiles of models, and models as one compiled function. */
import { expect, test } from "vitest";
import { dim, type Tensor, tensor } from "../../src/index.ts";
import { loadOnnx } from "../../src/onnx/index.ts";
import { modelBytes, node } from "../support/onnx-models.ts";

const scaled = modelBytes({
  inputs: { x: "float32[n, 2]", k: "int64[]" },
  outputs: { y: "float32[n, 2]", kk: "int64[]", x2: "float32[n, 2]" },
  nodes: [
    node("Mul", ["x", "w"], ["a"], "scale"),
    node("Shape", ["x"], ["s"]),
    node("Reshape", ["a", "s"], ["b"]),
    node("Add", ["b", "a"], ["y"]),
    node("Mul", ["k", "k"], ["kk"], "square"),
    node("Identity", ["x"], ["x2"]),
  ],
  weights: { w: [2, 3] },
});
const x = tensor([[1, 2]]) as Tensor;
const k = 3n;

test("a profile has each node once, with shares that add up to 1", async () => {
  const model = await loadOnnx(scaled);
  const { entries, operators, runs, ms } = model.profile({ x, k }, { repeat: 4 });
  expect(entries.map(({ name, operator, nodes, count }) => [name, operator, nodes, count])).toEqual([
    ["scale", "Mul", 1, 1],
    ["s", "Shape", 1, 1],
    ["b", "Reshape", 1, 1],
    ["y", "Add", 1, 1],
    ["square", "Mul", 1, 1],
    ["x2", "Identity", 1, 1],
  ]);
  expect(runs).toBe(4);
  for (const list of [entries, operators]) {
    expect(list.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 10);
    expect(list.reduce((sum, each) => sum + each.ms, 0)).toBeLessThanOrEqual(ms);
  }
  expect(operators.find(({ operator }) => operator === "Mul")).toMatchObject({ nodes: 2, count: 2 });
  expect(operators.map((each) => each.ms)).toEqual(operators.map((each) => each.ms).sort((a, b) => b - a));
});

test("a profile of compiled runs has programs", async () => {
  const model = await loadOnnx(scaled);
  const { entries } = model.profile({ x, k }, { compile: true });
  expect(entries.map(({ name, operator, nodes }) => [name, operator, nodes])).toEqual([["scale to x2", "program", 6]]);
  expect((model.run({ x, k }).y as Tensor).toArray()).toEqual([[4, 12]]);
});

test("wrong options of a profile throw", async () => {
  const model = await loadOnnx(scaled, { compile: false });
  expect(() => model.profile({ x, k }, { compile: true })).toThrow("the model was loaded with compile: false");
  for (const repeat of [0, 1.5])
    expect(() => model.profile({ x, k }, { repeat })).toThrow("repeat must be a positive integer");
  expect(() => model.profile({ k })).toThrow('the input "x"');
});

test("a compiled model equals its runs, for all sizes, with inputs that are constants or arguments", async () => {
  const model = await loadOnnx(scaled);
  const n = dim("n", { min: 1, max: 9 });
  const fixed = model.compiled({ shapes: { x: [n, 2] }, values: { k } });
  const free = model.compiled();
  for (const rows of [1, 2, 7]) {
    const input = tensor(Array.from({ length: rows }, (_, r) => [r, r + 1])) as Tensor;
    const expected = model.run({ x: input, k }) as Record<string, Tensor>;
    for (const outputs of [fixed(input), free(input, tensor(k) as Tensor)]) {
      expect(Object.keys(outputs)).toEqual(["y", "kk", "x2"]);
      for (const [name, value] of Object.entries(outputs)) expect(value.toArray()).toEqual(expected[name].toArray());
    }
  }
  expect(() => fixed(tensor([[1, 2, 3]]) as Tensor)).toThrow("must have size 2");
  expect(() => model.compiled({ shapes: { q: [1] } })).toThrow('compiled: the model has no input "q"');
});

test("a node that needs computed elements ends a compiled model with its name", async () => {
  const model = await loadOnnx(
    modelBytes({
      inputs: { x: "float32[6]", shape: "int64[2]" },
      outputs: { y: "float32[?, ?]" },
      nodes: [node("Add", ["shape", "shape"], ["twice"]), node("Reshape", ["x", "twice"], ["y"], "cut")],
    }),
  );
  const shape = tensor([1n, 1n]);
  expect(() => model.compiled()(tensor([1, 2, 3, 4, 5, 6]) as Tensor, shape as Tensor)).toThrow('node "cut" (Reshape)');
});
