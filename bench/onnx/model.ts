/**
 * Encodes ONNX models: just enough of the format for a graph of float32 operations. A message is a list of fields. A
 * field is a tag (number and kind) and a value: an integer, or bytes with their length. Field numbers are those of
 * onnx.proto.
 */
import type { OnnxGraph, OnnxNode } from "../rows/row.ts";

type Bytes = readonly number[];
type Shape = readonly number[];

/** Operator set 13: Slice takes its bounds as inputs, Relu and Exp take float32. */
const operatorSet = 13;
const irVersion = 7;
const elementTypes = { float32: 1, int64: 7 } as const;
const integerList = 7;

/** The model whose only graph maps the inputs to `out`. */
export function encodeModel(graph: OnnxGraph, inputs: Readonly<Record<string, Shape>>, result: Shape): Uint8Array {
  const graphBytes = [
    ...graph.nodes.flatMap((node) => message(1, encodeNode(node))),
    ...text(2, "graph"),
    ...Object.entries(graph.floats ?? {}).flatMap(([name, value]) => message(5, floatConstant(name, value))),
    ...Object.entries(graph.integers ?? {}).flatMap(([name, values]) => message(5, integerConstant(name, values))),
    ...Object.entries(inputs).flatMap(([name, shape]) => message(11, valueInfo(name, shape))),
    ...message(12, valueInfo("out", result)),
  ];
  return Uint8Array.from([
    ...integer(1, irVersion),
    ...message(7, graphBytes),
    ...message(8, [...text(1, ""), ...integer(2, operatorSet)]),
  ]);
}

function encodeNode({ op, from, to, attributes = {} }: OnnxNode): Bytes {
  return [
    ...from.flatMap((name) => text(1, name)),
    ...text(2, to),
    ...text(4, op),
    ...Object.entries(attributes).flatMap(([name, values]) =>
      message(5, [...text(1, name), ...values.flatMap((value) => integer(8, value)), ...integer(20, integerList)]),
    ),
  ];
}

/** A scalar. */
function floatConstant(name: string, value: number): Bytes {
  const raw = new Uint8Array(Float32Array.of(value).buffer);
  return [...integer(2, elementTypes.float32), ...text(8, name), ...message(9, [...raw])];
}

/** A list of integers. */
function integerConstant(name: string, values: readonly number[]): Bytes {
  const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return [...integer(1, values.length), ...integer(2, elementTypes.int64), ...text(8, name), ...message(9, [...raw])];
}

function valueInfo(name: string, shape: Shape): Bytes {
  const dimensions = shape.flatMap((size) => message(1, integer(1, size)));
  const tensor = [...integer(1, elementTypes.float32), ...message(2, dimensions)];
  return [...text(1, name), ...message(2, message(1, tensor))];
}

const integer = (field: number, value: number): Bytes => [...varint(field << 3), ...varint(value)];
const message = (field: number, bytes: Bytes): Bytes => [
  ...varint((field << 3) | 2),
  ...varint(bytes.length),
  ...bytes,
];
const text = (field: number, value: string): Bytes => message(field, [...new TextEncoder().encode(value)]);

/** A varint: seven bits per byte, lowest first; the high bit is set if more bytes follow. */
function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
