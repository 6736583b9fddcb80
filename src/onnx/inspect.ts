/**
 * Describes a model without running it and without reading its weights: names, types, operators, functions, metadata, and its constants with their
 * sizes and storage locations. Operators that `loadOnnx` does not support are listed and do not throw.
 */
import { checkOptions } from "../io/load.ts";
import type { FileInput } from "../io/source.ts";
import { type TransferOptions, Watch } from "../io/watch.ts";
import { versionsOf } from "./block.ts";
import { OnnxError } from "./error.ts";
import { type ModelFile, openModelFile } from "./model-file.ts";
import { tensorsOfModel } from "./model-tensors.ts";
import { definitionIn, domainOf } from "./operator.ts";
import { operatorTables } from "./operators/tables.ts";
import type { GraphProto, NodeProto, SparseTensorProto, TensorProto, ValueInfoProto } from "./proto/types.ts";
import { partsOfSparse } from "./sparse-tensor.ts";
import { layoutOfElements } from "./tensor-elements.ts";
import { type DeclaredSize, elementName, typeOfInfo } from "./value-type.ts";

/** An input or output of a model. */
export interface OnnxPortInfo {
  readonly name: string;
  /** As in errors: `float32[batch, 3, 224, 224]`. */
  readonly type: string;
  /** The sizes of a tensor; null for other values, and if even the rank is not declared. */
  readonly shape: readonly DeclaredSize[] | null;
  /** True if the model has an initializer of this name, so that the input may be omitted. */
  readonly isOptional: boolean;
}

/** A constant of a model: an initializer, or a tensor in an attribute of a node. */
export interface OnnxTensorInfo {
  /** The name of an initializer; empty for a tensor in an attribute. */
  readonly name: string;
  /** Its location in the model: `the initializer "weight"`. */
  readonly where: string;
  /** The element type of ONNX: `float32`, `int4`, `string`. */
  readonly type: string;
  readonly shape: readonly number[];
  /** The number of bytes in the file. */
  readonly bytes: number;
  /** The name of the file with its external data; null if it is in the file of the model. */
  readonly location: string | null;
  readonly isSparse: boolean;
}

export interface OnnxOperatorInfo {
  /** With the domain if that is not the one of ONNX: `com.microsoft.Gelu`. */
  readonly name: string;
  /** The number of its nodes, in the graph, in graphs of nodes and in functions. */
  readonly count: number;
  /** False if `loadOnnx` does not support it. */
  readonly isSupported: boolean;
}

export interface OnnxFunctionInfo {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly nodes: number;
}

/** The description of a model. */
export interface OnnxInfo {
  /** The size of the file in bytes. */
  readonly size: number;
  readonly irVersion: number;
  /** The name and version of the program that wrote the file. */
  readonly producer: string;
  readonly domain: string;
  readonly modelVersion: number | bigint;
  readonly description: string;
  readonly graph: string;
  /** The version of the operators of each domain; "" is the domain of ONNX itself. */
  readonly opsets: ReadonlyMap<string, number>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly inputs: readonly OnnxPortInfo[];
  readonly outputs: readonly OnnxPortInfo[];
  /** The number of nodes, in the graph, in graphs of nodes and in functions. */
  readonly nodes: number;
  /** The operators, the most frequent first. */
  readonly operators: readonly OnnxOperatorInfo[];
  readonly functions: readonly OnnxFunctionInfo[];
  readonly tensors: readonly OnnxTensorInfo[];
}

/** Describes a model in bytes, a Blob, a Response, or in Node a path. Weights, and files with external data, are not read. */
export async function inspectOnnx(input: FileInput, options: TransferOptions = {}): Promise<OnnxInfo> {
  const who = "inspectOnnx";
  checkOptions(who, options, ["signal", "onProgress"]);
  const file = await openModelFile(who, input, new Watch(options));
  const { proto, source } = file;
  const { graph } = proto;
  if (graph === undefined) throw new OnnxError(`${who}: the model has no graph`);
  const functions = proto.functions.map(({ domain, name, input, output, node }) => ({
    name: qualified(domain, name),
    inputs: input,
    outputs: output,
    nodes: node.length,
  }));
  const nodes = [...nodesIn(graph.node), ...proto.functions.flatMap(({ node }) => [...nodesIn(node)])];
  const constants = new Set(graph.initializer.map(({ name }) => name));
  const portOf = (info: ValueInfoProto): OnnxPortInfo => {
    const { text, shape } = typeOfInfo(info);
    return { name: info.name, type: text, shape, isOptional: constants.has(info.name) };
  };
  return {
    size: source.size,
    irVersion: proto.irVersion,
    producer: [proto.producerName, proto.producerVersion].filter((each) => each !== "").join(" "),
    domain: proto.domain,
    modelVersion: proto.modelVersion,
    description: proto.docString || graph.docString,
    graph: graph.name,
    opsets: versionsOf(proto.opsetImport),
    metadata: new Map(proto.metadataProps.map(({ key, value }) => [key, value])),
    inputs: graph.input.map(portOf),
    outputs: graph.output.map(portOf),
    nodes: nodes.length,
    operators: operatorsOf(nodes, new Set(functions.map(({ name }) => name))),
    functions,
    tensors: [...tensorsOfModel(proto)].map(({ tensor, name, where }) => ({ name, where, ...placeOf(tensor, file) })),
  };
}

const qualified = (domain: string, name: string): string =>
  domainOf(domain) === "" ? name : `${domainOf(domain)}.${name}`;

function* nodesIn(nodes: readonly NodeProto[]): Generator<NodeProto> {
  for (const node of nodes) {
    yield node;
    for (const { g, graphs } of node.attribute)
      for (const graph of [g, ...graphs] as readonly (GraphProto | undefined)[])
        if (graph !== undefined) yield* nodesIn(graph.node);
  }
}

function operatorsOf(nodes: readonly NodeProto[], functions: ReadonlySet<string>): readonly OnnxOperatorInfo[] {
  const operators = new Map<string, OnnxOperatorInfo>();
  for (const { domain, opType } of nodes) {
    const name = qualified(domain, opType);
    const count = (operators.get(name)?.count ?? 0) + 1;
    const isSupported = functions.has(name) || definitionIn(operatorTables[domainOf(domain)], opType) !== undefined;
    operators.set(name, { name, count, isSupported });
  }
  return [...operators.values()].sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
}

function placeOf(tensor: TensorProto | SparseTensorProto, file: ModelFile): Omit<OnnxTensorInfo, "name" | "where"> {
  const isSparse = !("dataType" in tensor);
  const parts = isSparse ? partsOfSparse(tensor) : undefined;
  const stored = parts === undefined ? [tensor as TensorProto] : [parts.values, parts.indices];
  const regions = stored.map((each) => {
    const layout = layoutOfElements(each);
    const bytes =
      layout.dtype === null ? each.stringData.reduce((sum, { length }) => sum + length, 0) : layout.byteLength;
    return { bytes, location: file.rangeOf(each, layout)?.location ?? null };
  });
  return {
    type: elementName(stored[0].dataType),
    shape: tensor.dims,
    bytes: regions.reduce((sum, { bytes }) => sum + bytes, 0),
    location: regions[0].location,
    isSparse,
  };
}
