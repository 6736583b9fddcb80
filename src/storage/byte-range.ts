/**
 * The questions asked of numbers of bytes that come from outside: is it one, does it fit, can elements of every dtype start there; and
 * whether two ranges of bytes meet.
 */

import { StorageError } from "../base/errors.ts";
import type { DataPtr } from "./data-ptr.ts";
import type { Memory } from "./memory.ts";

/** Refuses what is no number of bytes. */
export function checkBytes(who: string, nbytes: number): void {
  if (!Number.isSafeInteger(nbytes) || nbytes < 0)
    throw new StorageError(`${who}: a number of bytes is a whole number, 0 or more, at most 2^53, got ${nbytes}`);
}

/** Throws if a result whose size follows from the values of arguments exceeds 4 GiB, before any of it is allocated or computed. */
export function checkResultBytes(who: string, count: number, itemsize = 4): void {
  if (!(count * itemsize <= 2 ** 32))
    throw new StorageError(
      `${who}: the result needs ${count * itemsize} bytes, at most 2^32 (4 GiB) are possible. Compute in smaller parts.`,
    );
}

/** Refuses bytes that are not all in the buffer. */
export function checkRange(who: string, buffer: ArrayBufferLike, byteOffset: number, nbytes: number): void {
  if (Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset + nbytes <= buffer.byteLength) return;
  throw new StorageError(
    `${who}: bytes ${byteOffset} to ${byteOffset + nbytes} are not all in the buffer of ${buffer.byteLength} bytes` +
      (buffer.byteLength === 0 ? ", which is empty or was transferred" : ""),
  );
}

/** Refuses memory of an allocator in which not every dtype can have elements. */
export function checkPlace(given: DataPtr): DataPtr {
  const place = given.data;
  if (place === null || place.byteOffset % 16 === 0) return given;
  given.clear();
  throw new StorageError(
    `allocate: the allocator gave memory that starts at byte ${place.byteOffset} of its buffer; give a multiple of 16`,
  );
}

/** A range of bytes in a memory. */
interface Bytes {
  readonly byteOffset: number;
  readonly nbytes: number;
  readable(): Memory;
}

/** True if and only if no byte of one storage is in the other. Decided by addresses, so a buffer that is wrapped twice counts as one. */
export function areApart(a: Bytes, b: Bytes): boolean {
  if (a.readable().buffer !== b.readable().buffer) return true;
  return a.byteOffset >= b.byteOffset + b.nbytes || b.byteOffset >= a.byteOffset + a.nbytes;
}
