/**
 * Encodes ONNX models: just enough of the format for a graph of float32 operations. A message is a list of fields. A
 * field is a tag (number and kind) and a value: an integer, or bytes with their length. Field numbers are those of
 * onnx.proto.
 */
import { type OnnxGraph, type OnnxNode, product } from "../rows/row.ts";

type Shape = readonly number[];
type Attribute = NonNullable<OnnxNode["attributes"]>[string];

/** Operator set 20: Slice takes its bounds as inputs, Gelu has its tanh form. */
const operatorSet = 20;
const irVersion = 9;
const elementTypes = { float32: 1, int64: 7 } as const;

/** The model whose only graph maps the inputs to `out`. */
export function encodeModel(graph: OnnxGraph, inputs: Readonly<Record<string, Shape>>, result: Shape): Uint8Array {
  const { nodes, floats = {}, integers = {}, tensors = {} } = graph;
  return joined([
    integer(1, irVersion),
    message(7, [
      ...nodes.map((node) => message(1, encodeNode(node))),
      text(2, "graph"),
      ...Object.entries(floats).map(([name, value]) => constant(name, [], Float32Array.of(value))),
      ...Object.entries(integers).map(([name, values]) =>
        constant(name, [values.length], BigInt64Array.from(values, BigInt)),
      ),
      ...Object.entries(tensors).map(([name, { shape, values }]) => constant(name, shape, values())),
      ...Object.entries(inputs).map(([name, shape]) => message(11, valueInfo(name, shape))),
      message(12, valueInfo("out", result)),
    ]),
    message(8, [text(1, ""), integer(2, operatorSet)]),
  ]);
}

function encodeNode({ op, from, to, attributes = {} }: OnnxNode): Uint8Array[] {
  return [
    ...from.map((name) => text(1, name)),
    ...[to].flat().map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => message(5, [text(1, name), ...encodeAttribute(value)])),
  ];
}

/** The value of an attribute, and its kind. */
function encodeAttribute(value: Attribute): Uint8Array[] {
  if (typeof value === "number") return [integer(3, value), integer(20, 2)];
  if (typeof value === "string") return [text(4, value), integer(20, 3)];
  return [...value.map((each) => integer(8, each)), integer(20, 7)];
}

/** A constant tensor; its elements are copied as they lie in memory. */
function constant(name: string, shape: Shape, values: Float32Array | BigInt64Array): Uint8Array {
  if (values.length !== product(shape)) throw new Error(`${name}: ${values.length} elements for shape [${shape}]`);
  const type = values instanceof Float32Array ? elementTypes.float32 : elementTypes.int64;
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return message(5, [...shape.map((size) => integer(1, size)), integer(2, type), text(8, name), message(9, [raw])]);
}

function valueInfo(name: string, shape: Shape): Uint8Array[] {
  const dimensions = shape.map((size) => message(1, [integer(1, size)]));
  return [text(1, name), message(2, [message(1, [integer(1, elementTypes.float32), message(2, dimensions)])])];
}

const integer = (field: number, value: number): Uint8Array =>
  Uint8Array.from([...varint(field << 3), ...varint(value)]);
const text = (field: number, value: string): Uint8Array => message(field, [new TextEncoder().encode(value)]);

function message(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return joined([Uint8Array.from([...varint((field << 3) | 2), ...varint(length)]), ...parts]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

/** A varint: seven bits per byte, lowest first; the high bit is set if more bytes follow. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}
