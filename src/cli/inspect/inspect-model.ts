/** A model as a tree: inputs, outputs, operators, functions, weights and metadata. The weights are not read. */
import type { ByteSource } from "../../io/source.ts";
import { inspectOnnx, type OnnxInfo, type OnnxTensorInfo } from "../../onnx/index.ts";
import type { Outcome } from "../command.ts";
import { branchLines, columns, countText, type FileTensorInfo, totalsOf, totalsText, treeLines } from "./tree.ts";

/** Describes a model; `title` completes the first line. */
export async function inspectModel(
  source: ByteSource,
  title: (about: string) => string,
  depth: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const info = await inspectOnnx(source, { signal });
  const weights = info.tensors.filter(({ name }) => name !== "").map(tensorInfo);
  const constants = info.tensors.filter(({ name }) => name === "").map(tensorInfo);
  return {
    lines: [title("ONNX model"), ...headLines(info), ...branchLines(branchesOf(info, weights, constants, depth))],
    data: {
      format: ".onnx",
      fileBytes: info.size,
      irVersion: info.irVersion,
      opsets: Object.fromEntries([...info.opsets].map(([domain, version]) => [domain || "ai.onnx", version])),
      producer: info.producer,
      domain: info.domain,
      modelVersion: Number(info.modelVersion),
      description: info.description,
      graph: info.graph,
      nodes: info.nodes,
      inputs: info.inputs,
      outputs: info.outputs,
      operators: info.operators,
      functions: info.functions,
      totals: totalsOf(weights),
      tensors: info.tensors,
      metadata: Object.fromEntries(info.metadata),
    },
  };
}

function headLines({ irVersion, opsets, producer, graph, description }: OnnxInfo): string[] {
  const versions = [...opsets].map(([domain, version]) => `${domain || "ai.onnx"} ${version}`);
  return [
    `IR version ${irVersion}, operators of ${versions.join(", ") || "no domain"}`,
    ...(producer === "" ? [] : [`written by ${producer}`]),
    ...(graph === "" ? [] : [`graph ${graph}`]),
    ...(description === "" ? [] : [description.split("\n", 1)[0]]),
  ];
}

/** The branches of the tree with the lines below each. */
function branchesOf(
  info: OnnxInfo,
  weights: readonly FileTensorInfo[],
  constants: readonly FileTensorInfo[],
  depth: number,
): (readonly [title: string, lines: readonly string[]])[] {
  const unsupported = info.operators.filter(({ isSupported }) => !isSupported).length;
  const operatorsTitle = `operators: ${countText(info.operators.length, "type")}, ${countText(info.nodes, "node")}`;
  const all: (readonly [title: string, lines: readonly string[]])[] = [
    [
      "inputs",
      columns(info.inputs.map(({ name, type, isOptional }) => [name, `${type}${isOptional ? ", optional" : ""}`])),
    ],
    ["outputs", columns(info.outputs.map(({ name, type }) => [name, type]))],
    [
      unsupported === 0 ? operatorsTitle : `${operatorsTitle}; ${unsupported} not supported`,
      columns(
        info.operators.map(({ name, count, isSupported }) => [name, `${count}${isSupported ? "" : ", not supported"}`]),
      ),
    ],
    [
      "functions",
      columns(
        info.functions.map(({ name, inputs, outputs, nodes }) => [
          name,
          `(${inputs.join(", ")}) -> ${outputs.join(", ")}, ${countText(nodes, "node")}`,
        ]),
      ),
    ],
    [`weights: ${totalsText(weights)}`, treeLines(weights, depth - 1)],
    ["metadata", columns([...info.metadata])],
  ];
  const branches = all.filter(([, lines]) => lines.length > 0);
  return constants.length === 0 ? branches : [...branches, [`constants of nodes: ${totalsText(constants)}`, []]];
}

const tensorInfo = ({ name, type, shape, bytes, location, isSparse }: OnnxTensorInfo): FileTensorInfo => ({
  name,
  dtype: type,
  shape,
  bytes,
  note: [...(isSparse ? ["sparse"] : []), ...(location === null ? [] : [`in ${location}`])].join(", "),
});
