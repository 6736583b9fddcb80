/** Runs graphs of a few ONNX nodes over given values: node by node, and twice compiled. All runs must agree. */
import { boot } from "../../src/boot.ts";
import { Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import {
  type AttributeProto,
  AttributeType,
  type DataType,
  type NodeProto,
  type TensorProto,
  type ValueInfoProto,
} from "../../src/onnx/proto/types.ts";
import { dtypeOfElement } from "../../src/onnx/value-type.ts";
import { type OnnxValue, TextTensor } from "../../src/onnx/values.ts";
import { differenceOf } from "../onnx/run-case.ts";

const utf8 = new TextEncoder();

/** An integer is a number, a float is `{ f: 1 }`; lists are of integers, floats or strings. */
type AttributeValue =
  | number
  | bigint
  | string
  | readonly (number | bigint)[]
  | readonly string[]
  | { readonly f: number }
  | { readonly floats: readonly number[] }
  | { readonly t: TensorProto };

function attributeOf(name: string, value: AttributeValue): AttributeProto {
  const empty: AttributeProto = {
    name,
    floats: [],
    ints: [],
    strings: [],
    tensors: [],
    graphs: [],
    docString: "",
    typeProtos: [],
    type: AttributeType.UNDEFINED,
    refAttrName: "",
    sparseTensors: [],
  };
  if (typeof value === "number" || typeof value === "bigint") return { ...empty, type: AttributeType.INT, i: value };
  if (typeof value === "string") return { ...empty, type: AttributeType.STRING, s: utf8.encode(value) };
  if ("f" in value) return { ...empty, type: AttributeType.FLOAT, f: value.f };
  if ("floats" in value) return { ...empty, type: AttributeType.FLOATS, floats: value.floats };
  if ("t" in value) return { ...empty, type: AttributeType.TENSOR, t: value.t };
  if (value.length > 0 && typeof value[0] === "string")
    return { ...empty, type: AttributeType.STRINGS, strings: (value as readonly string[]).map((s) => utf8.encode(s)) };
  return { ...empty, type: AttributeType.INTS, ints: value as readonly number[] };
}

/** A tensor as an attribute has it, by its bytes. */
export const tensorProto = (
  dataType: (typeof DataType)[keyof typeof DataType],
  dims: readonly number[],
  rawData: Uint8Array,
): TensorProto => ({
  dims,
  dataType,
  rawData,
  floatData: new Float32Array(),
  int32Data: new Int32Array(),
  stringData: [],
  int64Data: new BigInt64Array(),
  name: "",
  doubleData: new Float64Array(),
  uint64Data: new BigUint64Array(),
  docString: "",
  externalData: [],
  dataLocation: 0,
  metadataProps: [],
});

export interface NodeText {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

const nodeOf = ({ op, inputs, outputs, attributes = {} }: NodeText): NodeProto => ({
  input: inputs,
  output: outputs,
  name: "",
  opType: op,
  attribute: Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
  docString: "",
  domain: "",
  overload: "",
  metadataProps: [],
});

const infoOf = (name: string, elemType: number): ValueInfoProto => ({
  name,
  docString: "",
  metadataProps: [],
  type: { denotation: "", tensorType: { elemType } },
});

function elementType(value: OnnxValue): number {
  if (value instanceof TextTensor) return 8;
  const found = Object.entries(dtypeOfElement).find(([, dtype]) => value instanceof Tensor && dtype === value.dtype);
  return Number(found?.[0]);
}

/** Runs nodes over inputs by name; `types` has the element types of inputs that are narrower than their tensors. */
export function runNodes(
  nodes: readonly NodeText[],
  inputs: Readonly<Record<string, OnnxValue>>,
  outputs: readonly string[],
  { version = 26, types = {} }: { readonly version?: number; readonly types?: Readonly<Record<string, number>> } = {},
): OnnxValue[] {
  boot();
  const proto = {
    irVersion: 9,
    opsetImport: [{ domain: "", version }],
    producerName: "",
    producerVersion: "",
    domain: "",
    modelVersion: 0,
    docString: "",
    metadataProps: [],
    functions: [],
    graph: {
      node: nodes.map(nodeOf),
      name: "graph",
      initializer: [],
      sparseInitializer: [],
      docString: "",
      input: Object.entries(inputs).map(([name, value]) => infoOf(name, types[name] ?? elementType(value))),
      output: outputs.map((name) => ({ name, docString: "", metadataProps: [] })),
      valueInfo: [],
      quantizationAnnotation: [],
      metadataProps: [],
    },
  };
  const compiled = prepareModel(proto, {});
  const [first, ...rest] = [prepareModel(proto, { compile: false }), compiled, compiled].map((model) =>
    model.run(inputs),
  );
  for (const name of outputs)
    for (const each of rest) {
      const difference = differenceOf(each[name], first[name]);
      if (difference !== null) throw new Error(`compiled ${nodes.map(({ op }) => op)}: ${name}: ${difference}`);
    }
  return outputs.map((name) => first[name]);
}

export interface OperatorCase {
  readonly version?: number;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly outputs?: number;
  /** The element type of an input that is narrower than its tensor, by its index. */
  readonly types?: Readonly<Record<number, number>>;
}

/** Runs one operator. An input that is null is absent. */
export function runOperator(
  op: string,
  inputs: readonly (OnnxValue | null)[],
  { version = 26, attributes = {}, outputs = 1, types = {} }: OperatorCase = {},
): OnnxValue[] {
  const names = Array.from({ length: outputs }, (_, k) => `out${k}`);
  const feeds = Object.fromEntries(inputs.flatMap((value, k) => (value === null ? [] : [[`in${k}`, value] as const])));
  const node = { op, inputs: inputs.map((value, k) => (value === null ? "" : `in${k}`)), outputs: names, attributes };
  const named = Object.fromEntries(Object.entries(types).map(([k, type]) => [`in${k}`, type]));
  return runNodes([node], feeds, names, { version, types: named });
}

/** A value as text: its type and its elements, `int64[2] [1,2]`. */
export function textOf(value: OnnxValue): string {
  if (value instanceof TextTensor) return `string[${value.shape}] ${JSON.stringify(value.data)}`;
  if (!(value instanceof Tensor)) return String(value);
  const isLong = value.dtype === "int64" || value.dtype === "uint64";
  const elements = value.reshape([-1]).toArray({ bigint: isLong }) as unknown[];
  return `${value.dtype}[${value.shape}] [${elements.map((each) => (Object.is(each, -0) ? "-0" : String(each))).join(",")}]`;
}
