/** Numbers round-trip through their bytes, in the shortest form. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteBuffer } from "./byte-buffer.ts";

function written(write: (out: ByteBuffer) => void): number[] {
  const out = new ByteBuffer();
  write(out);
  return [...out.finish()];
}

/** Decodes LEB128 by the definition: seven bits per byte, the last sign bit extended. */
function decoded(bytes: number[], isSigned: boolean): bigint {
  const bits = bytes.reduce((sum, byte, i) => sum + (BigInt(byte & 127) << BigInt(7 * i)), 0n);
  return isSigned ? BigInt.asIntN(7 * bytes.length, bits) : bits;
}

/** All bytes but the last have the continuation bit, and the last is needed. */
function isShortest(bytes: number[], isSigned: boolean): boolean {
  const shorter = [...bytes.slice(0, -2), (bytes.at(-2) ?? 0) & 127];
  return (
    bytes.every((byte, i) => byte >> 7 === (i < bytes.length - 1 ? 1 : 0)) &&
    (bytes.length === 1 || decoded(shorter, isSigned) !== decoded(bytes, isSigned))
  );
}

const edges = [0n, 1n, 63n, 64n, 127n, 128n, 8191n, 8192n, 16383n, 16384n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n];
const wide = [2n ** 53n, 2n ** 62n, 2n ** 63n - 1n];

test("unsigned 32-bit numbers round-trip", () => {
  const check = (value: bigint) => {
    const bytes = written((out) => out.unsigned(Number(value)));
    expect(decoded(bytes, false)).toBe(value);
    expect(isShortest(bytes, false), `${value}: ${bytes}`).toBe(true);
  };
  edges.forEach(check);
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), check));
});

test("signed 32-bit numbers round-trip, others wrap modulo 2^32", () => {
  const check = (value: bigint) => {
    const bytes = written((out) => out.signed(Number(value)));
    expect(decoded(bytes, true)).toBe(BigInt.asIntN(32, value));
    expect(isShortest(bytes, true), `${value}: ${bytes}`).toBe(true);
  };
  for (const edge of edges) for (const value of [edge, -edge, -edge - 1n]) check(value);
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 31n), max: 2n ** 32n - 1n }), check));
});

test("signed 64-bit numbers round-trip, others wrap modulo 2^64", () => {
  const check = (value: bigint) => {
    const bytes = written((out) => out.signed64(value));
    expect(decoded(bytes, true)).toBe(BigInt.asIntN(64, value));
    expect(isShortest(bytes, true), `${value}: ${bytes}`).toBe(true);
    if (Number.isSafeInteger(Number(value))) expect(written((out) => out.signed64(Number(value)))).toEqual(bytes);
  };
  for (const edge of [...edges, ...wide]) for (const value of [edge, -edge, -edge - 1n]) check(value);
  check(2n ** 64n - 1n);
  fc.assert(fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), check));
});

test("floats keep their bits and NaN is the canonical one", () => {
  const bits32 = (value: number) => written((out) => out.float32(value));
  expect(bits32(-0)).toEqual([0, 0, 0, 0x80]);
  expect(bits32(0.1)).toEqual([0xcd, 0xcc, 0xcc, 0x3d]);
  expect(bits32(1e-45)).toEqual([1, 0, 0, 0]);
  expect(bits32(Number.NEGATIVE_INFINITY)).toEqual([0, 0, 0x80, 0xff]);
  const bits64 = (value: number) => written((out) => out.float64(value));
  expect(bits64(-0)).toEqual([0, 0, 0, 0, 0, 0, 0, 0x80]);
  expect(bits64(5e-324)).toEqual([1, 0, 0, 0, 0, 0, 0, 0]);
  // Engines make NaNs with the sign set as well.
  const negativeNaN = new Float64Array(new Uint8Array([0, 0, 0, 0, 0, 0, 0xf8, 0xff]).buffer)[0] as number;
  for (const value of [NaN, negativeNaN, Number.POSITIVE_INFINITY - Number.POSITIVE_INFINITY]) {
    expect(bits32(value)).toEqual([0, 0, 0xc0, 0x7f]);
    expect(bits64(value)).toEqual([0, 0, 0, 0, 0, 0, 0xf8, 0x7f]);
  }
});

test.each([0, 1, 127, 128, 2046, 2047, 2048, 16383, 16384, 100000])("a part of %i bytes follows its length", (size) => {
  const content = Array.from({ length: size }, (_, i) => i % 251);
  const bytes = written((out) => {
    out.byte(77);
    const outer = out.open();
    const inner = out.open();
    out.bytes(content);
    out.close(inner);
    out.close(outer);
  });
  const inner = [...written((out) => out.unsigned(size)), ...content];
  expect(bytes).toEqual([77, ...written((out) => out.unsigned(inner.length)), ...inner]);
});

test("names are UTF-8 with their length in bytes before", () => {
  expect(written((out) => out.name("aé"))).toEqual([3, 0x61, 0xc3, 0xa9]);
});
