/**
 * The skeleton of a file: its bytes without the long elements of tensors, which are noted as ranges of the file. It is a valid message: such a field
 * becomes an empty `raw_data`, and the lengths of the messages around it are reduced. So a model of gigabytes is read and checked without its
 * weights, and those go straight to their destination. Packed floats have the bytes of `raw_data`, so they are treated as such.
 *
 * The file is read in windows; bytes between them are not read. A part of the file that is malformed is copied as it is, so that the reader of
 * messages finds the same error as in the file.
 */
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { ask, type Reader } from "../../io/source.ts";
import { infoOf, type MessageInfo } from "./message.ts";
import { tensorFields } from "./schema.ts";
import { DataType } from "./types.ts";
import { maxDepth, Wire } from "./wire-reader.ts";

/** Shorter fields stay in the skeleton: reading one more window takes longer than their bytes. */
const minHole = 16384;
/** Windows begin with the first length, and double up to the second while the file is read without a gap. */
const [firstWindow, lastWindow] = [4096, 2 ** 20];
/** The longest tag and length. */
const headerLength = 20;

/** The fields of a tensor with elements, and for which element types their bytes are those of `raw_data`. */
const elementFields = new Map<string, (dataType: number) => boolean>([
  ["rawData", () => true],
  ["floatData", (dataType) => dataType === DataType.FLOAT || dataType === DataType.COMPLEX64],
  ["doubleData", (dataType) => dataType === DataType.DOUBLE || dataType === DataType.COMPLEX128],
  ["int32Data", () => false],
  ["int64Data", () => false],
  ["uint64Data", () => false],
]);
const rawDataTag = 8 * tensorFields.rawData[0] + Wire.BYTES;

/** A range of bytes of a file: begin <= position < end. */
export interface FileRange {
  readonly begin: number;
  readonly end: number;
}

/** A field of the file: its tag and length are from `start` to `begin`, its value, if it has a length, from there to `end`. */
interface FieldRange extends FileRange {
  readonly name: string;
  /** The table of the messages it holds. */
  readonly table: object | undefined;
  /** True if the tag is one byte. */
  readonly hasShortTag: boolean;
  readonly start: number;
  /** The number of bytes of a field with a length; otherwise 0. */
  readonly length: number;
  /** The value of a varint. */
  readonly value: number;
}

export interface Skeleton {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The range of the file that a field of bytes had; undefined if its bytes are in the skeleton. */
  rangeOf(field: Uint8Array | undefined): FileRange | undefined;
  /** The position in the file of a position in the skeleton. */
  positionOf(position: number): number;
}

/** Reads the skeleton of a file of `size` bytes. `fields` is the table of its message. */
export function* skeletonReader(who: string, size: number, fields: object): Reader<Skeleton> {
  const scan = new Scan(who, size);
  yield* scan.message(size, infoOf(fields), 0);
  return scan.skeleton();
}

class Scan {
  readonly #who: string;
  readonly #size: number;
  /** The position in the file. */
  #at = 0;
  #window: Uint8Array = new Uint8Array(0);
  #windowBegin = 0;
  #windowLength = firstWindow;
  #bytes = new Uint8Array(firstWindow);
  #length = 0;
  /** The ranges by the position in the skeleton where they were, in ascending order. */
  readonly #ranges = new Map<number, FileRange>();
  /** The number of bytes in the ranges. */
  #removed = 0;

  constructor(who: string, size: number) {
    this.#who = who;
    this.#size = size;
  }

  skeleton(): Skeleton {
    const bytes = this.#bytes.slice(0, this.#length);
    const ranges = this.#ranges;
    return {
      bytes,
      rangeOf: (field) => (field?.buffer === bytes.buffer ? ranges.get(field.byteOffset) : undefined),
      positionOf: (position) => {
        let result = position;
        for (const [at, { begin, end }] of ranges) if (at <= position) result += end - begin;
        return result;
      },
    };
  }

  /** Copies the fields up to `end` without long elements. */
  *message(end: number, info: MessageInfo, depth: number): Reader<void> {
    const isTensor = info === infoOf(tensorFields);
    const before = { at: this.#at, length: this.#length, removed: this.#removed };
    let dataType = 0;
    let lists = 0;
    while (this.#at < end) {
      const field = yield* this.#field(end, info);
      if (field === undefined) return yield* this.#copyTo(this.#size);
      const { name, length } = field;
      const isLong = length >= minHole;
      if (isTensor && name === "dataType") dataType = field.value;
      if (isTensor && elementFields.has(name)) lists++;
      if (isLong && field.table !== undefined && depth < maxDepth) {
        const removed = this.#removed;
        yield* this.#copyTo(field.begin);
        const lengthEnd = this.#length;
        yield* this.message(field.end, infoOf(field.table), depth + 1);
        this.#setLength(lengthEnd, length - (this.#removed - removed));
      } else if (isLong && isTensor && field.hasShortTag && elementFields.get(name)?.(dataType)) {
        yield* this.#copyTo(field.begin);
        this.#bytes[this.#length - (field.begin - field.start)] = rawDataTag;
        this.#setLength(this.#length, 0);
        this.#ranges.set(this.#length, { begin: field.begin, end: field.end });
        this.#removed += length;
        this.#at = field.end;
      } else yield* this.#copyTo(field.end);
    }
    if (lists > 1 && this.#removed > before.removed) yield* this.#copyInstead(before, end);
  }

  /** Copies a tensor unchanged, because its elements are in several pieces, which only a reader joins. */
  *#copyInstead(before: { at: number; length: number; removed: number }, end: number): Reader<void> {
    for (const position of [...this.#ranges.keys()]) if (position > before.length) this.#ranges.delete(position);
    this.#at = before.at;
    this.#length = before.length;
    this.#removed = before.removed;
    yield* this.#copyTo(end);
  }

  /** Reads where the next field is. Returns undefined if it is malformed, or a group, which ONNX does not have. */
  *#field(messageEnd: number, { byNumber }: MessageInfo): Reader<FieldRange | undefined> {
    const reader = new BinaryReader(yield* this.#some(headerLength));
    try {
      const [number, wire] = reader.tag();
      const hasShortTag = reader.pos === 1;
      const field = byNumber[number];
      let value = 0;
      if (wire === Wire.VARINT || wire === Wire.BYTES) value = Number(reader.uint64());
      else if (wire === Wire.FIXED32) reader.pos += 4;
      else if (wire === Wire.FIXED64) reader.pos += 8;
      else return undefined;
      const length = wire === Wire.BYTES ? value : 0;
      const begin = this.#at + reader.pos;
      if (begin + length > messageEnd) return undefined;
      const [name, table] = [field?.name ?? "", field?.table?.()];
      return { name, table, hasShortTag, start: this.#at, begin, end: begin + length, length, value };
    } catch {
      return undefined;
    }
  }

  /** Replaces the length that ends at a position of the skeleton by a smaller one with the same number of bytes. */
  #setLength(lengthEnd: number, length: number): void {
    let at = lengthEnd - 1;
    while (this.#bytes[at - 1] >= 128) at--;
    let rest = length;
    for (; at < lengthEnd; at++) {
      this.#bytes[at] = (rest % 128) + (at < lengthEnd - 1 ? 128 : 0);
      rest = Math.floor(rest / 128);
    }
  }

  *#copyTo(end: number): Reader<void> {
    while (this.#at < end) {
      const part = (yield* this.#some(1)).subarray(0, end - this.#at);
      const length = this.#length + part.length;
      if (length > this.#bytes.length) {
        const longer = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
        longer.set(this.#bytes.subarray(0, this.#length));
        this.#bytes = longer;
      }
      this.#bytes.set(part, this.#length);
      this.#length = length;
      this.#at += part.length;
    }
  }

  /** Returns bytes from the current position on: at least `count`, or all up to the end of the file. */
  *#some(count: number): Reader<Uint8Array> {
    const windowEnd = this.#windowBegin + this.#window.length;
    const needed = Math.min(this.#at + count, this.#size);
    if (needed > windowEnd || this.#at < this.#windowBegin) {
      this.#windowLength = this.#at > windowEnd ? firstWindow : Math.min(2 * this.#windowLength, lastWindow);
      const end = Math.min(this.#at + this.#windowLength, this.#size);
      this.#window = yield* ask(this.#who, this.#size, this.#at, end, "the model");
      this.#windowBegin = this.#at;
    }
    return this.#window.subarray(this.#at - this.#windowBegin);
  }
}
