/**
 * Small storages: pieces of one size from slabs of 64 kB, so that a thousand of them cost one block and one
 * registration.
 *
 * A storage refers to its slab; when no storage does, the slab is collected and its block freed. Therefore nothing here
 * holds a slab with live pieces longer than a turn: between turns only weak references remain. The next storage of its size reuses
 * a freed piece; a slab whose pieces are all free is freed at once.
 */
import type { Memory } from "./memory.ts";
import { enter, leave, type Region, type Regions } from "./regions.ts";

/** Storages of at most this many bytes are pieces of slabs. */
export const maxPieceBytes = 4096;
/** Bytes of a slab. */
export const slabBytes = 65536;
/** The sizes of pieces. */
export const pieceSizes: readonly number[] = [64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096];

export class Slab {
  declare readonly region: Region;
  declare readonly memory: Memory;
  declare readonly pieceBytes: number;
  declare readonly sizeClass: number;
  declare readonly isOverflow: boolean;
  /** The slabs that it belongs to. */
  declare readonly slabs: Slabs;
  /** The number of allocated pieces. */
  used = 0;
  /** The first piece that was never allocated. */
  next = 0;
  declare readonly capacity: number;
  /** Freed pieces. */
  readonly returned: number[] = [];
  /** True if it is in the list of slabs with free pieces. */
  isListed = false;
  isClosed = false;
  #weak: WeakRef<Slab> | null = null;

  constructor(slabs: Slabs, region: Region, sizeClass: number) {
    this.slabs = slabs;
    this.region = region;
    this.memory = region.memory;
    this.isOverflow = region.isOverflow;
    this.sizeClass = sizeClass;
    this.pieceBytes = pieceSizes[sizeClass];
    this.capacity = Math.floor(slabBytes / this.pieceBytes);
  }

  get isFull(): boolean {
    return this.used === this.capacity;
  }

  /** Allocates a piece of a slab that is not full and returns its byte offset. */
  take(): number {
    const piece = this.returned.length > 0 ? (this.returned.pop() as number) : this.next++;
    this.used++;
    enter(this.slabs.regions.ledger, this.region.tally, this.pieceBytes);
    return this.region.byteOffset + piece * this.pieceBytes;
  }

  /** Frees a piece. */
  free(byteOffset: number): void {
    this.used--;
    leave(this.slabs.regions.ledger, this.region.tally, this.pieceBytes);
    this.returned.push((byteOffset - this.region.byteOffset) / this.pieceBytes);
    if (this.slabs.current[this.sizeClass] !== this) this.slabs.noticeSpace(this);
  }

  get reference(): WeakRef<Slab> {
    this.#weak ??= new WeakRef(this);
    return this.#weak;
  }
}

export class Slabs {
  declare readonly regions: Regions;
  /** The slab that each size is allocated from. */
  readonly current: (Slab | null)[] = pieceSizes.map(() => null);
  /** Slabs with free pieces that are not current. */
  readonly #listed: WeakRef<Slab>[][] = pieceSizes.map(() => []);
  /** The size class of 64 * i bytes. */
  readonly #classes: Uint8Array = Uint8Array.from({ length: maxPieceBytes / 64 + 1 }, (_, i) =>
    pieceSizes.findIndex((size) => size >= i * 64),
  );

  constructor(regions: Regions) {
    this.regions = regions;
  }

  /** A slab with a free piece of at least `bytes` bytes, at most 4096. */
  slabFor(bytes: number): Slab {
    const sizeClass = this.#classes[(bytes + 63) >> 6];
    const slab = this.current[sizeClass];
    return slab !== null && slab.used !== slab.capacity ? slab : this.#nextSlab(sizeClass);
  }

  /** Notes that a slab that is not current has a free piece. */
  noticeSpace(slab: Slab): void {
    if (slab.used === 0) {
      slab.isClosed = true;
      this.regions.free(slab.region);
    } else if (!slab.isListed && this.#canList(slab)) {
      slab.isListed = true;
      this.#listed[slab.sizeClass].push(slab.reference);
    }
  }

  /** Drops every slab that may be collected once its storages are. */
  endTurn(): void {
    for (let sizeClass = 0; sizeClass < pieceSizes.length; sizeClass++) {
      const slab = this.current[sizeClass];
      // An empty slab in the heap is kept: it holds no storage that could leak.
      if (slab !== null && (slab.used > 0 || !this.#canList(slab))) this.#rest(sizeClass);
    }
  }

  #rest(sizeClass: number): void {
    const slab = this.current[sizeClass];
    this.current[sizeClass] = null;
    if (slab !== null && !slab.isFull) this.noticeSpace(slab);
  }

  /** Overflow slabs are not refilled later, unless there is no heap. */
  #canList(slab: Slab): boolean {
    return !slab.isOverflow || this.regions.heapIfOpen === null;
  }

  #nextSlab(sizeClass: number): Slab {
    // The current slab must be dropped at the end of this turn.
    this.regions.pressure.arm();
    const listed = this.#listed[sizeClass];
    this.current[sizeClass] = null;
    let slab: Slab | undefined;
    while (listed.length > 0) {
      slab = (listed.pop() as WeakRef<Slab>).deref();
      if (slab !== undefined && !slab.isClosed) break;
      slab = undefined;
    }
    if (slab === undefined) slab = new Slab(this, this.regions.take(slabBytes), sizeClass);
    else slab.isListed = false;
    this.current[sizeClass] = slab;
    return slab;
  }
}
