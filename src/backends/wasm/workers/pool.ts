/**
 * The worker pool: runs the chunks of a job on the calling thread and on workers in parallel, and returns when all are done.
 *
 * The calling thread takes part and waits only for chunks that a worker has claimed, so workers that have not started, or have ended, cost
 * nothing. A worker that ends while it holds a chunk is detected while waiting: in Node at once (`start-worker.ts`); elsewhere, or
 * if a kernel never returns, after `patience` plus 50 times the duration of a chunk here. It is stopped and not replaced, with one warning
 * per pool; its chunk runs again here if the job is `repeatable` (reads nothing that it writes), else `run` throws.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import type { ModuleCall } from "./module-call.ts";
import { type StartWorker, workerStarter } from "./start-worker.ts";
import {
  countMask,
  mailboxBytes,
  nextSequence,
  pack,
  sequenceOf,
  WorkerSet,
  type WorkerSetOptions,
  word,
} from "./worker-set.ts";

export interface PoolOptions extends WorkerSetOptions {
  /** Milliseconds to wait for a chunk, besides 50 times its duration here; 4000 by default. */
  readonly patience?: number;
  /** Starts workers; by default as the platform does. */
  readonly start?: StartWorker;
}

/** Work in units: the kernel's `run(args, begin, end)` is called so that each of 0..units is covered once. */
interface Job {
  /** The id of the kernel. */
  readonly kernel: number;
  /** Its name in errors. */
  readonly name?: string;
  /** The address and the length of its module's bytes. */
  readonly code: number;
  readonly codeLength: number;
  readonly args: number;
  readonly units: number;
  /** Units per chunk. */
  readonly chunk: number;
  /** True if running a unit twice has the same effect as once. */
  readonly repeatable?: boolean;
}

export interface PoolReport {
  readonly threads: number;
  /** The number of running workers. */
  readonly started: number;
  /** Workers that did not start or ended too early. */
  readonly lost: number;
  /** Jobs offered to workers, and the chunks that workers claimed. */
  readonly jobs: number;
  readonly helped: number;
}

/** Milliseconds for which the calling thread polls before it sleeps. More would hurt where threads share a core. */
const polling = 0.02;
/** Milliseconds of sleep between two checks for lost workers. */
const slice = 5;
/** Milliseconds to wait for a stopped worker to end. */
const stopTimeout = 100;

/** Opens a pool; null if there are no workers, no shared memory, or only one thread. */
export function openPool(options: PoolOptions): Pool | null {
  const isShared = Object.prototype.toString.call(options.memory.buffer) === "[object SharedArrayBuffer]";
  const start = options.threads > 1 && isShared ? (options.start ?? workerStarter()) : null;
  return start === null ? null : new Pool(options, start);
}

export class Pool {
  readonly #options: PoolOptions;
  /** Low memory does not move when a shared memory grows, so this view stays valid. */
  readonly #words: Int32Array;
  readonly #workers: WorkerSet;
  readonly #canSleep: boolean;
  #sequence: number;
  #busy = false;
  #jobs = 0;
  #helped = 0;

  constructor(options: PoolOptions, start: StartWorker | Promise<StartWorker>) {
    this.#options = options;
    this.#words = new Int32Array(options.memory.buffer, options.mailbox, mailboxBytes / 4);
    // The sequence continues that of an earlier pool, so that words of its workers match none of this pool's jobs.
    this.#sequence = sequenceOf(Atomics.load(this.#words, word.claim));
    this.#canSleep = canSleepOn(this.#words);
    this.#workers = new WorkerSet(this.#words, options, start);
  }

  /** Runs all units of a job, here and in workers, and returns when they are done; rethrows errors of `here` and of workers. */
  run(job: Job, runLocally: (begin: number, end: number) => void): void {
    const { units } = job;
    const chunk = Math.max(1, job.chunk, Math.ceil(units / countMask));
    const chunks = Math.ceil(units / chunk);
    if (chunks < 2 || this.#workers.aliveCount === 0 || this.#busy) {
      for (let begin = 0; begin < units; begin += chunk) runLocally(begin, Math.min(units, begin + chunk));
      return;
    }
    this.#busy = true;
    try {
      this.#share(job, runLocally, chunk, chunks);
    } finally {
      this.#busy = false;
    }
  }

  /** Calls a function of a user's module in the workers, for ranges of units. */
  call(call: ModuleCall): Promise<void> {
    return this.#workers.call(call, () => {
      // An empty job: sleeping workers wake up and find their messages.
      this.#sequence = nextSequence(this.#sequence);
      Atomics.store(this.#words, word.claim, pack(this.#sequence, 0));
      Atomics.notify(this.#words, word.claim);
    });
  }

  /** True while module calls have not settled. */
  isCalling(): boolean {
    return this.#workers.pending > 0;
  }

  /** The number of running workers. */
  started(): number {
    return this.#workers.started();
  }

  /** Ends all workers; jobs after that run on the calling thread alone. */
  shutdown(): Promise<void> {
    return this.#workers.close();
  }

  report(): PoolReport {
    const [workers, jobs, helped] = [this.#workers, this.#jobs, this.#helped];
    return { threads: workers.aliveCount + 1, started: workers.started(), lost: workers.lost, jobs, helped };
  }

  #share(job: Job, runLocally: (begin: number, end: number) => void, chunk: number, chunks: number): void {
    const words = this.#words;
    const { units } = job;
    const sequence = this.#publish(job, chunk, chunks);
    const begun = performance.now();
    let mine = 0;
    let failed = false;
    let failure: unknown;
    try {
      for (let at = 0; at >= 0; at = this.#claim(chunks)) {
        mine++;
        runLocally(at * chunk, Math.min(units, at * chunk + chunk));
      }
    } catch (error) {
      failed = true;
      failure = error;
    }
    // After an error no thread claims the remaining chunks; without one there are none.
    const left = Atomics.exchange(words, word.claim, pack(sequence, 0)) & countMask;
    const claimed = chunks - mine - left;
    this.#helped += claimed;
    if (!this.#arrive(claimed)) {
      const patience = (this.#options.patience ?? 4000) + (50 * (performance.now() - begun)) / mine;
      for (const at of this.#wait(claimed, patience)) {
        const begin = at * chunk;
        const end = Math.min(units, begin + chunk);
        if (failed) continue;
        if (job.repeatable) runLocally(begin, end);
        else
          throw new KernelError(
            `${nameOf(job)}: a worker ended while it ran units ${begin} to ${end} of ${units}, so their results may be ` +
              "incomplete. Run it again from inputs that it did not overwrite.",
          );
      }
    }
    if (failed) throw failure;
    const error = Atomics.load(words, word.error);
    if (error !== 0) throw new KernelError(`${nameOf(job)}: failed in a worker: ${this.#errorText(error, sequence)}`);
  }

  /** Publishes a job to the workers; its first chunk is the caller's. */
  #publish(job: Job, chunk: number, chunks: number): number {
    const words = this.#words;
    this.#jobs++;
    this.#sequence = nextSequence(this.#sequence);
    words[word.kernel] = job.kernel;
    words[word.code] = job.code;
    words[word.codeLength] = job.codeLength;
    words[word.args] = job.args;
    words[word.units] = job.units;
    words[word.chunk] = chunk;
    words[word.chunks] = chunks;
    words[word.error] = 0;
    Atomics.store(words, word.done, pack(this.#sequence, 0));
    Atomics.store(words, word.claim, pack(this.#sequence, chunks - 1));
    Atomics.notify(words, word.claim, Math.min(chunks - 1, this.#workers.aliveCount));
    return this.#sequence;
  }

  /** Claims a chunk for the calling thread: its index, or -1 if none is left or a worker has failed. */
  #claim(chunks: number): number {
    const words = this.#words;
    for (;;) {
      const seen = Atomics.load(words, word.claim);
      const left = seen & countMask;
      if (left === 0 || Atomics.load(words, word.error) !== 0) return -1;
      if (Atomics.compareExchange(words, word.claim, seen, seen - 1) === seen) return chunks - left;
    }
  }

  /** Polls briefly; true if workers finish this many chunks meanwhile. */
  #arrive(claimed: number): boolean {
    if ((Atomics.load(this.#words, word.done) & countMask) === claimed) return true;
    for (const end = performance.now() + polling; performance.now() < end; )
      if ((Atomics.load(this.#words, word.done) & countMask) === claimed) return true;
    return false;
  }

  /** Sleeps until workers have finished this many chunks, or those that have not are lost; returns the chunks of lost workers. */
  #wait(claimed: number, patience: number): number[] {
    const words = this.#words;
    Atomics.store(words, word.waiting, 1);
    try {
      for (let waited = 0; ; ) {
        const done = Atomics.load(words, word.done);
        if ((done & countMask) === claimed) return [];
        if (!this.#sleep(done)) continue;
        waited += slice;
        const lost = this.#lostChunks(waited >= patience);
        // A worker that ended after it reported its chunk has finished it.
        if (lost !== null) return (Atomics.load(words, word.done) & countMask) === claimed ? [] : lost;
      }
    } finally {
      Atomics.store(words, word.waiting, 0);
    }
  }

  /**
   * The chunks held by workers that have ended, or null while another worker still holds one.
   * A worker notes the chunk before it claims it, so the note of an ended worker names its chunk at any moment.
   */
  #lostChunks(giveUp: boolean): number[] | null {
    const words = this.#words;
    const chunks = words[word.chunks];
    const lost: number[] = [];
    let working = false;
    for (const worker of this.#workers.workers) {
      const hold = Atomics.load(words, worker.record + word.hold);
      if ((hold & countMask) === 0 || sequenceOf(hold) !== this.#sequence) continue;
      if (!worker.ended && !worker.host.alive()) this.#workers.end(worker, "it ended inside a kernel");
      if (!worker.ended && giveUp) {
        this.#workers.end(worker, "it did not return from a kernel");
        for (let waited = 0; waited < stopTimeout && worker.host.alive(); waited += slice)
          this.#sleep(Atomics.load(words, word.done));
      }
      if (worker.ended) lost.push(chunks - (hold & countMask));
      else working = true;
    }
    if (working || (lost.length === 0 && !giveUp)) return null;
    for (const worker of this.#workers.workers) if (worker.ended) Atomics.store(words, worker.record + word.hold, 0);
    return lost;
  }

  /** True if `done` still has this value after a slice of time. */
  #sleep(value: number): boolean {
    if (this.#canSleep) return Atomics.wait(this.#words, word.done, value, slice) === "timed-out";
    const end = performance.now() + slice;
    while (performance.now() < end) if (Atomics.load(this.#words, word.done) !== value) return false;
    return true;
  }

  #errorText(error: number, sequence: number): string {
    if (error === -1 || sequenceOf(error) !== sequence) return "the reason is unknown";
    const { memory, mailbox } = this.#options;
    const bytes = new Uint8Array(memory.buffer, mailbox + word.text * 4, error & countMask).slice();
    return new TextDecoder().decode(bytes);
  }
}

const nameOf = (job: Job): string => job.name ?? `kernel ${job.kernel}`;

/** False on a browser's main thread, where only polling is allowed. */
function canSleepOn(words: Int32Array): boolean {
  try {
    Atomics.wait(words, word.done, ~Atomics.load(words, word.done), 0);
    return true;
  } catch {
    return false;
  }
}
