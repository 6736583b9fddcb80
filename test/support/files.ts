/**
 * Shared by the tests of files: recorded files, seeded random numbers, mutations, and a plain reader of elements that
 * is independent of the library's reader.
 */
import { readFileSync } from "node:fs";
import type { RawArray } from "../../src/io/raw-array.ts";
import { bfloat16ToNumber, float16ToNumber } from "../../src/storage/half.ts";

const folder = new URL("../oracle/records/files/", import.meta.url);

/** The bytes of a recorded file, in a separate buffer. */
export const recorded = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(new URL(path, folder)));

export type Random = (below: number) => number;

/** Random integers from 0 to below `below`, the same for each seed. */
export function seededRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function randomBytes(random: Random, length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, () => random(256));
}

/** Equality of bytes; `toEqual` takes seconds on arrays of this size. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Returns the file with a few of its first `reach` bytes changed, removed, inserted or repeated, or truncated. */
export function mutate(file: Uint8Array, reach: number, random: Random): Uint8Array {
  let bytes = Array.from(file);
  for (let times = random(3); times >= 0; times--) {
    const at = random(Math.min(reach, bytes.length) + 1);
    const kind = random(7);
    if (kind === 0) bytes[at] = random(256);
    if (kind === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    if (kind === 2) bytes[at] = [0, 0xff, 0x30, 0x39, 0x22, 0x7b, 0x2d][random(7)] as number;
    if (kind === 3) bytes.splice(at, 1 + random(4));
    if (kind === 4) bytes.splice(at, 0, ...bytes.slice(at, at + 1 + random(12)));
    if (kind === 5) bytes.splice(at, 0, random(256));
    if (kind === 6 && random(4) === 0) bytes = bytes.slice(0, random(bytes.length + 1));
  }
  return Uint8Array.from(bytes, (byte) => byte ?? 0);
}

/** Every element in row-major order; complex numbers as [re, im]. */
export function elementsOf({ dtype, shape, order, bytes }: RawArray): unknown[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read: Record<RawArray["dtype"], [width: number, read: (at: number) => unknown]> = {
    bool: [1, (at) => view.getUint8(at) === 1],
    uint8: [1, (at) => view.getUint8(at)],
    int8: [1, (at) => view.getInt8(at)],
    uint16: [2, (at) => view.getUint16(at, true)],
    int16: [2, (at) => view.getInt16(at, true)],
    uint32: [4, (at) => view.getUint32(at, true)],
    int32: [4, (at) => view.getInt32(at, true)],
    uint64: [8, (at) => Number(view.getBigUint64(at, true))],
    int64: [8, (at) => Number(view.getBigInt64(at, true))],
    float16: [2, (at) => float16ToNumber(view.getUint16(at, true))],
    bfloat16: [2, (at) => bfloat16ToNumber(view.getUint16(at, true))],
    float32: [4, (at) => view.getFloat32(at, true)],
    float64: [8, (at) => view.getFloat64(at, true)],
    complex64: [8, (at) => [view.getFloat32(at, true), view.getFloat32(at + 4, true)]],
    complex128: [16, (at) => [view.getFloat64(at, true), view.getFloat64(at + 8, true)]],
  };
  const [width, readAt] = read[dtype];
  const count = shape.reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, index) => {
    let rest = index;
    const coord = shape.map(() => 0);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      coord[axis] = rest % (shape[axis] as number);
      rest = Math.floor(rest / (shape[axis] as number));
    }
    const axes = order === "C" ? shape.map((_, i) => i) : shape.map((_, i) => shape.length - 1 - i);
    return readAt(width * axes.reduce((at, axis) => at * (shape[axis] as number) + (coord[axis] as number), 0));
  });
}
