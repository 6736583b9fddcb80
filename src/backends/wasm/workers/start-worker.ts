/**
 * Starts one worker, in Node (worker_threads) or in a browser (module workers), with one interface for both.
 *
 * Node's module is loaded at run time by name, so that bundlers do not see it; the browser's form is spelled as Vite and webpack
 * expect it. Workers do not keep a process alive. An `exit` event does not arrive while the calling thread computes or waits, but each
 * Node worker holds the other end of a message port, and `postMessage` returns false once that end is closed
 * (Node 20, 22 and 24: after terminate, process.exit and out of memory, within 2 ms). Browsers have no such signal.
 */

/** A started worker. */
export interface WorkerHost {
  post(message: object): void;
  /** False only if the worker has certainly ended. */
  alive(): boolean;
  /** Sets whether the worker keeps the process alive. */
  keepProcess(keep: boolean): void;
  stop(): Promise<unknown>;
}

/** The events of a worker, which arrive between tasks. */
interface WorkerEvents {
  message(data: unknown): void;
  ended(why: string): void;
}

/** Starts a worker and posts its first message; throws if workers are not allowed. */
export type StartWorker = (
  url: string | URL | undefined,
  name: string,
  first: object,
  events: WorkerEvents,
) => WorkerHost;

/** The part of Node's worker_threads that is used. */
interface NodeThreads {
  readonly Worker: new (url: URL | string, options: object) => NodeWorker;
  readonly MessageChannel: new () => { port1: NodePort; port2: object };
}
interface NodeWorker {
  on(event: string, listener: (value: unknown) => void): void;
  postMessage(message: object, transfer?: readonly object[]): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}
interface NodePort {
  postMessage(message: unknown): boolean | undefined;
  unref(): void;
}
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: string): unknown;
}

const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : (error as { message?: string } | null)?.message) || "the file did not load";

const nodeProcess = (): NodeProcess | undefined => {
  const { process } = globalThis as { process?: NodeProcess };
  return typeof process?.versions?.node === "string" ? process : undefined;
};

/** The function that starts workers here: null if there is none, a promise where Node must load its module first. */
export function workerStarter(): StartWorker | Promise<StartWorker> | null {
  const process = nodeProcess();
  if (process === undefined) return typeof Worker === "function" ? startInBrowser : null;
  // Joined at run time, so that no bundler resolves the module.
  const name = ["node", "worker_threads"].join(":");
  const threads = process.getBuiltinModule?.(name) as NodeThreads | undefined;
  if (threads) return startInNode(threads);
  return loadModule(name).then((threads) => startInNode(threads as unknown as NodeThreads));
}

/** The address of the workers' program, in this folder by default. A CommonJS bundle has no address of its own. */
function programOf(url: string | URL = "./worker.js"): URL | string {
  // In a variable: bundlers resolve `new URL(...)`, and must see the browser's form only.
  const base = import.meta.url;
  return base || URL.canParse(url) ? new URL(url, base) : url;
}

function startInNode({ Worker, MessageChannel }: NodeThreads): StartWorker {
  return (url, name, first, events) => {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    // Without the process's flags, some of which (--input-type) are invalid for workers.
    const worker = new Worker(programOf(url), { name, execArgv: [] });
    worker.on("message", events.message);
    worker.on("error", (error) => events.ended(textOf(error)));
    worker.on("exit", (code) => events.ended(`it ended with code ${code}`));
    worker.unref();
    worker.postMessage({ ...first, port: port2 }, [port2]);
    return {
      post: (message) => worker.postMessage(message),
      alive: () => port1.postMessage(0) !== false,
      keepProcess: (keep) => (keep ? worker.ref() : worker.unref()),
      stop: () => worker.terminate(),
    };
  };
}

const startInBrowser: StartWorker = (url, name, first, events) => {
  const worker =
    url === undefined
      ? new Worker(new URL("./worker.js", import.meta.url), { type: "module" })
      : new Worker(url, { type: "module", name });
  worker.onmessage = (event) => events.message(event.data);
  worker.onerror = (event) => {
    event.preventDefault?.();
    events.ended(textOf(event));
  };
  worker.postMessage(first);
  return {
    post: (message) => worker.postMessage(message),
    alive: () => true,
    keepProcess: () => undefined,
    stop: async () => worker.terminate(),
  };
};

/** The module at this address. */
export function loadModule(address: string): Promise<Record<string, unknown>> {
  return import(/* @vite-ignore */ /* webpackIgnore: true */ address);
}
