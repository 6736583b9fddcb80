/**
 * What runs kernels: a backend compiles one and calls it with arguments. Backends lie above this room and install themselves at
 * start; whoever launches a kernel asks here for the present one.
 */
import { epoch } from "../base/epoch.ts";
import { InternalError } from "../base/errors.ts";
import type { Value } from "../storage/dtype.ts";
import type { Memory } from "../storage/memory.ts";
import type { Kernel } from "./ir/kernel.ts";

/** The arguments of one call, in the order of the kernel's parameters. One object serves all calls: nothing keeps it. */
export interface KernelCall {
  /** The memory of each buffer, and the byte in it where the buffer's element 0 lies. */
  readonly memories: Memory[];
  readonly addresses: number[];
  scalars: readonly Value[];
  sizes: readonly number[];
  /** Of each mode list its rows, one after the other: size, then the stride in each buffer of the list, in elements. */
  modes: readonly (readonly number[])[];
  /** How many rounds the parallel loop has. */
  units: number;
  /** About how many elements one unit touches: what decides whether threads are worth waking. */
  unitSize: number;
}

/** A kernel that can be run. */
export interface CompiledKernel {
  run(call: KernelCall): void;
  /** Gives up what it holds; it is not called again. */
  release(): void;
}

export interface KernelBackend {
  readonly name: string;
  /** True if and only if buffers in this memory can be used as they are; else their elements are staged in memory that can. */
  reaches(memory: Memory): boolean;
  /** True if two vectors side by side are computed as one, with fused sums: tiles of products are then larger. */
  readonly joinsVectors?: boolean;
  /** True if making a program takes far longer than calling one, and several functions in one give what each alone gives. */
  readonly stepsFirst?: boolean;
  compile(kernel: Kernel): CompiledKernel;
  /** Ends its workers, if it has any; the next large work may start new ones. */
  shutdown(): Promise<void>;
}

/** The backend in use, once a kernel was needed; how it is opened; who is told when it changes; the most threads of a call. */
const state = {
  opened: null as KernelBackend | null,
  opener: null as (() => KernelBackend) | null,
  listeners: [] as (() => void)[],
  mostThreads: Infinity,
};

/** Says how the backend is made when the first kernel is needed; the start of the library calls it. */
export function installBackend(open: () => KernelBackend): void {
  state.opener = open;
}

/** The backend that runs kernels now. */
export function kernelBackend(): KernelBackend {
  if (state.opened === null) {
    if (state.opener === null) throw new InternalError("kernel: no backend is installed");
    state.opened = state.opener();
  }
  return state.opened;
}

/** The backend if a kernel has been needed so far. */
export const backendIfOpen = (): KernelBackend | null => state.opened;

/** True if and only if there is a backend to run kernels, open or not yet. */
export const hasBackend = (): boolean => state.opened !== null || state.opener !== null;

/** Puts another backend in place and gives the one before back; null goes back to the installed one. */
export function replaceBackend(backend: KernelBackend | null): KernelBackend | null {
  const before = state.opened;
  tellBackendChange();
  state.opened = backend;
  return before;
}

/** Calls the listener before the programs made so far lose their worth: another backend, other options. */
export function onBackendChange(listener: () => void): void {
  state.listeners.push(listener);
}

/** Ends all programs made so far. */
export function tellBackendChange(): void {
  epoch.now++;
  for (const listener of state.listeners) listener();
}

/** At most so many threads may take part in a call now. */
export const threadLimit = (): number => state.mostThreads;

/** Does something with at most so many threads, the calling one included; undefined changes nothing. */
export function withThreads<T>(limit: number | undefined, work: () => T): T {
  const before = state.mostThreads;
  state.mostThreads = Math.min(before, limit ?? before);
  try {
    return work();
  } finally {
    state.mostThreads = before;
  }
}
