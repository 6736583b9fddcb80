/** Weights that a node unpacks are computed once if they are constants, within a limit of bytes. */
import { describe, expect, test } from "vitest";
import { boot } from "../../src/boot.ts";
import type { Tensor } from "../../src/index.ts";
import { loadOnnx, prepareModel } from "../../src/onnx/load.ts";
import type { OnnxOptions } from "../../src/onnx/model.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { type NodeCase, nodeFeeds, nodeModel } from "../support/onnx-node.ts";
import { inputsFrom } from "./recorded/numbers.ts";

boot();

const { real, bytes: packed, scales } = inputsFrom(7);
// Smaller constants are folded into programs.
const [rows, columns, size] = [64, 512, 16];
const bytes = 4 * rows * columns;
const attributes = { K: columns, N: rows, block_size: size };

const blocks = columns / size;
const nodes: Readonly<Record<string, NodeCase>> = {
  MatMulNBits: {
    op: "MatMulNBits",
    attributes: { ...attributes, bits: 4 },
    inputs: [real(1, columns), packed(rows, blocks, size / 2), scales(rows, blocks)],
  },
  MatMulBnb4: {
    op: "MatMulBnb4",
    attributes: { ...attributes, quant_type: 1 },
    inputs: [real(1, columns), packed((rows * columns) / 2), scales(rows * blocks)],
  },
};
const cases = Object.entries(nodes).map(([op, node]): readonly [string, NodeCase] => [
  op,
  { ...node, domain: "com.microsoft", constants: [1, 2] },
]);

/** Kernels that unpack: by shifts, and by a table. */
const unpacks = /shiftRight|take/;

describe.each(cases)("%s", (_name, node) => {
  /** The texts of the program of the third run, and the output. */
  function run(given: NodeCase, options: OnnxOptions): { readonly text: string; readonly output: unknown } {
    const model = prepareModel(readModel(nodeModel(given)), options);
    const outputs = [0, 1, 2].map(() => (model.run(nodeFeeds(given))["out0"] as Tensor).toArray());
    expect(outputs[1]).toEqual(outputs[0]);
    expect(outputs[2]).toEqual(outputs[0]);
    const text = model.explain();
    model.dispose();
    return { text, output: outputs[0] };
  }
  const kept = run(node, {});
  test("programs do not unpack constant weights", () => {
    expect(kept.text).not.toMatch(unpacks);
    expect(run(node, { maxKeptBytes: bytes }).text).not.toMatch(unpacks);
  });
  test("programs unpack weights beyond the limit, and computed ones", () => {
    const beyond = run(node, { maxKeptBytes: bytes - 1 });
    expect(beyond.text).toMatch(unpacks);
    expect(beyond.output).toEqual(kept.output);
    const computed = run({ ...node, constants: [] }, {});
    expect(computed.text).toMatch(unpacks);
    expect(computed.output).toEqual(kept.output);
  });
});

test("maxKeptBytes is an option of loadOnnx, a number of at least 0", async () => {
  const [, node] = cases[0];
  const model = await loadOnnx(nodeModel(node), { maxKeptBytes: 0 });
  for (let k = 0; k < 3; k++) model.run(nodeFeeds(node));
  expect(model.explain()).toMatch(unpacks);
  await expect(loadOnnx(nodeModel(node), { maxKeptBytes: -1 })).rejects.toThrow("maxKeptBytes");
  expect(() => prepareModel(readModel(nodeModel(node)), { maxKeptBytes: -1 })).toThrow(
    "loadOnnx: maxKeptBytes must be a number of at least 0, got -1",
  );
});
