/**
 * The wire format of Protocol Buffers, written. The result is a list of pieces: long byte strings are separate pieces, without a copy, and the
 * length of a message is inserted when its end is known.
 */

import { encodeUtf8 } from "./utf8.ts";

/** Byte strings from this length on are not copied. */
const longBytes = 1024;

export class WireWriter {
  readonly #pieces: Uint8Array[] = [];
  #buffer = new Uint8Array(256);
  /** The part of the buffer that is filled, and where the piece that is not finished begins in it. */
  #at = 0;
  #begin = 0;
  /** The number of bytes so far. */
  #length = 0;

  /** Finishes the message and returns its pieces in their order. */
  pieces(): readonly Uint8Array[] {
    this.#finishPiece();
    return this.#pieces;
  }

  tag(number: number, wire: number): void {
    this.varint(8 * number + wire, 0);
  }

  /** Writes the varint of a 64-bit integer that is given by its halves. */
  varint(low: number, high: number): void {
    const start = this.#take(10);
    const bytes = this.#buffer;
    let at = start;
    let [rest, upper] = [low >>> 0, high >>> 0];
    while (upper !== 0 || rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest = ((rest >>> 7) | (upper << 25)) >>> 0;
      upper >>>= 7;
    }
    bytes[at++] = rest;
    this.#return(10 - (at - start));
  }

  /** Writes a signed integer of up to 64 bits. */
  integer(value: number | bigint): void {
    if (typeof value === "bigint")
      this.varint(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
    else this.varint(value | 0, Math.floor(value / 2 ** 32) | 0);
  }

  float(value: number): void {
    const at = this.#take(4);
    new DataView(this.#buffer.buffer).setFloat32(at, value, true);
  }

  /** Writes a length and these bytes. */
  bytes(value: Uint8Array): void {
    this.varint(value.length, 0);
    this.raw(value);
  }

  /** Writes bytes without their length. */
  raw(value: Uint8Array): void {
    if (value.length < longBytes) {
      const at = this.#take(value.length);
      this.#buffer.set(value, at);
      return;
    }
    this.#finishPiece();
    this.#pieces.push(value);
    this.#length += value.length;
  }

  text(value: string): void {
    this.bytes(encodeUtf8("saveOnnx", value));
  }

  /** Writes a length, and then the bytes that `write` writes. */
  nested(write: () => void): void {
    this.#finishPiece();
    const index = this.#pieces.length;
    this.#pieces.push(this.#buffer);
    const before = this.#length;
    write();
    this.#finishPiece();
    const length = this.#length - before;
    this.varint(length, Math.floor(length / 2 ** 32));
    this.#finishPiece();
    this.#pieces[index] = this.#pieces.pop() as Uint8Array;
  }

  /** Reserves bytes and returns where they begin in the buffer. */
  #take(count: number): number {
    if (this.#at + count > this.#buffer.length) {
      this.#finishPiece();
      this.#buffer = new Uint8Array(Math.max(65536, count));
      this.#at = 0;
      this.#begin = 0;
    }
    this.#at += count;
    this.#length += count;
    return this.#at - count;
  }

  /** Releases reserved bytes. */
  #return(count: number): void {
    this.#at -= count;
    this.#length -= count;
  }

  #finishPiece(): void {
    if (this.#at > this.#begin) this.#pieces.push(this.#buffer.subarray(this.#begin, this.#at));
    this.#begin = this.#at;
  }
}
