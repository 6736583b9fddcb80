/**
 * Real models, with the weights of examples/models. `bench/onnx/models.ts` downloads the files and compares all outputs with those of ONNX Runtime;
 * here the results are compared with those of Stridewise.
 */
import { cachedWeights, type WeightsFile, weights } from "../../examples/models/weights.ts";
import { element, type ModelFile, type ModelInput, type Row } from "./row.ts";

const download = "its weights are not here. npx tsx bench/onnx/models.ts downloads them";

interface ModelRow extends Pick<Row, "name" | "title" | "result" | "tolerance"> {
  readonly weights: WeightsFile;
  readonly inputs: Readonly<Record<string, ModelInput>>;
  readonly output: string;
}

/** The rows of a model: on one thread, on two threads, and with Stridewise in Node 24. */
function rowsOf({ weights: file, inputs, output, ...row }: ModelRow): readonly Row[] {
  const model: ModelFile = { path: () => cachedWeights(file), inputs, output };
  const one: Row = {
    ...row,
    unit: "ms",
    inputs: {},
    warmMilliseconds: 1000,
    missing: () => (model.path() === null ? download : null),
    does: { stridewise: model, "ort-web": model, "ort-node": model },
  };
  return [
    one,
    { ...one, name: `${row.name}-2threads`, title: `${row.title}, two threads`, threads: 2 },
    { ...one, name: `${row.name}-node24`, title: `${row.title}, Stridewise in Node 24`, node: 24 },
  ];
}

const tokens = (batch: number): Readonly<Record<string, ModelInput>> => {
  const input = (value: (index: number) => number): ModelInput => ({
    dtype: "int64",
    shape: [batch, 128],
    element: value,
  });
  return {
    input_ids: input((index) => 1000 + ((index * 7919) % 20000)),
    attention_mask: input(() => 1),
    token_type_ids: input(() => 0),
  };
};

const picture = (side: number): ModelInput => ({
  dtype: "float32",
  shape: [1, 3, side, side],
  element: (index) => element("x", index),
});

const miniLm = (name: string, title: string, batch: number, file: WeightsFile, tolerance: number): readonly Row[] =>
  rowsOf({
    name,
    title: `${title}, ${batch} x 128 tokens`,
    result: [batch, 128, 384],
    tolerance,
    weights: file,
    inputs: tokens(batch),
    output: "last_hidden_state",
  });

export const models: readonly Row[] = [
  ...miniLm("onnx-minilm-b1", "MiniLM", 1, weights.miniLm, 1e-4),
  ...miniLm("onnx-minilm-b8", "MiniLM", 8, weights.miniLm, 1e-4),
  // ONNX Runtime rounds int8 otherwise on processors without instructions for it.
  ...miniLm("onnx-minilm-int8", "MiniLM in int8", 1, weights.miniLmInt8, 0.5),
  ...rowsOf({
    name: "onnx-u2netp",
    title: "U2-Net (small) of a picture of 320 x 320",
    result: [1, 1, 320, 320],
    tolerance: 1e-3,
    weights: weights.u2netp,
    inputs: { "input.1": picture(320) },
    output: "1959",
  }),
  ...rowsOf({
    name: "onnx-ocr-det",
    title: "text detection in a picture of 640 x 640",
    result: [1, 1, 640, 640],
    tolerance: 1e-3,
    weights: weights.ocrDetection,
    inputs: { x: picture(640) },
    output: "sigmoid_0.tmp_0",
  }),
];
