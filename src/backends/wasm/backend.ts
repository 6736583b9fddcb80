/**
 * The WebAssembly backend: compiles kernels to modules over the heap's memory and calls them through one table.
 *
 * Low memory: bytes 64 to 4096 are the worker pool's, then come the argument block and this thread's scratch bytes. A call writes its
 * arguments, then runs its units in stretches of some ten thousand elements, so that the engine can replace a kernel by its
 * optimised code between them; large work is shared with the workers of `workers/`.
 *
 * There is one table of kernels and one function, the trampoline, that calls them by their index in it. Calls from JavaScript then go through a
 * single WebAssembly function whatever the number of kernels, which keeps the call site fast.
 */
import {
  type CompiledKernel,
  type KernelBackend,
  type KernelCall,
  kernelBackend,
  tellBackendChange,
} from "../../kernel/backend.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { Kernel } from "../../kernel/ir/kernel.ts";
import type { ModuleRunner } from "../../kernel/module-runner.ts";
import { type Heap, reservedBytes } from "../../storage/heap.ts";
import type { Memory } from "../../storage/memory.ts";
import { type ArgumentLayout, writeArguments } from "./arguments.ts";
import { instantiate, kernelModule } from "./compile-kernel.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";
import { hasSimd } from "./probes.ts";
import { configuration, onConfigure } from "./settings.ts";
import { costOf, SharedKernel, scratchBytes, sharing, Threads } from "./threads.ts";

/** Where things lie in the 64 kB that the heap keeps back. */
const argumentsAt = 8192;
const scratchAt = reservedBytes - scratchBytes;
/** Elements between two entries of a kernel. */
const stretch = 65536;

/** The backend over a heap, or null where modules with vectors cannot be compiled. */
export function openWasmBackend(heap: Heap): WasmBackend | null {
  try {
    return hasSimd() ? new WasmBackend(heap, openTrampoline()) : null;
  } catch {
    return null;
  }
}

export class WasmBackend implements KernelBackend {
  readonly name = "wasm";
  declare readonly heap: Heap;
  declare readonly trampoline: Trampoline;
  declare readonly threads: Threads;

  constructor(heap: Heap, trampoline: Trampoline) {
    this.heap = heap;
    this.trampoline = trampoline;
    this.threads = new Threads(heap);
    onConfigure((now, before) => {
      // Other instructions, or another compiler: kernels are made anew.
      if (now.relaxedSimd !== before.relaxedSimd || now.revectorize !== before.revectorize) tellBackendChange();
    });
  }

  reaches(memory: Memory): boolean {
    return memory === this.heap.memory;
  }

  get joinsVectors(): boolean {
    const { relaxedSimd, revectorize } = configuration();
    return relaxedSimd && revectorize;
  }

  get stepsFirst(): boolean {
    // A product and a sum in one instruction are rounded once.
    return !configuration().relaxedSimd;
  }

  shutdown(): Promise<void> {
    return this.threads.shutdown();
  }

  compile(kernel: Kernel): CompiledKernel {
    const { relaxedSimd } = configuration();
    try {
      return this.#compileWith(kernel, relaxedSimd);
    } catch (error) {
      // V8's flags are the whole process's: another copy of the library may have switched these instructions off.
      if (relaxedSimd && error instanceof WebAssembly.CompileError && !isTooLarge(error))
        return this.#compileWith(kernel, false);
      if (isTooLarge(error))
        throw new KernelError(`kernel ${kernel.name}: too large for the compiler. Split its formula into several.`);
      throw error;
    }
  }

  #compileWith(kernel: Kernel, relaxedSimd: boolean): CompiledKernel {
    const { bytes, layout, scratchBytes: needed } = kernelModule(kernel, { relaxedSimd, shared: this.heap.shared });
    if (needed > scratchBytes)
      throw new KernelError(
        `kernel ${kernel.name}: allocates ${needed} bytes, and a thread has ${scratchBytes}. Allocate less`,
      );
    const run = instantiate(bytes, this.heap.source as WebAssembly.Memory, scratchAt);
    const outputs = kernel.buffers.filter(({ access }) => access !== "read").length;
    const shared = new SharedKernel(kernel.name, bytes, costOf(kernel));
    const adds = kernel.buffers.some(({ access }) => access === "readwrite");
    return new WasmProgram(this, layout, this.trampoline.add(run), shared, outputs, adds);
  }
}

/** True for an engine's error about a kernel with too many values: the stack of the emitter, or a limit of WebAssembly. */
const isTooLarge = (error: unknown): boolean => error instanceof RangeError || /too (?:large|many)/.test(String(error));

class WasmProgram implements CompiledKernel {
  readonly #backend: WasmBackend;
  readonly #layout: ArgumentLayout;
  /** Its place in the table. */
  readonly #place: number;
  readonly #kernel: SharedKernel;
  /** How many buffers are written; they come first. */
  readonly #outputs: number;

  /** Whether it reads what it writes: then no part of it may be done twice. */
  readonly #adds: boolean;

  constructor(
    backend: WasmBackend,
    layout: ArgumentLayout,
    place: number,
    kernel: SharedKernel,
    outputs: number,
    adds: boolean,
  ) {
    this.#outputs = outputs;
    this.#adds = adds;
    this.#backend = backend;
    this.#layout = layout;
    this.#place = place;
    this.#kernel = kernel;
  }

  run(call: KernelCall): void {
    const { heap, trampoline } = this.#backend;
    const { units, unitSize } = call;
    writeArguments(this.#layout, heap.memory, argumentsAt, call);
    const elements = units * unitSize;
    if (elements <= sharing.elements) trampoline.run(this.#place, argumentsAt, 0, units);
    else if (!this.#share(call)) this.#runHere(0, units, unitSize);
  }

  release(): void {
    this.#backend.trampoline.remove(this.#place);
    this.#backend.threads.release(this.#kernel);
  }

  #share(call: KernelCall): boolean {
    const { units, unitSize } = call;
    const repeatable = !this.#adds && !this.#isInPlace(call);
    return this.#backend.threads.share(this.#kernel, { args: argumentsAt, units, unitSize, repeatable }, (begin, end) =>
      this.#runHere(begin, end, unitSize),
    );
  }

  /** True if and only if something written begins where something else does. */
  #isInPlace({ addresses }: KernelCall): boolean {
    const count = (this.#layout.sizes - this.#layout.buffers) / 4;
    for (let k = 0; k < this.#outputs; k++)
      for (let other = 0; other < count; other++) if (other !== k && addresses[other] === addresses[k]) return true;
    return false;
  }

  #runHere(begin: number, end: number, unitSize: number): void {
    const { trampoline } = this.#backend;
    const step = Math.max(1, Math.floor(stretch / unitSize));
    for (let at = begin; at < end; at += step) trampoline.run(this.#place, argumentsAt, at, Math.min(end, at + step));
  }
}

/** The workers that call functions of modules over this memory; null where there are none. */
export function moduleWorkers(memory: Memory): ModuleRunner | null {
  const backend = kernelBackend();
  return backend instanceof WasmBackend && backend.reaches(memory) ? backend.threads.forModules() : null;
}

/** A compiled kernel: runs the units begin..end of its parallel loop with the arguments at an address. */
export type KernelFunction = (args: number, begin: number, end: number) => void;

/** `run(index, args, begin, end)`: calls the function at that index of the imported table. */
export const trampolineModule: WasmModule = {
  name: "trampoline",
  types: [{ params: ["i32", "i32", "i32"], results: [] }],
  imports: [{ module: "env", name: "table", kind: "table", initial: 0 }],
  functions: [
    {
      name: "run",
      params: ["i32", "i32", "i32", "i32"],
      results: [],
      locals: [],
      localNames: ["index", "args", "begin", "end"],
      code: [
        ["local.get", 1],
        ["local.get", 2],
        ["local.get", 3],
        ["local.get", 0],
        ["call_indirect", 0],
      ],
    },
  ],
  exports: [{ name: "run", function: 0 }],
};

export class Trampoline {
  readonly #table: WebAssembly.Table;
  readonly #free: number[] = [];
  #used = 0;
  /** Calls the kernel at a place; traps if there is none. */
  readonly run: (place: number, args: number, begin: number, end: number) => void;

  constructor() {
    this.#table = new WebAssembly.Table({ element: "anyfunc", initial: 64 });
    const module = new WebAssembly.Module(encodeModule(trampolineModule));
    const { exports } = new WebAssembly.Instance(module, { env: { table: this.#table } });
    this.run = exports["run"] as Trampoline["run"];
  }

  /** Puts a function that a WebAssembly module exports into the table and gives its place. */
  add(kernel: KernelFunction): number {
    const place = this.#free.pop() ?? this.#used++;
    if (place === this.#table.length) this.#table.grow(place);
    this.#table.set(place, kernel);
    return place;
  }

  /** Empties a place, which the next kernel may get. */
  remove(place: number): void {
    if (!this.#table.get(place)) throw new KernelError(`trampoline: there is no kernel at place ${place} to remove.`);
    this.#table.set(place, null);
    this.#free.push(place);
  }
}

/** A new table with its trampoline; throws where modules cannot be compiled. */
export function openTrampoline(): Trampoline {
  return new Trampoline();
}
