/**
 * The tasks that fusion combines, with an index of the tasks that read and write each storage: a search takes the time of its result, so fusing takes
 * time in proportion to the number of tasks.
 */
import type { ElementStorage } from "../../kernel/operand.ts";
import { storagesOf, type Task } from "../lower/tasks.ts";
import { mayShareBytes } from "./overlap.ts";

/** The tasks after one that use a storage, up to one that overwrites it without reading it. */
export interface Users {
  readonly readers: readonly number[];
  readonly isWrittenAgain: boolean;
}

type Index = Map<ElementStorage, Set<number>>;

const none: ReadonlySet<number> = new Set();

export class TaskList {
  readonly #tasks: (Task | null)[];
  readonly #storages: (ReturnType<typeof storagesOf> | null)[] = [];
  readonly #readers: Index = new Map();
  readonly #writers: Index = new Map();
  /** The tasks that write to memory with an address, which storages may share. */
  readonly #addressed = new Set<number>();

  constructor(tasks: readonly Task[]) {
    this.#tasks = tasks.slice();
    for (const [k, task] of tasks.entries()) this.#add(k, task);
  }

  get length(): number {
    return this.#tasks.length;
  }

  /** The tasks that are left, in their order. */
  get rest(): Task[] {
    return this.#tasks.filter((task) => task !== null);
  }

  /** Task k; null if it has become a part of another one. */
  at(k: number): Task | null {
    return this.#tasks[k];
  }

  /** The storages of task k. */
  storagesAt(k: number): ReturnType<typeof storagesOf> | null {
    return this.#storages[k];
  }

  /** Replaces task k, or removes it. */
  set(k: number, task: Task | null): void {
    const storages = this.#storages[k];
    for (const storage of storages?.reads ?? []) this.#readers.get(storage)?.delete(k);
    for (const storage of storages?.writes ?? []) this.#writers.get(storage)?.delete(k);
    this.#addressed.delete(k);
    this.#tasks[k] = task;
    this.#storages[k] = null;
    if (task !== null) this.#add(k, task);
  }

  usersOf(at: number, storage: ElementStorage): Users {
    const end = firstAfter(this.writersOf(storage), at);
    const readers = [...(this.#readers.get(storage) ?? none)].filter((k) => k > at && k <= end);
    return { readers: readers.sort((a, b) => a - b), isWrittenAgain: end < Infinity };
  }

  writersOf(storage: ElementStorage): ReadonlySet<number> {
    return this.#writers.get(storage) ?? none;
  }

  isWrittenBefore(at: number, storage: ElementStorage): boolean {
    for (const k of this.writersOf(storage)) if (k < at) return true;
    return false;
  }

  /** True if tasks between two others, or the second one itself, write to one of the storages. */
  isDisturbed(from: number, to: number, storages: readonly ElementStorage[]): boolean {
    const isBetween = (k: number): boolean => k > from && k <= to;
    for (const storage of storages) {
      for (const k of this.writersOf(storage)) if (isBetween(k)) return true;
      if (storage.isScratch === true) continue;
      for (const k of this.#addressed)
        if (isBetween(k) && this.#storages[k]?.writes.some((other) => mayShareBytes(storage, other)) === true)
          return true;
    }
    return false;
  }

  /** The next task that reads or writes bytes of a storage; infinity if there is none. */
  nextTouching(at: number, storage: ElementStorage): number {
    if (storage.isScratch === true)
      return Math.min(firstAfter(this.#readers.get(storage) ?? none, at), firstAfter(this.writersOf(storage), at));
    const isTouched = (k: number): boolean => {
      const { reads = [], writes = [] } = this.#storages[k] ?? {};
      return [...reads, ...writes].some((each) => mayShareBytes(each, storage));
    };
    for (let k = at + 1; k < this.length; k++) if (isTouched(k)) return k;
    return Infinity;
  }

  #add(k: number, task: Task): void {
    const storages = storagesOf(task);
    this.#storages[k] = storages;
    for (const storage of storages.reads) addTo(this.#readers, storage, k);
    for (const storage of storages.writes) {
      addTo(this.#writers, storage, k);
      if (storage.isScratch !== true) this.#addressed.add(k);
    }
  }
}

function addTo(index: Index, storage: ElementStorage, k: number): void {
  const list = index.get(storage);
  if (list === undefined) index.set(storage, new Set([k]));
  else list.add(k);
}

function firstAfter(indices: Iterable<number>, at: number): number {
  let first = Infinity;
  for (const k of indices) if (k > at && k < first) first = k;
  return first;
}
