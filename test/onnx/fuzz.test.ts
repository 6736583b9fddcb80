/** Mutated and hostile models end with outputs or a named error, in bounded time and memory. `npm run onnx-fuzz` tries many more mutations. */
import { describe, expect, test } from "vitest";
import { DataType, type Draft, type ModelProto } from "../../src/onnx/proto/types.ts";
import { seededRandom } from "../support/files.ts";
import { type DraftGraph, integers, load, model, node, port } from "../support/onnx-graphs.ts";
import { endingOf } from "./fuzz-model.ts";
import { mutateModel, mutateNumbers } from "./mutations.ts";
import { randomNode } from "./random-nodes/random-node.ts";
import { nestedFunctions, smallModels } from "./small-models.ts";

test("mutated models end with outputs or a named error", () => {
  const files = smallModels();
  for (let k = 0; k < 300; k++) {
    const random = seededRandom(k);
    const [name, bytes] = files[random(files.length)];
    const { kind, text } = endingOf(mutateModel(bytes, random));
    expect(kind, `${k}: ${name}: ${text}`).not.toBe("fault");
  }
}, 120_000);

test("mutated nodes of all operators end with outputs or a named error", () => {
  for (let k = 0; k < 200; k++) {
    const random = seededRandom(k);
    const [name, bytes] = randomNode(random);
    const { kind, text } = endingOf(mutateNumbers(bytes, random));
    expect(kind, `${k}: ${name}: ${text}`).not.toBe("fault");
  }
}, 120_000);

/** A model whose output is that of one operator over a tensor of sizes. */
const sized = (operator: string, inputs: readonly string[], sizes: readonly (number | bigint)[]): Draft<ModelProto> =>
  model({
    node: [node(operator, inputs, ["y"]), node("Neg", ["y"], ["z"])],
    input: [port("x", DataType.FLOAT, [2])],
    initializer: [integers("s", [sizes.length], sizes)],
    output: [port("z")],
  });

/** Graphs of If in graphs of If. */
function nestedIfs(depth: number): DraftGraph {
  let graph: DraftGraph = { node: [node("Identity", ["x"], ["y"])], output: [port("y")] };
  for (let k = 0; k < depth; k++)
    graph = {
      node: [
        node("If", ["c"], ["y"], {
          then_branch: { graph },
          else_branch: { graph: { node: [node("Neg", ["x"], ["n"])], output: [port("n")] } },
        }),
      ],
      output: [port("y")],
    };
  return graph;
}

describe("hostile models throw a named error", () => {
  test.each([
    ["a product of sizes beyond 2^53", sized("ConstantOfShape", ["s"], [2n ** 31n, 2n ** 31n]), "2\\^53"],
    ["more memory than the limit", sized("ConstantOfShape", ["s"], [2 ** 28]), "limit of the memory"],
    ["an expansion to more memory than the limit", sized("Expand", ["x", "s"], [2 ** 27, 2]), "limit of the memory"],
    ["a tile of more memory than the limit", sized("Tile", ["x", "s"], [2 ** 28]), "limit of the memory"],
    ["negative sizes", sized("ConstantOfShape", ["s"], [-5]), "-5 is not a size"],
    ["functions that double 60 times", nestedFunctions(60), "more than 1048576 nodes"],
  ])("%s", (_, draft, message) => {
    expect(() => load(draft, { maxBytes: 2 ** 26 }).run({ x: [1, 2] })).toThrow(new RegExp(message));
  });

  test("graphs that are nested too deep", () => {
    const graph = { ...nestedIfs(300), input: [port("x"), port("c", DataType.BOOL)] };
    expect(() => load(model(graph))).toThrow("nested 100 messages deep");
  });

  test("limits that are not numbers", () => {
    expect(() => load(nestedFunctions(2), { maxSteps: -1 })).toThrow("maxSteps must be a positive number, got -1");
  });
});
