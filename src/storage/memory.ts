/**
 * Memory: the bytes that pointers point into. The typed arrays over all of it are created once and cached.
 *
 * Growth replaces the buffer, and an unshared WebAssembly memory detaches the old one. So callers get a typed array at each
 * use, after every storage of the operation is ready, and never keep it.
 * Addresses are for printing and comparing: two bytes have the same address if and only if they are the same byte.
 *
 * `memoryOf` wraps memory that the user owns: an ArrayBuffer, a SharedArrayBuffer, the memory of another WebAssembly module. One buffer is
 * one Memory, even if it is wrapped several times, so equal bytes have equal addresses. Nothing is freed here: the buffer lives as long as
 * anything refers to it. Buffers are recognized by brand, so those of other realms count.
 */
import { StorageError } from "../base/errors.ts";
import { once } from "../base/lazy.ts";
import type { Device } from "./device.ts";
import type { ArrayKind } from "./dtype.ts";
import { setBytes } from "./set-bytes.ts";

/** The typed array of each kind. */
export type ArrayOf = { readonly [K in ArrayKind]: (typeof constructors)[K]["prototype"] };

/**
 * The owner of the bytes: the library's heap, the user, or the library as a buffer for storages that are not in the heap; or a device, whose
 * memory has neither a buffer nor typed arrays.
 */
type MemoryKind = "heap" | "external" | "overflow" | "device";

export interface Memory {
  readonly kind: MemoryKind;
  /** The current buffer. */
  readonly buffer: ArrayBufferLike;
  /** The address of byte 0, which never changes. */
  readonly baseAddress: number;
  /** The typed array of this kind over the whole buffer: floor(byteLength / itemsize) elements. */
  array<K extends ArrayKind>(kind: K): ArrayOf[K];
}

/** Memory of a device, which is read and written by copies. `buffer` and `array` throw. */
export interface DeviceMemory extends Memory {
  readonly kind: "device";
  readonly device: Device;
  readonly byteLength: number;
  /** Copies bytes to the device. They may change once the call returns. */
  write(byteOffset: number, bytes: Uint8Array): void;
  /** Returns a copy of bytes, when all work before is done. */
  read(byteOffset: number, nbytes: number): Promise<ArrayBuffer>;
  /** Copies bytes of another memory of the device. */
  copyFrom(from: DeviceMemory, fromOffset: number, byteOffset: number, nbytes: number): void;
}

export const isDeviceMemory = (memory: Memory): memory is DeviceMemory => memory.kind === "device";

/** True for memories with the same bytes. */
export const isSameMemory = (a: Memory, b: Memory): boolean =>
  a === b || (a.kind !== "device" && b.kind !== "device" && a.buffer === b.buffer);

/** A byte in a memory. */
export interface Pointer {
  readonly memory: Memory;
  readonly byteOffset: number;
}

/** Every storage in a heap or an overflow buffer starts at a multiple of this many bytes. */
export const alignment = 64;

const addressSpace = { heaps: 0x7f4200000000, buffers: 0x7f8000000000 };

/** The address of a new heap, which may grow to 4 GiB. */
function nextHeapAddress(): number {
  const address = addressSpace.heaps;
  // The first 60 heaps are below the buffers; further ones, which only tests create, are among the buffers.
  if (address + 2 ** 32 > 0x7f8000000000) return nextBufferAddress(2 ** 32);
  addressSpace.heaps += 2 ** 32;
  return address;
}

/** The address of a new buffer: no two ranges overlap or touch. */
function nextBufferAddress(byteLength: number): number {
  const address = addressSpace.buffers;
  addressSpace.buffers += (Math.floor(byteLength / alignment) + 2) * alignment;
  return address;
}

/** The maximum length of a buffer, which may be resizable. */
function maxByteLength(buffer: ArrayBufferLike): number {
  return (buffer as { maxByteLength?: number }).maxByteLength ?? buffer.byteLength;
}

/** The length of the longest array that every engine supports. The last byte of a heap of 4 GiB is never allocated. */
const maxWindowBytes = 2 ** 32 - 1;
/** The bytes that a copy of a longer buffer moves at once. */
const pieceBytes = 2 ** 30;

/** The constructor of each kind. */
const constructors = {
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
};

/** An empty cache of typed arrays. */
const noArrays = (): { [K in ArrayKind]: ArrayOf[K] | null } => ({
  i8: null,
  u8: null,
  i16: null,
  u16: null,
  i32: null,
  u32: null,
  f32: null,
  f64: null,
  i64: null,
  u64: null,
});

/** Memory over a buffer that growth may replace. */
export class BufferMemory implements Memory {
  declare readonly kind: MemoryKind;
  declare readonly baseAddress: number;
  declare buffer: ArrayBufferLike;
  /** The length of the buffer when it was set; a detached buffer has length 0. */
  declare byteLength: number;
  #arrays = noArrays();

  constructor(kind: MemoryKind, buffer: ArrayBufferLike) {
    this.kind = kind;
    this.buffer = buffer;
    this.byteLength = buffer.byteLength;
    this.baseAddress = kind === "heap" ? nextHeapAddress() : nextBufferAddress(maxByteLength(buffer));
  }

  array<K extends ArrayKind>(kind: K): ArrayOf[K];
  array(kind: ArrayKind): ArrayOf[ArrayKind] {
    const array = this.#cached(kind);
    // A typed array over a detached buffer has length 0, but optimized code may still see the old length: the buffer itself decides.
    if (array !== null && array.length !== 0 && (this.kind === "heap" || this.buffer.byteLength >= this.byteLength))
      return array;
    return this.#renew(kind);
  }

  /** Continues with a longer buffer that holds the same bytes. */
  replace(buffer: ArrayBufferLike): void {
    this.buffer = buffer;
    this.byteLength = buffer.byteLength;
    this.#arrays = noArrays();
  }

  /** The cached typed array of a kind. Spelled out, because engines are slow to look up a variable name. */
  #cached(kind: ArrayKind): ArrayOf[ArrayKind] | null {
    const arrays = this.#arrays;
    switch (kind) {
      case "f32":
        return arrays.f32;
      case "f64":
        return arrays.f64;
      case "i32":
        return arrays.i32;
      case "u8":
        return arrays.u8;
      case "i64":
        return arrays.i64;
      case "u16":
        return arrays.u16;
      case "i8":
        return arrays.i8;
      case "i16":
        return arrays.i16;
      case "u32":
        return arrays.u32;
      case "u64":
        return arrays.u64;
      default:
        return kind satisfies never;
    }
  }

  #renew(kind: ArrayKind): ArrayOf[ArrayKind] {
    const { buffer, byteLength } = this;
    if (buffer.byteLength < byteLength)
      throw new StorageError(
        `storage: the buffer of ${byteLength} bytes was detached or shrunk to ${buffer.byteLength} (transferred, or grown as ` +
          "a WebAssembly memory). Create the tensor again from the new buffer.",
      );
    const TypedArray = constructors[kind];
    const bytes = TypedArray.BYTES_PER_ELEMENT;
    const isCut = bytes === 1 && this.kind === "heap";
    try {
      const array = new TypedArray(
        buffer as ArrayBuffer,
        0,
        isCut ? Math.min(byteLength, maxWindowBytes) : Math.floor(byteLength / bytes),
      );
      Object.assign(this.#arrays, { [kind]: array });
      return array;
    } catch (cause) {
      throw new StorageError(
        `storage: this engine does not support arrays of ${byteLength} bytes. Use wider elements, or parts.`,
        { cause },
      );
    }
  }
}

const isLong = (memory: Memory): boolean => memory.kind !== "heap" && memory.buffer.byteLength > maxWindowBytes;

/** Copies bytes between memories; the ranges may overlap. */
export function copyBytes(from: Memory, fromOffset: number, to: Memory, toOffset: number, count: number): void {
  if (count === 0) return;
  if (isDeviceMemory(to) && isDeviceMemory(from)) {
    to.copyFrom(from, fromOffset, toOffset, count);
    return;
  }
  if (from !== to && (isLong(from) || isLong(to))) {
    for (let done = 0; done < count; done += pieceBytes) {
      const length = Math.min(pieceBytes, count - done);
      const piece = new Uint8Array(from.buffer, fromOffset + done, length);
      setBytes(new Uint8Array(to.buffer, toOffset + done, length), 0, piece);
    }
    return;
  }
  const target = to.array("u8");
  if (from === to) target.copyWithin(toOffset, fromOffset, fromOffset + count);
  else setBytes(target, toOffset, from.array("u8").subarray(fromOffset, fromOffset + count));
}

/** Sets bytes to 0: wide elements first, since engines write shared memory element by element. */
export function clearBytes(memory: Memory, offset: number, count: number): void {
  const words = offset % 8 === 0 ? Math.floor(count / 8) : 0;
  if (words > 0) memory.array("f64").fill(0, offset / 8, offset / 8 + words);
  const end = offset + count;
  const rest = offset + words * 8;
  if (rest === end) return;
  if (isLong(memory)) new Uint8Array(memory.buffer, rest, end - rest).fill(0);
  else memory.array("u8").fill(0, rest, end);
}

/** The memory of each buffer that was wrapped. */
const memories: WeakMap<ArrayBufferLike, BufferMemory> = /* @__PURE__ */ new WeakMap();

/** True if and only if the value is an ArrayBuffer or a SharedArrayBuffer of any realm. */
export function isBuffer(value: unknown): value is ArrayBufferLike {
  const brand = Object.prototype.toString.call(value);
  return brand === "[object ArrayBuffer]" || brand === "[object SharedArrayBuffer]";
}

/** The memory of a buffer: the same for the same buffer. */
export function memoryOf(buffer: ArrayBufferLike): Memory {
  let memory = memories.get(buffer);
  if (memory === undefined) {
    if (!isBuffer(buffer))
      throw new StorageError(
        `fromBuffer: needs an ArrayBuffer or a SharedArrayBuffer, got ${Object.prototype.toString.call(buffer)}. ` +
          "For a typed array, pass its buffer and byteOffset.",
      );
    memory = new BufferMemory("external", buffer);
    memories.set(buffer, memory);
  } else if (memory.buffer === buffer && memory.byteLength !== buffer.byteLength) {
    // A resizable buffer. If it has shrunk, older tensors must not read missing elements: their memory is no longer valid.
    if (memory.byteLength < buffer.byteLength) memory.replace(buffer);
    else memory = new BufferMemory("external", buffer);
    memories.set(buffer, memory);
  }
  return memory;
}

/** Registers a buffer of the heap, so that wrapping a typed array over the heap returns the heap's memory. */
export function registerBuffer(memory: BufferMemory): void {
  memories.set(memory.buffer, memory);
}

/** A memory without bytes, for storages of 0 bytes. */
export const emptyMemory: () => Memory = /* @__PURE__ */ once(() => new BufferMemory("external", new ArrayBuffer(0)));
