/**
 * Support for tests of the worker pool: kernels of a few dozen bytes, faulty workers, a desk (a shared memory with a
 * pool and a result to check), and programs that use a pool in a separate process. Kernels are `run(args, begin, end)`;
 * the word at `args` is the address of the result.
 */
import { Worker as NodeWorker } from "node:worker_threads";
import { build } from "esbuild";
import { openPool, type Pool, type PoolOptions } from "../../src/backends/wasm/workers/pool.ts";
import { type StartWorker, type WorkerHost, workerStarter } from "../../src/backends/wasm/workers/start-worker.ts";
import { countMask, word } from "../../src/backends/wasm/workers/worker-set.ts";
import { type CommandResult, projectRoot, runCommand } from "./command.ts";

const workerFile = new URL("../../src/backends/wasm/workers/worker.js", import.meta.url).href;

const text = (name: string): number[] => [name.length, ...new TextEncoder().encode(name)];
const section = (id: number, ...bytes: number[]): number[] => [id, bytes.length, ...bytes];

/** A module that imports the memory, the scratch address and Math.poison, and exports `run` with this body. */
function kernelModule(locals: number, ...body: number[]): Uint8Array {
  const code = [...(locals > 0 ? [1, locals, 0x7f] : [0]), ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 2, ...[0x60, 3, 0x7f, 0x7f, 0x7f, 0], ...[0x60, 0, 0]),
    ...section(
      2,
      3,
      ...[...text("env"), ...text("memory"), 2, 3, 1, 0x80, 0x80, 4],
      ...[...text("env"), ...text("scratch"), 3, 0x7f, 0],
      ...[...text("Math"), ...text("poison"), 0, 1],
    ),
    ...section(3, 1, 0),
    ...section(7, 1, ...text("run"), 0, 1),
    ...section(10, 1, code.length, ...code),
  ]);
}

/** For each unit: result[unit] = the value that these instructions leave; local 3 is the address of result[unit]. */
const setEach = (...value: number[]): Uint8Array =>
  kernelModule(
    1,
    ...[0x02, 0x40, 0x03, 0x40], // block, loop
    ...[0x20, 1, 0x20, 2, 0x4e, 0x0d, 1], // if begin >= end, leave
    ...[0x20, 0, 0x28, 2, 0, 0x20, 1, 0x41, 2, 0x74, 0x6a, 0x22, 3], // address = [args] + 4 * begin
    ...[...value, 0x36, 2, 0],
    ...[0x20, 1, 0x41, 1, 0x6a, 0x21, 1, 0x0c, 0, 0x0b, 0x0b], // begin += 1, again
  );
const addEach = (...value: number[]): Uint8Array => setEach(0x20, 3, 0x28, 2, 0, ...value, 0x6a);

export const kernels = {
  /** Adds 1 to each unit. */
  count: addEach(0x41, 1),
  /** Adds 2 to each unit. */
  two: addEach(0x41, 2),
  /** Sets each unit to 1. */
  mark: setEach(0x41, 1),
  /** Adds the address of the worker's scratch bytes to each unit. */
  scratch: addEach(0x23, 0),
  trap: kernelModule(0, 0x00),
  /** Calls Math.poison. */
  poison: kernelModule(0, 0x10, 0),
  /** Counts to 4,000,000 and writes nothing. */
  slow: kernelModule(
    1,
    ...[0x03, 0x40, 0x20, 3, 0x41, 1, 0x6a, 0x22, 3], // loop: local 3 += 1
    ...[0x41, 0x80, 0x92, 0xf4, 1, 0x49, 0x0d, 0, 0x0b], // while it is less than 4,000,000
  ),
  /** Never returns. */
  forever: kernelModule(0, 0x03, 0x40, 0x0c, 0, 0x0b),
  /** Not a module. */
  broken: Uint8Array.of(1, 2, 3, 4),
} as const;

export type KernelName = keyof typeof kernels;

const program = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

/** A worker in which Math.poison does this. */
const poisoned = (effect: string): string =>
  program(`Math.poison = () => { ${effect} }; await import(${JSON.stringify(workerFile)});`);

export const workerPrograms = {
  sound: poisoned(""),
  exits: poisoned("process.exit(3);"),
  "runs out of memory": poisoned("let kept = null; for (;;) kept = { kept };"),
  "never starts": program("for (;;);"),
  "does not exist": "file:///no/such/worker.js",
  "does not parse": program("this is not a program"),
  throws: program("throw new Error('not today')"),
} as const;

/** The addresses in the memory of a desk. */
const addresses = { mailbox: 64, args: 8192, result: 16384 };

export interface Desk {
  readonly memory: WebAssembly.Memory;
  readonly pool: Pool;
  /** All warnings of the pool. */
  readonly warnings: string[];
  readonly hosts: readonly WorkerHost[];
  readonly words: Int32Array;
  /**
   * Runs a kernel over 0..units, on this thread by adding `expected`, or setting it if that must be repeatable; returns
   * the units whose result is not `expected`.
   */
  run(kernel: KernelName, units: number, chunk: number, more?: RunOptions): number[];
  /** Resolves when this number of workers run. */
  ready(workers: number): Promise<void>;
}

interface RunOptions {
  readonly expected?: number;
  readonly repeatable?: boolean;
  /** Called on this thread before each chunk. */
  before?(begin: number): void;
}

/** Starts workers with little memory, so that a worker that runs out of it fails soon. */
const startSmall: StartWorker = (url, _, first, events) => {
  const worker = new NodeWorker(new URL(url as string), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 32 },
  });
  worker.on("message", events.message);
  worker.on("error", (error) => events.ended(error.message));
  worker.on("exit", (code) => events.ended(`code ${code}`));
  worker.unref();
  worker.postMessage(first);
  return {
    post: (message) => worker.postMessage(message),
    alive: () => true,
    keepProcess: () => undefined,
    stop: () => worker.terminate(),
  };
};

/** A pool of workers with this program, on a separate memory. */
export function openDesk(
  threads: number,
  program: keyof typeof workerPrograms = "sound",
  options: Partial<PoolOptions> & { small?: boolean; sequence?: number; memory?: WebAssembly.Memory } = {},
): Desk {
  const memory = options.memory ?? new WebAssembly.Memory({ initial: 16, maximum: 1024, shared: true });
  const words = new Int32Array(memory.buffer, addresses.mailbox, 1008);
  if (options.sequence !== undefined) words[word.claim] = options.sequence << 12;
  const warnings: string[] = [];
  const hosts: WorkerHost[] = [];
  const starter = options.small ? startSmall : (workerStarter() as StartWorker);
  const start: StartWorker = (...args) => {
    const host = starter(...args);
    hosts.push(host);
    return host;
  };
  const pool = openPool({
    memory,
    mailbox: addresses.mailbox,
    threads,
    scratch: (worker) => 1000 * worker,
    workerUrl: workerPrograms[program],
    warn: (warning) => warnings.push(warning),
    start,
    ...options,
  }) as Pool;
  /** The addresses of the kernels' bytes: past the end of the first pages. */
  const codes = new Map<KernelName, number>();
  const codeOf = (kernel: KernelName): number => {
    let code = codes.get(kernel);
    if (code === undefined) {
      code = memory.grow(1) * 65536;
      new Uint8Array(memory.buffer, code).set(kernels[kernel]);
      codes.set(kernel, code);
    }
    return code;
  };
  const names = Object.keys(kernels);
  return {
    memory,
    pool,
    warnings,
    hosts,
    words,
    run(kernel, units, chunk, { expected = 1, repeatable = false, before } = {}) {
      const code = codeOf(kernel);
      new Int32Array(memory.buffer)[addresses.args / 4] = addresses.result;
      const result = new Int32Array(memory.buffer, addresses.result, units).fill(0);
      const job = {
        kernel: names.indexOf(kernel),
        name: `${kernel} kernel`,
        code,
        codeLength: kernels[kernel].length,
        args: addresses.args,
        units,
        chunk,
        repeatable,
      };
      pool.run(job, (begin, end) => {
        before?.(begin);
        for (let unit = begin; unit < end; unit++)
          result[unit] = repeatable ? expected : (result[unit] ?? 0) + expected;
      });
      const wrong: number[] = [];
      for (let unit = 0; unit < units; unit++) if (result[unit] !== expected) wrong.push(unit);
      return wrong;
    },
    async ready(workers) {
      for (const limit = performance.now() + 10_000; pool.started() !== workers; await pause(5))
        if (performance.now() > limit) throw new Error(`${pool.started()} workers run, not ${workers}`);
    },
  };
}

export const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/**
 * Waits without yielding to events until workers have taken the rest of the job; returns false if they do not within 5
 * s.
 */
export function awaitTaken({ words }: Desk): boolean {
  for (const limit = performance.now() + 5000; performance.now() < limit; )
    if ((Atomics.load(words, word.claim) & countMask) === 0) return true;
  return false;
}

/**
 * Bundles a program that may import the pool, and runs it in a separate process; flags precede a line that imports it.
 */
export async function runPoolProgram(
  name: string,
  source: string,
  flags: readonly string[] = [],
): Promise<CommandResult & { milliseconds: number }> {
  const outfile = `${projectRoot}out/workers/${name}.mjs`;
  await build({
    stdin: { contents: source, resolveDir: `${projectRoot}test/support`, loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    external: ["esbuild"],
  });
  const begun = performance.now();
  const result = await runCommand(
    process.execPath,
    flags.length > 0 ? [...flags, `await import("${outfile}")`] : [outfile],
  );
  return { ...result, milliseconds: performance.now() - begun };
}

/** The URL of a module with these lines. */
export function moduleOf(source: string): string {
  return program(source);
}
