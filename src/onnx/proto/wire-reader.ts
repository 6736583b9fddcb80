/**
 * The wire format of Protocol Buffers, read: varints, fixed-width numbers, lengths and the skipping of unknown fields.
 *
 * No read goes past the end of the current message: every length and every number is checked against it first. Nesting and the number of
 * objects are limited, so time and memory are bounded by the size of the file. Errors name the path of the field and its byte.
 */
import { FileError } from "../../io/file-error.ts";
import { utf8OrUndefined } from "./utf8.ts";

/** The wire types: how the end of a field is found. */
export const Wire = { VARINT: 0, FIXED64: 1, BYTES: 2, GROUP: 3, END_GROUP: 4, FIXED32: 5 } as const;

const wireNames = ["a varint", "8 bytes", "a length and bytes", "a group", "the end of a group", "4 bytes"];

/** The deepest nesting of messages, as in other readers of the format. */
const maxDepth = 100;
/** The default limit of messages and byte strings, which take about 200 bytes each in memory. */
const defaultMaxObjects = 2 ** 22;

/** Options of the functions that read messages. */
export interface ReadOptions {
  /** The function named in errors. Default: "loadOnnx". */
  readonly who?: string | undefined;
  /** The largest number of messages and byte strings. Default: 4,194,304. */
  readonly maxObjects?: number | undefined;
}

/** The path of a field for errors, in the spelling of the schema: graph.node[3].op_type. */
export function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += (text === "" ? "" : ".") + part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
  return text;
}

/** Reads the fields of one message after the other. `at` and `end` delimit the rest of the current message. */
export class WireReader {
  readonly bytes: Uint8Array;
  at = 0;
  end: number;
  /** The halves of the last varint, as signed 32-bit integers. */
  low = 0;
  high = 0;
  /** The field that is read, and the messages around it: names, and the indices of repeated ones. */
  field = "";
  readonly path: (string | number)[] = [];
  #depth = 0;
  #objects = 0;
  readonly #maxObjects: number;
  readonly #name: string;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, name: string, options: ReadOptions) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.#name = `${options.who ?? "loadOnnx"}: ${name}`;
    this.#maxObjects = options.maxObjects ?? defaultMaxObjects;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Throws an error about the current field: "loadOnnx: model.onnx: graph.node[3]: the field op_type is ... (at byte 90)". */
  fail(problem: string, at: number = this.at): never {
    const path = pathText(this.path);
    const field = this.field === "" ? "the message" : `the field ${pathText([this.field])}`;
    throw new FileError(`${this.#name}: ${path === "" ? "" : `${path}: `}${field} ${problem}.`, at);
  }

  /** Counts a message or a byte string; throws beyond the limit. */
  countObject(): void {
    if (++this.#objects > this.#maxObjects)
      this.fail(
        `exceeds the limit of ${this.#maxObjects} messages and byte strings. Raise maxObjects to read the file`,
      );
  }

  /** Throws unless the field has the wire type of its kind. */
  expect(wire: number, expected: number): void {
    if (wire !== expected)
      this.fail(`is encoded as ${wireNames[wire]}, not as ${wireNames[expected]}. Is this an ONNX file?`);
  }

  /** Reads a varint into `low` and `high`. */
  varint(): void {
    const { bytes, end } = this;
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= end) this.fail("ends inside a number. The file is truncated or damaged");
      const byte = bytes[this.at++];
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.low = low;
        this.high = high;
        return;
      }
    }
    this.fail("has an integer of more than 10 bytes. The file is damaged");
  }

  /** Reads a signed 64-bit integer: a number if it is safe, else a bigint. */
  int64(): number | bigint {
    this.varint();
    const value = this.high * 2 ** 32 + (this.low >>> 0);
    return Number.isSafeInteger(value) ? value : (BigInt(this.high) << 32n) | BigInt(this.low >>> 0);
  }

  /** Reads a signed 64-bit integer that must be a safe integer: a version, a size. */
  integer(): number {
    const start = this.at;
    const value = this.int64();
    return typeof value === "number" ? value : this.fail(`is ${value}; the limit is 2^53 - 1`, start);
  }

  float(): number {
    return this.#view.getFloat32(this.take(4), true);
  }

  /** Reads a length and returns where the bytes of that length end; `at` is where they begin. */
  lengthEnd(): number {
    const start = this.at;
    this.varint();
    const length = (this.high >>> 0) * 2 ** 32 + (this.low >>> 0);
    const beyond = this.at + length - this.end;
    if (beyond > 0)
      this.fail(
        `has ${length} bytes, and ends ${beyond} bytes after its message. The file is truncated or damaged`,
        start,
      );
    return this.at + length;
  }

  /** Reads a byte string, without a copy. */
  byteString(): Uint8Array {
    this.countObject();
    const end = this.lengthEnd();
    const begin = this.at;
    this.at = end;
    return this.bytes.subarray(begin, end);
  }

  text(): string {
    const end = this.lengthEnd();
    const begin = this.at;
    this.at = end;
    return utf8OrUndefined(this.bytes, begin, end) ?? this.fail("is not text in UTF-8. The file is damaged", begin);
  }

  /** Passes this number of bytes and returns where they begin. */
  take(count: number): number {
    const begin = this.at;
    if (count > this.end - begin) this.fail(`ends inside a number of ${count} bytes. The file is truncated or damaged`);
    this.at = begin + count;
    return begin;
  }

  /** Reads the length of an embedded message, and its fields by `read`. `index` is the index in a repeated field, or undefined. */
  nested<T>(index: number | undefined, read: () => T): T {
    const outerEnd = this.end;
    const { field } = this;
    const end = this.lengthEnd();
    if (++this.#depth >= maxDepth) this.fail(`is nested ${maxDepth} messages deep, which is the limit`);
    this.path.push(field);
    if (index !== undefined) this.path.push(index);
    this.end = end;
    const result = read();
    this.end = outerEnd;
    this.path.length -= index === undefined ? 1 : 2;
    this.field = field;
    this.#depth--;
    return result;
  }

  /** Reads the tag of a field into `low`: 8 times its number, plus its wire type, which must exist. */
  tag(): void {
    this.field = "";
    const start = this.at;
    this.varint();
    if (this.high !== 0 || this.low >>> 3 === 0 || (this.low & 7) > Wire.FIXED32)
      this.fail("has a field without a valid number and type. Is this an ONNX file?", start);
  }

  /** Passes the value of an unknown field. */
  skip(number: number, wire: number): void {
    this.field = `with the number ${number}`;
    if (wire === Wire.VARINT) this.varint();
    else if (wire === Wire.FIXED64) this.take(8);
    else if (wire === Wire.BYTES) this.at = this.lengthEnd();
    else if (wire === Wire.FIXED32) this.take(4);
    else if (wire === Wire.GROUP) this.#skipGroup(number);
    else this.fail("ends a group that did not begin. The file is damaged");
  }

  #skipGroup(number: number): void {
    if (++this.#depth >= maxDepth) this.fail(`is nested ${maxDepth} messages deep, which is the limit`);
    for (;;) {
      this.tag();
      const inner = this.low >>> 3;
      const wire = this.low & 7;
      if (wire === Wire.END_GROUP && inner === number) break;
      this.skip(inner, wire);
    }
    this.#depth--;
  }
}
