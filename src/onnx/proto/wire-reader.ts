/**
 * The wire format of Protocol Buffers, read by the BinaryReader of @bufbuild/protobuf. This file adds the checks that it leaves to its
 * callers: the ends of messages and of packed lists, limits of nesting and of the number of objects, and errors that name the path of the field and its byte.
 *
 * Every length is checked against the rest of its message before it is used, so time and memory are bounded by the size of the file.
 */
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { StridewiseError } from "../../base/errors.ts";
import { FileError } from "../../io/file-error.ts";
import { utf8OrUndefined } from "./utf8.ts";

/** The wire types: how the end of a field is found. */
export const Wire = { VARINT: 0, FIXED64: 1, BYTES: 2, GROUP: 3, END_GROUP: 4, FIXED32: 5 } as const;

const wireNames = ["a varint", "8 bytes", "a length and bytes", "a group", "the end of a group", "4 bytes"];

/** The deepest nesting of messages, as in other readers of the format. */
export const maxDepth = 100;
/** The default limit of messages and byte strings, which take about 200 bytes each in memory. */
const defaultMaxObjects = 2 ** 22;

/** Options of the functions that read messages. */
export interface ReadOptions {
  /** The function named in errors. Default: "loadOnnx". */
  readonly who?: string | undefined;
  /** The largest number of messages and byte strings. Default: 4,194,304. */
  readonly maxObjects?: number | undefined;
  /** Converts a position in the bytes to a position in the file for errors. Default: both are the same. */
  readonly positionOf?: ((position: number) => number) | undefined;
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
  end: number;
  /** The field that is read, and the messages around it: names, and the indices of repeated ones. */
  field = "";
  readonly path: (string | number)[] = [];
  #depth = 0;
  #objects = 0;
  readonly #maxObjects: number;
  readonly #name: string;
  readonly #positionOf: (position: number) => number;
  readonly #wire: BinaryReader;

  constructor(bytes: Uint8Array, name: string, options: ReadOptions) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.#name = `${options.who ?? "loadOnnx"}: ${name}`;
    this.#maxObjects = options.maxObjects ?? defaultMaxObjects;
    this.#positionOf = options.positionOf ?? ((position) => position);
    this.#wire = new BinaryReader(bytes);
  }

  get at(): number {
    return this.#wire.pos;
  }

  set at(position: number) {
    this.#wire.pos = position;
  }

  /** Calls a function that reads; errors of the library become errors about the current field. */
  run<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof StridewiseError || error instanceof TypeError || !(error instanceof Error)) throw error;
      return this.fail(`cannot be read (${error.message}). The file is truncated or damaged`);
    }
  }

  /** Throws an error about the current field: "loadOnnx: model.onnx: graph.node[3]: the field op_type is ... (at byte 90)". */
  fail(problem: string, at: number = Math.min(this.at, this.end)): never {
    const path = pathText(this.path);
    const field = this.field === "" ? "the message" : `the field ${pathText([this.field])}`;
    const sentence = /[.?]$/.test(problem) ? problem : `${problem}.`;
    throw new FileError(`${this.#name}: ${path === "" ? "" : `${path}: `}${field} ${sentence}`, this.#positionOf(at));
  }

  /** Counts a message or a byte string; throws above the limit. */
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

  /** Throws if the last field, which is read, ends after its message or its list. */
  checkEnd(): void {
    if (this.at > this.end) this.fail("ends after its message. The file is truncated or damaged");
  }

  int32(): number {
    return this.#wire.int32();
  }

  /** Reads a signed 64-bit integer: a number if it is safe, else a bigint. */
  int64(): number | bigint {
    const value = this.bigint();
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }

  bigint(): bigint {
    return BigInt(this.#wire.int64());
  }

  /** Reads a signed 64-bit integer that must be a safe integer: a version, a size. */
  integer(): number {
    const start = this.at;
    const value = this.int64();
    return typeof value === "number" ? value : this.fail(`is ${value}; the limit is 2^53 - 1`, start);
  }

  float(): number {
    return this.#wire.float();
  }

  /** Reads a length and returns where the bytes of that length end; `at` is where they begin. */
  lengthEnd(): number {
    const start = this.at;
    const length = Number(this.#wire.uint64());
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

  /** Reads the length of a list, and its values by `read`, which is called until the list ends. */
  packed(read: () => void): void {
    const outerEnd = this.end;
    this.end = this.lengthEnd();
    while (this.at < this.end) read();
    this.checkEnd();
    this.end = outerEnd;
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

  /** Reads the tag of a field: its number and its wire type. */
  tag(): readonly [number: number, wire: number] {
    this.field = "";
    return this.#wire.tag();
  }

  /** Skips the value of an unknown field. */
  skip(number: number, wire: number): void {
    this.field = `with the number ${number}`;
    this.#wire.skip(wire, number, maxDepth - this.#depth);
  }
}
