/**
 * Windows: one per kind, cached until the buffer is replaced. Addresses, copies of bytes, devices.
 */
import { expect, test } from "vitest";
import { cpu, equalDevice, formatDevice, meta } from "./device.ts";
import type { ArrayKind } from "./dtype.ts";
import { BufferMemory, clearBytes, copyBytes, isBuffer, memoryOf } from "./memory.ts";

const kinds: [ArrayKind, string, number][] = [
  ["i8", "Int8Array", 1],
  ["u8", "Uint8Array", 1],
  ["i16", "Int16Array", 2],
  ["u16", "Uint16Array", 2],
  ["i32", "Int32Array", 4],
  ["u32", "Uint32Array", 4],
  ["f32", "Float32Array", 4],
  ["f64", "Float64Array", 8],
  ["i64", "BigInt64Array", 8],
  ["u64", "BigUint64Array", 8],
];

test.each(kinds)(
  "%s is a %s over the whole buffer, the same one until the buffer is replaced",
  (kind, name, itemsize) => {
    for (const byteLength of [0, 1, 7, 8, 100]) {
      const memory = new BufferMemory("overflow", new ArrayBuffer(byteLength));
      const window = memory.array(kind);
      expect([window[Symbol.toStringTag], window.BYTES_PER_ELEMENT]).toEqual([name, itemsize]);
      expect([window.length, window.byteOffset]).toEqual([Math.floor(byteLength / itemsize), 0]);
      if (window.length > 0) expect(memory.array(kind)).toBe(window);
      memory.replace(new ArrayBuffer(byteLength + 16));
      expect(memory.array(kind).length).toBe(Math.floor((byteLength + 16) / itemsize));
      expect(memory.array(kind).buffer).toBe(memory.buffer);
    }
  },
);

test("ranges of addresses are aligned and not adjacent", () => {
  const lengths = [0, 1, 63, 64, 65, 1000];
  const memories = lengths.map((byteLength) => new BufferMemory("external", new ArrayBuffer(byteLength)));
  memories.forEach((memory, i) => {
    expect(memory.baseAddress % 64).toBe(0);
    const next = memories[i + 1];
    if (next) expect(next.baseAddress).toBeGreaterThan(memory.baseAddress + memory.byteLength);
  });
  const heaps = Array.from({ length: 100 }, () => new BufferMemory("heap", new ArrayBuffer(64)).baseAddress);
  heaps.sort((a, b) => a - b);
  for (let i = 1; i < heaps.length; i++)
    expect((heaps[i] as number) - (heaps[i - 1] as number)).toBeGreaterThanOrEqual(2 ** 32);
});

test("a buffer has one memory, and only buffers have one", () => {
  const buffer = new ArrayBuffer(8);
  expect(memoryOf(buffer)).toBe(memoryOf(buffer));
  expect(memoryOf(new ArrayBuffer(8))).not.toBe(memoryOf(buffer));
  expect([buffer, new SharedArrayBuffer(8), new Uint8Array(8), null, {}].map(isBuffer)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("bytes are copied between memories, and within one where they overlap", () => {
  const from = memoryOf(Uint8Array.from({ length: 16 }, (_, i) => i).buffer);
  const to = memoryOf(new SharedArrayBuffer(16));
  copyBytes(from, 2, to, 5, 4);
  expect(Array.from(to.array("u8").subarray(4, 10))).toEqual([0, 2, 3, 4, 5, 0]);
  copyBytes(from, 0, from, 1, 10);
  expect(Array.from(from.array("u8").subarray(0, 12))).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11]);
});

test("devices are compared and written by type and index", () => {
  expect([cpu, meta, { type: "gpu", index: 1 }].map(formatDevice)).toEqual(["cpu", "meta", "gpu:1"]);
  expect([equalDevice(cpu, { type: "cpu", index: 0 }), equalDevice(cpu, meta)]).toEqual([true, false]);
});

test("clearing sets exactly the bytes of its range to 0, wherever they start", () => {
  for (let offset = 0; offset < 17; offset++)
    for (let count = 0; count < 40; count++) {
      const bytes = new Uint8Array(64).fill(1);
      clearBytes(new BufferMemory("external", bytes.buffer), offset, count);
      expect(Array.from(bytes)).toEqual(
        Array.from({ length: 64 }, (_, i) => (i < offset || i >= offset + count ? 1 : 0)),
      );
    }
});

test.each(kinds)("%s: a cached window is dropped when the buffer is detached, for any length of the window", (kind) => {
  const memory = new BufferMemory("external", new ArrayBuffer(64));
  const window = memory.array(kind);
  // Optimized code of some engines sees the old length of a window whose buffer was transferred.
  memory.buffer = new ArrayBuffer(0);
  expect(window.length).toBeGreaterThan(0);
  expect(() => memory.array(kind)).toThrow("the buffer of 64 bytes was detached or shrunk to 0");
});
