/**
 * The workers of a pool: which were started, which have ended, and one warning about lost ones.
 * A worker that ends is not replaced. `pool.ts` and `worker.js` run the jobs.
 *
 * The mailbox is the words of shared memory through which the calling thread and the workers of a pool communicate.
 *
 * One word, `claim`, holds (sequence of the job, chunks that are left); a thread claims a chunk by compare-exchange from left
 * to left - 1. `done` holds (sequence, chunks that workers have finished). The fields of a job are plain words, written before its
 * `claim` word and unchanged until every claimed chunk is finished. Workers receive these offsets with their first message.
 */
import { type ModuleCall, ModuleCalls } from "./module-call.ts";
import type { StartWorker, WorkerHost } from "./start-worker.ts";

export interface WorkerSetOptions {
  /** A shared memory. */
  readonly memory: WebAssembly.Memory;
  /** The address of `mailboxBytes` bytes that are reserved for the pool. */
  readonly mailbox: number;
  /** Number of threads, the calling one included. */
  readonly threads: number;
  /** The address of a worker's scratch bytes; workers count from 1. */
  scratch(worker: number): number;
  /** The address of `worker.js`, if it is not in this folder. */
  readonly workerUrl?: string | URL | undefined;
  /** Receives the warning that a worker was lost; console.warn by default. */
  readonly warn?: ((text: string) => void) | undefined;
  /** Receives the number of lost workers each time it grows. */
  readonly onLost?: ((count: number) => void) | undefined;
}

/** One worker. */
export interface PoolWorker {
  readonly number: number;
  /** The first word of its record in the mailbox. */
  readonly record: number;
  readonly host: WorkerHost;
  ended: boolean;
  stopping: Promise<unknown> | null;
}

const hint = " If a bundler moved worker.js, pass its address to configure({ workerUrl }).";

export class WorkerSet {
  readonly workers: PoolWorker[] = [];
  /** The number of workers that were started and are not known to have ended. */
  aliveCount = 0;
  /** The number of workers that did not start or ended too early. */
  lost = 0;
  /** The number of module calls that have not settled. */
  pending = 0;
  readonly #words: Int32Array;
  readonly #options: WorkerSetOptions;
  readonly #calls = new ModuleCalls();
  /** Settles when all workers were requested. */
  readonly #opening: Promise<void>;
  #closed = false;
  #warned = false;

  constructor(words: Int32Array, options: WorkerSetOptions, start: StartWorker | Promise<StartWorker>) {
    this.#words = words;
    this.#options = options;
    const open = (starter: StartWorker): void => {
      const workers = Math.min(options.threads - 1, maxWorkers);
      for (let number = 1; number <= workers && !this.#closed; number++) this.#start(starter, number);
    };
    if (typeof start === "function") open(start);
    this.#opening =
      typeof start === "function"
        ? Promise.resolve()
        : start.then(open).catch((error) => this.#warn(`no worker can be started (${error})`));
  }

  /** The number of running workers. */
  started(): number {
    let count = 0;
    for (const { ended, record } of this.workers)
      if (!ended && Atomics.load(this.#words, record + word.started) === 1) count++;
    return count;
  }

  /** Stops a worker. */
  end(worker: PoolWorker, why: string): void {
    if (worker.ended) return;
    worker.ended = true;
    worker.stopping = worker.host.stop().catch(() => undefined);
    this.aliveCount--;
    const started = Atomics.load(this.#words, worker.record + word.started) === 1;
    this.#calls.ended(worker.number, started || this.#closed ? why : null);
    if (this.#closed) return;
    this.#countLost();
    if (started) this.#warn(`a worker ended (${why})`);
    else this.#warn(`a worker did not start (${why})`, hint);
  }

  /** Stops all workers, before it returns its promise; none is started later. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const worker of this.workers) this.end(worker, "the pool was shut down");
    await this.#opening;
    await Promise.all(this.workers.map((worker) => worker.stopping));
  }

  /** Calls a function of a module in all workers; calls `wake` when the messages are posted. */
  async call(call: ModuleCall, wake: () => void): Promise<void> {
    this.pending++;
    try {
      await this.#opening;
      const alive = this.workers.filter((worker) => !worker.ended);
      const hosts = alive.map(({ number, host, record }) => ({
        number,
        post: (message: object) => {
          host.post(message);
          Atomics.add(this.#words, record + word.mail, 1);
        },
      }));
      for (const { host } of alive) host.keepProcess(true);
      const done = this.#calls.start(call, hosts);
      wake();
      await done;
    } finally {
      if (--this.pending === 0) for (const { host, ended } of this.workers) if (!ended) host.keepProcess(false);
    }
  }

  #start(starter: StartWorker, number: number): void {
    const { memory, mailbox, scratch, workerUrl } = this.#options;
    const record = recordOf(number);
    this.#words.fill(0, record, record + word.recordWords);
    const first = { memory, mailbox, mailboxBytes, record, scratch: scratch(number), countBits, textBytes, word };
    // Events arrive between tasks, so never during a job.
    const events = {
      message: (data: unknown) => {
        const { id, error } = data as { id: number; error?: string };
        this.#calls.answered(number, id, error);
      },
      ended: (why: string) => {
        const worker = this.workers.find((one) => one.number === number);
        if (worker === undefined) return;
        this.end(worker, why);
        Atomics.store(this.#words, record + word.hold, 0);
      },
    };
    try {
      const host = starter(workerUrl, `stridewise ${number}`, first, events);
      this.workers.push({ number, record, host, ended: false, stopping: null });
      this.aliveCount++;
    } catch (error) {
      this.#countLost();
      this.#warn(`a worker did not start (${error})`, hint);
    }
  }

  #countLost(): void {
    this.lost++;
    this.#options.onLost?.(this.lost);
  }

  #warn(what: string, remedy = ""): void {
    if (this.#warned) return;
    this.#warned = true;
    const text = `stridewise: ${what}, so kernels run on fewer threads. Results are unaffected, but computation is slower.${remedy}`;
    (this.#options.warn ?? console.warn)(text);
  }
}

/** Bytes of a mailbox. */
export const mailboxBytes = 4032;

/** Low bits of `claim` and `done` that count chunks; the sequence is above, and wraps. */
export const countBits = 12;
export const countMask = (1 << countBits) - 1;
const sequenceMask = (1 << (32 - countBits)) - 1;

/** The offset of each field in words; fields that threads write at the same time are in different cache lines. */
export const word = {
  claim: 0,
  done: 16,
  /** 1 while the calling thread sleeps on `done`. */
  waiting: 17,
  kernel: 32,
  code: 33,
  codeLength: 34,
  args: 35,
  units: 36,
  chunk: 37,
  chunks: 38,
  /** 0, or (sequence, length of the text) of the first error in a worker. */
  error: 48,
  text: 64,
  /** The record of the first worker. */
  records: 192,
  recordWords: 16,
  /** Within a record: the `claim` word from which the worker claims a chunk, written before it tries, or 0. */
  hold: 0,
  /** Within a record: 1 once the worker has started. */
  started: 1,
  /** Within a record: the number of messages posted to the worker after its first. */
  mail: 2,
} as const;

/** The maximum length of an error's text in bytes. */
export const textBytes = (word.records - word.text) * 4;

/** The maximum number of workers of a mailbox. */
export const maxWorkers = Math.floor((mailboxBytes / 4 - word.records) / word.recordWords);

/** Packs a sequence and a count into a word. */
export const pack = (sequence: number, count: number): number => (sequence << countBits) | count;

/** The sequence of a word. */
export const sequenceOf = (packed: number): number => packed >>> countBits;

/** The sequence after this one: 0 after the last. */
export const nextSequence = (sequence: number): number => (sequence + 1) & sequenceMask;

/** The first word of a worker's record; workers count from 1, because 0 is the calling thread. */
export const recordOf = (worker: number): number => word.records + (worker - 1) * word.recordWords;
