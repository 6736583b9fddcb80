/**
 * The version counter: the number of in-place changes of a storage's bytes.
 * All views share it, so a saved tensor can be checked: same version, same contents. Inference tensors have a disabled counter, which does
 * not count and throws when it is read.
 */

import { StorageError } from "../base/errors.ts";
import { runtime } from "../base/runtime.ts";

/** The counter of new storages. */
const counters: { ofNew: VersionCounter | null } = /* @__PURE__ */ runtime.own("storage/version", { ofNew: null });

/** The counter of a new storage: null for its own, created at first use; in inference mode a disabled one. */
export const counterOfNew = (): VersionCounter | null => counters.ofNew;

/** Sets the counter of new storages and returns the previous one. */
export function setCounterOfNew(counter: VersionCounter | null): VersionCounter | null {
  const before = counters.ofNew;
  counters.ofNew = counter;
  return before;
}

/** Counts in-place changes; starts at 0. */
export class VersionCounter {
  /** -1 in a disabled counter. */
  private count = 0;

  /** The number of calls of `bump`; a disabled counter throws. */
  get value(): number {
    if (this.count < 0) throw new StorageError("version: inference tensors have no version counter. Use a clone()");
    return this.count;
  }

  set value(count: number) {
    if (this.count < 0) throw new StorageError("version: inference tensors have no version counter. Use a clone()");
    this.count = count;
  }

  /** False for the counter of an inference tensor. */
  get enabled(): boolean {
    return this.count >= 0;
  }

  /** Counts one in-place change; does nothing on a disabled counter. */
  bump(): void {
    if (this.count >= 0) this.count++;
  }

  /** Returns a disabled counter. */
  static disabled(): VersionCounter {
    const counter = new VersionCounter();
    counter.count = -1;
    return counter;
  }
}

/** The number of storages created so far. A variable, because every storage increments it and recording reads it as an import. */
export let storageCount = 0;

/** The number of a new storage. */
export const nextNumber = (): number => ++storageCount;
