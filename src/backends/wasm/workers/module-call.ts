/**
 * Module calls: workers call a function of a user's ES module for ranges of units, through messages and a promise.
 *
 * Workers claim ranges from a counter of the call, so that fast workers do more. Guarantees: each range is started once, the promise
 * settles when all participants have answered or ended, and ranges that no worker claimed (none could start) run here.
 * If the function throws, no further range is claimed, and the promise rejects with its message.
 */
import { KernelError } from "../../../kernel/ir/error.ts";
import { loadModule } from "./start-worker.ts";

/** A function of a module and its arguments: `f(view, begin, end, info)` for ranges of 0..units. */
export interface ModuleCall {
  /** The absolute address of the module. */
  readonly module: string | URL;
  readonly export: string;
  /** Elements in shared memory, or anything that can be posted. */
  readonly view: unknown;
  readonly units: number;
  /** Units per range; by default a quarter of one worker's share. */
  readonly chunk?: number;
  /** Posted along with each call. */
  readonly info?: unknown;
  /** If present, the function is called as `f(view, positions[unit], ...info)` for each unit. */
  readonly positions?: Float64Array | undefined;
}

/** A worker that messages can be posted to. */
interface Addressee {
  readonly number: number;
  post(message: object): void;
}

interface OpenCall {
  readonly text: string;
  readonly waiting: Set<number>;
  failure: KernelError | null;
  settle(failure: KernelError | null): void;
}

/** The calls that have not settled. */
export class ModuleCalls {
  readonly #open = new Map<number, OpenCall>();
  #last = 0;

  /** Posts the call to these workers and waits for their answers. */
  async start(call: ModuleCall, workers: readonly Addressee[]): Promise<void> {
    const { units, view, info, positions } = call;
    const module = String(call.module);
    const name = call.export;
    const chunk = Math.max(1, call.chunk ?? Math.ceil(units / (4 * (workers.length || 1))));
    const next = new Int32Array(new SharedArrayBuffer(4));
    const text = `${name} of ${module}`;
    const id = ++this.#last;
    if (workers.length > 0) {
      const failure = await new Promise<KernelError | null>((settle) => {
        this.#open.set(id, { text, waiting: new Set(workers.map(({ number }) => number)), failure: null, settle });
        const message = { id, module, name, view, units, chunk, info, positions, next };
        for (const { number, post } of workers)
          try {
            post(message);
          } catch (error) {
            this.answered(number, id, String(error));
          }
      });
      if (failure !== null) throw failure;
    }
    if (Atomics.load(next, 0) * chunk >= units) return;
    try {
      const called = (await loadModule(module))[name];
      if (typeof called !== "function") throw new TypeError(`the module has no function ${name}`);
      for (let begin = 0; begin < units; ) {
        begin = Atomics.add(next, 0, 1) * chunk;
        const end = Math.min(units, begin + chunk);
        if (begin >= units) break;
        if (positions === undefined) await called(view, begin, end, info);
        else for (let unit = begin; unit < end; unit++) await called(view, positions[unit], ...(info as unknown[]));
      }
    } catch (error) {
      throw new KernelError(`${text}: ${error}`);
    }
  }

  /** Notes that a worker has finished its share of a call, or failed. */
  answered(worker: number, id: number, error: string | undefined): void {
    const call = this.#open.get(id);
    if (call === undefined || !call.waiting.delete(worker)) return;
    if (error !== undefined) call.failure ??= new KernelError(`${call.text}: ${error}`);
    if (call.waiting.size > 0) return;
    this.#open.delete(id);
    call.settle(call.failure);
  }

  /** Notes that a worker has ended; `why` is null if it had not started anything. */
  ended(worker: number, why: string | null): void {
    const text = why === null ? undefined : `worker ${worker} ended (${why}), so its ranges may be incomplete`;
    for (const id of [...this.#open.keys()]) this.answered(worker, id, text);
  }
}
