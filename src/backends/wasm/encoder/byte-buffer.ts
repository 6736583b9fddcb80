/**
 * A growing byte buffer with the encodings of WebAssembly: LEB128, little-endian floats, names, and length-prefixed parts.
 * Numbers are written in their shortest form.
 */

/** A buffer that is appended to. */
export class ByteBuffer {
  #content = new Uint8Array(2048);
  #view = new DataView(this.#content.buffer);
  #length = 0;

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#content.slice(0, this.#length);
  }

  byte(value: number): void {
    if (this.#length === this.#content.length) this.#reserve(1);
    this.#content[this.#length++] = value;
  }

  bytes(values: ArrayLike<number>): void {
    this.#reserve(values.length);
    this.#content.set(values, this.#length);
    this.#length += values.length;
  }

  /** Appends an unsigned 32-bit number; others wrap modulo 2^32. */
  unsigned(value: number): void {
    let rest = value >>> 0;
    while (rest > 127) {
      this.byte((rest & 127) | 128);
      rest >>>= 7;
    }
    this.byte(rest);
  }

  /** Appends a signed 32-bit number; others wrap modulo 2^32. */
  signed(value: number): void {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 127) | 128);
      rest >>= 7;
    }
    this.byte(rest & 127);
  }

  /** Appends a signed 64-bit number; others wrap modulo 2^64. */
  signed64(value: number | bigint): void {
    let rest = BigInt.asIntN(64, BigInt(value));
    while (rest < -64n || rest > 63n) {
      this.byte(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    this.byte(Number(rest & 127n));
  }

  /** Appends a 32-bit float, rounded from the number; NaN is always the canonical one. */
  float32(value: number): void {
    this.#reserve(4);
    if (Number.isNaN(value)) this.#view.setUint32(this.#length, 0x7fc00000, true);
    else this.#view.setFloat32(this.#length, value, true);
    this.#length += 4;
  }

  /** Appends a 64-bit float; NaN is the canonical one. */
  float64(value: number): void {
    this.#reserve(8);
    if (Number.isNaN(value)) this.#view.setBigUint64(this.#length, 0x7ff8000000000000n, true);
    else this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Appends a length-prefixed string in UTF-8. */
  name(text: string): void {
    const start = this.open();
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        // Rare, so the engine encodes the whole string.
        this.#length = start;
        this.bytes(new TextEncoder().encode(text));
        break;
      }
      this.byte(code);
    }
    this.close(start);
  }

  /** Starts a length-prefixed part and returns the value to pass to `close`. */
  open(): number {
    this.byte(0);
    return this.#length;
  }

  /** Ends the part that starts at `start`. */
  close(start: number): void {
    const size = this.#length - start;
    let width = 1;
    for (let rest = size >>> 7; rest > 0; rest >>>= 7) width++;
    this.#reserve(width);
    if (width > 1) this.#content.copyWithin(start + width - 1, start, this.#length);
    this.#length = start - 1;
    this.unsigned(size);
    this.#length += size;
  }

  /** Ensures capacity for `more` bytes. */
  #reserve(more: number): void {
    if (this.#length + more <= this.#content.length) return;
    const larger = new Uint8Array(2 * (this.#content.length + more));
    larger.set(this.#content);
    this.#content = larger;
    this.#view = new DataView(larger.buffer);
  }
}
