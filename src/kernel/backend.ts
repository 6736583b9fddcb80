/**
 * The interface of backends, which compile kernels and call them with arguments. Backends are in a higher folder and install themselves at
 * start; `kernelBackend()` returns the current one.
 */

import { InternalError } from "../base/errors.ts";
import { epoch, runtime } from "../base/runtime.ts";
import { type Device, formatDevice } from "../storage/device.ts";
import type { Value } from "../storage/dtype.ts";
import { isDeviceMemory, type Memory } from "../storage/memory.ts";
import type { Kernel } from "./ir/kernel.ts";
import type { Tiling } from "./plan/tiles.ts";

/** The arguments of one call, in the order of the kernel's parameters. One object serves all calls: nothing keeps it. */
export interface KernelCall {
  /** The memory of each buffer, and the address of its element 0 in it, in bytes. */
  readonly memories: Memory[];
  readonly addresses: number[];
  scalars: readonly Value[];
  sizes: readonly number[];
  /** The rows of each mode list, one after the other: size, then the stride in each buffer of the list, in elements. */
  modes: readonly (readonly number[])[];
  /** The number of iterations of the parallel loop. */
  units: number;
  /** The approximate number of elements that one unit touches; it decides whether threads are used. */
  unitSize: number;
}

/** A kernel that can be run. */
export interface CompiledKernel {
  run(call: KernelCall): void;
  /** Releases its resources; it is not called again. */
  release(): void;
}

export interface KernelBackend {
  readonly name: string;
  /** The device whose memory it uses; omitted for the CPU. */
  readonly device?: Device;
  /** The most bytes that a kernel may allocate for a unit, if they are few: then rows are reduced by one unit each. */
  readonly unitBytes?: number;
  /** The sizes of tiles, if they are not those of the CPU. */
  readonly tiling?: Tiling;
  /** True if and only if kernels can use buffers in this memory; otherwise their elements are staged in memory that they can use. */
  canAddress(memory: Memory): boolean;
  /** True if two adjacent vectors are computed as one, with fused sums; then tiles of products are larger. */
  readonly joinsVectors?: boolean;
  /** True if compiling a kernel takes far longer than calling one, and a kernel of several functions gives the same bits as one kernel each. */
  readonly stepsFirst?: boolean;
  compile(kernel: Kernel): CompiledKernel;
  /** Calls `use` with uninitialized bytes of the device, which are free again afterward. Omitted for the CPU. */
  withWorkspace?<T>(bytes: number, use: (memory: Memory, byteOffset: number) => T): T;
  /**
   * Reads bytes of the device when work up to now is done, and passes them to `use` in memory of the CPU; a later read throws its error.
   * Omitted for the CPU.
   */
  readLater?(memory: Memory, address: number, bytes: number, use: (memory: Memory, address: number) => void): void;
  /** Ends its workers, if it has any; the next large work may start new ones. */
  shutdown(): Promise<void>;
}

const state = /* @__PURE__ */ runtime.own("kernel/backend", {
  /** The backend in use, from the first kernel on. */
  opened: null as KernelBackend | null,
  opener: null as (() => KernelBackend) | null,
  /** The backends of devices other than the CPU. */
  devices: new Map<string, KernelBackend>(),
  /** Called before the backend changes. */
  listeners: [] as (() => void)[],
  /** The maximum number of threads of a call. */
  maxThreads: Infinity,
});

/** Sets the function that opens the backend when the first kernel is needed. */
export function installBackend(open: () => KernelBackend): void {
  state.opener = open;
}

/** Returns the backend that runs kernels, and opens it at the first call. */
export function kernelBackend(): KernelBackend {
  if (state.opened === null) {
    if (state.opener === null) throw new InternalError("kernel: no backend is installed");
    state.opened = state.opener();
  }
  return state.opened;
}

/** Sets the backend that runs kernels over the memory of its device. */
export function installDeviceBackend(backend: KernelBackend & { readonly device: Device }): void {
  state.devices.set(formatDevice(backend.device), backend);
}

/** Returns the backend that runs kernels over a memory. */
export function backendOf(memory: Memory): KernelBackend {
  if (!isDeviceMemory(memory)) return kernelBackend();
  const backend = state.devices.get(formatDevice(memory.device));
  if (backend === undefined)
    throw new InternalError(`kernel: no backend is installed for ${formatDevice(memory.device)}`);
  return backend;
}

/** Returns the backend if it is open. */
export const backendIfOpen = (): KernelBackend | null => state.opened;

/** True if and only if a backend is installed, open or not. */
export const hasBackend = (): boolean => state.opened !== null || state.opener !== null;

/** Replaces the backend and returns the previous one; null restores the installed one. */
export function replaceBackend(backend: KernelBackend | null): KernelBackend | null {
  const before = state.opened;
  notifyBackendChange();
  state.opened = backend;
  return before;
}

/** Calls the listener before compiled kernels become invalid because of another backend or other options. */
export function onBackendChange(listener: () => void): void {
  state.listeners.push(listener);
}

/** Invalidates all kernels and programs. */
export function notifyBackendChange(): void {
  epoch.now++;
  for (const listener of state.listeners) listener();
}

/** Returns the maximum number of threads of a call. */
export const threadLimit = (): number => state.maxThreads;

/** Runs `work` with at most `limit` threads, the calling one included; undefined changes nothing. */
export function withThreads<T>(limit: number | undefined, work: () => T): T {
  const before = state.maxThreads;
  state.maxThreads = Math.min(before, limit ?? before);
  try {
    return work();
  } finally {
    state.maxThreads = before;
  }
}
