/** Small models for tests, built as messages and passed through the bytes of a file. */

import type { OnnxModel, OnnxOptions } from "../../src/onnx/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import type { AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto } from "../../src/onnx/proto/types.ts";
import { AttributeType, DataType, type Draft } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";

export type DraftNode = Draft<NodeProto>;
export type DraftGraph = Draft<GraphProto>;
type AttributeValue =
  | number
  | string
  | readonly number[]
  | { readonly graph: DraftGraph }
  | { readonly tensor: Draft<TensorProto> };

const text = new TextEncoder();

function attribute(name: string, value: AttributeValue): Draft<AttributeProto> {
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: text.encode(value) };
  if (typeof value === "number")
    return Number.isInteger(value)
      ? { name, type: AttributeType.INT, i: value }
      : { name, type: AttributeType.FLOAT, f: value };
  if ("graph" in value) return { name, type: AttributeType.GRAPH, g: value.graph };
  if ("tensor" in value) return { name, type: AttributeType.TENSOR, t: value.tensor };
  return { name, type: AttributeType.INTS, ints: value };
}

export const node = (
  opType: string,
  input: readonly string[],
  output: readonly string[],
  attributes: Readonly<Record<string, AttributeValue>> = {},
  domain = "",
): DraftNode => ({
  opType,
  input,
  output,
  domain,
  attribute: Object.entries(attributes).map(([name, value]) => attribute(name, value)),
});

export const floats = (name: string, dims: readonly number[], values: readonly number[]): Draft<TensorProto> => ({
  name,
  dims,
  dataType: DataType.FLOAT,
  floatData: Float32Array.from(values),
});

export const integers = (
  name: string,
  dims: readonly number[],
  values: readonly (number | bigint)[],
): Draft<TensorProto> => ({
  name,
  dims,
  dataType: DataType.INT64,
  int64Data: BigInt64Array.from(values, BigInt),
});

/** The declaration of a value: an element type, and sizes or names of sizes; no sizes at all are unknown ones. */
export const port = (name: string, elemType: number = DataType.FLOAT, sizes?: readonly (number | string)[]) => ({
  name,
  type: {
    tensorType: {
      elemType,
      shape:
        sizes === undefined
          ? undefined
          : { dim: sizes.map((each) => (typeof each === "number" ? { dimValue: each } : { dimParam: each })) },
    },
  },
});

export const model = (graph: DraftGraph, more: Draft<ModelProto> = {}): Draft<ModelProto> => ({
  irVersion: 10,
  opsetImport: [
    { domain: "", version: 21 },
    { domain: "ai.onnx.ml", version: 5 },
  ],
  graph,
  ...more,
});

/** Writes a model and loads it. */
export const load = (draft: Draft<ModelProto>, options: OnnxOptions = {}): OnnxModel =>
  prepareModel(readModel(writeModel(draft)), options);
