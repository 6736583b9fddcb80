/**
 * DataPtr: a pointer together with its owner. The owner is a context and a deleter; the deleter receives the
 * context, not the data, and runs at most once.
 *
 * Releasing the context (`moveContext`, `releaseContext`) leaves the data readable. A DataPtr is not cleared automatically, unless `guard`
 * registers it for garbage collection, as storages do.
 *
 * A `SharedContext` belongs to several DataPtrs; the last one frees it. The deleter defines how they share. With `releaseShare`
 * all see each other's writes: their storages are aliases. With `releaseLazyCopy` they are lazy copies: the first one that is written to
 * gets its own bytes (copy-on-write).
 */
import { once } from "../base/lazy.ts";
import { cpu, type Device } from "./device.ts";
import type { Pointer } from "./memory.ts";

/** Frees the memory of a context. */
// biome-ignore lint/suspicious/noExplicitAny: each deleter has its own type of context
export type Deleter = (context: any) => void;

/** Context and deleter, separate from the DataPtr, so that a finalizer can hold them without holding it. */
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
  #data: Pointer | null;
  readonly #ownership: Ownership;

  constructor(data: Pointer | null, context: unknown = null, deleter: Deleter | null = null, device: Device = cpu) {
    this.#data = data;
    this.#ownership = { context, deleter };
    this.device = device;
  }

  /** The pointer to the data, or null. */
  get data(): Pointer | null {
    return this.#data;
  }

  /** The pointer to the data, or null. */
  get(): Pointer | null {
    return this.#data;
  }

  /** The argument of the deleter; null if there is none or it was released. */
  get context(): unknown {
    return this.#ownership.context;
  }

  /** The function that frees the context, or null. */
  get deleter(): Deleter | null {
    return this.#ownership.deleter;
  }

  /** True if and only if there is neither data nor context. */
  get isNull(): boolean {
    return this.#data === null && this.#ownership.context === null;
  }

  /** Releases the context and its deleter to the caller; the data stays readable. */
  moveContext(): { readonly context: unknown; readonly deleter: Deleter | null } {
    const { context, deleter } = this.#ownership;
    this.#ownership.context = null;
    this.#ownership.deleter = null;
    return { context, deleter };
  }

  /** Releases the context, which the caller must free; the data stays readable. */
  releaseContext(): unknown {
    return this.moveContext().context;
  }

  /** Replaces the deleter if it is the expected one, and returns whether it was. */
  compareExchangeDeleter(expected: Deleter | null, next: Deleter | null): boolean {
    if (this.#ownership.deleter !== expected) return false;
    this.#ownership.deleter = next;
    return true;
  }

  /** The context if the deleter is the expected one, else null. */
  castContext<T>(expected: ((context: T) => void) | null): T | null {
    return this.#ownership.deleter === expected ? (this.#ownership.context as T) : null;
  }

  /** Runs the deleter on the context, if it has not run, and drops the data. */
  clear(): void {
    this.#data = null;
    endOwnership(this.#ownership);
  }

  /** Moves ownership to a new DataPtr; this one still points to the data. */
  take(): DataPtr {
    const { context, deleter } = this.moveContext();
    return new DataPtr(this.#data, context, deleter, this.device);
  }

  /** Makes the deleter run when this object is collected, if it has not run by then. */
  guard(): this {
    guarded().register(this, this.#ownership);
    return this;
  }
}

/** A shared DataPtr and the number of its owners. */
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

/** The deleter of lazy copies. */
export const releaseLazyCopy = (context: SharedContext): void => leaveContext(context);

/** Returns another DataPtr that owns the context. */
export function joinContext(context: SharedContext, deleter: Deleter): DataPtr {
  context.count++;
  const { data, device } = context.pointer;
  return new DataPtr(data, context, deleter, device);
}
