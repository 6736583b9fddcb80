/**
 * DataPtr: an address in memory together with its owner. The owner is a context and a deleter; the deleter receives the
 * context, not the data, and runs at most once.
 *
 * Giving the context up (`moveContext`, `releaseContext`) leaves the data readable. A DataPtr that nobody clears is not
 * cleared by itself: `guard` makes garbage collection do it, which is what a storage asks for.
 *
 * A `SharedContext` belongs to several DataPtrs: the last one frees what they share. The deleter says how they share. With `releaseShare`
 * all see each other's writes: their storages are aliases. With `releaseLazyCopy` they are lazy copies: the first one that is written to
 * gets bytes of its own (copy-on-write).
 */
import { once } from "../base/remember.ts";
import { cpu, type Device } from "./device.ts";
import type { Pointer } from "./memory.ts";

/** Frees what the context stands for. */
// biome-ignore lint/suspicious/noExplicitAny: a context is whatever the deleter takes
export type Deleter = (context: any) => void;

/** Context and deleter, apart from the DataPtr, so that a finalizer can hold them without holding it. */
interface Ownership {
  context: unknown;
  deleter: Deleter | null;
}

const guarded = /* @__PURE__ */ once(() => new FinalizationRegistry(endOwnership));

function endOwnership(ownership: Ownership): void {
  const { context, deleter } = ownership;
  ownership.context = null;
  ownership.deleter = null;
  if (deleter !== null) deleter(context);
}

/** A pointer with its owner. */
export class DataPtr {
  declare readonly device: Device;
  #place: Pointer | null;
  readonly #ownership: Ownership;

  constructor(data: Pointer | null, context: unknown = null, deleter: Deleter | null = null, device: Device = cpu) {
    this.#place = data;
    this.#ownership = { context, deleter };
    this.device = device;
  }

  /** Where the data is; null of nothing. */
  get data(): Pointer | null {
    return this.#place;
  }

  /** Where the data is; null of nothing. */
  get(): Pointer | null {
    return this.#place;
  }

  /** What the deleter gets; null when there is none or it was given up. */
  get context(): unknown {
    return this.#ownership.context;
  }

  /** What frees the context; null frees nothing. */
  get deleter(): Deleter | null {
    return this.#ownership.deleter;
  }

  /** True if and only if there is neither data nor context. */
  get isNull(): boolean {
    return this.#place === null && this.#ownership.context === null;
  }

  /** Gives up the context together with its deleter; the data stays readable. */
  moveContext(): { readonly context: unknown; readonly deleter: Deleter | null } {
    const { context, deleter } = this.#ownership;
    this.#ownership.context = null;
    this.#ownership.deleter = null;
    return { context, deleter };
  }

  /** Gives up the context: it is the caller's to free. The data stays readable. */
  releaseContext(): unknown {
    return this.moveContext().context;
  }

  /** Replaces the deleter if it is the expected one, and says whether it was. */
  compareExchangeDeleter(expected: Deleter | null, next: Deleter | null): boolean {
    if (this.#ownership.deleter !== expected) return false;
    this.#ownership.deleter = next;
    return true;
  }

  /** The context if the deleter is the expected one, else null. */
  castContext<T>(expected: ((context: T) => void) | null): T | null {
    return this.#ownership.deleter === expected ? (this.#ownership.context as T) : null;
  }

  /** Runs the deleter on the context, if it has not run; afterwards there is no data. */
  clear(): void {
    this.#place = null;
    endOwnership(this.#ownership);
  }

  /** A new DataPtr that owns what this one owned; this one only points. */
  take(): DataPtr {
    const { context, deleter } = this.moveContext();
    return new DataPtr(this.#place, context, deleter, this.device);
  }

  /** Asks for the deleter to run when this object is collected, if it has not run by then. */
  guard(): this {
    guarded().register(this, this.#ownership);
    return this;
  }
}

/** What is shared, and by how many. */
export class SharedContext {
  declare readonly pointer: DataPtr;
  count = 0;

  constructor(pointer: DataPtr) {
    this.pointer = pointer;
  }
}

function leaveContext(context: SharedContext): void {
  if (--context.count === 0) context.pointer.clear();
}

/** The deleter of aliases. */
export const releaseShare = (context: SharedContext): void => leaveContext(context);

/** The deleter of copies that are not made yet. */
export const releaseLazyCopy = (context: SharedContext): void => leaveContext(context);

/** One more DataPtr that owns the context. */
export function joinContext(context: SharedContext, deleter: Deleter): DataPtr {
  context.count++;
  const { data, device } = context.pointer;
  return new DataPtr(data, context, deleter, device);
}
