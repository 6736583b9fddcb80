/**
 * The kinds of fields of a message: how a value is read from and written to the wire, and the value of an absent field.
 *
 * A kind of a repeated field reads numbers both one by one and packed, as the format demands, and writes them as the schema declares.
 * A repeated kind may append to the list that it returned before, and to no other.
 */
import type { Int64 } from "./types.ts";
import { Wire, type WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** The encoding of a field with values of type T. */
export interface Kind<T> {
  /** The value of an absent field. */
  readonly empty: T;
  /** Reads one occurrence of the field and returns its value, which was `before` until then. */
  read(reader: WireReader, wire: number, before: T): T;
  /** Writes the field with its tag; nothing if the value is the default. */
  write(writer: WireWriter, number: number, value: T): void;
}

/** The encoding of one value, without its tag. */
interface Scalar<T> {
  readonly wire: number;
  read(reader: WireReader): T;
  write(writer: WireWriter, value: T): void;
}

const float: Scalar<number> = {
  wire: Wire.FIXED32,
  read: (reader) => reader.float(),
  write: (writer, value) => writer.float(value),
};
const integer: Scalar<number> = {
  wire: Wire.VARINT,
  read: (reader) => reader.integer(),
  write: (writer, value) => writer.integer(value),
};
const int64: Scalar<Int64> = {
  wire: Wire.VARINT,
  read: (reader) => reader.int64(),
  write: (writer, value) => writer.integer(value),
};
const text: Scalar<string> = {
  wire: Wire.BYTES,
  read: (reader) => reader.text(),
  write: (writer, value) => writer.text(value),
};
const byteString: Scalar<Uint8Array> = {
  wire: Wire.BYTES,
  read: (reader) => reader.byteString(),
  write: (writer, value) => writer.bytes(value),
};
const int32: Scalar<number> = {
  wire: Wire.VARINT,
  read: (reader) => reader.int32(),
  write: (writer, value) => writer.integer(value),
};

function single<T>(scalar: Scalar<T>, empty: T): Kind<T> {
  return {
    empty,
    read(reader, wire) {
      reader.expect(wire, scalar.wire);
      return scalar.read(reader);
    },
    write(writer, number, value) {
      if (value === empty) return;
      writer.tag(number, scalar.wire);
      scalar.write(writer, value);
    },
  };
}

const optional = <T>(scalar: Scalar<T>): Kind<T | undefined> => single(scalar as Scalar<T | undefined>, undefined);

/** Appends to a list that was read before; the empty list of absent fields is replaced. */
export function appended<T>(before: readonly T[], value: T): readonly T[] {
  if (before.length === 0) return [value];
  (before as T[]).push(value);
  return before;
}

function repeated<T>(scalar: Scalar<T>): Kind<readonly T[]> {
  return {
    empty: [],
    read(reader, wire, before) {
      if (wire !== Wire.BYTES || scalar.wire === Wire.BYTES) {
        reader.expect(wire, scalar.wire);
        return appended(before, scalar.read(reader));
      }
      let list = before;
      reader.packed(() => {
        list = appended(list, scalar.read(reader));
      });
      return list;
    },
    write(writer, number, list) {
      for (const value of list) {
        writer.tag(number, scalar.wire);
        scalar.write(writer, value);
      }
    },
  };
}

export const aString: Kind<string> = /* @__PURE__ */ single(text, "");
/** A 32-bit integer or an enum. */
export const anInt32: Kind<number> = /* @__PURE__ */ single(int32, 0);
/** A 64-bit integer that must be safe, such as a version. */
export const anInteger: Kind<number> = /* @__PURE__ */ single(integer, 0);
export const anInt64: Kind<Int64> = /* @__PURE__ */ single(int64, 0);
export const optionalFloat: Kind<number | undefined> = /* @__PURE__ */ optional(float);
export const optionalInteger: Kind<number | undefined> = /* @__PURE__ */ optional(integer);
export const optionalInt64: Kind<Int64 | undefined> = /* @__PURE__ */ optional(int64);
export const optionalString: Kind<string | undefined> = /* @__PURE__ */ optional(text);
export const optionalBytes: Kind<Uint8Array | undefined> = /* @__PURE__ */ optional(byteString);
export const strings: Kind<readonly string[]> = /* @__PURE__ */ repeated(text);
export const byteStrings: Kind<readonly Uint8Array[]> = /* @__PURE__ */ repeated(byteString);
export const floats: Kind<readonly number[]> = /* @__PURE__ */ repeated(float);
export const integers: Kind<readonly number[]> = /* @__PURE__ */ repeated(integer);
export const int64s: Kind<readonly Int64[]> = /* @__PURE__ */ repeated(int64);
