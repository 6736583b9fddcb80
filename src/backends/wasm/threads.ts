/**
 * Decides when work is shared with other threads, and the number of threads.
 * The pool is opened once enough work has been seen to pay for its start, and only where memory can be shared. Small work
 * never waits for other threads. The option `threads` is read at each use.
 *
 * `costOf` estimates the time of one element in nanoseconds, to decide whether waking other threads is worth it.
 * Memory traffic and operations overlap, so the larger of both counts. The numbers are deliberately rough.
 */
import { StorageError } from "../../base/errors.ts";
import { threadLimit } from "../../kernel/backend.ts";
import type { ScalarFunction } from "../../kernel/ir/functions.ts";
import type { Kernel, Statement } from "../../kernel/ir/kernel.ts";
import type { Scalar } from "../../kernel/ir/scalar.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Heap } from "../../storage/heap.ts";
import { type Configuration, configuration, reportLostWorkers } from "./settings.ts";
import { openPool, type Pool, type PoolReport } from "./workers/pool.ts";

/** The address of the pool's mailbox. */
const mailboxAt = 64;
/** The thresholds for sharing work; tests set them to 0 to share everything that has two units. */
export const sharing = {
  /** Work is shared if it has more elements than this and takes at least `worth`. */
  elements: 65536,
  /** The minimum time of shared work, in nanoseconds. */
  worth: 1e6,
  /** The pool starts after this many nanoseconds of work that could have been shared. */
  start: 2e7,
};
/** Chunks per thread: several, so that a slow thread does not hold up the others. */
const chunksPerThread = 8;

/** Scratch bytes of each thread, which kernels allocate from. */
export const scratchBytes = 36864;

/** The id of the next kernel. A variable, because workers identify kernels by ids that are unique in the process. */
let nextKernel = 1;

/** A kernel as workers see it: its bytes, copied to shared memory when they are first needed. */
export class SharedKernel {
  readonly id = nextKernel++;
  declare readonly name: string;
  declare readonly bytes: Uint8Array;
  /** Estimated nanoseconds per element. */
  declare readonly cost: number;
  /** The block of the heap that holds the bytes, or -1. */
  node = -1;

  constructor(name: string, bytes: Uint8Array, cost: number) {
    this.name = name;
    this.bytes = bytes;
    this.cost = cost;
  }
}

/** One call of a kernel that may be shared. */
interface SharedCall {
  readonly args: number;
  readonly units: number;
  /** Elements per unit. */
  readonly unitSize: number;
  /** True if running a unit twice has the same effect as once. */
  readonly repeatable: boolean;
}

export class Threads {
  readonly #heap: Heap;
  #pool: Pool | null = null;
  /** The configuration of the pool; undefined while there is none. */
  #openedFor: Configuration | undefined;
  /** Nanoseconds of work seen that could have been shared. */
  #seen = 0;
  readonly #scratch: number[] = [];
  #closing: Promise<void> = Promise.resolve();

  constructor(heap: Heap) {
    this.#heap = heap;
  }

  /** Runs a call together with other threads. Returns false, and does nothing, if this thread alone is faster. */
  share(kernel: SharedKernel, call: SharedCall, runLocally: (begin: number, end: number) => void): boolean {
    const { units, unitSize } = call;
    const work = units * unitSize * kernel.cost;
    if (work < sharing.worth || units < 2 || !this.#heap.shared) return false;
    this.#seen += work;
    const options = configuration();
    const { threads } = options;
    const max = Math.min(threads, threadLimit());
    if (max < 2 || this.#seen < sharing.start) return false;
    this.#openFor(options);
    const code = this.#pool === null ? -1 : this.#codeOf(kernel);
    if (this.#pool === null || code < 0) return false;
    // With a limit for this call there are no more chunks than threads.
    const chunk = Math.ceil(units / (max < threads ? max : threads * chunksPerThread));
    const { id, name, bytes } = kernel;
    const { args, repeatable } = call;
    this.#pool.run({ kernel: id, name, code, codeLength: bytes.length, args, units, chunk, repeatable }, runLocally);
    return true;
  }

  /** Ends all workers; the next large call starts new ones. */
  async shutdown(): Promise<void> {
    this.#close();
    await this.#closing;
  }

  /** The state of the workers; null if there are none. */
  report(): PoolReport | null {
    return this.#pool?.report() ?? null;
  }

  /** The pool that calls exports of modules; null if there is none. */
  forModules(): Pool | null {
    const options = configuration();
    if (options.threads < 2 || !this.#heap.shared) return null;
    this.#openFor(options);
    return this.#pool;
  }

  /** Frees a kernel's bytes. */
  release(kernel: SharedKernel): void {
    if (kernel.node >= 0) this.#heap.release(kernel.node);
    kernel.node = -1;
  }

  /** Opens a pool, unless the open one has the same number of threads and the same worker address, or is still calling modules. */
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
      onLost: (count) => reportLostWorkers(options, count),
    });
  }

  #close(): void {
    const pool = this.#pool;
    this.#pool = null;
    this.#openedFor = undefined;
    this.#seen = 0;
    if (pool !== null) this.#closing = Promise.all([this.#closing, pool.shutdown()]).then(() => undefined);
  }

  /** The address of a worker's scratch bytes, which a later worker with its number reuses. */
  #scratchFor(worker: number): number {
    let address = this.#scratch[worker];
    if (address === undefined) {
      const node = this.#heap.allocate(scratchBytes);
      if (node < 0) throw new StorageError("worker threads: the heap is full. Dispose tensors first.");
      address = this.#heap.offsetOf(node);
      this.#scratch[worker] = address;
    }
    return address;
  }

  /** The address of a kernel's bytes in the heap; -1 if the heap is full. */
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
/** The cost of functions that take more than one operation. */
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

/** The estimated nanoseconds for one element of the innermost loop. */
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
