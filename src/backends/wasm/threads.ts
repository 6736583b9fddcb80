/**
 * When work is shared with other threads, and with how many.
 * The pool is opened once enough work has been seen that its start pays, and only where memory can be shared. Small work
 * never waits for anybody. What `configure({ threads })` says is read at each use.
 *
 * `costOf` estimates how long one element takes, in nanoseconds: enough to decide whether waking other threads is worth it.
 * Bytes moved and operations done overlap, so the larger of both counts. The numbers are rough on purpose.
 */
import { StorageError } from "../../base/errors.ts";
import { threadLimit } from "../../kernel/backend.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import type { Kernel, Statement } from "../../kernel/ir/kernel.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Heap } from "../../storage/heap.ts";
import { type Configuration, configuration } from "./settings.ts";
import { openPool, type Pool, type PoolReport } from "./workers/pool.ts";

/** The pool's own bytes in low memory. */
const mailboxAt = 64;
/** What work must have to be shared; with 0 everywhere, all of it is that has two units. */
export const sharing = {
  /** More elements than this. */
  elements: 65536,
  /** At least so many nanoseconds. */
  worth: 1e6,
  /** The pool starts after so many nanoseconds of work that could have been shared. */
  start: 2e7,
};
/** How many pieces each thread gets, so that a slow one does not hold up the rest. */
const piecesPerThread = 8;

/** Bytes that each worker has for what kernels allocate. */
export const scratchBytes = 36864;

/** The number of the next kernel. A variable, because workers know kernels by numbers that are unique in the process. */
let nextKernel = 1;

/** A kernel as workers find it: its bytes in shared memory, put there when they are first needed. */
export class SharedKernel {
  readonly id = nextKernel++;
  declare readonly name: string;
  declare readonly bytes: Uint8Array;
  /** Nanoseconds for one element, about. */
  declare readonly cost: number;
  /** The block of the heap that holds the bytes; -1 while there is none. */
  node = -1;

  constructor(name: string, bytes: Uint8Array, cost: number) {
    this.name = name;
    this.bytes = bytes;
    this.cost = cost;
  }
}

/** One call of a kernel that may be shared. */
export interface SharedCall {
  readonly args: number;
  readonly units: number;
  /** Elements of a unit. */
  readonly unitSize: number;
  /** True if running a unit twice gives what running it once gives. */
  readonly repeatable: boolean;
}

export class Threads {
  readonly #heap: Heap;
  #pool: Pool | null = null;
  /** What the pool was opened for; undefined before. */
  #openedFor: Configuration | undefined;
  /** Nanoseconds of work seen that could have been shared. */
  #seen = 0;
  readonly #scratch: number[] = [];
  #closing: Promise<void> = Promise.resolve();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Does the work of a call together with other threads; false, and nothing is done, if it is better done here. */
  share(kernel: SharedKernel, call: SharedCall, here: (begin: number, end: number) => void): boolean {
    const { units, unitSize } = call;
    const work = units * unitSize * kernel.cost;
    if (work < sharing.worth || units < 2 || !this.#heap.shared) return false;
    this.#seen += work;
    const options = configuration();
    const { threads } = options;
    const most = Math.min(threads, threadLimit());
    if (most < 2 || this.#seen < sharing.start) return false;
    this.#openFor(options);
    const code = this.#pool === null ? -1 : this.#codeOf(kernel);
    if (this.#pool === null || code < 0) return false;
    // A limit for this call is kept by having no more pieces than that.
    const chunk = Math.ceil(units / (most < threads ? most : threads * piecesPerThread));
    const { id, name, bytes } = kernel;
    const { args, repeatable } = call;
    this.#pool.run({ kernel: id, name, code, codeLength: bytes.length, args, units, chunk, repeatable }, here);
    return true;
  }

  /** Ends all workers; the next large work starts new ones. */
  async shutdown(): Promise<void> {
    this.#close();
    await this.#closing;
  }

  /** How the workers do; null if there are none. */
  report(): PoolReport | null {
    return this.#pool?.report() ?? null;
  }

  /** Workers that call the export of a module; null where there are none. */
  forModules(): Pool | null {
    const options = configuration();
    if (options.threads < 2 || !this.#heap.shared) return null;
    this.#openFor(options);
    return this.#pool;
  }

  /** Gives up a kernel's bytes. */
  release(kernel: SharedKernel): void {
    if (kernel.node >= 0) this.#heap.release(kernel.node);
    kernel.node = -1;
  }

  /** Opens a pool, unless the one that is open has as many threads and workers from the same address, or still calls modules. */
  #openFor(options: Configuration): void {
    const { threads, workerUrl } = options;
    if (this.#openedFor?.threads === threads && this.#openedFor.workerUrl === workerUrl) return;
    if (this.#pool?.isCalling()) return;
    this.#close();
    this.#openedFor = options;
    this.#pool = openPool({
      memory: this.#heap.source as WebAssembly.Memory,
      mailbox: mailboxAt,
      threads,
      workerUrl,
      scratch: (worker) => this.#scratchFor(worker),
    });
  }

  #close(): void {
    const pool = this.#pool;
    this.#pool = null;
    this.#openedFor = undefined;
    this.#seen = 0;
    if (pool !== null) this.#closing = Promise.all([this.#closing, pool.shutdown()]).then(() => undefined);
  }

  /** A worker's scratch bytes are kept: a later worker with its number takes them over. */
  #scratchFor(worker: number): number {
    let address = this.#scratch[worker];
    if (address === undefined) {
      const node = this.#heap.allocate(scratchBytes);
      if (node < 0) throw new StorageError("workers: the heap is full. Dispose tensors first.");
      address = this.#heap.offsetOf(node);
      this.#scratch[worker] = address;
    }
    return address;
  }

  /** Where a kernel's bytes are in the heap; -1 if it has no room for them. */
  #codeOf(kernel: SharedKernel): number {
    if (kernel.node < 0) {
      kernel.node = this.#heap.allocate(kernel.bytes.length);
      if (kernel.node < 0) return -1;
      this.#heap.memory.array("u8").set(kernel.bytes, this.#heap.offsetOf(kernel.node));
    }
    return this.#heap.offsetOf(kernel.node);
  }
}

const perByte = 0.06;
const perOperation = 0.15;
/** Operations that a function stands for, where it is not one. */
const operations: Readonly<Partial<Record<ScalarFunction, number>>> = {
  div: 3,
  sqrt: 3,
  truncDiv: 6,
  truncRem: 6,
  floorDiv: 8,
  floorMod: 8,
  pow: 40,
  atan2: 20,
  exp: 8,
  exp2: 8,
  expm1: 12,
  log: 12,
  log2: 12,
  log10: 12,
  log1p: 14,
  sin: 16,
  cos: 16,
  tan: 20,
  asin: 16,
  acos: 16,
  atan: 14,
  sinh: 16,
  cosh: 16,
  tanh: 14,
  asinh: 20,
  acosh: 20,
  atanh: 20,
  erf: 20,
  erfc: 24,
};

/** Nanoseconds for one element of the innermost loop. */
export function costOf(kernel: Kernel): number {
  const typeOf = new Map(kernel.buffers.map(({ name, dtype }) => [name, dtype]));
  let bytes = 0;
  let count = 0;
  const seen = new Set<Scalar>();
  const value = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    if (scalar.kind === "load") bytes += dtypes[scalar.dtype].itemsize;
    else if (scalar.kind === "cast") {
      count++;
      value(scalar.of);
    } else if (scalar.kind === "call") {
      count += operations[scalar.fn] ?? 1;
      for (const arg of scalar.args) value(arg);
    }
  };
  const statement = (each: Statement): void => {
    if (each.kind === "loop") for (const inner of each.body) statement(inner);
    else if (each.kind === "store") {
      bytes += dtypes[typeOf.get(each.buffer) ?? "float32"].itemsize;
      value(each.value);
    } else if (each.kind === "let" || each.kind === "accumulate" || each.kind === "fetch") value(each.value);
  };
  for (const each of kernel.body) statement(each);
  return Math.max(bytes * perByte, count * perOperation);
}
