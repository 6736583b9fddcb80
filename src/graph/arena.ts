/**
 * An arena: parts of one workspace for values whose lifetimes are known. Parts are taken and freed in the order of the nodes; a freed part is
 * used again by the smallest value that fits best. Offsets are relative until the arena is placed.
 */
import { alignment } from "../storage/memory.ts";
import { Storage } from "../storage/storage.ts";

interface Gap {
  readonly start: number;
  readonly end: number;
}

export class Arena {
  /** The number of bytes so far. */
  size = 0;
  #gaps: Gap[] = [];
  readonly #parts = new Map<Storage, Gap>();
  readonly #all: Storage[] = [];

  /** Takes bytes, 64-byte aligned. */
  take(bytes: number): Storage {
    const length = Math.ceil(bytes / alignment) * alignment;
    let best: Gap | null = null;
    for (const gap of this.#gaps) {
      const free = gap.end - gap.start;
      if (free >= length && (best === null || free < best.end - best.start)) best = gap;
    }
    let start: number;
    if (best !== null) {
      start = best.start;
      this.#gaps.splice(this.#gaps.indexOf(best), 1);
      if (best.end - start > length) this.#gaps.push({ start: start + length, end: best.end });
    } else {
      // A gap at the end is extended.
      const last = this.#gaps.findIndex(({ end }) => end === this.size);
      start = last < 0 ? this.size : this.#gaps.splice(last, 1)[0].start;
      this.size = start + length;
    }
    const storage = Storage.inWorkspace(bytes, start);
    this.#parts.set(storage, { start, end: start + length });
    this.#all.push(storage);
    return storage;
  }

  /** Frees a part; later parts may have its bytes. */
  free(storage: Storage): void {
    const part = this.#parts.get(storage);
    if (part === undefined) return;
    this.#parts.delete(storage);
    let { start, end } = part;
    this.#gaps = this.#gaps.filter((gap) => {
      if (gap.end === start) start = gap.start;
      else if (gap.start === end) end = gap.end;
      else return true;
      return false;
    });
    this.#gaps.push({ start, end });
  }

  /** Moves all parts to an arena that starts at this byte of the workspace. */
  place(start: number): void {
    for (const storage of this.#all) storage.byteOffset += start;
  }
}
