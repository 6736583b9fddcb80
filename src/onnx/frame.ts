/**
 * A frame holds the values of one run of a block, by name. It owns the tensors that nodes compute, and frees each after the last node that reads it.
 */
import type { Tensor } from "../index.ts";
import { type OnnxValue, tensorsIn } from "./values.ts";

/**
 * The stability of a value. A constant is the same in every run; a known value depends only on shapes, constants and known inputs; a computed value
 * depends on elements of inputs.
 */
export type Stability = "constant" | "known" | "computed";

export interface Entry {
  readonly value: OnnxValue;
  readonly stability: Stability;
}

/** A set of tensors. */
export interface ReadonlyTensors {
  has(t: Tensor): boolean;
}

export class Frame {
  readonly #entries = new Map<string, Entry>();
  readonly #outer: Frame | null;
  /** The constants of the model, which no frame owns. */
  readonly #constants: ReadonlyTensors;
  /** The number of entries that contain each tensor; infinity for tensors that the frame does not own. */
  readonly #counts = new Map<Tensor, number>();

  constructor(outer: Frame | null, constants: ReadonlyTensors) {
    this.#outer = outer;
    this.#constants = constants;
  }

  find(name: string): Entry | undefined {
    return this.#entries.get(name) ?? this.#outer?.find(name);
  }

  get(name: string): Entry {
    const entry = this.find(name);
    if (entry === undefined) throw new Error(`the value "${name}" is not defined`);
    return entry;
  }

  /** Adds a value that the frame does not own. */
  set(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    for (const t of tensorsIn(entry.value)) this.#counts.set(t, Infinity);
  }

  /** Adds a value that a node computed. The frame does not own constants and tensors of outer frames. */
  own(name: string, entry: Entry): void {
    this.#entries.set(name, entry);
    for (const t of tensorsIn(entry.value)) {
      const isForeign = this.#constants.has(t) || this.#outer?.has(t) === true;
      this.#counts.set(t, isForeign ? Infinity : (this.#counts.get(t) ?? 0) + 1);
    }
  }

  /** Removes a value. Its tensors are disposed if no other entry contains them. */
  release(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    for (const t of tensorsIn(entry.value)) {
      const count = (this.#counts.get(t) as number) - 1;
      this.#counts.set(t, count);
      if (count > 0) continue;
      this.#counts.delete(t);
      t.dispose();
    }
  }

  /** True if a tensor is part of a value of this frame or of an outer frame, or is a constant. */
  has(t: Tensor): boolean {
    return this.#counts.has(t) || this.#constants.has(t) || this.#outer?.has(t) === true;
  }
}
