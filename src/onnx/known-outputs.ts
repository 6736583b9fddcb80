/**
 * Cached outputs of a segment, by the key of a call: values that depend only on shapes and known inputs, which a compiled program does not
 * compute. The cached copies outlive the runs. The oldest ones are disposed when the cache has too many keys or too many elements.
 */
import { Tensor } from "../index.ts";
import { outsideModes } from "../tensor/dispatch/modes.ts";
import { outsideScopes } from "../tensor/scope.ts";
import type { Entry } from "./frame.ts";

const maxKeys = 512;
const maxElements = 2 ** 21;

type Entries = ReadonlyMap<string, Entry>;

/** The tensors of entries that are not constants. */
const ownTensors = (entries: Entries): Tensor[] =>
  [...entries.values()].flatMap(({ value, stability }) =>
    value instanceof Tensor && stability !== "constant" ? [value] : [],
  );

export class KnownOutputs {
  readonly #entries = new Map<string, Entries>();
  readonly #tensors = new Set<Tensor>();
  #elements = 0;

  get(key: string): Entries | undefined {
    return this.#entries.get(key);
  }

  /** True if a tensor is one of the copies. */
  has(t: Tensor): boolean {
    return this.#tensors.has(t);
  }

  /** Caches copies of entries. */
  set(key: string, entries: Entries): void {
    this.#drop(key);
    const copies = new Map([...entries].map(([name, entry]) => [name, copyOf(entry)] as const));
    this.#entries.set(key, copies);
    for (const t of ownTensors(copies)) {
      this.#tensors.add(t);
      this.#elements += t.size;
    }
    for (const oldest of this.#entries.keys()) {
      if (oldest === key || (this.#entries.size <= maxKeys && this.#elements <= maxElements)) break;
      this.#drop(oldest);
    }
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.#drop(key);
  }

  #drop(key: string): void {
    for (const t of ownTensors(this.#entries.get(key) ?? new Map())) {
      this.#tensors.delete(t);
      this.#elements -= t.size;
      t.dispose();
    }
    this.#entries.delete(key);
  }
}

function copyOf({ value, stability }: Entry): Entry {
  if (stability === "constant" || !(value instanceof Tensor)) return { value, stability };
  return { value: outsideScopes(() => outsideModes(() => value.clone())), stability };
}
