/**
 * Regions: ranges of memory that are freed explicitly or by garbage collection. They are in the heap while it has space and the current turn
 * of the event loop has not allocated too much; otherwise in an ArrayBuffer (overflow), which the JavaScript engine can collect even during a loop.
 *
 * A region is registered for finalization, and everything that uses its bytes refers to it; when nothing does anymore,
 * its block is freed. Registering once and reusing the object after it is freed costs less than unregistering.
 * Overflow buffers are not registered individually, since a loop may allocate millions: a batch of them shares one tally.
 *
 * A ledger counts the live bytes and storages of one allocator, a tally those of one region. A tally outlives its region, because
 * the finalizer receives only the tally: it must not refer to the region or to any storage in it.
 */
import { StorageError } from "../base/errors.ts";
import { Collector, type CollectorOptions, Pressure, type PressureOptions } from "./collector.ts";
import { type Heap, openHeap, type WasmMemoryOptions } from "./heap.ts";
import { alignment, BufferMemory, type Memory, type Pointer } from "./memory.ts";

export interface RegionOptions extends WasmMemoryOptions, PressureOptions, CollectorOptions {
  /** Prints warnings; console.warn by default. */
  readonly warn?: (text: string) => void;
}

/** The maximum number and size of overflow buffers that share a tally. */
const batchCount = 4096;
const batchBytes = 64 * 2 ** 20;
/** Bytes of the heap that are reserved for the workspaces of ops; 1/32 of a small heap. */
const workspaceBytes = 64 * 2 ** 20;
/** The number of freed regions that are kept for reuse. */
const spareLimit = 256;

/** A batch of overflow buffers. Each of them refers to the batch, so it is collected when all of them are. */
class Batch {
  readonly tally = new Tally(-1);
  count = 0;
  bytes = 0;
}

export class Region implements Pointer {
  declare memory: Memory;
  declare byteOffset: number;
  /** The size in bytes. */
  declare size: number;
  declare readonly tally: Tally;
  /** The batch of an overflow buffer, else null. */
  declare readonly batch: object | null;
  /** For an overflow buffer: the turn in which it was created, or in which it could last not move to the heap. */
  declare turn: number;
  declare readonly isOverflow: boolean;
  /** True if a caller may hold this object as a pointer, so that it is not reused. */
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
  /** True if an allocation of this turn did not fit into the heap. */
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
      // The batch of a past turn may be collected.
      this.batch = null;
      onTurn();
      if (this.opened) this.collector.endTurn(this.opened.used, this.isFull);
      this.isFull = false;
    });
  }

  /** The heap, opened at first use; null if there is none. */
  get heap(): Heap | null {
    if (this.opened === undefined) this.opened = openHeap(this.options, this.options.warn);
    return this.opened;
  }

  /** The heap if it is open. */
  get heapIfOpen(): Heap | null {
    return this.opened ?? null;
  }

  /** Allocates a region, in the heap or in a buffer. */
  take(bytes: number): Region {
    if (this.pressure.isHigh) return this.takeBuffer(bytes);
    return this.takeFromHeap(bytes) ?? this.takeBuffer(bytes);
  }

  /** Allocates a region in the heap; null if it is full. */
  takeFromHeap(bytes: number): Region | null {
    const heap = this.heap;
    if (heap === null) return null;
    const node = heap.remaining - bytes < Math.min(workspaceBytes, heap.maximum / 32) ? -1 : heap.allocate(bytes);
    if (node < 0) {
      this.isFull = true;
      return null;
    }
    const size = heap.sizeOf(node);
    this.pressure.allocated(size);
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

  /** Frees a region without live storages. */
  free(region: Region): void {
    const tally = region.tally;
    if (region.isOverflow || tally.isClosed) return;
    tally.isClosed = true;
    this.pressure.freed(region.size, tally.turn);
    this.heap?.release(tally.node);
    if (!region.isExposed && this.spare.length < spareLimit) this.spare.push(region);
  }

  /** Resizes a region of the heap in place. Returns false if that is impossible. */
  resize(region: Region, bytes: number): boolean {
    const { tally, size } = region;
    const heap = this.heapIfOpen;
    if (region.isOverflow || heap === null || !heap.resize(tally.node, bytes)) return false;
    region.size = heap.sizeOf(tally.node);
    if (region.size > size) this.pressure.allocated(region.size - size);
    else this.pressure.freed(size - region.size, tally.turn);
    return true;
  }

  /** True if and only if the storages of an overflow region should move into the heap now. */
  isDue(region: Region): boolean {
    return region.turn !== this.pressure.turn && this.heap !== null;
  }

  /** Postpones the move to the next turn, because the heap is full. */
  postpone(region: Region): void {
    region.turn = this.pressure.turn;
    this.pressure.arm();
  }

  /** Returns the error of a failed allocation and requests a collection at the end of the turn. */
  shortage(who: string, bytes: number): StorageError {
    this.isFull = true;
    const heap = this.heapIfOpen;
    const { live } = this.ledger;
    const garbage = heap === null ? 0 : Math.min(live, this.collector.grownTo(heap.used));
    const megabytes = (count: number): string => `${(count / 2 ** 20).toFixed(1)} MB`;
    return new StorageError(
      `${who}: ${bytes} bytes are not available: ${megabytes(live)} are allocated, of which up to ${megabytes(garbage)} may be garbage, ` +
        `and the largest free block has ${megabytes(heap?.largestFree ?? 0)}. Dispose tensors, or compute in smaller parts.`,
    );
  }

  private takeBuffer(bytes: number): Region {
    const size = Math.ceil(bytes / alignment) * alignment;
    this.collector.noteBuffer(size);
    let buffer: ArrayBuffer | null = null;
    try {
      // The engine collects garbage before it fails. No machine has more memory than this.
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

  /** Finalizes a region or a batch that was collected. */
  private collect(tally: Tally): void {
    if (tally.isClosed) return;
    tally.isClosed = true;
    leaveAll(this.ledger, tally);
    if (tally.node >= 0) this.heap?.release(tally.node);
  }
}

class Ledger {
  /** Bytes of the live storages in the heap, rounded up to their allocations. */
  heap = 0;
  /** The maximum of `live` so far. */
  peak = 0;
  /** Bytes of the storages in ordinary buffers that are not known to be collected. */
  overflow = 0;
  /** The number of live storages. */
  count = 0;

  get live(): number {
    return this.heap + this.overflow;
  }
}

class Tally {
  /** The block in the heap; -1 for ordinary buffers. */
  declare node: number;
  /** Bytes and number of live storages in the region. */
  live = 0;
  count = 0;
  /** The turn in which the block was allocated. */
  turn = 0;
  /** True if the region was freed explicitly, so that its finalizer has nothing to do. */
  isClosed = false;

  constructor(node: number) {
    this.node = node;
  }
}

/** Counts a new storage. */
export function enter(ledger: Ledger, tally: Tally, bytes: number): void {
  tally.live += bytes;
  tally.count++;
  ledger.count++;
  add(ledger, tally, bytes);
}

/** Counts a freed storage. */
export function leave(ledger: Ledger, tally: Tally, bytes: number): void {
  tally.live -= bytes;
  tally.count--;
  ledger.count--;
  add(ledger, tally, -bytes);
}

/** Counts all remaining storages of a region as freed. */
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
