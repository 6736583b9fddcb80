/**
 * Regions: stretches of memory that end by hand or by garbage collection. In the heap while it has space and the turn
 * has not taken too much, else in an ordinary buffer (overflow), which the engine sees and collects inside a loop too.
 *
 * A region is what is registered for finalization, and whatever uses its bytes refers to it; when nothing does any more,
 * its block is freed. Registering once and reusing the object after it was given back costs less than unregistering.
 * Overflow buffers are not registered one by one, since a loop may make millions: a batch of them shares one tally.
 *
 * A ledger counts the bytes and storages of one allocator that are alive, a tally those of one region. A tally outlives its region, because
 * the finalizer that learns of the region's end has nothing else: it must not refer to the region or to any storage in it.
 */
import { StorageError } from "../base/errors.ts";
import { Collector, type CollectorOptions, Pressure, type PressureOptions } from "./collector.ts";
import { type Heap, openHeap, type WasmMemoryOptions } from "./heap.ts";
import { alignment, BufferMemory, type Memory, type Pointer } from "./memory.ts";

export interface RegionOptions extends WasmMemoryOptions, PressureOptions, CollectorOptions {
  /** Says what the user must know; by default console.warn. */
  readonly warn?: (text: string) => void;
}

/** Overflow buffers that share a tally: at most so many, or so many bytes. */
const batchCount = 4096;
const batchBytes = 64 * 2 ** 20;
/** Bytes of the heap that storages leave to the workspaces of ops; of a small heap a 32nd. */
const workspaceBytes = 64 * 2 ** 20;
/** How many regions that were given back are kept to be used again. */
const spareLimit = 256;

/** What a batch of overflow buffers refers to, so that its end is noticed when all of them are gone. */
class Batch {
  readonly tally = new Tally(-1);
  count = 0;
  bytes = 0;
}

export class Region implements Pointer {
  declare memory: Memory;
  declare byteOffset: number;
  /** Bytes there are. */
  declare size: number;
  declare readonly tally: Tally;
  /** Of an overflow buffer: the batch it belongs to. */
  declare readonly batch: object | null;
  /** Of an overflow buffer: the turn in which it was made, or in which it last found the heap full. */
  declare turn: number;
  declare readonly isOverflow: boolean;
  /** Somebody holds this object as a pointer, so it is not used again. */
  isExposed = false;

  constructor(memory: Memory, byteOffset: number, size: number, tally: Tally, batch: object | null, turn: number) {
    this.memory = memory;
    this.byteOffset = byteOffset;
    this.size = size;
    this.tally = tally;
    this.batch = batch;
    this.turn = turn;
    this.isOverflow = batch !== null;
  }
}

export class Regions {
  readonly ledger = new Ledger();
  declare readonly pressure: Pressure;
  declare readonly collector: Collector;
  /** The heap could not serve an allocation of this turn. */
  private isFull = false;
  declare private readonly options: RegionOptions;
  declare private readonly finalizer: FinalizationRegistry<Tally>;
  private opened: Heap | null | undefined;
  private batch: Batch | null = null;
  private readonly spare: Region[] = [];

  constructor(options: RegionOptions, onTurn: () => void) {
    this.options = options;
    this.finalizer = new FinalizationRegistry((tally) => this.collect(tally));
    this.collector = new Collector(options);
    this.pressure = new Pressure(options, () => {
      // The batch of a past turn may end.
      this.batch = null;
      onTurn();
      if (this.opened) this.collector.endTurn(this.opened.used, this.isFull);
      this.isFull = false;
    });
  }

  /** The heap, made at first use; null where there is none. */
  get heap(): Heap | null {
    if (this.opened === undefined) this.opened = openHeap(this.options, this.options.warn);
    return this.opened;
  }

  /** The heap if it has been made. */
  get heapIfOpen(): Heap | null {
    return this.opened ?? null;
  }

  /** Space for so many bytes, in the heap or not. */
  take(bytes: number): Region {
    if (this.pressure.isHigh) return this.takeBuffer(bytes);
    return this.takeFromHeap(bytes) ?? this.takeBuffer(bytes);
  }

  /** Space in the heap, or null if it is full. */
  takeFromHeap(bytes: number): Region | null {
    const heap = this.heap;
    if (heap === null) return null;
    const node = heap.remaining - bytes < Math.min(workspaceBytes, heap.maximum / 32) ? -1 : heap.allocate(bytes);
    if (node < 0) {
      this.isFull = true;
      return null;
    }
    const size = heap.sizeOf(node);
    this.pressure.took(size);
    let region = this.spare.pop();
    if (region === undefined) {
      region = new Region(heap.memory, 0, 0, new Tally(node), null, 0);
      this.finalizer.register(region, region.tally);
    }
    region.byteOffset = heap.offsetOf(node);
    region.size = size;
    const tally = region.tally;
    tally.node = node;
    tally.turn = this.pressure.turn;
    tally.isClosed = false;
    return region;
  }

  /** Ends a region in which nothing is alive. */
  give(region: Region): void {
    const tally = region.tally;
    if (region.isOverflow || tally.isClosed) return;
    tally.isClosed = true;
    this.pressure.gave(region.size, tally.turn);
    this.heap?.release(tally.node);
    if (!region.isExposed && this.spare.length < spareLimit) this.spare.push(region);
  }

  /** Gives a region in the heap another size where it stands; false if that cannot be. */
  resize(region: Region, bytes: number): boolean {
    const { tally, size } = region;
    const heap = this.heapIfOpen;
    if (region.isOverflow || heap === null || !heap.resize(tally.node, bytes)) return false;
    region.size = heap.sizeOf(tally.node);
    if (region.size > size) this.pressure.took(region.size - size);
    else this.pressure.gave(size - region.size, tally.turn);
    return true;
  }

  /** True if and only if what is in an overflow region should move into the heap now. */
  isDue(region: Region): boolean {
    return region.turn !== this.pressure.turn && this.heap !== null;
  }

  /** The heap was full: the next turn asks again. */
  postpone(region: Region): void {
    region.turn = this.pressure.turn;
    this.pressure.arm();
  }

  /** The error for bytes that cannot be had; the engine is asked to collect at the end of the turn. */
  shortage(who: string, bytes: number): StorageError {
    this.isFull = true;
    const heap = this.heapIfOpen;
    const { live } = this.ledger;
    const garbage = heap === null ? 0 : Math.min(live, this.collector.grownTo(heap.used));
    const megabytes = (count: number): string => `${(count / 2 ** 20).toFixed(1)} MB`;
    return new StorageError(
      `${who}: ${bytes} bytes are not available: ${megabytes(live)} are live, up to ${megabytes(garbage)} of them garbage, ` +
        `and the largest free block has ${megabytes(heap?.largestFree ?? 0)}. Dispose tensors, or compute in smaller parts.`,
    );
  }

  private takeBuffer(bytes: number): Region {
    const size = Math.ceil(bytes / alignment) * alignment;
    this.collector.noteBuffer(size);
    let buffer: ArrayBuffer | null = null;
    try {
      // The engine collects garbage before it refuses. No machine has room for more than this.
      if (size <= 2 ** 40) buffer = new ArrayBuffer(size);
    } catch {}
    if (buffer === null) throw this.shortage("allocate", bytes);
    this.pressure.arm();
    if (this.batch === null || this.batch.count >= batchCount || this.batch.bytes >= batchBytes) {
      this.batch = new Batch();
      this.finalizer.register(this.batch, this.batch.tally);
    }
    this.batch.count++;
    this.batch.bytes += size;
    const memory = new BufferMemory("overflow", buffer);
    return new Region(memory, 0, size, this.batch.tally, this.batch, this.pressure.turn);
  }

  /** A region, or a batch, was collected. */
  private collect(tally: Tally): void {
    if (tally.isClosed) return;
    tally.isClosed = true;
    leaveAll(this.ledger, tally);
    if (tally.node >= 0) this.heap?.release(tally.node);
  }
}

class Ledger {
  /** Bytes of the storages alive in the heap, rounded up as they were allocated. */
  heap = 0;
  /** The most that `live` ever was. */
  peak = 0;
  /** Bytes of the storages in ordinary buffers that are not known to be gone. */
  overflow = 0;
  /** How many storages are alive. */
  count = 0;

  get live(): number {
    return this.heap + this.overflow;
  }
}

class Tally {
  /** The block in the heap; -1 for ordinary buffers. */
  declare node: number;
  /** Bytes and storages alive in the region. */
  live = 0;
  count = 0;
  /** The turn in which the block was taken. */
  turn = 0;
  /** The region was given back by hand: its finalizer has nothing to do. */
  isClosed = false;

  constructor(node: number) {
    this.node = node;
  }
}

/** Books a storage in. */
export function enter(ledger: Ledger, tally: Tally, bytes: number): void {
  tally.live += bytes;
  tally.count++;
  ledger.count++;
  add(ledger, tally, bytes);
}

/** Books a storage out. */
export function leave(ledger: Ledger, tally: Tally, bytes: number): void {
  tally.live -= bytes;
  tally.count--;
  ledger.count--;
  add(ledger, tally, -bytes);
}

/** Books everything out that a region still held. */
function leaveAll(ledger: Ledger, tally: Tally): void {
  ledger.count -= tally.count;
  add(ledger, tally, -tally.live);
  tally.live = 0;
  tally.count = 0;
}

function add(ledger: Ledger, tally: Tally, bytes: number): void {
  if (tally.node < 0) ledger.overflow += bytes;
  else ledger.heap += bytes;
  const live = ledger.heap + ledger.overflow;
  if (live > ledger.peak) ledger.peak = live;
}
