/**
 * The workers of a pool: who was started, who has ended, and the one warning about it.
 * A worker that ends is not replaced. What workers do with a job is the affair of `pool.ts` and `worker.js`.
 *
 * The mailbox: the words of shared memory by which the calling thread and the workers of a pool talk.
 *
 * One word, `claim`, holds (sequence of the job, chunks that nobody has taken); a chunk is taken by compare-exchange from left
 * to left - 1. `done` holds (sequence, chunks that workers have finished). The fields of a job are plain words, written before its
 * `claim` word and unchanged until every taken chunk is finished. Workers get these positions with their first message.
 */
import { type ModuleCall, ModuleCalls } from "./module-call.ts";
import type { StartWorker, WorkerHost } from "./start-worker.ts";

export interface CrewOptions {
  /** A shared memory. */
  readonly memory: WebAssembly.Memory;
  /** Where in it `mailboxBytes` bytes are kept for the pool. */
  readonly mailbox: number;
  /** Threads, the calling one included. */
  readonly threads: number;
  /** Where a worker's scratch bytes are; workers count from 1. */
  scratch(worker: number): number;
  /** Where `worker.js` is, if not beside these files. */
  readonly workerUrl?: string | URL | undefined;
  /** Who hears that a worker was lost; by default the console. */
  readonly warn?: ((text: string) => void) | undefined;
}

/** One worker. */
export interface Member {
  readonly number: number;
  /** The first word of its record in the mailbox. */
  readonly record: number;
  readonly host: WorkerHost;
  ended: boolean;
  stopping: Promise<unknown> | null;
}

const hint = " If worker.js lies elsewhere, as bundlers may place it, say where by configure({ workerUrl }).";

export class Crew {
  readonly members: Member[] = [];
  /** Workers that were started and have not ended, as far as is known. */
  living = 0;
  /** Workers that did not start or ended too early. */
  lost = 0;
  /** Calls of modules that have not settled. */
  pending = 0;
  readonly #words: Int32Array;
  readonly #options: CrewOptions;
  readonly #calls = new ModuleCalls();
  /** Settles when all workers were asked for. */
  readonly #opening: Promise<void>;
  #closed = false;
  #warned = false;

  constructor(words: Int32Array, options: CrewOptions, start: StartWorker | Promise<StartWorker>) {
    this.#words = words;
    this.#options = options;
    const open = (starter: StartWorker): void => {
      const workers = Math.min(options.threads - 1, mostWorkers);
      for (let number = 1; number <= workers && !this.#closed; number++) this.#start(starter, number);
    };
    if (typeof start === "function") open(start);
    this.#opening =
      typeof start === "function"
        ? Promise.resolve()
        : start.then(open).catch((error) => this.#warn(`no worker can be started (${error})`));
  }

  /** How many workers run now. */
  started(): number {
    let count = 0;
    for (const { ended, record } of this.members)
      if (!ended && Atomics.load(this.#words, record + word.started) === 1) count++;
    return count;
  }

  /** From now on there is one worker less. */
  end(member: Member, why: string): void {
    if (member.ended) return;
    member.ended = true;
    member.stopping = member.host.stop().catch(() => undefined);
    this.living--;
    const started = Atomics.load(this.#words, member.record + word.started) === 1;
    this.#calls.ended(member.number, started || this.#closed ? why : null);
    if (this.#closed) return;
    this.lost++;
    if (started) this.#warn(`a worker ended (${why})`);
    else this.#warn(`a worker did not start (${why})`, hint);
  }

  /** Ends all workers: they are stopped before this returns its promise, and none is started later. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const member of this.members) this.end(member, "the pool was shut down");
    await this.#opening;
    await Promise.all(this.members.map((member) => member.stopping));
  }

  /** Calls a function of a module in all workers; `wake` is called when they have mail. */
  async call(call: ModuleCall, wake: () => void): Promise<void> {
    this.pending++;
    try {
      await this.#opening;
      const living = this.members.filter((member) => !member.ended);
      const hosts = living.map(({ number, host, record }) => ({
        number,
        post: (message: object) => {
          host.post(message);
          Atomics.add(this.#words, record + word.mail, 1);
        },
      }));
      for (const { host } of living) host.keepProcess(true);
      const done = this.#calls.start(call, hosts);
      wake();
      await done;
    } finally {
      if (--this.pending === 0) for (const { host, ended } of this.members) if (!ended) host.keepProcess(false);
    }
  }

  #start(starter: StartWorker, number: number): void {
    const { memory, mailbox, scratch, workerUrl } = this.#options;
    const record = recordOf(number);
    this.#words.fill(0, record, record + word.recordWords);
    const first = { memory, mailbox, mailboxBytes, record, scratch: scratch(number), countBits, textBytes, word };
    // Events arrive between tasks, so never inside a job.
    const events = {
      message: (data: unknown) => {
        const { id, error } = data as { id: number; error?: string };
        this.#calls.answered(number, id, error);
      },
      ended: (why: string) => {
        const member = this.members.find((one) => one.number === number);
        if (member === undefined) return;
        this.end(member, why);
        Atomics.store(this.#words, record + word.hold, 0);
      },
    };
    try {
      const host = starter(workerUrl, `stridewise ${number}`, first, events);
      this.members.push({ number, record, host, ended: false, stopping: null });
      this.living++;
    } catch (error) {
      this.lost++;
      this.#warn(`a worker did not start (${error})`, hint);
    }
  }

  #warn(what: string, remedy = ""): void {
    if (this.#warned) return;
    this.#warned = true;
    const text = `stridewise: ${what}, so kernels run on fewer threads: everything works, slower.${remedy}`;
    (this.#options.warn ?? console.warn)(text);
  }
}

/** Bytes of a mailbox. */
export const mailboxBytes = 4032;

/** Low bits of `claim` and `done` that count chunks; the sequence is above, and wraps. */
export const countBits = 12;
export const countMask = (1 << countBits) - 1;
const sequenceMask = (1 << (32 - countBits)) - 1;

/** Where each word lies, counted in words; what threads write at the same time lies in different lines of cache. */
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
  /** Within a record: the `claim` word that the worker takes a chunk from, written before it tries, or 0. */
  hold: 0,
  /** Within a record: 1 once the worker has started. */
  started: 1,
  /** Within a record: how many messages were posted to the worker since its first. */
  mail: 2,
} as const;

/** Bytes that the text of an error may have. */
export const textBytes = (word.records - word.text) * 4;

/** Workers that fit into a mailbox. */
export const mostWorkers = Math.floor((mailboxBytes / 4 - word.records) / word.recordWords);

/** The word of a sequence and a count. */
export const pack = (sequence: number, count: number): number => (sequence << countBits) | count;

/** The sequence of a word. */
export const sequenceOf = (packed: number): number => packed >>> countBits;

/** The sequence after this one: 0 after the last. */
export const nextSequence = (sequence: number): number => (sequence + 1) & sequenceMask;

/** The first word of a worker's record; workers count from 1, because 0 is the calling thread. */
export const recordOf = (worker: number): number => word.records + (worker - 1) * word.recordWords;
