/**
 * Storage: bytes and their owners. It has no dtype and no shape; those belong to tensors.
 *
 * Holders are counted: `retain` adds one, `release` removes one, and the last one frees the bytes at once.
 * Garbage collection frees too, but never lowers the count, so `unique` may be false for a single holder, never true for several.
 * The bytes may move between turns of the event loop: an overflow storage moves into the heap. So call `readable`
 * or `writable` first, and read `byteOffset` after it; get typed arrays when all storages are ready.
 */
import { StorageError } from "../base/errors.ts";
import { tensorsAreMessages } from "../base/foreign.ts";
import {
  type Allocator,
  allocatorOf,
  CpuAllocator,
  cloneData,
  cpuAllocator,
  type Owner,
  type StorageOptions,
  userAllocator,
  type WrapOptions,
} from "./allocator.ts";
import { checkAlignment, checkBytes, checkRange } from "./byte-range.ts";
import { DataPtr, joinContext, releaseLazyCopy, releaseShare, SharedContext } from "./data-ptr.ts";
import { cpu, type Device, deviceBits, formatDevice } from "./device.ts";
import { clearBytes, copyBytes, emptyMemory, isDeviceMemory, type Memory, memoryOf, type Pointer } from "./memory.ts";
import { Region } from "./regions.ts";
import { maxPieceBytes } from "./slabs.ts";
import { counterOfNew, nextNumber, VersionCounter } from "./version.ts";

export { StorageError } from "../base/errors.ts";
export { type MemoryStatistics, memoryStatistics, type StorageOptions, type WrapOptions } from "./allocator.ts";
export type { Pointer } from "./memory.ts";

// Flags of a storage. `readable` has work to do if one of the first three is set, `writable` if one of the first four is.
const released = 1;
const absent = 2; // no data: 0 bytes, or a device without memory
const awaiting = 4; // in an overflow buffer, to be moved into the heap
const lazy = 8; // shares its bytes with lazy copies
const fixed = 16; // not resizable
const windowed = 32; // a raw view exists
const shrunk = 64; // had more bytes before
const scratch = 128; // a part of the workspace of a program; always absent too
const unreadable = released | absent | awaiting;
const unwritable = unreadable | lazy;

export class Storage {
  /** @internal */ readonly cloning: symbol = tensorsAreMessages;
  /** The offset of the bytes in the memory that `readable` or `writable` returned. */
  declare byteOffset: number;
  #size: number;
  #holders = 1;
  #state: number;
  #memory: Memory | null;
  /** The owner of the bytes, while no DataPtr owns them. */
  #owner: Owner | null;
  #pointer: DataPtr | null;
  readonly #source: Allocator | null;
  /** The device's dispatch keys, as in the bits of tensors. */
  declare readonly keys: number;
  /** The serial number of the storage. */
  readonly number: number = nextNumber();
  #counter: VersionCounter | null = counterOfNew();
  /** The address before the bytes moved. */
  #originalAddress: number | null = null;

  private constructor(
    size: number,
    memory: Memory | null,
    byteOffset: number,
    owner: Owner | null,
    pointer: DataPtr | null,
    source: Allocator | null,
    state: number,
  ) {
    this.#size = size;
    this.#memory = memory;
    this.byteOffset = byteOffset;
    this.#owner = owner;
    this.#pointer = pointer;
    this.#source = source;
    this.#state = state;
    this.keys = pointer === null ? 0 : deviceBits(pointer.device);
  }

  /** Allocates bytes with the allocator of the device, or with `options.allocator`. */
  static allocate(nbytes: number, options?: StorageOptions): Storage {
    if (options === undefined && userAllocator.cpu === null) return Storage.#onCpu(cpuAllocator(), nbytes, 0);
    const allocator = options?.allocator ?? allocatorOf(options?.device ?? cpu);
    const resizable = options?.resizable ?? true;
    checkBytes("allocate", nbytes);
    const storage =
      allocator instanceof CpuAllocator
        ? Storage.#onCpu(allocator, nbytes, resizable ? 0 : fixed)
        : Storage.wrap(checkAlignment(allocator.allocate(nbytes)), nbytes, { allocator, resizable });
    if (options?.zeroed && storage.#memory !== null && !storage.#isFreshBuffer && storage.#memory.kind !== "device")
      clearBytes(storage.#memory, storage.byteOffset, nbytes);
    return storage;
  }

  /** A storage that takes over ownership of a DataPtr, which still points to the data. */
  static wrap(dataPtr: DataPtr, nbytes: number, options: WrapOptions = {}): Storage {
    checkBytes("wrap", nbytes);
    const { allocator = null, resizable = allocator !== null } = options;
    if (resizable && allocator === null)
      throw new StorageError("wrap: a resizable storage needs an allocator. Pass { allocator }.");
    const data = dataPtr.data;
    if (data !== null)
      checkRange("wrap", isDeviceMemory(data.memory) ? data.memory : data.memory.buffer, data.byteOffset, nbytes);
    const state = (data === null ? absent : 0) | (resizable ? 0 : fixed);
    const pointer = dataPtr.take().guard();
    return new Storage(nbytes, data?.memory ?? null, data?.byteOffset ?? 0, null, pointer, allocator, state);
  }

  /** A storage over the user's memory, without a copy. */
  static fromBuffer(buffer: ArrayBufferLike, byteOffset: number, nbytes: number): Storage {
    const memory = memoryOf(buffer);
    checkBytes("fromBuffer", nbytes);
    checkRange("fromBuffer", buffer, byteOffset, nbytes);
    return new Storage(nbytes, memory, byteOffset, null, null, null, fixed | windowed | (nbytes === 0 ? absent : 0));
  }

  /** A part of the workspace of a program, which has memory while the program runs. `byteOffset` counts from the start of the workspace. */
  static inWorkspace(nbytes: number, byteOffset: number): Storage {
    return new Storage(nbytes, null, byteOffset, null, null, null, absent | fixed | scratch);
  }

  /** A storage over bytes that a program is bound to, for as long as it runs. */
  static within(memory: Memory, byteOffset: number, nbytes: number): Storage {
    return new Storage(nbytes, memory, byteOffset, null, null, null, fixed | (nbytes === 0 ? absent : 0));
  }

  static #onCpu(allocator: CpuAllocator, nbytes: number, state: number): Storage {
    if ((nbytes | 0) === nbytes && nbytes > 0 && nbytes <= maxPieceBytes) {
      const slab = allocator.slabs.slabFor(nbytes);
      const flags = slab.isOverflow && allocator.regions.heap !== null ? state | awaiting : state;
      return new Storage(nbytes, slab.memory, slab.take(), slab, null, allocator, flags);
    }
    checkBytes("allocate", nbytes);
    if (nbytes === 0) return new Storage(0, null, 0, null, null, allocator, state | absent);
    const region = allocator.takeRegion(nbytes);
    const flags = region.isOverflow && allocator.regions.heap !== null ? state | awaiting : state;
    return new Storage(nbytes, region.memory, region.byteOffset, region, null, allocator, flags);
  }

  /** The number of bytes. */
  get nbytes(): number {
    return this.#size;
  }

  /** Sets the number of bytes without allocating, up to the capacity. */
  setNbytes(nbytes: number): void {
    this.#checkAlive("setNbytes");
    checkBytes("setNbytes", nbytes);
    if (nbytes > this.#capacity)
      throw new StorageError(`setNbytes: the capacity is ${this.#capacity} bytes, got ${nbytes}. Use resize().`);
    if (nbytes < this.#size) this.#state |= shrunk;
    this.#size = nbytes;
  }

  /** True if and only if there were more bytes before, so that views may be out of bounds. */
  get hasShrunk(): boolean {
    return (this.#state & shrunk) !== 0;
  }

  /** True if and only if this is a part of the workspace of a program. */
  get isScratch(): boolean {
    return (this.#state & scratch) !== 0;
  }

  /** False for memory that others own or have raw views of. */
  get resizable(): boolean {
    return (this.#state & fixed) === 0;
  }

  get device(): Device {
    return this.#pointer?.device ?? this.#source?.device ?? cpu;
  }

  /** The allocator of the bytes; null for memory that others own. */
  get allocator(): Allocator | null {
    return this.#source;
  }

  /** The bytes as a DataPtr, which owns them from then on; they no longer move. */
  get dataPtr(): DataPtr {
    this.#checkAlive("dataPtr");
    if (this.#pointer !== null) return this.#pointer;
    this.#state &= ~awaiting;
    if (this.#source instanceof CpuAllocator) this.#pointer = this.#source.pointerTo(this.#owner, this.byteOffset);
    else this.#pointer = new DataPtr(this.#memory && { memory: this.#memory, byteOffset: this.byteOffset });
    this.#owner = null;
    return this.#pointer;
  }

  /** The number of holders; 0 once released. Collected holders still count. */
  get useCount(): number {
    return this.#holders;
  }

  /** True if and only if there is one holder. */
  get unique(): boolean {
    return this.#holders === 1;
  }

  /** Adds a holder. */
  retain(): this {
    this.#checkAlive("retain");
    this.#holders++;
    return this;
  }

  /** Removes a holder; the last one frees the bytes. */
  release(): void {
    if ((this.#state & released) !== 0) this.#checkAlive("release");
    if (--this.#holders > 0) return;
    this.#state |= released;
    this.#freeBytes();
    this.#memory = null;
  }

  /** True if and only if both are one storage, or share one context. Does not detect buffers that the user wraps twice. */
  isAliasOf(other: Storage): boolean {
    if (this === other) return true;
    const context = this.#pointer?.castContext(releaseShare) ?? null;
    return context !== null && context === other.#pointer?.castContext(releaseShare);
  }

  /** The pointer for reading; null if there are no bytes. It is valid until the storage is resized. */
  data(): Pointer | null {
    this.#checkAlive("data");
    if ((this.#state & absent) !== 0) return null;
    return this.#pointTo(this.readable());
  }

  /** The pointer for writing; null if there are no bytes. */
  mutableData(): Pointer | null {
    this.#checkAlive("mutableData");
    if ((this.#state & absent) !== 0) return null;
    return this.#pointTo(this.writable());
  }

  /** The memory to read from; afterward `byteOffset` is valid. */
  readable(): Memory {
    return (this.#state & unreadable) === 0 ? (this.#memory as Memory) : this.#makeReadable();
  }

  /** The memory to write to, which no lazy copy shares; afterward `byteOffset` is valid. */
  writable(): Memory {
    if ((this.#state & unwritable) === 0) return this.#memory as Memory;
    const memory = this.readable();
    if ((this.#state & lazy) === 0) return memory;
    this.#materialize();
    return this.#memory as Memory;
  }

  /** The offset of this storage in `memory` if its bytes `from` to `to` can be read there without preparation, else -1. */
  readOffset(memory: Memory, from: number, to: number): number {
    const isReady = (this.#state & unreadable) === 0 && this.#memory === memory && from >= 0 && to <= this.#size;
    return isReady ? this.byteOffset : -1;
  }

  /** The same for writing. */
  writeOffset(memory: Memory, from: number, to: number): number {
    const isReady = (this.#state & unwritable) === 0 && this.#memory === memory && from >= 0 && to <= this.#size;
    return isReady ? this.byteOffset : -1;
  }

  /** The address of the first byte, for printing and comparing; 0 if there is none. It does not change when the bytes move. */
  get address(): number {
    this.#checkAlive("address");
    return this.#originalAddress ?? (this.#memory === null ? 0 : this.#memory.baseAddress + this.byteOffset);
  }

  /** The version counter of the bytes, shared by all views. */
  get version(): VersionCounter {
    this.#counter ??= new VersionCounter();
    return this.#counter;
  }

  /** True if and only if the bytes are in an ordinary buffer, because they did not fit into the heap. */
  get isOverflow(): boolean {
    return this.#memory !== null && this.#memory.kind === "overflow";
  }

  /** True if and only if the bytes are in memory of a device, which programs on the CPU cannot read. */
  get isOnDevice(): boolean {
    return this.#memory !== null && this.#memory.kind === "device";
  }

  /** Notes that a raw view exists: the bytes are no longer shared with lazy copies, and do not move or change size from now on. */
  takeRawWindow(): void {
    this.#checkAlive("takeRawWindow");
    if ((this.#state & absent) === 0) this.writable();
    this.#state = (this.#state & ~awaiting) | windowed | fixed;
  }

  /** Changes the number of bytes for all holders: allocates, and copies the bytes that fit. Errors name `who`. */
  resize(nbytes: number, who = "resize"): void {
    this.#checkAlive(who);
    checkBytes(who, nbytes);
    if (!this.resizable)
      throw new StorageError(`${who}: the storage wraps memory that you own, or has a raw view. Resize a clone()`);
    if (nbytes < this.#size) this.#state |= shrunk;
    if (this.#owner !== null && nbytes > 0 && (this.#source as CpuAllocator).resize(this.#owner, nbytes)) {
      this.#size = nbytes;
      return;
    }
    const next = Storage.allocate(nbytes, { allocator: this.#source as Allocator });
    const count = Math.min(nbytes, this.#size);
    if (this.#memory !== null && next.#memory !== null)
      copyBytes(this.#memory, this.byteOffset, next.#memory, next.byteOffset, count);
    this.#adopt(next);
  }

  /** A copy of the bytes. */
  clone(): Storage {
    this.#checkAlive("clone");
    const allocator = this.#source ?? allocatorOf(this.device);
    if ((this.#state & absent) === 0 && !(allocator instanceof CpuAllocator)) {
      this.readable();
      const data = { memory: this.#memory as Memory, byteOffset: this.byteOffset };
      return Storage.wrap(cloneData(allocator, data, this.#size), this.#size, { allocator });
    }
    const copy = Storage.allocate(this.#size, { allocator });
    if (copy.#memory !== null) copyBytes(this.readable(), this.byteOffset, copy.#memory, copy.byteOffset, this.#size);
    return copy;
  }

  /** True if and only if others may write these bytes: a raw view, an alias, memory of the user. */
  get isWatched(): boolean {
    return (this.#state & windowed) !== 0 || this.#source === null || this.#pointer?.deleter === releaseShare;
  }

  /** A lazy copy: the bytes are copied when one of the two is first written to, or at once if others may write them. */
  lazyClone(): Storage {
    this.#checkAlive("lazyClone");
    if ((this.#state & absent) !== 0 || this.isWatched) return this.clone();
    this.readable();
    const context = this.#pointer?.castContext(releaseLazyCopy) ?? new SharedContext(this.dataPtr);
    if ((this.#state & lazy) === 0) this.#pointer = joinContext(context, releaseLazyCopy);
    this.#state |= lazy;
    const pointer = joinContext(context, releaseLazyCopy);
    return new Storage(this.#size, this.#memory, this.byteOffset, null, pointer, this.#source, lazy);
  }

  /** A second storage of the same bytes: each sees the other's writes, and the last one frees them. */
  share(): Storage {
    this.#checkAlive("share");
    if ((this.#state & absent) === 0) this.writable();
    const context = this.#pointer?.castContext(releaseShare) ?? new SharedContext(this.dataPtr);
    if (context.count === 0) this.#pointer = joinContext(context, releaseShare);
    const pointer = joinContext(context, releaseShare);
    return new Storage(this.#size, this.#memory, this.byteOffset, null, pointer, this.#source, this.#state);
  }

  get #isFreshBuffer(): boolean {
    return this.#owner instanceof Region && this.#owner.isOverflow;
  }

  /** The maximum of `setNbytes`. */
  get #capacity(): number {
    if (this.#owner !== null) return this.#owner instanceof Region ? this.#owner.size : this.#owner.pieceBytes;
    const memory = this.#memory;
    if (memory === null) return this.device.type === "cpu" ? this.#size : Infinity;
    if (isDeviceMemory(memory)) return memory.byteLength - this.byteOffset;
    return memory.kind === "heap" ? this.#size : memory.buffer.byteLength - this.byteOffset;
  }

  #checkAlive(who: string): void {
    if ((this.#state & released) !== 0)
      throw new StorageError(`${who}: this storage of ${this.#size} bytes was released. Retain it while it is used.`);
  }

  /** A pointer that the caller may keep, so the bytes no longer move. */
  #pointTo(memory: Memory): Pointer {
    this.#state &= ~awaiting;
    return this.#pointer?.data ?? { memory, byteOffset: this.byteOffset };
  }

  #makeReadable(): Memory {
    this.#checkAlive("storage");
    if ((this.#state & absent) !== 0) {
      if (this.#size === 0) return this.#memory ?? emptyMemory();
      if (this.isScratch) throw new StorageError(`storage: ${tracedRead}`);
      throw new StorageError(
        `storage: device "${formatDevice(this.device)}" has no data. Meta tensors have only shape and dtype; create the tensor on the cpu to read it`,
      );
    }
    this.#moveIntoHeap();
    return this.#memory as Memory;
  }

  /** Moves an overflow storage into the heap, in a later turn and if it fits. */
  #moveIntoHeap(): void {
    const allocator = this.#source as CpuAllocator;
    const old = this.#owner as Owner;
    const next = allocator.ownerInHeapFor(old, this.#size);
    if (next === null) return;
    const [memory, byteOffset] = [this.#memory as Memory, this.byteOffset];
    this.#originalAddress = this.address;
    this.#memory = next.memory;
    this.byteOffset = next instanceof Region ? next.byteOffset : next.take();
    copyBytes(memory, byteOffset, next.memory, this.byteOffset, this.#size);
    this.#state &= ~awaiting;
    this.#owner = next;
    allocator.free(old, byteOffset);
  }

  /** Copies the shared bytes; the last of the lazy copies keeps the original. */
  #materialize(): void {
    const context = (this.#pointer as DataPtr).castContext(releaseLazyCopy) as SharedContext;
    if (context.count > 1) {
      this.#adopt(this.clone());
      return;
    }
    context.count = 0;
    this.#pointer = context.pointer;
    this.#state &= ~lazy;
  }

  /** Replaces its bytes by those of a new storage. */
  #adopt(next: Storage): void {
    this.#freeBytes();
    this.#size = next.#size;
    this.#memory = next.#memory;
    this.byteOffset = next.byteOffset;
    this.#owner = next.#owner;
    this.#pointer = next.#pointer;
    this.#originalAddress = null;
    this.#state = (this.#state & (fixed | windowed | shrunk)) | (next.#state & (absent | awaiting));
  }

  #freeBytes(): void {
    const owner = this.#owner;
    if (owner !== null) {
      this.#owner = null;
      (this.#source as CpuAllocator).free(owner, this.byteOffset);
    } else if (this.#pointer !== null) this.#pointer.clear();
  }
}
/** The message of a read of a tensor without memory, which is part of a program that is being built. */
export const tracedRead =
  "the elements of a traced tensor are not known before the compiled function runs. Instead of item(), toArray() and branches on values, use where, cond or whileLoop";
