/**
 * Forced collections: when and how the library makes the engine collect garbage, and how much one turn of the event loop may allocate.
 *
 * The engine does not see the heap, so dropped storages there do not make it collect. At the end of a turn, when the stack is empty,
 * the heap's used bytes are compared with their minimum since the last collection. A collection is requested when they have
 * grown by `collectAfter` bytes and have doubled, if collections then take at most 5% of the time. That share rises with the cube of the
 * growth, so that memory stays bounded where collections are slow. Programs that free with `scope` or `dispose` never reach this.
 *
 * In Node and Bun the engine's own function collects at once. If there is none, or the JavaScript heap is so large that a full collection
 * would be a long pause, a large buffer is allocated and dropped at the end of each turn: the engine counts its bytes and
 * collects incrementally. The finalizer of a sentinel object signals that the engine has collected.
 *
 * Finalizers run only between macrotasks, so the bytes that one turn may hold in the heap are limited to 192 MB; beyond that the caller
 * uses ordinary buffers, which the engine also collects during a loop. Turns are counted with one timer, armed by the first allocation of
 * a turn, never while idle.
 */
import { builtinModule, setFlag } from "../base/host.ts";

export interface CollectorOptions {
  /** Growth of the used bytes after which a collection is requested. */
  readonly collectAfter?: number;
  /** Makes the engine collect, or hints that it should; true if it has certainly collected. */
  readonly collect?: () => boolean;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

const megabytes = 2 ** 20;
/** The share of the time that collections may take when the growth just reaches the limit. */
const timeShare = 0.05;
/** Milliseconds of hints that are always allowed: an engine may need about twenty of 1 ms each. */
const freeHints = 50;

/** Bytes of buffers outside the heap after which Bun is made to collect. */
const buffersAtOnce = 64 * megabytes;

/** Bun's function for collections. */
interface BunGlobal {
  readonly Bun?: { gc?(isSynchronous: boolean): void };
}

/** The engine's function for a full collection; null if there is none or V8's flags cannot be set. */
export function engineCollection(): (() => void) | null {
  const { gc, Bun } = globalThis as BunGlobal & { gc?: unknown };
  if (typeof gc === "function") return () => gc();
  if (typeof Bun?.gc === "function") return () => Bun.gc?.(true);
  // A context created while the flag is on has the function; the flag is switched off again, so that no other context has it.
  const vm = builtinModule("vm") as { runInNewContext?(code: string): unknown } | undefined;
  if (!vm?.runInNewContext || !setFlag("expose-gc", true)) return null;
  try {
    return vm.runInNewContext("typeof gc === 'function' ? gc : null") as (() => void) | null;
  } catch {
    return null;
  } finally {
    setFlag("expose-gc", false);
  }
}

/** The size of a JavaScript heap for which a full collection takes about 50 ms. */
const largeHeap = 64 * megabytes;

/** Bytes of JavaScript objects; 0 if unknown. 0 also in Bun, which counts buffers, too, and cannot use hints: its buffers are resident at once. */
function javaScriptHeap(): number {
  const { process, Bun } = globalThis as BunGlobal & { process?: { memoryUsage?(): { readonly heapUsed: number } } };
  return Bun === undefined ? (process?.memoryUsage?.().heapUsed ?? 0) : 0;
}

export class Collector {
  /** The number of collections so far. */
  collections = 0;
  /** False disables forced collections. */
  isAllowed = true;
  /** The minimum of the used bytes at the end of a turn since the last collection. */
  #floor = 0;
  #isRequested = false;
  /** Milliseconds of the current or last request, and of the one before. */
  #cost = 0;
  #costBefore = 0;
  #since: number;
  readonly #collectAfter: number;
  readonly #collect: () => boolean;
  /** The engine's function; undefined before its first use. */
  #engine: (() => void) | null | undefined;
  /** The last hint. It lives for a turn, so that it counts as old memory, which only a full collection frees. */
  readonly #hints: ArrayBuffer[] = [];
  /** Bytes of buffers outside the heap since Bun last collected them. */
  #buffers = 0;
  readonly #now: () => number;
  readonly #sentinels: FinalizationRegistry<null>;

  constructor(options: CollectorOptions = {}) {
    this.#collectAfter = options.collectAfter ?? 96 * megabytes;
    this.#collect = options.collect ?? (() => this.#collectOrHint());
    this.#now = options.now ?? (() => performance.now());
    this.#since = this.#now();
    this.#sentinels = new FinalizationRegistry(() => this.noteCollection());
  }

  /** The growth to this many used bytes since the last collection: an upper bound of the garbage. */
  grownTo(used: number): number {
    return Math.max(0, used - this.#floor);
  }

  /** Ends a turn with this many bytes of the heap in use; `isFull` if the heap could not serve an allocation. */
  endTurn(used: number, isFull: boolean): void {
    if (used < this.#floor) this.#floor = used;
    if (!this.isAllowed) return;
    if (!this.#isRequested) {
      const grown = used - this.#floor;
      const limit = isFull ? this.#collectAfter / 4 : Math.max(this.#collectAfter, this.#floor);
      if (grown < limit) return;
      // The more memory grows, the more time a collection may take.
      const share = timeShare * (grown / limit) ** 3;
      // The smaller of two: other processes may have interrupted a collection.
      if ((this.#now() - this.#since) * share < Math.min(this.#cost, this.#costBefore)) return;
      this.#isRequested = true;
      this.#costBefore = this.#cost;
      this.#cost = 0;
    }
    const begun = this.#now();
    if (this.#cost > freeHints + (begun - this.#since) * timeShare) return;
    const isFirst = this.#cost === 0;
    const hasCollected = this.#collect();
    this.#cost += this.#now() - begun;
    if (hasCollected) this.noteCollection();
    else if (isFirst) this.#sentinels.register({}, null);
  }

  /** Counts bytes of a buffer outside the heap. Engines collect these even during a loop; Bun does so late. */
  noteBuffer(bytes: number): void {
    this.#buffers += bytes;
    if (this.#buffers < buffersAtOnce) return;
    this.#buffers = 0;
    const { Bun } = globalThis as BunGlobal;
    if (this.isAllowed) Bun?.gc?.(true);
  }

  /** Notes that the engine has collected: finalizers run now, and the next turns show how much is live. */
  noteCollection(): void {
    this.collections++;
    this.#isRequested = false;
    this.#floor = Infinity;
    this.#since = this.#now();
    this.#hints.length = 0;
  }

  #collectOrHint(): boolean {
    if (javaScriptHeap() > largeHeap) return this.hint();
    if (this.#engine === undefined) this.#engine = engineCollection();
    if (this.#engine === null) return this.hint();
    this.#engine();
    return true;
  }

  /** Replaces the last hint by a buffer of 128 MB: its pages are never touched, but the engine counts them. */
  hint(): false {
    this.#hints.length = 0;
    try {
      this.#hints.push(new ArrayBuffer(128 * megabytes));
    } catch {
      // The engine collects before an allocation fails.
    }
    return false;
  }
}

export interface PressureOptions {
  /** The bytes that a turn may hold in the heap before storages overflow. */
  readonly turnLimit?: number;
  /** Calls back in a later macrotask. */
  readonly schedule?: (callback: () => void) => void;
}

/** Calls back in a later macrotask, without keeping a process alive. */
export function afterThisTurn(callback: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (callback: () => void) => { unref?: () => void } };
  if (setImmediate !== undefined) {
    setImmediate(callback).unref?.();
  } else if (typeof MessageChannel === "function") {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      callback();
    };
    port2.postMessage(0);
  } else {
    setTimeout(callback, 0);
  }
}

export class Pressure {
  /** The number of turns so far, of those that allocated. */
  turn = 0;
  /** Bytes allocated in this turn that are in the heap and not freed. */
  #held = 0;
  #isArmed = false;
  readonly #turnLimit: number;
  readonly #schedule: (callback: () => void) => void;
  readonly #onTurn: () => void;
  readonly #endTurn: () => void;

  constructor(options: PressureOptions, onTurn: () => void) {
    this.#turnLimit = options.turnLimit ?? 192 * 2 ** 20;
    this.#schedule = options.schedule ?? afterThisTurn;
    this.#onTurn = onTurn;
    this.#endTurn = () => {
      this.#isArmed = false;
      this.turn++;
      this.#held = 0;
      this.#onTurn();
    };
  }

  /** True if and only if new storages stay out of the heap until the turn ends or frees bytes. */
  get isHigh(): boolean {
    return this.#held >= this.#turnLimit;
  }

  /** Schedules the end of this turn. */
  arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.#schedule(this.#endTurn);
  }

  /** Counts bytes allocated in the heap. */
  allocated(bytes: number): void {
    this.arm();
    this.#held += bytes;
  }

  /** Counts bytes freed explicitly that were allocated in this turn. */
  freed(bytes: number, turn: number): void {
    if (turn === this.turn) this.#held -= bytes;
  }
}
