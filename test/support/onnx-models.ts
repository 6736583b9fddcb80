/** Small ONNX models for tests, made from their nodes, ports and float32 weights. */
import { DataType, type Draft, type NodeProto, type ValueInfoProto } from "../../src/onnx/proto/types.ts";
import { writeModel } from "../../src/onnx/proto/write.ts";

/** A type as text: `float32[n, 4]`; a question mark for a size without a name. */
type PortText = `${string}[${string}]`;

const elementTypes: Readonly<Record<string, number>> = {
  float32: DataType.FLOAT,
  float64: DataType.DOUBLE,
  bfloat16: DataType.BFLOAT16,
  float16: DataType.FLOAT16,
  int64: DataType.INT64,
  int32: DataType.INT32,
  uint8: DataType.UINT8,
  bool: DataType.BOOL,
  string: DataType.STRING,
};

export interface ModelText {
  readonly inputs: Readonly<Record<string, PortText>>;
  /** The types of outputs; `sequence` and `optional` before a type as in `sequence float32[]`. */
  readonly outputs: Readonly<Record<string, PortText>>;
  readonly nodes: readonly Draft<NodeProto>[];
  readonly weights?: Readonly<Record<string, readonly number[]>>;
  readonly opset?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}

function portOf([name, text]: [string, PortText]): Draft<ValueInfoProto> {
  const match = /^(sequence |optional )?(\w+)\[(.*)\]$/.exec(text);
  if (match === null) throw new Error(`${text} is not a type`);
  const [, kind, element, sizes] = match as unknown as [string, string | undefined, string, string];
  const dim = (sizes === "" ? [] : sizes.split(",")).map((size) =>
    /^\s*\d+\s*$/.test(size) ? { dimValue: Number(size) } : size.trim() === "?" ? {} : { dimParam: size.trim() },
  );
  const tensorType = { elemType: elementTypes[element] as number, shape: { dim } };
  if (kind === undefined) return { name, type: { tensorType } };
  const inner = { elemType: { tensorType } };
  return { name, type: kind === "sequence " ? { sequenceType: inner } : { optionalType: inner } };
}

/** The bytes of a model. */
export function modelBytes({ inputs, outputs, nodes, weights = {}, opset = 18, metadata = {} }: ModelText): Uint8Array {
  return writeModel({
    irVersion: 9,
    producerName: "tests",
    opsetImport: [{ domain: "", version: opset }],
    metadataProps: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    graph: {
      name: "graph",
      node: nodes,
      input: Object.entries(inputs).map(portOf),
      output: Object.entries(outputs).map(portOf),
      initializer: Object.entries(weights).map(([name, values]) => ({
        name,
        dims: [values.length],
        dataType: DataType.FLOAT,
        floatData: Float32Array.from(values),
      })),
    },
  });
}

/** A node. */
export const node = (
  opType: string,
  input: readonly string[],
  output: readonly string[],
  name = "",
): Draft<NodeProto> => ({ opType, input, output, name });
