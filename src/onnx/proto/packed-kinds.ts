/**
 * The lists of numbers in tensors as typed arrays: packed fields, exact for 64-bit integers.
 *
 * A list takes at most 8 times its bytes in the file. Lists in several pieces grow by doubling: the spare capacity is the rest of the
 * array's own buffer. As in `storage`, the byte order of the host is little-endian.
 */
import type { Kind } from "./field-kinds.ts";
import { Wire, type WireReader } from "./wire-reader.ts";

type Numbers = Float32Array | Float64Array | Int32Array | BigInt64Array | BigUint64Array;

interface NumbersConstructor<A extends Numbers> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): A;
}

/** Returns the list with `count` more elements, which are to be written. */
function extended<A extends Numbers>(reader: WireReader, list: NumbersConstructor<A>, before: A, count: number): A {
  const length = before.length + count;
  const width = list.BYTES_PER_ELEMENT;
  if (length * width <= before.buffer.byteLength) return new list(before.buffer as ArrayBuffer, 0, length);
  const buffer = allocated(reader, Math.max(length, 2 * before.length) * width);
  new Uint8Array(buffer).set(new Uint8Array(before.buffer, 0, before.byteLength));
  return new list(buffer, 0, length);
}

function allocated(reader: WireReader, bytes: number): ArrayBuffer {
  try {
    return new ArrayBuffer(bytes);
  } catch {
    return reader.fail(`takes ${bytes} bytes in memory, which could not be allocated`);
  }
}

function fixed<A extends Numbers>(list: NumbersConstructor<A>, elementWire: number): Kind<A> {
  const width = list.BYTES_PER_ELEMENT;
  return {
    empty: new list(new ArrayBuffer(0)),
    read(reader, wire, before) {
      let length = width;
      if (wire === Wire.BYTES) {
        length = reader.lengthEnd() - reader.at;
        if (length % width !== 0) reader.fail(`has ${length} bytes, which is not a multiple of ${width}`);
      } else reader.expect(wire, elementWire);
      const begin = reader.at;
      reader.at += length;
      reader.checkEnd();
      const result = extended(reader, list, before, length / width);
      const target = new Uint8Array(result.buffer, before.byteLength, length);
      target.set(reader.bytes.subarray(begin, begin + length));
      return result;
    },
    write(writer, number, { buffer, byteOffset, byteLength }) {
      if (byteLength === 0) return;
      writer.tag(number, Wire.BYTES);
      writer.bytes(new Uint8Array(buffer, byteOffset, byteLength));
    },
  };
}

function varints<A extends Int32Array | BigInt64Array | BigUint64Array>(
  list: NumbersConstructor<A>,
  readInto: (reader: WireReader, target: A, index: number) => void,
): Kind<A> {
  return {
    empty: new list(new ArrayBuffer(0)),
    read(reader, wire, before) {
      let next = before.length;
      if (wire !== Wire.BYTES) {
        reader.expect(wire, Wire.VARINT);
        const result = extended(reader, list, before, 1);
        readInto(reader, result, next);
        return result;
      }
      const result = extended(reader, list, before, countVarints(reader));
      reader.packed(() => readInto(reader, result, next++));
      return result;
    },
    write(writer, number, list) {
      if (list.length === 0) return;
      writer.tag(number, Wire.BYTES);
      writer.nested(() => {
        for (const value of list) writer.integer(value);
      });
    },
  };
}

/** The number of varints in the field: each ends with a byte below 128. One that is cut off at the end is not counted. */
function countVarints(reader: WireReader): number {
  const { bytes, at } = reader;
  const end = reader.lengthEnd();
  let count = 0;
  for (let i = reader.at; i < end; i++) count += (bytes[i] >>> 7) ^ 1;
  reader.at = at;
  return count;
}

const readInt32 = (reader: WireReader, target: Int32Array, index: number): void => {
  target[index] = reader.int32();
};
/** A typed array keeps the low 64 bits, so signed and unsigned integers are read alike. */
const readBigint = (reader: WireReader, target: BigInt64Array | BigUint64Array, index: number): void => {
  target[index] = reader.bigint();
};

export const packedFloats: Kind<Float32Array> = /* @__PURE__ */ fixed(Float32Array, Wire.FIXED32);
export const packedDoubles: Kind<Float64Array> = /* @__PURE__ */ fixed(Float64Array, Wire.FIXED64);
export const packedInt32s: Kind<Int32Array> = /* @__PURE__ */ varints(Int32Array, readInt32);
export const packedInt64s: Kind<BigInt64Array> = /* @__PURE__ */ varints(BigInt64Array, readBigint);
export const packedUint64s: Kind<BigUint64Array> = /* @__PURE__ */ varints(BigUint64Array, readBigint);
