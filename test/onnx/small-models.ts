/** Small models with many kinds of messages: the starting points of mutations. */
import { DataType, type Draft, type ModelProto } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { type DraftNode, floats, integers, model, node, port } from "../support/onnx-graphs.ts";

/** A model with one operator over x, a [2, 3] tensor, and initializers. */
function single(
  draft: DraftNode,
  initializer: readonly ReturnType<typeof floats>[] = [],
  elemType: number = DataType.FLOAT,
): Draft<ModelProto> {
  const outputs = (draft.output ?? []).map((name) => port(name));
  return model({
    name: draft.opType,
    node: [draft],
    input: [port("x", elemType, [2, 3])],
    initializer,
    output: outputs,
  });
}

const sizes = (...values: number[]) => integers("s", [values.length], values);

const loop = model({
  name: "loop",
  node: [
    node("Loop", ["m", "", "x"], ["last", "all"], {
      body: {
        graph: {
          node: [node("Add", ["state", "w"], ["next"]), node("Identity", ["c"], ["on"])],
          input: [port("k", DataType.INT64, []), port("c", DataType.BOOL, []), port("state")],
          output: [port("on", DataType.BOOL), port("next"), port("next")],
        },
      },
    }),
  ],
  input: [port("x", DataType.FLOAT, [2, 3])],
  initializer: [floats("w", [3], [1, 2, 3]), integers("m", [], [4])],
  output: [port("last"), port("all")],
});

const branch = model({
  name: "branch",
  node: [
    node("ReduceSum", ["x"], ["sum"], { keepdims: 0 }),
    node("Greater", ["sum", "zero"], ["c"]),
    node("If", ["c"], ["y"], {
      then_branch: { graph: { node: [node("Neg", ["x"], ["n"])], output: [port("n")] } },
      else_branch: { graph: { node: [node("Add", ["x", "zero"], ["p"])], output: [port("p")] } },
    }),
  ],
  input: [port("x", DataType.FLOAT, [2, 3])],
  initializer: [floats("zero", [], [0])],
  output: [port("y")],
});

/** Functions that call each other twice: 2^levels nodes. */
export function nestedFunctions(levels: number): Draft<ModelProto> {
  const versions = [
    { domain: "", version: 21 },
    { domain: "own", version: 1 },
  ];
  const functions = Array.from({ length: levels }, (_, k) => {
    const inner = (x: string, y: string) => (k === 0 ? node("Neg", [x], [y]) : node(`f${k - 1}`, [x], [y], {}, "own"));
    return {
      name: `f${k}`,
      domain: "own",
      input: ["a"],
      output: ["b"],
      node: [inner("a", "t"), inner("t", "b")],
      opsetImport: versions,
    };
  });
  const graph = {
    name: "calls",
    node: [node(`f${levels - 1}`, ["x"], ["y"], {}, "own")],
    input: [port("x", DataType.FLOAT, [2, 3])],
    output: [port("y")],
  };
  return model(graph, { functions, opsetImport: versions });
}

const drafts = (): readonly Draft<ModelProto>[] => [
  loop,
  branch,
  nestedFunctions(3),
  single(node("Reshape", ["x", "s"], ["y"]), [sizes(3, 2)]),
  single(node("Expand", ["x", "s"], ["y"]), [sizes(4, 2, 3)]),
  single(node("Tile", ["x", "s"], ["y"]), [sizes(2, 2)]),
  single(node("Pad", ["x", "s"], ["y"]), [sizes(1, 0, 0, 2)]),
  single(node("ConstantOfShape", ["s"], ["y"], { value: { tensor: floats("v", [1], [2]) } }), [sizes(2, 3)]),
  single(node("Range", ["a", "b", "d"], ["y"]), [
    integers("a", [], [0]),
    integers("b", [], [9]),
    integers("d", [], [2]),
  ]),
  single(node("OneHot", ["i", "n", "v"], ["y"], { axis: -1 }), [
    integers("i", [2], [0, 1]),
    integers("n", [], [4]),
    floats("v", [2], [0, 1]),
  ]),
  single(node("Slice", ["x", "s", "e", "a"], ["y"]), [
    sizes(0, 1),
    integers("e", [2], [2, 3]),
    integers("a", [2], [0, 1]),
  ]),
  single(node("Transpose", ["x"], ["y"], { perm: [1, 0] })),
  single(node("Concat", ["x", "x"], ["y"], { axis: 1 })),
  single(node("Gather", ["x", "i"], ["y"], { axis: 1 }), [integers("i", [2, 1], [2, 0])]),
  single(node("Conv", ["i", "w"], ["y"], { pads: [1, 1, 1, 1], strides: [2, 1] }), [
    floats("i", [1, 1, 4, 4], Array(16).fill(1)),
    floats("w", [2, 1, 3, 3], Array(18).fill(0.5)),
  ]),
  single(node("MaxPool", ["i"], ["y"], { kernel_shape: [2, 2], pads: [0, 0, 1, 1] }), [
    floats("i", [1, 1, 4, 4], Array(16).fill(1)),
  ]),
  single(node("MatMul", ["x", "w"], ["y"]), [floats("w", [3, 2], [1, 2, 3, 4, 5, 6])]),
  single(node("Gemm", ["x", "w"], ["y"], { transB: 1, alpha: 0.5 }), [floats("w", [2, 3], [1, 2, 3, 4, 5, 6])]),
  single(node("Resize", ["i", "", "k"], ["y"], { mode: "linear" }), [
    floats("i", [1, 1, 2, 2], [1, 2, 3, 4]),
    floats("k", [4], [1, 1, 2, 2]),
  ]),
  single(node("CumSum", ["x", "a"], ["y"]), [integers("a", [], [1])]),
  single(node("TopK", ["x", "k"], ["y", "i"]), [integers("k", [1], [2])]),
  single(node("Split", ["x", "s"], ["y", "z"], { axis: 1 }), [sizes(1, 2)]),
  single(node("ScatterND", ["x", "i", "u"], ["y"]), [integers("i", [1, 1], [1]), floats("u", [1, 3], [7, 8, 9])]),
  single(node("SplitToSequence", ["x", "k"], ["y"]), [integers("k", [], [2])]),
  single(node("LSTM", ["q", "w", "r"], ["y"], { hidden_size: 2 }), [
    floats("q", [3, 1, 2], [1, 2, 3, 4, 5, 6]),
    floats("w", [1, 8, 2], Array(16).fill(0.1)),
    floats("r", [1, 8, 2], Array(16).fill(0.2)),
  ]),
  single(node("RegexFullMatch", ["x"], ["y"], { pattern: "(a|b )+" }), [], DataType.STRING),
  single(node("StringSplit", ["x"], ["y", "z"], { delimiter: " " }), [], DataType.STRING),
  single(node("QuantizeLinear", ["x", "w"], ["y"]), [floats("w", [], [0.1])]),
  single(node("DFT", ["i"], ["y"], { onesided: 0 }), [floats("i", [1, 8, 1], Array(8).fill(1))]),
  single(node("Einsum", ["x", "x"], ["y"], { equation: "ij,kj->ik" })),
  single(node("NonZero", ["x"], ["y"])),
  single(node("Scaler", ["x"], ["y"], {}, "ai.onnx.ml")),
];

/** The files, with their names. */
export const smallModels = (): (readonly [name: string, bytes: Uint8Array])[] =>
  drafts().map((draft) => [draft.graph?.name ?? "", writeModel(draft)] as const);
