/** ONNX models for tests, written as messages: nodes, weights, ports. */

import type { Tensor } from "../../src/index.ts";
import { toRawArray } from "../../src/io/tensor-arrays.ts";
import type { OnnxModel, OnnxOptions } from "../../src/onnx/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import type { AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto } from "../../src/onnx/proto/types.ts";
import { AttributeType, DataType, type Draft, type ValueInfoProto } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { elementOfDType } from "../../src/onnx/value-type.ts";
import { TextTensor } from "../../src/onnx/values.ts";

export type DraftNode = Draft<NodeProto>;
export type DraftGraph = Draft<GraphProto>;

/** Integers are INT or INTS, and other numbers FLOAT; `{ float: 1 }` is a FLOAT too. */
export type AttributeValue =
  | number
  | bigint
  | string
  | readonly (number | bigint)[]
  | readonly string[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly graph: DraftGraph }
  | { readonly tensor: Draft<TensorProto> };
export type Attributes = Readonly<Record<string, AttributeValue>>;

const utf8 = new TextEncoder();

function attributeOf(name: string, value: AttributeValue): Draft<AttributeProto> {
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: utf8.encode(value) };
  if (typeof value === "bigint" || Number.isInteger(value))
    return { name, type: AttributeType.INT, i: value as number | bigint };
  if (typeof value === "number") return { name, type: AttributeType.FLOAT, f: value };
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float };
  if ("floats" in value) return { name, type: AttributeType.FLOATS, floats: value.floats };
  if ("graph" in value) return { name, type: AttributeType.GRAPH, g: value.graph };
  if ("tensor" in value) return { name, type: AttributeType.TENSOR, t: value.tensor };
  if (typeof value[0] === "string")
    return {
      name,
      type: AttributeType.STRINGS,
      strings: (value as readonly string[]).map((each) => utf8.encode(each)),
    };
  return { name, type: AttributeType.INTS, ints: value as readonly number[] };
}

export const node = (
  opType: string,
  input: readonly string[],
  output: readonly string[],
  attributes: Attributes = {},
  domain = "",
): DraftNode => ({
  opType,
  input,
  output,
  domain,
  attribute: Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
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

/** A tensor as a message. */
export function constant(name: string, value: Tensor | TextTensor): Draft<TensorProto> {
  if (value instanceof TextTensor)
    return {
      name,
      dims: value.shape,
      dataType: DataType.STRING,
      stringData: value.data.map((each) => utf8.encode(each)),
    };
  const { bytes, shape } = toRawArray("constant", value.contiguous() as Tensor);
  return { name, dims: shape, dataType: elementOfDType(value.dtype), rawData: bytes.slice() };
}

/** The declaration of a value: an element type, and sizes or names of sizes; no sizes at all are unknown ones. */
export const port = (
  name: string,
  elemType: number = DataType.FLOAT,
  sizes?: readonly (number | string)[],
): Draft<ValueInfoProto> => ({
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
