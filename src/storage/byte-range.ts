/**
 * Checks of byte counts and byte ranges that come from outside, and whether two ranges overlap.
 */

import { StorageError } from "../base/errors.ts";
import type { DataPtr } from "./data-ptr.ts";
import { isSameMemory, type Memory } from "./memory.ts";

/** Throws unless `nbytes` is a valid number of bytes. */
export function checkBytes(who: string, nbytes: number): void {
  if (!Number.isSafeInteger(nbytes) || nbytes < 0)
    throw new StorageError(`${who}: the number of bytes must be an integer from 0 to 2^53 - 1, got ${nbytes}.`);
}

/** Throws if a result whose size follows from the values of arguments exceeds 4 GiB, before any of it is allocated or computed. */
export function checkResultBytes(who: string, count: number, itemsize = 4): void {
  if (!(count * itemsize <= 2 ** 32))
    throw new StorageError(
      `${who}: the result needs ${count * itemsize} bytes, at most 2^32 (4 GiB) are possible. Compute in smaller parts.`,
    );
}

/** Throws unless all bytes are in the buffer, or in the memory of a device. */
export function checkRange(
  who: string,
  buffer: { readonly byteLength: number },
  byteOffset: number,
  nbytes: number,
): void {
  if (Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset + nbytes <= buffer.byteLength) return;
  throw new StorageError(
    `${who}: bytes ${byteOffset} to ${byteOffset + nbytes} are not all in the buffer of ${buffer.byteLength} bytes` +
      (buffer.byteLength === 0 ? ", which is empty or was transferred" : ""),
  );
}

/** Throws unless the memory of an allocator is aligned for elements of every dtype. */
export function checkAlignment(pointer: DataPtr): DataPtr {
  const { data } = pointer;
  if (data === null || data.byteOffset % 16 === 0) return pointer;
  pointer.clear();
  throw new StorageError(
    `allocate: the allocator returned byte offset ${data.byteOffset}, which must be a multiple of 16.`,
  );
}

/** A range of bytes in a memory. */
interface Bytes {
  readonly byteOffset: number;
  readonly nbytes: number;
  readable(): Memory;
}

/** True if and only if two storages do not overlap. Compares addresses, so a buffer that is wrapped twice counts as one. */
export function areBytesDisjoint(a: Bytes, b: Bytes): boolean {
  if (!isSameMemory(a.readable(), b.readable())) return true;
  return a.byteOffset >= b.byteOffset + b.nbytes || b.byteOffset >= a.byteOffset + a.nbytes;
}
