/** Runs one node of ONNX as a model: node by node, and twice compiled, which must agree. */
import { expect } from "vitest";
import type { DType, Tensor } from "../../src/index.ts";
import { prepareModel } from "../../src/onnx/load.ts";
import { readModel } from "../../src/onnx/proto/read.ts";
import { type AttributeProto, AttributeType, DataType, type Draft } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";
import { dtypeOfElement } from "../../src/onnx/value-type.ts";

/** A float attribute is { float: 1 }; a number is an integer. */
export type NodeAttribute = number | string | readonly number[] | { readonly float: number };

export interface NodeCase {
  readonly op: string;
  readonly domain?: string;
  readonly version?: number;
  readonly attributes?: Readonly<Record<string, NodeAttribute>>;
  readonly inputs: readonly (Tensor | null)[];
  /** The number of outputs. Default: 1. */
  readonly outputs?: number;
}

const elementType = (dtype: DType | null): number =>
  Number(
    Object.entries(dtypeOfElement).find(([type, each]) => each === dtype && Number(type) < DataType.FLOAT8E4M3FN)?.[0],
  );

function attributeOf(name: string, value: NodeAttribute): Draft<AttributeProto> {
  if (typeof value === "number") return { name, type: AttributeType.INT, i: value };
  if (typeof value === "string") return { name, type: AttributeType.STRING, s: new TextEncoder().encode(value) };
  if ("float" in value) return { name, type: AttributeType.FLOAT, f: value.float };
  return { name, type: AttributeType.INTS, ints: value };
}

export function runNode({ op, domain = "", version = 18, attributes = {}, inputs, outputs = 1 }: NodeCase): Tensor[] {
  const names = Array.from({ length: outputs }, (_, k) => `out${k}`);
  const present = inputs.flatMap((t, k) => (t === null ? [] : [{ name: `in${k}`, t }]));
  const proto = readModel(
    writeModel({
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
            output: names,
            attribute: Object.entries(attributes).map(([name, value]) => attributeOf(name, value)),
          },
        ],
        input: present.map(({ name, t }) => ({ name, type: { tensorType: { elemType: elementType(t.dtype) } } })),
        output: names.map((name) => ({ name })),
      },
    }),
  );
  const feeds = Object.fromEntries(present.map(({ name, t }) => [name, t]));
  const runs = [false, true, true].map((compile, k) => ({ compile, k }));
  const compiled = prepareModel(proto, {});
  const eager = prepareModel(proto, { compile: false });
  const results = runs.map(({ compile }) => (compile ? compiled : eager).run(feeds));
  for (const each of results.slice(1))
    for (const name of names)
      expect((each[name] as Tensor).toArray(), `${op} compiled`).toEqual((results[0][name] as Tensor).toArray());
  return names.map((name) => results[0][name] as Tensor);
}
