/**
 * The memory plan: offsets in one arena for storages whose lifetimes are known. A storage lives from the first task that uses it to the last
 * one. Larger ones are placed first, each at the lowest offset at which it overlaps no other that lives at the same time.
 */
import type { ElementStorage } from "../kernel/operand.ts";
import { alignment } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";
import { storagesOf, type Task } from "./tasks.ts";

/** A storage in the arena: the tasks during which it lives, and its bytes. */
export interface Lifetime {
  readonly storage: Storage;
  readonly first: number;
  last: number;
  readonly bytes: number;
}

/** A value in the arena, from the first task that uses it to the last one. */
export interface ArenaBlock {
  readonly first: number;
  readonly last: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Returns the lifetimes of all parts of the workspace that tasks use. */
export function lifetimesOf(tasks: readonly Task[]): Lifetime[] {
  const lifetimes = new Map<ElementStorage, Lifetime>();
  tasks.forEach((task, k) => {
    const { reads, writes } = storagesOf(task);
    for (const storage of [...reads, ...writes]) {
      if (!(storage instanceof Storage) || !storage.isScratch) continue;
      const known = lifetimes.get(storage);
      if (known !== undefined) known.last = k;
      else {
        const bytes = Math.ceil(storage.nbytes / alignment) * alignment;
        lifetimes.set(storage, { storage, first: k, last: k, bytes });
      }
    }
  });
  return [...lifetimes.values()];
}

/** Returns the offset of each storage, and the size of the arena. */
export function placed(tasks: readonly Task[]): {
  readonly size: number;
  readonly offsets: ReadonlyMap<Storage, number>;
} {
  const offsets = new Map<Storage, number>();
  const done: { readonly life: Lifetime; readonly offset: number }[] = [];
  let size = 0;
  for (const life of lifetimesOf(tasks).sort((a, b) => b.bytes - a.bytes || a.first - b.first)) {
    const others = done
      .filter(({ life: other }) => other.first <= life.last && life.first <= other.last)
      .sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const other of others) {
      if (other.offset - offset >= life.bytes) break;
      offset = Math.max(offset, other.offset + other.life.bytes);
    }
    done.push({ life, offset });
    offsets.set(life.storage, offset);
    size = Math.max(size, offset + life.bytes);
  }
  return { size, offsets };
}
