/**
 * What an allocator is: the interface that a user's own allocator implements, and what follows from it.
 * Which allocator serves which device is `allocator.ts`.
 */

import { StorageError } from "../base/errors.ts";
import type { DataPtr, Deleter } from "./data-ptr.ts";
import type { Device } from "./device.ts";
import { copyBytes, type Pointer } from "./memory.ts";

export interface Allocator {
  readonly device: Device;
  /** Memory for so many bytes, with the deleter that frees it. Of 0 bytes: null data with a working deleter. */
  allocate(nbytes: number): DataPtr;
  /** What frees a pointer of `rawAllocate`; null or absent if the allocator cannot do that. */
  readonly rawDeleter?: Deleter | null;
  /** Copies bytes between two places of this device; by default through the processor. */
  copyData?(to: Pointer, from: Pointer, nbytes: number): void;
  /** A new copy of bytes; by default allocate, then copy. */
  clone?(data: Pointer, nbytes: number): DataPtr;
}

/** Copies bytes as the allocator does it. */
export function copyData(allocator: Allocator | null, to: Pointer, from: Pointer, nbytes: number): void {
  if (allocator?.copyData) allocator.copyData(to, from, nbytes);
  else copyBytes(from.memory, from.byteOffset, to.memory, to.byteOffset, nbytes);
}

/** A copy of bytes in memory of the allocator. */
export function cloneData(allocator: Allocator, data: Pointer, nbytes: number): DataPtr {
  if (allocator.clone) return allocator.clone(data, nbytes);
  const result = allocator.allocate(nbytes);
  if (result.data !== null) copyData(allocator, result.data, data, nbytes);
  return result;
}

/** Memory as a bare pointer, for `rawDeallocate`. Legal only if the allocator's context is its data. */
export function rawAllocate(allocator: Allocator, nbytes: number): Pointer | null {
  const result = allocator.allocate(nbytes);
  if (!allocator.rawDeleter || result.deleter !== allocator.rawDeleter || result.context !== result.data) {
    result.clear();
    throw new StorageError("rawAllocate: the allocator has no raw deleter for its data. Use allocate().");
  }
  result.releaseContext();
  return result.data;
}

/** Frees what `rawAllocate` gave. */
export function rawDeallocate(allocator: Allocator, data: Pointer | null): void {
  if (!allocator.rawDeleter)
    throw new StorageError("rawDeallocate: the allocator has no raw deleter. Clear the DataPtr of allocate() instead.");
  allocator.rawDeleter(data);
}
