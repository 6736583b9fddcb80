/**
 * The runner that calls functions of a user's ES module on other threads. Worker pools are in a higher layer and install themselves at start.
 * Without workers that can address the memory there is no runner, and the caller runs the function on its own thread.
 */
import type { Memory } from "../storage/memory.ts";

/** A function of a module, to be called as `f(view, positions[unit], ...info)` once for each unit. */
interface ModuleWork {
  readonly module: string;
  readonly export: string;
  /** Elements in the shared memory. */
  readonly view: unknown;
  readonly units: number;
  readonly positions: Float64Array;
  /** Units of one range; chosen by the runner if omitted. */
  readonly chunk?: number;
  /** Further arguments, which must be cloneable. */
  readonly info: readonly unknown[];
}

/** Calls a module on other threads. The promise resolves when all units are done, or rejects with the first error. */
export interface ModuleRunner {
  call(work: ModuleWork): Promise<void>;
}

const installed = { find: (_memory: Memory): ModuleRunner | null => null };

/** Sets the function that returns the runner for a memory; called when the library starts. */
export function installModuleRunner(find: (memory: Memory) => ModuleRunner | null): void {
  installed.find = find;
}

/** Returns the workers that can address this memory, or null. */
export const moduleRunner = (memory: Memory): ModuleRunner | null => installed.find(memory);
