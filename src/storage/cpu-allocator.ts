/**
 * The allocator of the processor's memory: slabs for small storages, regions for others, nothing for 0 bytes.
 *
 * Storages take slabs and regions from it directly; `allocate` is the same as a DataPtr, for those who plug allocators
 * together. A DataPtr that is dropped without being cleared frees its memory when it is collected.
 */
import type { Allocator } from "./allocation.ts";
import { checkBytes } from "./byte-range.ts";
import { DataPtr, type Deleter } from "./data-ptr.ts";
import { cpu } from "./device.ts";
import { enter, leave } from "./ledger.ts";
import type { Memory, Pointer } from "./memory.ts";
import { Region, type RegionOptions, Regions } from "./regions.ts";
import { largestPiece, type Slab, Slabs } from "./slabs.ts";

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

let shared: CpuAllocator | null = null;

/** The allocator of this process, made at first use. */
export function cpuAllocator(): CpuAllocator {
  shared ??= new CpuAllocator();
  return shared;
}
