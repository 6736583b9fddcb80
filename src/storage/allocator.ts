/**
 * Allocators: the interface that a user's own allocator implements, the allocators of the processor and of the meta device, and the registry
 * that says which allocator serves which device.
 *
 * The processor's allocator has slabs for small storages, regions for others, nothing for 0 bytes. It is created at first use;
 * `setAllocator("cpu", ...)` puts another one before it. Storages take slabs and regions from it directly; `allocate` returns the same as a
 * DataPtr. A DataPtr that is dropped without being cleared frees its memory when it is collected.
 *
 * `memoryStatistics` promises: live - overflow + free + 65536 = reserved once there is a heap, and live <= peak. Bytes that garbage collection
 * has not reached yet count as live, and so does a piece of a slab that was dropped while another piece of it lives.
 */
import { wrongKind } from "../base/arguments.ts";
import { StorageError } from "../base/errors.ts";
import { once } from "../base/remember.ts";
import { checkBytes } from "./byte-range.ts";
import { DataPtr, type Deleter } from "./data-ptr.ts";
import { cpu, type Device, meta } from "./device.ts";
import { reservedBytes } from "./heap.ts";
import { copyBytes, type Memory, type Pointer } from "./memory.ts";
import { enter, leave, Region, type RegionOptions, Regions } from "./regions.ts";
import { largestPiece, type Slab, Slabs } from "./slabs.ts";

export interface WrapOptions {
  /** Who allocates when the storage is resized or cloned; without one it is not resizable. */
  readonly allocator?: Allocator;
  readonly resizable?: boolean;
}

export interface StorageOptions extends WrapOptions {
  readonly device?: Device;
  /** All bytes 0; else they are whatever was there. */
  readonly zeroed?: boolean;
}

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

/** Allocates nothing, of any size. */
const metaAllocator: Allocator = {
  device: meta,
  allocate: () => new DataPtr(null, null, null, meta),
  clone: () => new DataPtr(null, null, null, meta),
};

/** What a storage refers to so that its bytes stay: a region of its own, or the slab it has a piece of. */
export type Owner = Region | Slab;

/** A piece of a slab as a pointer that owns it. */
class Piece implements Pointer {
  declare readonly memory: Memory;
  declare readonly byteOffset: number;
  declare readonly slab: Slab;

  constructor(slab: Slab, byteOffset: number) {
    this.slab = slab;
    this.memory = slab.memory;
    this.byteOffset = byteOffset;
  }
}

export class CpuAllocator implements Allocator {
  readonly device = cpu;
  declare readonly regions: Regions;
  declare readonly slabs: Slabs;
  /** Frees what `allocate` gave; its context is its data. */
  declare readonly rawDeleter: Deleter;

  constructor(options: RegionOptions = {}) {
    this.regions = new Regions(options, () => this.slabs.endTurn());
    this.slabs = new Slabs(this.regions);
    this.rawDeleter = (pointer: Region | Piece | null) => {
      if (pointer !== null) this.give(pointer instanceof Region ? pointer : pointer.slab, pointer.byteOffset);
    };
  }

  allocate(nbytes: number): DataPtr {
    checkBytes("allocate", nbytes);
    if (nbytes === 0) return this.pointerTo(null, 0);
    if (nbytes > largestPiece) return this.pointerTo(this.takeRegion(nbytes), 0);
    const slab = this.slabs.slabFor(nbytes);
    return this.pointerTo(slab, slab.take());
  }

  /** A region with one storage in it. */
  takeRegion(nbytes: number): Region {
    return this.enterRegion(this.regions.take(nbytes));
  }

  /**
   * Where the bytes of an overflow storage should move now: room in the heap, or null while its turn lasts, and when the
   * heap is full. For a slab, the slab to take a piece of.
   */
  roomInHeapFor(owner: Owner, nbytes: number): Owner | null {
    const region = owner instanceof Region ? owner : owner.region;
    if (!this.regions.isDue(region)) return null;
    if (owner instanceof Region) {
      const moved = this.regions.takeFromHeap(nbytes);
      if (moved !== null) return this.enterRegion(moved);
    } else {
      const slab = this.slabs.slabFor(nbytes);
      if (!slab.isOverflow) return slab;
    }
    this.regions.postpone(region);
    return null;
  }

  /** Frees the bytes of a storage. */
  give(owner: Owner, byteOffset: number): void {
    if (owner instanceof Region) {
      leave(this.regions.ledger, owner.tally, owner.size);
      this.regions.give(owner);
    } else owner.give(byteOffset);
  }

  /** Gives a storage another size where it stands; false if that cannot be, or would waste more than half. */
  resize(owner: Owner, nbytes: number): boolean {
    if (!(owner instanceof Region)) return nbytes <= owner.pieceBytes && nbytes * 2 > owner.pieceBytes;
    const size = owner.size;
    if (nbytes <= largestPiece || !this.regions.resize(owner, nbytes)) return false;
    leave(this.regions.ledger, owner.tally, size);
    this.enterRegion(owner);
    return true;
  }

  /** A DataPtr that owns what the owner stands for from now on. */
  pointerTo(owner: Owner | null, byteOffset: number): DataPtr {
    let pointer: Region | Piece | null = null;
    if (owner instanceof Region) {
      owner.isExposed = true;
      pointer = owner;
    } else if (owner !== null) pointer = new Piece(owner, byteOffset);
    return new DataPtr(pointer, pointer, this.rawDeleter, cpu);
  }

  private enterRegion(region: Region): Region {
    enter(this.regions.ledger, region.tally, region.size);
    return region;
  }
}

/** The allocator of this process, created at first use. */
export const cpuAllocator: () => CpuAllocator = /* @__PURE__ */ once(() => new CpuAllocator());

interface Entry {
  readonly allocator: Allocator;
  readonly priority: number;
}

/** The allocators that users have registered. */
const entries = new Map<string, Entry>();

/** The user's allocator for "cpu", if there is one: the one entry that is asked for at every allocation. */
export const ownAllocator: { cpu: Allocator | null } = { cpu: null };

/** Makes an allocator serve a device type; ignored if the one that does has a higher priority (0 unless said). */
export function setAllocator(deviceType: string, allocator: Allocator, priority = 0): void {
  if (priority < (entries.get(deviceType)?.priority ?? 0)) return;
  entries.set(deviceType, { allocator, priority });
  if (deviceType === "cpu") ownAllocator.cpu = allocator === cpuAllocator() ? null : allocator;
}

/** The allocator that serves a device type. */
export function getAllocator(deviceType: string): Allocator {
  const entry = entries.get(deviceType);
  if (entry !== undefined) return entry.allocator;
  if (deviceType === "cpu") return cpuAllocator();
  if (deviceType === "meta") return metaAllocator;
  throw new StorageError(
    `getAllocator: no allocator serves device "${deviceType}". Known: ${[...new Set(["cpu", "meta", ...entries.keys()])].join(", ")}; ` +
      "register yours with setAllocator.",
  );
}

export interface MemoryStatistics {
  /** Bytes of all storages alive, each rounded up to what it was given. */
  readonly live: number;
  /** The most that `live` ever was. */
  readonly peak: number;
  /** Bytes of the heap that no storage uses. */
  readonly free: number;
  /** How many storages with bytes are alive. */
  readonly count: number;
  /** Bytes of the heap. */
  readonly reserved: number;
  /**
   * The part of `live` in ordinary buffers. The engine tells nothing of what it collects while a loop runs, so only after
   * it, and after a collection, is this what there is.
   */
  readonly overflow: number;
  /** True if and only if the heap is shared with workers. */
  readonly shared: boolean;
  /** Garbage collections that the library has asked the engine for. */
  readonly collections: number;
}

/** What the CPU memory of this process holds now. */
export function memoryStatistics(allocator: CpuAllocator = cpuAllocator()): MemoryStatistics {
  if (!Object(allocator).regions) throw wrongKind("memoryStatistics", "no argument, or an allocator", allocator);
  const { ledger, collector, heapIfOpen: heap } = allocator.regions;
  const { live, peak, count, overflow } = ledger;
  const reserved = heap?.reserved ?? 0;
  return {
    live,
    peak,
    free: reserved === 0 ? 0 : reserved - reservedBytes - ledger.heap,
    count,
    reserved,
    overflow,
    shared: heap?.shared ?? false,
    collections: collector.collections,
  };
}
