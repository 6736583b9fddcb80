/**
 * Random strided operands for tests of kernels and loops: shapes, strides (negative, 0, gaps), offsets, dtypes, and the
 * results of a naive nested loop. The whole buffer is compared, so a stray write is detected too.
 */
import { expect } from "vitest";
import { fixedStorage } from "../../src/kernel/copy.ts";
import { reader, writer } from "../../src/kernel/element.ts";
import type { ElementStorage, Operand } from "../../src/kernel/operand.ts";
import { type DType, dtypes, type Value } from "../../src/storage/dtype.ts";
import { type Memory, memoryOf } from "../../src/storage/memory.ts";
import { Storage } from "../../src/storage/storage.ts";

/** A small seeded generator (mulberry32): an integer from low to high. */
export function dice(seed: number): Dice {
  const roll = (low: number, high: number): number => {
    const state = (roll.state + 0x6d2b79f5) | 0;
    roll.state = state;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return low + (((bits ^ (bits >>> 14)) >>> 0) % (high - low + 1));
  };
  roll.state = seed;
  return roll;
}
/** A number from low to high; `state` determines the sequence. */
export interface Dice {
  (low: number, high: number): number;
  state: number;
}

/** A storage that knows its own bytes of the memory, so that only those are compared. */
interface BoundedStorage extends ElementStorage {
  readonly first: number;
  readonly length: number;
}

function boundedStorage(memory: Memory, first: number, length: number, byteOffset: number): BoundedStorage {
  return { ...fixedStorage(memory, first + byteOffset), first, length };
}

/** The current bytes of a storage, not copied. */
function ownBytes({ storage }: Operand): Uint8Array {
  const { first, length } = storage as BoundedStorage;
  return storage
    .readable()
    .array("u8")
    .subarray(first, first + length) as Uint8Array;
}

/** The offset of an operand's byte 0 in its storage's own bytes. */
export const firstByte = ({ storage }: Operand): number => (storage as BoundedStorage).first;

/** A storage over a part of an external buffer. */
export function storageOver(buffer: ArrayBuffer, byteOffset = 0): ElementStorage {
  return boundedStorage(memoryOf(buffer), 0, buffer.byteLength, byteOffset);
}

/** A storage in the heap that has the bytes of a buffer, the same for the same buffer. */
export function storageInHeap(buffer: ArrayBuffer, byteOffset = 0): ElementStorage {
  let held = inHeap.get(buffer);
  if (held === undefined) {
    held = Storage.allocate(buffer.byteLength);
    held.writable().array("u8").set(new Uint8Array(buffer), held.byteOffset);
    inHeap.set(buffer, held);
  }
  const { byteOffset: start } = held;
  const memory = held.writable();
  return boundedStorage(memory, start, buffer.byteLength, byteOffset);
}

const inHeap = new WeakMap<ArrayBuffer, Storage>();

export const capacity = 8192;
export const startByte = 64;

/** A buffer of random bytes, bools that are neither 0 nor 1 among them. */
export function randomBuffer(roll: Dice): ArrayBuffer {
  const words = new Int32Array(capacity / 4);
  for (let i = 0; i < words.length; i++) words[i] = roll(0, 2 ** 32 - 1);
  return words.buffer;
}

/** The same without a NaN in any float format, because the bits of a NaN may change when it passes through a number. */
export function bufferWithoutNaN(roll: Dice): ArrayBuffer {
  const bytes = new Uint8Array(randomBuffer(roll));
  for (let i = 1; i < capacity; i += 2) bytes[i] = ((bytes[i] as number) & 0x80) | (0x3f + ((bytes[i] as number) & 3));
  return bytes.buffer;
}

/** Strides for a shape: a permutation of dense axes with gaps, some negative, some 0 if allowed. */
function randomStrides(roll: Dice, shape: readonly number[], mayRepeat: boolean): { stride: number[]; low: number } {
  const order = shape.map((_, axis) => axis);
  for (let i = order.length - 1; i > 0; i--) {
    const j = roll(0, i);
    [order[i], order[j]] = [order[j] as number, order[i] as number];
  }
  const stride = shape.map(() => 0);
  let step = roll(0, 3) === 0 ? 2 : 1;
  let low = 0;
  for (const axis of order) {
    const size = shape[axis] as number;
    if (mayRepeat && roll(0, 5) === 0) continue;
    const sign = roll(0, 3) === 0 ? -1 : 1;
    stride[axis] = sign * step;
    if (sign < 0) low += (size - 1) * step;
    step *= size + (roll(0, 3) === 0 ? 1 : 0);
  }
  return { stride, low };
}

export function randomShape(roll: Dice): number[] {
  const rank = roll(0, 4);
  return Array.from({ length: rank }, () => (roll(0, 30) === 0 ? 0 : roll(1, rank > 2 ? 3 : 9)));
}

export function randomOperand(
  roll: Dice,
  storage: ElementStorage,
  dtype: DType,
  shape: number[],
  mayRepeat: boolean,
): Operand {
  const { stride, low } = randomStrides(roll, shape, mayRepeat);
  return { storage, dtype, offset: low + roll(0, 5), shape, stride };
}

/** The element numbers of an operand in row-major order, by nested loops. */
export function positions(operand: Operand): number[] {
  let elements = [operand.storage.byteOffset / dtypes[operand.dtype].itemsize + operand.offset];
  operand.shape.forEach((size, axis) => {
    elements = elements.flatMap((at) =>
      Array.from({ length: size }, (_, i) => at + i * (operand.stride[axis] as number)),
    );
  });
  return elements;
}

export const exact = (operand: Operand): Value[] => {
  const window = operand.storage.readable().array(dtypes[operand.dtype].array);
  return positions(operand).map((at) => reader(operand.dtype, "bigint")(window, at));
};

/** Writes values one by one, then returns all bytes and restores the old ones. */
export function expectedBytes(to: Operand, values: readonly Value[]): Uint8Array {
  const bytes = ownBytes(to);
  const before = bytes.slice();
  const window = to.storage.writable().array(dtypes[to.dtype].array);
  positions(to).forEach((at, i) => {
    writer(to.dtype)(window, at, values[i] as Value);
  });
  const after = bytes.slice();
  bytes.set(before);
  return after;
}

/** A copy of the bytes of an operand's storage. */
export const bytesOf = (operand: Operand): Uint8Array => ownBytes(operand).slice();
export const describeOperand = ({ dtype, offset, shape, stride }: Operand): string =>
  `${dtype} [${shape}]:[${stride}] at ${offset}`;

/** Expects equal bytes and reports the first difference: a diff of thousands of bytes is not readable. */
export function expectBytes(got: Uint8Array, expected: Uint8Array, what: string): void {
  for (let i = 0; i < expected.length; i++)
    if (got[i] !== expected[i]) expect({ byte: i, is: got[i] }, what).toEqual({ byte: i, is: expected[i] });
}
