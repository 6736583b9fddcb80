/** Runs one node of ONNX as a model: node by node, and twice compiled, which must agree. */
import { expect } from "vitest";
import type { DType, Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { type AttributeProto, AttributeType, DataType, type Draft } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { dtypeOfElement } from "../../src/onnx/value-type.ts";
import { toTypedArray } from "../../src/tensor/convert/to-array.ts";

/** A float attribute is { float: 1 }; a number is an integer. */
export type NodeAttribute =
  | number
  | string
  | readonly number[]
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly strings: readonly string[] };

const utf8 = new TextEncoder();

export interface NodeCase {
  readonly op: string;
  readonly domain?: string;
  readonly version?: number;
  readonly attributes?: Readonly<Record<string, NodeAttribute>>;
  readonly inputs: readonly (Tensor | null)[];
  /** The indices of inputs that are initializers of the model. */
  readonly constants?: readonly number[];
  /** The element types of inputs that are narrower than their tensors, by index. */
  readonly types?: Readonly<Record<number, number>>;
  /** The element types of outputs that cannot be inferred from the inputs, by index. */
  readonly outputTypes?: Readonly<Record<number, number>>;
  /** The number of outputs. Default: 1. */
  readonly outputs?: number;
}

const elementType = (dtype: DType | null): number =>
  Number(
    Object.entries(dtypeOfElement).find(([type, each]) => each === dtype && Number(type) < DataType.FLOAT8E4M3FN)?.[0],
  );

function attributeOf(name: string, value: NodeAttribute): Draft<AttributeProto> {
  if (typeof value === "number") return { name, type: AttributeType.INT, i: value };
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: utf8.encode(value) };
  if ("floats" in value) return { name, type: AttributeType.FLOATS, floats: [...value.floats] };
  if ("strings" in value)
    return { name, type: AttributeType.STRINGS, strings: value.strings.map((each) => utf8.encode(each)) };
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float };
  return { name, type: AttributeType.INTS, ints: value };
}

const present = ({ inputs }: NodeCase): { readonly k: number; readonly t: Tensor }[] =>
  inputs.flatMap((t, k) => (t === null ? [] : [{ k, t }]));

/** The elements of a tensor as the bytes of a file; those of types of 4 bits in pairs. */
function bytesOf(t: Tensor, type: number): Uint8Array {
  const elements = toTypedArray(t.contiguous());
  if (type !== DataType.INT4 && type !== DataType.UINT4)
    return new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
  const codes = Array.from(elements as Uint8Array, (each) => each & 15);
  return Uint8Array.from(
    { length: Math.ceil(codes.length / 2) },
    (_, k) => codes[2 * k] | ((codes[2 * k + 1] ?? 0) << 4),
  );
}

/** The bytes of a model with one node, whose inputs are in0, in1, ... and whose outputs are out0, out1, ... */
export function nodeModel(node: NodeCase): Uint8Array {
  const { op, domain = "", version = 18, attributes = {}, inputs, constants = [], types = {}, outputs = 1 } = node;
  const { outputTypes = {} } = node;
  const typeOf = (k: number, t: Tensor): number => types[k] ?? elementType(t.dtype);
  const isConstant = ({ k }: { readonly k: number }): boolean => constants.includes(k);
  const given = present(node);
  return writeModel({
    irVersion: 9,
    opsetImport: [
      { domain: "", version },
      { domain: "com.microsoft", version: 1 },
    ],
    graph: {
      name: "one node",
      node: [
        {
          opType: op,
          domain,
          input: inputs.map((t, k) => (t === null ? "" : `in${k}`)),
          output: outputNames(outputs),
          attribute: Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
        },
      ],
      initializer: given.filter(isConstant).map(({ k, t }) => ({
        name: `in${k}`,
        dims: t.shape,
        dataType: typeOf(k, t),
        rawData: bytesOf(t, typeOf(k, t)),
      })),
      input: given
        .filter((each) => !isConstant(each))
        .map(({ k, t }) => ({ name: `in${k}`, type: { tensorType: { elemType: typeOf(k, t) } } })),
      output: outputNames(outputs).map((name, k) =>
        outputTypes[k] === undefined ? { name } : { name, type: { tensorType: { elemType: outputTypes[k] } } },
      ),
    },
  });
}

const outputNames = (count: number): string[] => Array.from({ length: count }, (_, k) => `out${k}`);

/** The inputs of `nodeModel` by name, without those that are initializers. */
export const nodeFeeds = (node: NodeCase): Record<string, Tensor> =>
  Object.fromEntries(
    present(node)
      .filter(({ k }) => node.constants?.includes(k) !== true)
      .map(({ k, t }) => [`in${k}`, t]),
  );

export function runNode(node: NodeCase): Tensor[] {
  const proto = readModel(nodeModel(node));
  const feeds = nodeFeeds(node);
  const names = outputNames(node.outputs ?? 1);
  const compiled = prepareModel(proto, {});
  const eager = prepareModel(proto, { compile: false });
  const results = [eager, compiled, compiled].map((model) => model.run(feeds));
  for (const each of results.slice(1))
    for (const name of names)
      expect((each[name] as Tensor | null)?.toArray(), `${node.op} compiled`).toEqual(
        (results[0][name] as Tensor | null)?.toArray(),
      );
  return names.map((name) => results[0][name] as Tensor);
}
