/**
 * Allocators: the interface that user-defined allocators implement, the allocators of the CPU and of the meta device, and the registry
 * of allocators by device.
 *
 * The CPU allocator uses slabs for small storages, regions for larger ones, and no memory for 0 bytes. It is created at first use;
 * `setAllocator("cpu", ...)` replaces it. Storages take slabs and regions from it directly; `allocate` returns the same as a
 * DataPtr. A DataPtr that is dropped without being cleared frees its memory when it is collected.
 *
 * `memoryStatistics` promises: live - overflow + free + 65536 = reserved once there is a heap, and live <= peak. Dropped bytes that are not
 * collected yet count as live, and so does a dropped piece of a slab while another piece of it is alive.
 */
import { wrongKind } from "../base/arguments.ts";
import { StorageError } from "../base/errors.ts";
import { once } from "../base/lazy.ts";
import { checkBytes } from "./byte-range.ts";
import { DataPtr, type Deleter } from "./data-ptr.ts";
import { cpu, type Device, formatDevice, meta } from "./device.ts";
import { reservedBytes } from "./heap.ts";
import { copyBytes, type Memory, type Pointer } from "./memory.ts";
import { enter, leave, Region, type RegionOptions, Regions } from "./regions.ts";
import { maxPieceBytes, type Slab, Slabs } from "./slabs.ts";

export interface WrapOptions {
  /** The allocator for resizing and cloning; without one the storage is not resizable. */
  readonly allocator?: Allocator;
  readonly resizable?: boolean;
}

export interface StorageOptions extends WrapOptions {
  readonly device?: Device;
  /** Whether to set all bytes to 0; otherwise they are undefined. */
  readonly zeroed?: boolean;
}

export interface Allocator {
  readonly device: Device;
  /** Allocates `nbytes` bytes and returns them with the deleter that frees them. For 0 bytes: null data with a working deleter. */
  allocate(nbytes: number): DataPtr;
  /** The deleter for pointers of `rawAllocate`; null or absent if the allocator does not support them. */
  readonly rawDeleter?: Deleter | null;
  /** Copies bytes between two pointers of this device; by default on the CPU. */
  copyData?(to: Pointer, from: Pointer, nbytes: number): void;
  /** Returns a new copy of bytes; by default allocates, then copies. */
  clone?(data: Pointer, nbytes: number): DataPtr;
}

/** Copies bytes with the allocator's method, if it has one. */
export function copyData(allocator: Allocator | null, to: Pointer, from: Pointer, nbytes: number): void {
  if (allocator?.copyData) allocator.copyData(to, from, nbytes);
  else copyBytes(from.memory, from.byteOffset, to.memory, to.byteOffset, nbytes);
}

/** Returns a copy of bytes in memory of the allocator. */
export function cloneData(allocator: Allocator, data: Pointer, nbytes: number): DataPtr {
  if (allocator.clone) return allocator.clone(data, nbytes);
  const result = allocator.allocate(nbytes);
  if (result.data !== null) copyData(allocator, result.data, data, nbytes);
  return result;
}

/** Allocates memory as a bare pointer, for `rawDeallocate`. Requires that the allocator's context is its data. */
export function rawAllocate(allocator: Allocator, nbytes: number): Pointer | null {
  const result = allocator.allocate(nbytes);
  if (!allocator.rawDeleter || result.deleter !== allocator.rawDeleter || result.context !== result.data) {
    result.clear();
    throw new StorageError("rawAllocate: the allocator has no raw deleter for its data. Use allocate().");
  }
  result.releaseContext();
  return result.data;
}

/** Frees a pointer that `rawAllocate` returned. */
export function rawDeallocate(allocator: Allocator, data: Pointer | null): void {
  if (!allocator.rawDeleter)
    throw new StorageError("rawDeallocate: the allocator has no raw deleter. Clear the DataPtr of allocate() instead.");
  allocator.rawDeleter(data);
}

/** The allocator of the meta device, which has no memory. */
const metaAllocator: Allocator = {
  device: meta,
  allocate: () => new DataPtr(null, null, null, meta),
  clone: () => new DataPtr(null, null, null, meta),
};

/** The object that keeps a storage's bytes alive: its own region, or the slab that it has a piece of. */
export type Owner = Region | Slab;

/** An owning pointer to a piece of a slab. */
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
  /** Frees memory that `allocate` returned; its context is its data. */
  declare readonly rawDeleter: Deleter;
  /** The largest number of live bytes, while `withMemoryLimit` runs. */
  maxLive = Infinity;

  constructor(options: RegionOptions = {}) {
    this.regions = new Regions(options, () => this.slabs.endTurn());
    this.slabs = new Slabs(this.regions);
    this.rawDeleter = (pointer: Region | Piece | null) => {
      if (pointer !== null) this.free(pointer instanceof Region ? pointer : pointer.slab, pointer.byteOffset);
    };
  }

  allocate(nbytes: number): DataPtr {
    checkBytes("allocate", nbytes);
    if (nbytes === 0) return this.pointerTo(null, 0);
    if (nbytes > maxPieceBytes) return this.pointerTo(this.takeRegion(nbytes), 0);
    const slab = this.slabs.slabFor(nbytes);
    return this.pointerTo(slab, slab.take());
  }

  /** Takes a region for one storage. */
  takeRegion(nbytes: number): Region {
    if (this.regions.ledger.live + nbytes > this.maxLive)
      throw new StorageError(`allocate: ${nbytes} more bytes exceed the limit of the memory of this call.`);
    return this.enterRegion(this.regions.take(nbytes));
  }

  /**
   * The owner in the heap to which an overflow storage should move now, or null during its turn and while the heap is full.
   * For a slab, the slab to take a piece of.
   */
  ownerInHeapFor(owner: Owner, nbytes: number): Owner | null {
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
  free(owner: Owner, byteOffset: number): void {
    if (owner instanceof Region) {
      leave(this.regions.ledger, owner.tally, owner.size);
      this.regions.free(owner);
    } else owner.free(byteOffset);
  }

  /** Resizes a storage in place. Returns false if that is impossible or would waste more than half. */
  resize(owner: Owner, nbytes: number): boolean {
    if (!(owner instanceof Region)) return nbytes <= owner.pieceBytes && nbytes * 2 > owner.pieceBytes;
    const size = owner.size;
    if (nbytes <= maxPieceBytes || !this.regions.resize(owner, nbytes)) return false;
    leave(this.regions.ledger, owner.tally, size);
    this.enterRegion(owner);
    return true;
  }

  /** A DataPtr that owns the bytes from now on. */
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

/**
 * Returns the result of `run`, which may allocate this many bytes beyond those that are live now; tensors of at most 4 kB are counted, but never
 * refused. A limit of an outer call stays in force.
 */
export function withMemoryLimit<T>(nbytes: number, run: () => T): T {
  const allocator = cpuAllocator();
  const { maxLive } = allocator;
  allocator.maxLive = Math.min(maxLive, allocator.regions.ledger.live + nbytes);
  try {
    return run();
  } finally {
    allocator.maxLive = maxLive;
  }
}

interface Entry {
  readonly allocator: Allocator;
  readonly priority: number;
}

/** The allocators that users registered. */
const entries = new Map<string, Entry>();

/** The user's allocator for "cpu", if there is one; kept apart because every allocation reads it. */
export const userAllocator: { cpu: Allocator | null } = { cpu: null };

/** Registers an allocator for a device type; ignored if the current one has a higher priority (0 by default). */
export function setAllocator(deviceType: string, allocator: Allocator, priority = 0): void {
  if (priority < (entries.get(deviceType)?.priority ?? 0)) return;
  entries.set(deviceType, { allocator, priority });
  if (deviceType === "cpu") userAllocator.cpu = allocator === cpuAllocator() ? null : allocator;
}

/** Returns the allocator for a device type. */
export function getAllocator(deviceType: string): Allocator {
  const entry = entries.get(deviceType);
  if (entry !== undefined) return entry.allocator;
  if (deviceType === "cpu") return cpuAllocator();
  if (deviceType === "meta") return metaAllocator;
  throw new StorageError(
    `getAllocator: there is no allocator for device "${deviceType}", only for ${[...new Set(["cpu", "meta", ...entries.keys()])].join(", ")}. ` +
      "Register one with setAllocator.",
  );
}

/** Returns the allocator of a device: its own, or that of its type. */
export const allocatorOf = (device: Device): Allocator =>
  (device.type === "cpu" ? undefined : entries.get(formatDevice(device))?.allocator) ?? getAllocator(device.type);

export interface MemoryStatistics {
  /** Bytes of all live storages, each rounded up to its allocation. */
  readonly live: number;
  /** The maximum of `live` so far. */
  readonly peak: number;
  /** Bytes of the heap that no storage uses. */
  readonly free: number;
  /** The number of live storages that have bytes. */
  readonly count: number;
  /** Bytes of the heap. */
  readonly reserved: number;
  /** The part of `live` in ordinary buffers. It is exact only between turns of the event loop, after a collection. */
  readonly overflow: number;
  /** True if and only if the heap is shared with workers. */
  readonly shared: boolean;
  /** The number of garbage collections that the library has forced. */
  readonly collections: number;
}

/** Returns statistics of the CPU memory of this process. */
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
