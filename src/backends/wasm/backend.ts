/**
 * The WebAssembly backend: compiles kernels to modules over the heap's memory and calls them through one table.
 *
 * Low memory: bytes 64 to 4096 belong to the worker pool; the argument block and this thread's scratch bytes follow. A call writes its
 * arguments, then runs its units in chunks of 65,536 elements, so that the engine can switch to a kernel's optimized code between
 * them; large work is shared with the workers of `workers/`.
 *
 * One function, the trampoline, calls all kernels by their index in the table. Calls from JavaScript then go through a single WebAssembly
 * function for any number of kernels, which keeps the call site fast.
 */
import {
  type CompiledKernel,
  type KernelBackend,
  type KernelCall,
  kernelBackend,
  notifyBackendChange,
} from "../../kernel/backend.ts";
import { KernelError } from "../../kernel/ir/error.ts";
import type { Kernel } from "../../kernel/ir/kernel.ts";
import type { ModuleRunner } from "../../kernel/module-runner.ts";
import { type Heap, reservedBytes } from "../../storage/heap.ts";
import type { Memory } from "../../storage/memory.ts";
import { type ArgumentLayout, writeArguments } from "./arguments.ts";
import { instantiate, kernelModule, type RunKernel } from "./compile-kernel.ts";
import { get } from "./emit/representation.ts";
import { encodeModule, type WasmModule } from "./encoder/module.ts";
import { hasSimd } from "./probes.ts";
import { type Configuration, configuration, onConfigure } from "./settings.ts";
import { costOf, SharedKernel, scratchBytes, sharing, Threads } from "./threads.ts";

/** Addresses in the 64 kB that the heap reserves. */
const argumentsAt = 8192;
const scratchAt = reservedBytes - scratchBytes;
/** Elements per call of a kernel. */
const elementsPerCall = 65536;

/** The backend over a heap, or null if modules with vectors cannot be compiled. */
export function openWasmBackend(heap: Heap): WasmBackend | null {
  try {
    return hasSimd() ? new WasmBackend(heap, new Trampoline()) : null;
  } catch {
    return null;
  }
}

class WasmBackend implements KernelBackend {
  readonly name = "wasm";
  declare readonly heap: Heap;
  declare readonly trampoline: Trampoline;
  declare readonly threads: Threads;

  constructor(heap: Heap, trampoline: Trampoline) {
    this.heap = heap;
    this.trampoline = trampoline;
    this.threads = new Threads(heap);
    onConfigure((now, before) => {
      // Other instructions, or another compiler: kernels are compiled again.
      if (now.relaxedSimd !== before.relaxedSimd || now.revectorize !== before.revectorize) notifyBackendChange();
    });
  }

  canAddress(memory: Memory): boolean {
    return memory === this.heap.memory;
  }

  get joinsVectors(): boolean {
    const { relaxedSimd, revectorize } = configuration();
    return relaxedSimd !== false && revectorize;
  }

  get stepsFirst(): boolean {
    // A fused multiply-add rounds once.
    return configuration().relaxedSimd !== true;
  }

  shutdown(): Promise<void> {
    return this.threads.shutdown();
  }

  compile(kernel: Kernel): CompiledKernel {
    const { relaxedSimd } = configuration();
    try {
      return this.#compileWith(kernel, relaxedSimd);
    } catch (error) {
      // V8's flags apply to the whole process: another copy of the library may have switched these instructions off.
      if (relaxedSimd !== false && error instanceof WebAssembly.CompileError && !isTooLarge(error))
        return this.#compileWith(kernel, false);
      if (isTooLarge(error))
        throw new KernelError(`kernel ${kernel.name}: is too large for the compiler. Split its formula.`);
      throw error;
    }
  }

  #compileWith(kernel: Kernel, relaxedSimd: Configuration["relaxedSimd"]): CompiledKernel {
    const { bytes, layout, scratchBytes: needed } = kernelModule(kernel, { relaxedSimd, shared: this.heap.shared });
    if (needed > scratchBytes)
      throw new KernelError(
        `kernel ${kernel.name}: allocates ${needed} bytes, a thread has ${scratchBytes}. Allocate less.`,
      );
    const run = instantiate(bytes, this.heap.source as WebAssembly.Memory, scratchAt);
    const outputs = kernel.buffers.filter(({ access }) => access !== "read").length;
    const shared = new SharedKernel(kernel.name, bytes, costOf(kernel));
    const readsOutputs = kernel.buffers.some(({ access }) => access === "readwrite");
    return new WasmKernel(this, layout, this.trampoline.add(run), shared, outputs, readsOutputs);
  }
}

/** True for an error about a kernel with too many values: the stack of the emitter, or a limit of WebAssembly. */
const isTooLarge = (error: unknown): boolean => error instanceof RangeError || /too (?:large|many)/.test(String(error));

class WasmKernel implements CompiledKernel {
  readonly #backend: WasmBackend;
  readonly #layout: ArgumentLayout;
  /** Its index in the table. */
  readonly #index: number;
  readonly #kernel: SharedKernel;
  /** The number of buffers that are written, which come first. */
  readonly #outputs: number;
  /** True if it reads a buffer that it writes: then no unit may run twice. */
  readonly #readsOutputs: boolean;

  constructor(
    backend: WasmBackend,
    layout: ArgumentLayout,
    index: number,
    kernel: SharedKernel,
    outputs: number,
    readsOutputs: boolean,
  ) {
    this.#outputs = outputs;
    this.#readsOutputs = readsOutputs;
    this.#backend = backend;
    this.#layout = layout;
    this.#index = index;
    this.#kernel = kernel;
  }

  run(call: KernelCall): void {
    const { heap, trampoline } = this.#backend;
    const { units, unitSize } = call;
    writeArguments(this.#layout, heap.memory, argumentsAt, call);
    const elements = units * unitSize;
    if (elements <= sharing.elements) trampoline.run(this.#index, argumentsAt, 0, units);
    else if (!this.#share(call)) this.#runHere(0, units, unitSize);
  }

  release(): void {
    this.#backend.trampoline.remove(this.#index);
    this.#backend.threads.release(this.#kernel);
  }

  #share(call: KernelCall): boolean {
    const { units, unitSize } = call;
    const repeatable = !this.#readsOutputs && !this.#isInPlace(call);
    return this.#backend.threads.share(this.#kernel, { args: argumentsAt, units, unitSize, repeatable }, (begin, end) =>
      this.#runHere(begin, end, unitSize),
    );
  }

  /** True if and only if a buffer that is written starts at the address of another buffer. */
  #isInPlace({ addresses }: KernelCall): boolean {
    const count = (this.#layout.sizes - this.#layout.buffers) / 4;
    for (let k = 0; k < this.#outputs; k++)
      for (let other = 0; other < count; other++) if (other !== k && addresses[other] === addresses[k]) return true;
    return false;
  }

  #runHere(begin: number, end: number, unitSize: number): void {
    const { trampoline } = this.#backend;
    const step = Math.max(1, Math.floor(elementsPerCall / unitSize));
    for (let at = begin; at < end; at += step) trampoline.run(this.#index, argumentsAt, at, Math.min(end, at + step));
  }
}

/** The workers that call functions of modules over this memory, or null. */
export function moduleWorkers(memory: Memory): ModuleRunner | null {
  const backend = kernelBackend();
  return backend instanceof WasmBackend && backend.canAddress(memory) ? backend.threads.forModules() : null;
}

/** `run(index, args, begin, end)`: calls the function at that index of the imported table. */
const trampolineModule: WasmModule = {
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
      code: [get(1), get(2), get(3), get(0), ["call_indirect", 0]],
    },
  ],
  exports: [{ name: "run", function: 0 }],
};

/** A table of kernels with its trampoline; the constructor throws where modules cannot be compiled. */
export class Trampoline {
  readonly #table: WebAssembly.Table;
  readonly #free: number[] = [];
  #used = 0;
  /** Calls the kernel at an index; traps if there is none. */
  readonly run: (index: number, args: number, begin: number, end: number) => void;

  constructor() {
    this.#table = new WebAssembly.Table({ element: "anyfunc", initial: 64 });
    const module = new WebAssembly.Module(encodeModule(trampolineModule));
    const { exports } = new WebAssembly.Instance(module, { env: { table: this.#table } });
    this.run = exports["run"] as Trampoline["run"];
  }

  /** Adds a function that a WebAssembly module exports and returns its index. */
  add(kernel: RunKernel): number {
    const index = this.#free.pop() ?? this.#used++;
    if (index === this.#table.length) this.#table.grow(index);
    this.#table.set(index, kernel);
    return index;
  }

  /** Removes a kernel; the next one may reuse its index. */
  remove(index: number): void {
    if (!this.#table.get(index)) throw new KernelError(`trampoline: there is no kernel at index ${index} to remove.`);
    this.#table.set(index, null);
    this.#free.push(index);
  }
}
