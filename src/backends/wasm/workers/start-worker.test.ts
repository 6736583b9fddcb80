/** Workers start and end in Node; browsers are mocked. */
import { afterEach, expect, test, vi } from "vitest";
import { type StartWorker, workerStarter } from "./start-worker.ts";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const program = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
const listening = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", ({ words, how }) => {
    Atomics.store(words, 0, 1);
    if (how === "sleep") Atomics.wait(words, 1, 0);
    while (Atomics.load(words, 1) === 0);
    if (how === "exit") process.exit(0);
  });`;

test.each(["exit", "spin", "sleep"])("the end of a worker (%s) is detected without an event-loop turn", (how) => {
  const start = workerStarter() as StartWorker;
  const words = new Int32Array(new SharedArrayBuffer(8));
  const ended = vi.fn();
  const host = start(program(listening), "one", { words, how }, { message: () => undefined, ended });
  const within = (condition: () => boolean): boolean => {
    for (const limit = performance.now() + 10_000; performance.now() < limit; ) if (condition()) return true;
    return false;
  };
  expect(within(() => Atomics.load(words, 0) === 1)).toBe(true);
  for (let i = 0; i < 100; i++) expect(host.alive()).toBe(true);
  if (how === "exit") Atomics.store(words, 1, 1);
  else void host.stop();
  expect(within(() => !host.alive())).toBe(true);
  expect(ended).not.toHaveBeenCalled();
});

test("a browser's workers are modules, in this folder or at a given address", () => {
  vi.stubGlobal("process", undefined);
  const workers: unknown[][] = [];
  const posted: unknown[] = [];
  class BrowserWorker {
    onerror?: (event: object) => void;
    constructor(...args: unknown[]) {
      workers.push(args);
    }
    postMessage(message: unknown): void {
      posted.push(message);
    }
    terminate(): void {}
  }
  vi.stubGlobal("Worker", BrowserWorker);
  const start = workerStarter() as StartWorker;
  const events = { message: () => undefined, ended: () => undefined };
  start(undefined, "one", { first: 1 }, events);
  start("/elsewhere.js", "two", { first: 2 }, events);
  expect(workers.map(([url, options]) => [String(url), options])).toEqual([
    [new URL("./worker.js", import.meta.url).href, { type: "module" }],
    ["/elsewhere.js", { type: "module", name: "two" }],
  ]);
  expect(posted).toEqual([{ first: 1 }, { first: 2 }]);
});

test("there is no starter where there are no workers", () => {
  vi.stubGlobal("process", undefined);
  vi.stubGlobal("Worker", undefined);
  expect(workerStarter()).toBeNull();
});
