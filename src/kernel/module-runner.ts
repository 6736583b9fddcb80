/**
 * Who calls functions of a user's ES module on other threads. Worker pools lie above this room and install themselves at start;
 * whoever has work for a module asks here. Where there are no workers that reach the memory, there is no runner, and the caller
 * does the work on its own thread.
 */
import type { Memory } from "../storage/memory.ts";

/** A function of a module, to be called as `f(view, positions[unit], ...info)` once for each unit. */
export interface ModuleWork {
  readonly module: string;
  readonly export: string;
  /** Elements in the shared memory. */
  readonly view: unknown;
  readonly units: number;
  readonly positions: Float64Array;
  /** Units of one range; left out, the runner chooses. */
  readonly chunk?: number;
  /** Posted along: anything that can be cloned. */
  readonly info: readonly unknown[];
}

/** Calls a module on other threads; the promise settles when all units are done, or carries what went wrong. */
export interface ModuleRunner {
  call(work: ModuleWork): Promise<void>;
}

let find: ((memory: Memory) => ModuleRunner | null) | null = null;

/** Says where the runner is found that reaches a memory; the start of the library calls it. */
export function installModuleRunner(finder: (memory: Memory) => ModuleRunner | null): void {
  find = finder;
}

/** Workers that reach this memory, or null where there are none. */
export function moduleRunner(memory: Memory): ModuleRunner | null {
  return find === null ? null : find(memory);
}
