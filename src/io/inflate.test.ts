/** Decompression against zlib, on every kind of block, and on streams that are damaged. */
import { constants, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { randomBytes, sameBytes, seededRandom } from "../../test/support/files.ts";
import { FileError } from "./file-error.ts";
import { huffmanTable, type InflateOptions, inflate as inflateTo } from "./inflate.ts";
import { joinParts } from "./raw-array.ts";
import { crc32 } from "./zip-format.ts";
import { deflate } from "./zip-write.ts";

/** The pieces joined. */
function inflate(input: Uint8Array, options?: InflateOptions): Uint8Array {
  const pieces: Uint8Array[] = [];
  inflateTo(input, (piece) => pieces.push(piece.slice()), options);
  return joinParts(pieces);
}

const random = seededRandom(3);
const words = ["stride", "shape", "layout", "mode", " ", ":", "(", ")", "0", "1", "\n"];
const contents: Record<string, Uint8Array> = {
  nothing: new Uint8Array(0),
  "one byte": Uint8Array.of(7),
  zeros: new Uint8Array(100_000),
  noise: randomBytes(random, 70_000),
  text: new TextEncoder().encode(Array.from({ length: 40_000 }, () => words[random(words.length)]).join("")),
  floats: new Uint8Array(Float32Array.from({ length: 20_000 }, () => random(1000) / 7).buffer),
  // Counts like Fibonacci numbers make codes of all lengths up to 15.
  skewed: Uint8Array.from({ length: 60_000 }, () => Math.floor(-Math.log2(1 - random(2 ** 30) / 2 ** 30) * 1.44)),
};
// Stored blocks that follow coded ones, from the middle of a byte.
contents["text and noise"] = new Uint8Array([
  ...(contents["text"] as Uint8Array).subarray(0, 40_001),
  ...(contents["noise"] as Uint8Array),
  ...(contents["text"] as Uint8Array).subarray(7, 40_000),
]);
const strategies = { default: 0, filtered: 1, huffman: 2, runs: 3, fixed: constants.Z_FIXED };

describe.each(Object.entries(contents))("%s", (_, content) => {
  test.each(Object.entries(strategies))("comes back from every level by strategy %s", (_, strategy) => {
    for (let level = 0; level <= 9; level += 3) {
      const packed = new Uint8Array(deflateRawSync(content, { level, strategy }));
      expect(sameBytes(inflate(packed, { size: content.length }), content)).toBe(true);
      expect(sameBytes(inflate(packed), content)).toBe(true);
    }
  });
  test("comes back from the platform's compression", async () => {
    const packed = await deflate(content);
    expect(packed && sameBytes(inflate(packed, { size: content.length }), content)).toBe(true);
  });
});

describe("a damaged stream is refused", () => {
  test.each([
    ["a block of type 3", [0x07], /unknown type 3/],
    ["nothing", [], /ends inside a block/],
    ["two lengths that disagree", [0x01, 5, 0, 0, 0], /two lengths of a stored block disagree/],
    ["a stored block past the end", [0x01, 5, 0, 0xfa, 0xff, 1, 2], /reaches past the end/],
    ["a copy from before the start", [0x03, 0x02, 0, 0], /starts 1 bytes back, but only 0 precede it/],
    ["a length that does not exist", [0x1b, 0x03, 0, 0], /a length code is invalid/],
    ["too many codes", [0xfd, 0xff, 0xff], /more codes than exist/],
    ["no end", [0x4b], /ends inside a block/],
    ["bytes after the end", [0x03, 0x00, 0x00], /1 bytes follow its last block/],
  ])("%s", (_, bytes, message) => {
    expect(() => inflate(Uint8Array.from(bytes))).toThrow(message);
    expect(() => inflate(Uint8Array.from(bytes))).toThrow(FileError);
  });
  test("a wrong size is said before or after", () => {
    const packed = new Uint8Array(deflateRawSync(new Uint8Array(1000).fill(7)));
    expect(() => inflate(packed, { size: 1001 })).toThrow(/expands to 1000 bytes instead of 1001/);
    expect(() => inflate(packed, { size: 999 })).toThrow(/expands to more than 999 bytes/);
    expect(() => inflate(packed, { limit: 999 })).toThrow(/expands to more than 999 bytes/);
    expect(() => inflate(packed, { size: 2 ** 40 })).toThrow(/1099511627776 bytes cannot come from/);
  });
  test("20,000 mutated streams give an answer or a FileError, never past the limit", () => {
    const text = (contents["text"] as Uint8Array).subarray(0, 300);
    const streams = [1, 6].map((level) => new Uint8Array(deflateRawSync(text, { level })));
    let answers = 0;
    for (let i = 0; i < 20_000; i++) {
      const stream = (streams[i % streams.length] as Uint8Array).slice(0, random(6) === 0 ? random(200) : undefined);
      for (let times = random(3); times >= 0; times--) stream[random(stream.length)] = random(256);
      try {
        expect(inflate(stream, { limit: 5000 }).length).toBeLessThanOrEqual(5000);
        answers++;
      } catch (error) {
        expect(error).toBeInstanceOf(FileError);
      }
    }
    expect(answers).toBeGreaterThan(100);
  });
});

test("a code exists for exactly the lengths that fill the tree, or for a single short one", () => {
  expect(huffmanTable(Uint8Array.of(1, 1))).toBeDefined();
  expect(huffmanTable(Uint8Array.of(1, 2, 2))).toBeDefined();
  expect(huffmanTable(Uint8Array.of(0, 1, 0))).toBeDefined();
  expect(huffmanTable(Uint8Array.of(0, 0))).toBeDefined();
  expect(huffmanTable(Uint8Array.of(1, 1, 1))).toBeUndefined();
  expect(huffmanTable(Uint8Array.of(1, 2))).toBeUndefined();
  expect(huffmanTable(Uint8Array.of(2))).toBeUndefined();
});

describe("crc32", () => {
  test("is the published check value", () => {
    expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
  });
  test("is the remainder of long division, at every length and in parts", () => {
    const bytes = randomBytes(random, 40);
    for (let length = 0; length <= bytes.length; length++) {
      const part = bytes.subarray(bytes.length - length);
      let remainder = 0xffffffff;
      for (const byte of part)
        for (let bit = 0; bit < 8; bit++)
          remainder = (remainder >>> 1) ^ (((remainder ^ (byte >> bit)) & 1) !== 0 ? 0xedb88320 : 0);
      expect(crc32(part)).toBe(~remainder >>> 0);
      expect(crc32(part.subarray(length >> 1), crc32(part.subarray(0, length >> 1)))).toBe(crc32(part));
    }
  });
});
