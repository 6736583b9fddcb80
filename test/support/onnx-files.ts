/** Writes messages of ONNX files by their field numbers, for tests of readers: also those that no writer would make. */

/** The bytes of a field, with its tag. */
export type Field = Uint8Array;

export function join(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** A varint of a signed 64-bit integer, with at least `width` bytes. */
export function varint(value: number | bigint, width = 1): Uint8Array {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); rest > 0n || bytes.length < width; rest >>= 7n)
    bytes.push(Number(rest & 127n) | 128);
  bytes[bytes.length - 1] &= 127;
  return Uint8Array.from(bytes);
}

export const integer = (number: number, value: number | bigint): Field => join(varint(8 * number), varint(value));
export const chunk = (number: number, ...parts: readonly Uint8Array[]): Field => {
  const bytes = join(...parts);
  return join(varint(8 * number + 2), varint(bytes.length), bytes);
};
export const text = (number: number, value: string): Field => chunk(number, new TextEncoder().encode(value));
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** A tensor: its sizes, its element type, its name, and the fields with its elements. */
export const tensor = (
  dims: readonly number[],
  dataType: number,
  name: string,
  ...elements: readonly Field[]
): Uint8Array => join(...dims.map((size) => integer(1, size)), integer(2, dataType), text(8, name), ...elements);

export const raw = (elements: ArrayBufferView): Field => chunk(9, bytesOf(elements));
export const packed = (number: number, values: readonly (number | bigint)[]): Field =>
  chunk(number, ...values.map((value) => varint(value)));

/** The fields of a tensor with external data. */
export const external = (entries: Readonly<Record<string, string>>): Field =>
  join(...Object.entries(entries).map(([key, value]) => chunk(13, text(1, key), text(2, value))), integer(14, 1));

export const node = (
  opType: string,
  inputs: readonly string[],
  outputs: readonly string[],
  ...attributes: readonly Uint8Array[]
): Uint8Array =>
  join(
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, opType),
    ...attributes.map((each) => chunk(5, each)),
  );

/** An input or output: a tensor of this element type. */
export const port = (name: string, dataType = 1): Uint8Array =>
  join(text(1, name), chunk(2, chunk(1, integer(1, dataType))));

export interface GraphParts {
  readonly nodes?: readonly Uint8Array[];
  readonly initializers?: readonly Uint8Array[];
  readonly sparse?: readonly Uint8Array[];
  readonly inputs?: readonly Uint8Array[];
  readonly outputs?: readonly Uint8Array[];
}

export const graph = ({
  nodes = [],
  initializers = [],
  sparse = [],
  inputs = [],
  outputs = [],
}: GraphParts): Uint8Array =>
  join(
    ...nodes.map((each) => chunk(1, each)),
    text(2, "g"),
    ...initializers.map((each) => chunk(5, each)),
    ...sparse.map((each) => chunk(15, each)),
    ...inputs.map((each) => chunk(11, each)),
    ...outputs.map((each) => chunk(12, each)),
  );

/** A model of version 17 of the operators. */
export const model = (parts: GraphParts, ...fields: readonly Field[]): Uint8Array<ArrayBuffer> =>
  join(integer(1, 8), chunk(7, graph(parts)), chunk(8, integer(2, 17)), ...fields);
