/**
 * Starts one worker, in Node (worker_threads) or in a browser (module workers), and hides the difference.
 *
 * Node's module is fetched at run time by name, so that bundlers do not see it; the browser's form is spelled as Vite and webpack look
 * for it. Workers keep no process alive. Death without events: an `exit` event does not arrive while the calling thread computes or waits,
 * but each Node worker holds the other end of a message port, and `postMessage` returns false once that end is gone
 * (Node 20, 22 and 24: after terminate, process.exit and out of memory, within 2 ms). Browsers tell nothing of the kind.
 */

/** A worker that was started. */
export interface WorkerHost {
  post(message: object): void;
  /** False only if the worker has certainly ended. */
  alive(): boolean;
  /** Whether the process must live on for this worker. */
  keepProcess(keep: boolean): void;
  stop(): Promise<unknown>;
}

/** What a worker tells between tasks. */
export interface WorkerEvents {
  message(data: unknown): void;
  ended(why: string): void;
}

/** Starts a worker and posts its first message; throws if the place forbids it. */
export type StartWorker = (
  url: string | URL | undefined,
  name: string,
  first: object,
  events: WorkerEvents,
) => WorkerHost;

/** What is used of Node's worker_threads. */
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
  const place = (globalThis as { process?: NodeProcess }).process;
  return typeof place?.versions?.node === "string" ? place : undefined;
};

/** What starts workers here: null if nothing does, a promise where Node can only load its module later. */
export function workerStarter(): StartWorker | Promise<StartWorker> | null {
  const place = nodeProcess();
  if (place === undefined) return typeof Worker === "function" ? startInBrowser : null;
  // Put together here, so that no bundler works out the text and wants the module.
  const name = ["node", "worker_threads"].join(":");
  const threads = place.getBuiltinModule?.(name) as NodeThreads | undefined;
  if (threads) return startInNode(threads);
  return loadModule(name).then((threads) => startInNode(threads as unknown as NodeThreads));
}

/** Where the program of workers is: beside this file unless it is said. A bundle of CommonJS has no address of its own. */
function programOf(url: string | URL = "./worker.js"): URL | string {
  // In a variable: bundlers look into `new URL(...)`, and are to see the browser's form alone.
  const base = import.meta.url;
  return base || URL.canParse(url) ? new URL(url, base) : url;
}

function startInNode({ Worker, MessageChannel }: NodeThreads): StartWorker {
  return (url, name, first, events) => {
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    // Without the process's own flags, some of which (--input-type) no worker can have.
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
