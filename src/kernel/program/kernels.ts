/**
 * The kernel tables: kernels are compiled when they are first run, at most 2,048 of them at a time.
 * A kernel is looked up in the table of its spec before anything is emitted. Past the limit, kernels that were not run since the last
 * eviction are released; they are compiled again if they are needed again. Another backend, or other options, release all of them.
 */
import { getOrCompute } from "../../base/lazy.ts";
import { runtime } from "../../base/runtime.ts";
import { type CompiledKernel, type KernelBackend, kernelBackend, onBackendChange } from "../backend.ts";
import type { Kernel } from "../ir/kernel.ts";

/** The maximum number of compiled kernels. */
export const maxKernels = 2048;

/** The key of a kernel in its table: a small number, or a text where static sizes are part of it. */
export type KernelKey = number | string;

/** The kernels of one spec. */
export class KernelTable {
  readonly entries = new Map<KernelKey, KernelEntry>();

  /** Returns the kernel under a key; `make` builds its IR if it is new. Nothing is compiled. */
  entry(key: KernelKey, make: () => Kernel): KernelEntry {
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = new KernelEntry(make);
      this.entries.set(key, entry);
    }
    return entry;
  }

  /** True if and only if the kernel under a key is compiled. */
  isCompiled(key: KernelKey): boolean {
    return this.entries.get(key)?.compiled != null;
  }
}

/** A kernel, compiled or not. */
export class KernelEntry {
  /** The kernel for the CPU. */
  compiled: CompiledKernel | null = null;
  /** The kernel for other devices, by their backends. */
  forDevices: Map<KernelBackend, CompiledKernel> | null = null;
  wasUsed = true;
  readonly make: () => Kernel;

  constructor(make: () => Kernel) {
    this.make = make;
  }
}

/** Returns the kernel for a device other than the CPU, compiled at its first use. Its backend limits the number of its kernels. */
export function compiledFor(entry: KernelEntry, backend: KernelBackend): CompiledKernel {
  entry.forDevices ??= new Map();
  return getOrCompute(entry.forDevices, backend, () => backend.compile(entry.make()));
}

export interface KernelStatistics {
  /** Kernels that are compiled now. */
  readonly programs: number;
  /** Kernels compiled since the start. */
  readonly compiled: number;
  /** Kernels released because there were too many. */
  readonly evicted: number;
  /** Milliseconds spent compiling. */
  readonly milliseconds: number;
}

const state = /* @__PURE__ */ runtime.own("kernel/program/kernels", {
  live: [] as KernelEntry[],
  compiled: 0,
  evicted: 0,
  milliseconds: 0,
  listens: false,
});

/** Compiles a kernel that is not compiled. */
export function compileEntry(entry: KernelEntry): CompiledKernel {
  listen();
  const start = performance.now();
  const compiled = kernelBackend().compile(entry.make());
  state.milliseconds += performance.now() - start;
  state.compiled++;
  entry.compiled = compiled;
  entry.wasUsed = true;
  state.live.push(entry);
  if (state.live.length > maxKernels) evict(entry);
  return compiled;
}

/** Releases kernels that were not used since the last eviction, at least a quarter. */
function evict(newest: KernelEntry): void {
  let excess = state.live.length >> 2;
  const stays: KernelEntry[] = [];
  const drop = (entry: KernelEntry): void => {
    excess--;
    state.evicted++;
    release(entry);
  };
  for (const entry of state.live) {
    if (excess > 0 && !entry.wasUsed) drop(entry);
    else stays.push(entry);
  }
  state.live = [];
  for (const entry of stays) {
    if (excess > 0 && entry !== newest) drop(entry);
    else state.live.push(entry);
    entry.wasUsed = false;
  }
}

function release(entry: KernelEntry): void {
  entry.compiled?.release();
  entry.compiled = null;
}

function listen(): void {
  if (state.listens) return;
  state.listens = true;
  onBackendChange(releaseAll);
}

function releaseAll(): void {
  for (const entry of state.live) release(entry);
  state.live = [];
}

/** Returns the number of compiled kernels and the time spent compiling. */
export function kernelStatistics(): KernelStatistics {
  const { live, compiled, evicted, milliseconds } = state;
  return { programs: live.length, compiled, evicted, milliseconds };
}
