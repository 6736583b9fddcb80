/**
 * The books: how many bytes and storages are alive. A ledger is of one allocator, a tally of one region of it.
 *
 * A tally outlives its region, because the finalizer that learns of the region's end has nothing else: it must not
 * refer to the region or to any storage in it.
 */

export class Ledger {
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

export class Tally {
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
export function leaveAll(ledger: Ledger, tally: Tally): void {
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
