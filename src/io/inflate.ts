/**
 * Decompresses raw DEFLATE (RFC 1951) as a stream.
 * Guarantee: the concatenated pieces are the decompressed input, or a FileError has the problem and its position. With `size` their total length
 * is exactly that, else at most `limit`. The stream itself takes 128 kB; the caller allocates the result.
 */
import { once } from "../base/lazy.ts";
import { FileError } from "./file-error.ts";

export interface InflateOptions {
  /** The exact length of the result, if known. */
  readonly size?: number;
  /** The largest length of the result. Default: the most that the input can expand to. */
  readonly limit?: number;
  /** The subject of error messages. */
  readonly who?: string;
  /** The position of the first byte in its file, for messages. */
  readonly start?: number;
}

/** Receives the result piece by piece. A piece is valid during the call only, unless it is the whole result. */
export type Write = (piece: Uint8Array) => void;

/** The largest distance of a copy. */
const windowBytes = 2 ** 15;
/** Fits the window and the longest stored block, which is written at once. */
const bufferBytes = 2 ** 17;
const maxExpansion = 1032;
const codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

interface Tables {
  readonly fixedLiterals: HuffmanTable;
  readonly fixedDistances: HuffmanTable;
  readonly lengthBase: Uint16Array;
  readonly lengthBits: Uint8Array;
  readonly distanceBase: Uint16Array;
  readonly distanceBits: Uint8Array;
}

const tables = /* @__PURE__ */ once((): Tables => {
  const lengthBase = new Uint16Array(29);
  const lengthBits = new Uint8Array(29);
  for (let code = 0, base = 3; code < 28; code++) {
    lengthBase[code] = base;
    lengthBits[code] = code < 8 ? 0 : (code >> 2) - 1;
    base += 1 << lengthBits[code];
  }
  lengthBase[28] = 258;
  const distanceBase = new Uint16Array(30);
  const distanceBits = new Uint8Array(30);
  for (let code = 0, base = 1; code < 30; code++) {
    distanceBase[code] = base;
    distanceBits[code] = code < 4 ? 0 : (code >> 1) - 1;
    base += 1 << distanceBits[code];
  }
  const literals = new Uint8Array(288).fill(8).fill(9, 144, 256).fill(7, 256, 280);
  return {
    fixedLiterals: huffmanTable(literals) as HuffmanTable,
    fixedDistances: huffmanTable(new Uint8Array(32).fill(5)) as HuffmanTable,
    lengthBase,
    lengthBits,
    distanceBase,
    distanceBits,
  };
});

/** Decompresses a raw DEFLATE stream. */
export function inflate(input: Uint8Array, write: Write, options: InflateOptions = {}): void {
  const known = tables();
  const stream = new Inflater(input, write, known, options);
  for (;;) {
    const isLast = stream.takeBits(1) === 1;
    switch (stream.takeBits(2)) {
      case 0:
        stream.storedBlock();
        break;
      case 1:
        stream.codedBlock(known.fixedLiterals, known.fixedDistances);
        break;
      case 2:
        stream.dynamicBlock();
        break;
      default:
        stream.fail("a block has the unknown type 3");
    }
    if (isLast) {
      stream.finish();
      return;
    }
  }
}

/** The state of one decompression. */
class Inflater {
  readonly #input: Uint8Array;
  readonly #write: Write;
  readonly #tables: Tables;
  readonly #options: InflateOptions;
  readonly #limit: number;
  #at = 0;
  #bits = 0;
  #bitCount = 0;
  /** The last bytes of the result, from index `#base`. */
  readonly #output: Uint8Array;
  #base = 0;
  #length = 0;
  /** The number of bytes of the output that were written. */
  #written = 0;

  constructor(input: Uint8Array, write: Write, known: Tables, options: InflateOptions) {
    this.#input = input;
    this.#write = write;
    this.#tables = known;
    this.#options = options;
    const max = input.length * maxExpansion;
    if (options.size !== undefined && options.size > max)
      this.fail(`${options.size} bytes cannot come from ${input.length} compressed ones`);
    this.#limit = Math.min(options.size ?? options.limit ?? max, max);
    this.#output = new Uint8Array(Math.min(this.#limit, bufferBytes));
  }

  fail(problem: string): never {
    const { who = "inflate", start = 0 } = this.#options;
    throw new FileError(`${who}: the compressed data is damaged: ${problem}.`, start + this.#at);
  }

  /** The next `count` <= 16 bits as a number, first bit lowest. */
  takeBits(count: number): number {
    while (this.#bitCount < count) {
      if (this.#at >= this.#input.length) this.fail("it ends inside a block");
      this.#bits |= this.#input[this.#at++] << this.#bitCount;
      this.#bitCount += 8;
    }
    const value = this.#bits & ((1 << count) - 1);
    this.#bits >>>= count;
    this.#bitCount -= count;
    return value;
  }

  storedBlock(): void {
    // Returns whole bytes that were read ahead.
    this.#at -= this.#bitCount >> 3;
    this.#bits = 0;
    this.#bitCount = 0;
    const length = this.takeBits(16);
    if (this.takeBits(16) !== (~length & 0xffff)) this.fail("the two lengths of a stored block disagree");
    if (this.#at + length > this.#input.length) this.fail("a stored block reaches past the end");
    this.#reserve(length);
    this.#output.set(this.#input.subarray(this.#at, this.#at + length), this.#length);
    this.#at += length;
    this.#length += length;
  }

  dynamicBlock(): void {
    const literalCount = this.takeBits(5) + 257;
    const distanceCount = this.takeBits(5) + 1;
    const codeCount = this.takeBits(4) + 4;
    if (literalCount > 286 || distanceCount > 30) this.fail("a block has more codes than exist");
    const codeLengths = new Uint8Array(19);
    for (let i = 0; i < codeCount; i++) codeLengths[codeOrder[i]] = this.takeBits(3);
    const codes = huffmanTable(codeLengths);
    if (codes === undefined) this.fail("the code of the code lengths is invalid");
    const lengths = new Uint8Array(literalCount + distanceCount);
    for (let i = 0; i < lengths.length; ) {
      const symbol = this.#symbol(codes);
      if (symbol < 16) {
        lengths[i++] = symbol;
        continue;
      }
      if (symbol === 16 && i === 0) this.fail("the first code length repeats nothing");
      const value = symbol === 16 ? lengths[i - 1] : 0;
      const times = symbol === 16 ? this.takeBits(2) + 3 : symbol === 17 ? this.takeBits(3) + 3 : this.takeBits(7) + 11;
      if (i + times > lengths.length) this.fail("the code lengths repeat past their end");
      lengths.fill(value, i, i + times);
      i += times;
    }
    if (lengths[256] === 0) this.fail("a block has no code for its end");
    const literals = huffmanTable(lengths.subarray(0, literalCount));
    const distances = huffmanTable(lengths.subarray(literalCount));
    if (literals === undefined || distances === undefined) this.fail("the codes of a block are invalid");
    this.codedBlock(literals, distances);
  }

  #symbol(table: HuffmanTable): number {
    const { length: inputLength } = this.#input;
    while (this.#bitCount < 15 && this.#at < inputLength) {
      this.#bits |= this.#input[this.#at++] << this.#bitCount;
      this.#bitCount += 8;
    }
    const code = table.fast[this.#bits & ((1 << fastBits) - 1)] || findCode(table, this.#bits);
    const length = code & 15;
    if (length === 0) this.fail("a code has no symbol");
    if (length > this.#bitCount) this.fail("it ends inside a block");
    this.#bits >>>= length;
    this.#bitCount -= length;
    return code >>> 4;
  }

  codedBlock(literals: HuffmanTable, distances: HuffmanTable): void {
    const { lengthBase, lengthBits, distanceBase, distanceBits } = this.#tables;
    const { fast } = literals;
    const mask = fast.length - 1;
    for (;;) {
      // A fast path for literals, in local variables: most of a stream that compresses badly.
      const input = this.#input;
      const output = this.#output;
      let at = this.#at;
      let bits = this.#bits;
      let bitCount = this.#bitCount;
      let length = this.#length;
      const end = Math.min(output.length, this.#limit - this.#base);
      while (length < end && at + 1 < input.length) {
        if (bitCount < 16) {
          bits |= (input[at] | (input[at + 1] << 8)) << bitCount;
          bitCount += 16;
          at += 2;
        }
        const entry = fast[bits & mask];
        if (entry === 0 || entry >= 256 << 4) break;
        output[length++] = entry >>> 4;
        bits >>>= entry & 15;
        bitCount -= entry & 15;
      }
      this.#at = at;
      this.#bits = bits;
      this.#bitCount = bitCount;
      this.#length = length;
      const symbol = this.#symbol(literals);
      if (symbol < 256) {
        this.#reserve(1);
        this.#output[this.#length++] = symbol;
        continue;
      }
      if (symbol === 256) return;
      if (symbol > 285) this.fail("a length code is invalid");
      const count = lengthBase[symbol - 257] + this.takeBits(lengthBits[symbol - 257]);
      const code = this.#symbol(distances);
      if (code > 29) this.fail("a distance code is invalid");
      const distance = distanceBase[code] + this.takeBits(distanceBits[code]);
      if (distance > this.#length)
        this.fail(`a copy starts ${distance} bytes back, but only ${this.#length} precede it`);
      this.#copy(distance, count);
    }
  }

  #copy(distance: number, count: number): void {
    this.#reserve(count);
    const output = this.#output;
    const start = this.#length;
    const end = start + count;
    // A copy can overlap itself: then it repeats bytes that it has just written.
    if (distance === 1) output.fill(output[start - 1], start, end);
    else for (let to = start, from = to - distance; to < end; ) output[to++] = output[from++];
    this.#length = end;
  }

  /** Makes space for this number of additional bytes; throws above the limit. */
  #reserve(count: number): void {
    if (this.#base + this.#length + count > this.#limit) this.fail(`it expands to more than ${this.#limit} bytes`);
    if (this.#length + count <= this.#output.length) return;
    this.#flush();
    const windowLength = Math.min(windowBytes, this.#length);
    this.#output.copyWithin(0, this.#length - windowLength, this.#length);
    this.#base += this.#length - windowLength;
    this.#length = windowLength;
    this.#written = windowLength;
  }

  #flush(): void {
    this.#write(this.#output.subarray(this.#written, this.#length));
  }

  finish(): void {
    const rest = this.#input.length - this.#at + (this.#bitCount >> 3);
    if (rest > 0) this.fail(`${rest} bytes follow its last block`);
    const { size } = this.#options;
    const total = this.#base + this.#length;
    if (size !== undefined && total !== size) this.fail(`it expands to ${total} bytes instead of ${size}`);
    this.#flush();
  }
}

/**
 * The prefix codes of DEFLATE, as lookup tables.
 * A table maps the next 10 bits of the stream to (symbol << 4 | length); longer codes are decoded bit by bit from the canonical order.
 * Lengths that over-subscribe the code, or leave it incomplete (except for a single code of one bit, or none), have no table.
 */
const fastBits = 10;
const maxCodeBits = 15;

interface HuffmanTable {
  /** Indexed by the next `fastBits` bits: symbol << 4 | length, or 0 for a longer code or none. */
  readonly fast: Uint16Array;
  /** The number of codes of each length. */
  readonly counts: Uint16Array;
  /** The symbols in canonical order. */
  readonly symbols: Uint16Array;
}

/** The table of a code, from the length of each symbol's code (0 if unused); undefined if no such code exists. */
export function huffmanTable(lengths: Uint8Array): HuffmanTable | undefined {
  const counts = new Uint16Array(maxCodeBits + 1);
  for (const length of lengths) counts[length] = counts[length] + 1;
  const used = lengths.length - counts[0];
  counts[0] = 0;
  let left = 1;
  const next = new Uint16Array(maxCodeBits + 2);
  const starts = new Uint16Array(maxCodeBits + 2);
  for (let length = 1; length <= maxCodeBits; length++) {
    left = left * 2 - counts[length];
    if (left < 0) return undefined;
    starts[length + 1] = starts[length] + counts[length];
    next[length + 1] = (next[length] + counts[length]) << 1;
  }
  if (left > 0 && used > 1) return undefined;
  if (left > 0 && used === 1 && counts[1] !== 1) return undefined;
  const symbols = new Uint16Array(used);
  const fast = new Uint16Array(1 << fastBits);
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol];
    if (length === 0) continue;
    const index = starts[length];
    symbols[index] = symbol;
    starts[length] = index + 1;
    const code = next[length];
    next[length] = code + 1;
    if (length > fastBits) continue;
    // The stream has the first bit of a code lowest, so tables are indexed by reversed codes.
    let reversed = 0;
    for (let bit = 0; bit < length; bit++) reversed |= ((code >>> bit) & 1) << (length - 1 - bit);
    for (let index = reversed; index < fast.length; index += 1 << length) fast[index] = (symbol << 4) | length;
  }
  return { fast, counts, symbols };
}

/** (symbol << 4 | length) of the code at the start of the bits, first bit lowest; 0 if there is none. For codes longer than `fastBits`. */
function findCode(table: HuffmanTable, bits: number): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (let length = 1; length <= maxCodeBits; length++) {
    code |= (bits >>> (length - 1)) & 1;
    const count = table.counts[length];
    if (code - count < first) return (table.symbols[index + (code - first)] << 4) | length;
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return 0;
}
