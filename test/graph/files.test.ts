/** Graphs as files: text and safetensors, by path, by bytes and by Blobs. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  compile,
  Graph,
  type GraphType,
  live,
  manualSeed,
  parseGraph,
  printGraph,
  randn,
  runGraph,
  type Tensor,
  tensor,
  zeros,
} from "../../src/index.ts";
import { decodeGraph, encodeGraph, loadGraph, saveGraph } from "../../src/io/index.ts";
import { Linear, ReLU, Sequential } from "../../src/nn/index.ts";
import { SGD } from "../../src/optim/index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "graphs-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The graph of a training step, which writes to parameters and captures a live number, a transposed tensor and constants. */
function trainingStep(): { graph: Graph; step: (x: Tensor, y: Tensor) => Tensor; weight: Tensor } {
  manualSeed(1);
  const model = new Sequential(new Linear(4, 8), new ReLU(), new Linear(8, 2));
  const optimizer = new SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
  const transposed = randn([2, 5]).T as Tensor;
  const step = (x: Tensor, y: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = (model.forward(x) as Tensor)
      .sub(y)
      .sub(transposed)
      .mul(live(() => 2))
      .square()
      .mean() as Tensor;
    loss.backward();
    optimizer.step();
    return loss.add(tensor([1, 2, 3]).sum()).detach() as Tensor;
  };
  const fast = compile(step);
  for (let k = 0; k < 2; k++) fast(randn([5, 4]) as Tensor, randn([5, 2]) as Tensor);
  return { graph: fast.graph(), step: fast, weight: [...model.parameters()][0] as Tensor };
}

const bits = (tensors: readonly Tensor[]): unknown => tensors.map((t) => [t.dtype, t.shape, t.toArray()]);

test("a training step is saved, loaded and run", async () => {
  const { graph, step, weight } = trainingStep();
  const path = join(folder, "step.graph");
  await saveGraph(path, graph);
  const loaded = await loadGraph(path);
  expect(printGraph(loaded)).toBe(printGraph(graph));
  expect(await readFile(path, "utf8")).toBe(`${graph}\n`);
  const [x, y] = [randn([5, 4]) as Tensor, randn([5, 2]) as Tensor];
  const before = weight.toArray();
  const [own, other] = [runGraph(graph, [x, y]), runGraph(loaded, [x, y])];
  expect(weight.toArray()).toEqual(before);
  expect(bits(other.outputs)).toEqual(bits(own.outputs));
  expect(bits(other.writes)).toEqual(bits(own.writes));
  // The compiled step computes the same, and writes it.
  const index = graph.writes.findIndex(({ to }) =>
    graph.inputs.some(({ value, tensor: t }) => value === to && t?.source === weight.source),
  );
  expect(step(x, y).item()).toBe(own.outputs[0]?.item());
  expect(weight.toArray()).toEqual(own.writes[index]?.toArray());
});

test("bytes and Blobs", async () => {
  const type = (shape: number[], strides: number[] | null = null): GraphType => ({
    dtype: "complex128",
    shape,
    strides,
  });
  const graph = new Graph("main");
  const data = tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { dtype: "complex128" },
  ).T as Tensor;
  graph.outputs = [
    graph.addInput(type([2, 2], [1, 2]), "constant", null, data),
    graph.addInput(type([3], [0]), "constant", "spread", zeros([], { dtype: "complex128" }).expand(3) as Tensor),
  ];
  const { text, constants } = encodeGraph(graph);
  const decoded = decodeGraph(text, constants);
  expect(`${decoded}`).toBe(text);
  expect(bits(runGraph(decoded, []).outputs)).toEqual(bits(runGraph(graph, []).outputs));
  const fromBlobs = await loadGraph(new Blob([text]), new Blob([constants]));
  expect(`${fromBlobs}`).toBe(text);
  await expect(loadGraph(new Blob([text]))).rejects.toThrowErrorMatchingInlineSnapshot(
    `[FileError: loadGraph: the graph has captured tensors or constants. Pass their safetensors file as the second argument.]`,
  );
  expect(() => encodeGraph(parseGraph(text))).toThrowErrorMatchingInlineSnapshot(
    `[GraphError: encodeGraph: the constant input "%0" of the graph has no tensor. Parse it with constants]`,
  );
  await expect(saveGraph(join(folder, "a.safetensors"), graph)).rejects.toThrow("is the file of the tensors");
  const plain = "graph main {\n  argument %0: f32[4]\n  return %0\n}";
  expect(`${await loadGraph(new TextEncoder().encode(plain))}`).toBe(plain);
});
