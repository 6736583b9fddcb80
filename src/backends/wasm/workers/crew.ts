/**
 * The workers of a pool: who was started, who has ended, and the one warning about it.
 * A worker that ends is not replaced. What workers do with a job is the affair of `pool.ts` and `worker.js`.
 */
import { countBits, mailboxBytes, mostWorkers, recordOf, textBytes, word } from "./mailbox.ts";
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
