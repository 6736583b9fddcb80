/**
 * The version counter: how often the bytes of a storage were changed in place.
 * All views share it, so a value saved for later can be checked: same version, same contents. A disabled counter
 * belongs to inference tensors: it counts nothing and refuses to be read.
 */
import { StorageError } from "../base/errors.ts";

/** The counter that new storages get. */
const counters: { ofNew: VersionCounter | null } = { ofNew: null };

/** The counter of a storage that is made now: null for one of its own, made when first asked for; in inference mode one that does not count. */
export const counterOfNew = (): VersionCounter | null => counters.ofNew;

/** Says what new storages get; gives what they got before. */
export function setCounterOfNew(counter: VersionCounter | null): VersionCounter | null {
  const before = counters.ofNew;
  counters.ofNew = counter;
  return before;
}

/** Counts in-place changes; starts at 0. */
export class VersionCounter {
  /** -1 in a disabled counter. */
  private count = 0;

  /** How often `bump` was called; a disabled counter throws. */
  get value(): number {
    if (this.count < 0) throw new StorageError("Inference tensors do not track version counter.");
    return this.count;
  }

  set value(count: number) {
    if (this.count < 0) throw new StorageError("Inference tensors do not track version counter.");
    this.count = count;
  }

  /** False for the counter of an inference tensor. */
  get enabled(): boolean {
    return this.count >= 0;
  }

  /** Notes one in-place change; nothing happens to a disabled counter. */
  bump(): void {
    if (this.count >= 0) this.count++;
  }

  /** A counter that does not count. */
  static disabled(): VersionCounter {
    const counter = new VersionCounter();
    counter.count = -1;
    return counter;
  }
}

/** The number of storages created so far. A variable, because every storage increments it and recording reads it as an import. */
export let storagesMade = 0;

/** The number of a new storage. */
export const nextNumber = (): number => ++storagesMade;
