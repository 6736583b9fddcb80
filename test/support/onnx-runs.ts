/** Runs graphs of a few ONNX nodes over given values: node by node, and twice compiled. All runs must agree. */
import { boot } from "../../src/boot.ts";
import { Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { DataType } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { elementOfDType } from "../../src/onnx/value-type.ts";
import { type OnnxValue, TextTensor } from "../../src/onnx/values.ts";
import { differenceOf } from "../onnx/run-case.ts";
import { type Attributes, type DraftNode, model, node, port } from "./onnx-graphs.ts";

/** The element type of a value. */
const elementOf = (value: OnnxValue): number =>
  value instanceof Tensor ? elementOfDType(value.dtype) : value instanceof TextTensor ? DataType.STRING : 0;

/** Runs nodes over inputs by name; `types` has the element types of inputs that are narrower than their tensors. */
export function runNodes(
  nodes: readonly DraftNode[],
  inputs: Readonly<Record<string, OnnxValue>>,
  outputs: readonly string[],
  { version = 26, types = {} }: { readonly version?: number; readonly types?: Readonly<Record<string, number>> } = {},
): OnnxValue[] {
  boot();
  const draft = model(
    {
      node: nodes,
      input: Object.entries(inputs).map(([name, value]) => port(name, types[name] ?? elementOf(value))),
      output: outputs.map((name) => ({ name })),
    },
    {
      opsetImport: [
        { domain: "", version },
        { domain: "com.microsoft", version: 1 },
      ],
    },
  );
  const proto = readModel(writeModel(draft));
  const compiled = prepareModel(proto, {});
  const [first, ...rest] = [prepareModel(proto, { compile: false }), compiled, compiled].map((each) =>
    each.run(inputs),
  );
  for (const name of outputs)
    for (const each of rest) {
      const difference = differenceOf(each[name], first[name]);
      if (difference !== null) throw new Error(`compiled ${nodes.map(({ opType }) => opType)}: ${name}: ${difference}`);
    }
  return outputs.map((name) => first[name]);
}

export interface OperatorCase {
  readonly version?: number;
  readonly domain?: string;
  readonly attributes?: Attributes;
  readonly outputs?: number;
  /** The element type of an input that is narrower than its tensor, by its index. */
  readonly types?: Readonly<Record<number, number>>;
}

/** Runs one operator. An input that is null is absent. */
export function runOperator(
  op: string,
  inputs: readonly (OnnxValue | null)[],
  { version = 26, attributes = {}, domain = "", outputs = 1, types = {} }: OperatorCase = {},
): OnnxValue[] {
  const names = Array.from({ length: outputs }, (_, k) => `out${k}`);
  const feeds = Object.fromEntries(inputs.flatMap((value, k) => (value === null ? [] : [[`in${k}`, value] as const])));
  const given = inputs.map((value, k) => (value === null ? "" : `in${k}`));
  const named = Object.fromEntries(Object.entries(types).map(([k, type]) => [`in${k}`, type]));
  return runNodes([node(op, given, names, attributes, domain)], feeds, names, { version, types: named });
}

/** A value as text: its type and its elements, `int64[2] [1,2]`. */
export function textOf(value: OnnxValue): string {
  if (value instanceof TextTensor) return `string[${value.shape}] ${JSON.stringify(value.data)}`;
  if (!(value instanceof Tensor)) return String(value);
  const isLong = value.dtype === "int64" || value.dtype === "uint64";
  const elements = value.reshape([-1]).toArray({ bigint: isLong }) as unknown[];
  return `${value.dtype}[${value.shape}] [${elements.map((each) => (Object.is(each, -0) ? "-0" : String(each))).join(",")}]`;
}
