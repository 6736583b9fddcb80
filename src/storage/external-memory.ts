/**
 * Memory that the user owns: an ArrayBuffer, a SharedArrayBuffer, the memory of another WebAssembly module.
 *
 * One buffer is one Memory, however often it is wrapped, so equal bytes have equal addresses. Nothing is freed here: the
 * buffer lives as long as anything refers to it. Buffers are known by brand, so those of other realms count.
 */

import { StorageError } from "../base/errors.ts";
import { BufferMemory, type Memory } from "./memory.ts";

let memories: WeakMap<ArrayBufferLike, BufferMemory> | null = null;
let empty: BufferMemory | null = null;

/** True if and only if the value is an ArrayBuffer or a SharedArrayBuffer of any realm. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  const brand = Object.prototype.toString.call(value);
  return brand === "[object ArrayBuffer]" || brand === "[object SharedArrayBuffer]";
}

/** The memory of a buffer: the same for the same buffer. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  memories ??= new WeakMap();
  let memory = memories.get(buffer);
  if (memory === undefined) {
    if (!isBuffer(buffer))
      throw new StorageError(
        `fromBuffer: needs an ArrayBuffer or a SharedArrayBuffer, got ${Object.prototype.toString.call(buffer)}. ` +
          "Of a typed array, give its buffer and byteOffset.",
      );
    memory = new BufferMemory("external", buffer);
    memories.set(buffer, memory);
  } else if (memory.buffer === buffer && memory.byteLength !== buffer.byteLength) {
    // A resizable buffer. What it has lost, older tensors must not read as absent elements: their memory ends.
    if (memory.byteLength < buffer.byteLength) memory.replace(buffer);
    else memory = new BufferMemory("external", buffer);
    memories.set(buffer, memory);
  }
  return memory;
}

/** Makes a buffer of the heap known, so that a window into the heap that is wrapped again is the heap's memory. */
export function rememberBuffer(memory: BufferMemory): void {
  memories ??= new WeakMap();
  memories.set(memory.buffer, memory);
}

/** A memory without bytes: what a storage of 0 bytes gives to those who read nothing from it. */
export function emptyMemory(): Memory {
  empty ??= new BufferMemory("external", new ArrayBuffer(0));
  return empty;
}
