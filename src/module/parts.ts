/** The parts that the variants of a module share: kernels, and data (constants, and the tensors that the function captured). */
import { type ArgumentLayout, argumentLayout } from "../backends/wasm/arguments.ts";
import type { Kernel } from "../kernel/ir/kernel.ts";
import type { KernelEntry } from "../kernel/program/kernels.ts";
import type { Storage } from "../storage/storage.ts";
import type { Tensor } from "../tensor/tensor.ts";

/** A kernel of the module. */
interface PartKernel {
  readonly name: string;
  readonly kernel: Kernel;
  readonly layout: ArgumentLayout;
}

/** Bytes of the module. */
interface PartData {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export class ModuleParts {
  readonly #kernels = new Map<KernelEntry, PartKernel>();
  readonly #byStorage = new Map<Storage, PartData>();
  readonly data: PartData[] = [];
  /** The captured tensors, with their data. */
  readonly captured = new Map<string, { readonly tensor: Tensor; readonly data: string }>();
  /** Live numbers by name, with their last values. */
  readonly numbers = new Map<string, number>();
  readonly #named: readonly (readonly [name: string, t: Tensor])[];

  /** `named` are tensors with names, such as those of a model, for captured tensors in the same storage. */
  constructor(named: readonly (readonly [name: string, t: Tensor])[]) {
    this.#named = named;
  }

  get kernels(): readonly PartKernel[] {
    return [...this.#kernels.values()];
  }

  kernelOf(entry: KernelEntry): PartKernel {
    let known = this.#kernels.get(entry);
    if (known === undefined) {
      const kernel = entry.make();
      known = { name: `k${this.#kernels.size}`, kernel, layout: argumentLayout(kernel) };
      this.#kernels.set(entry, known);
    }
    return known;
  }

  /** Returns the name of the data of a captured tensor, which is all of its storage. */
  capture(t: Tensor): string {
    const storage = t.source as Storage;
    let known = this.#byStorage.get(storage);
    if (known === undefined) {
      known = this.#add(bytesOf(storage).slice());
      this.#byStorage.set(storage, known);
      const named = this.#named.filter(([, other]) => other.source === storage);
      for (const [name, tensor] of named) this.captured.set(name, { tensor, data: known.name });
      if (named.length === 0) this.#addUnnamed(t, known.name);
    }
    return known.name;
  }

  #addUnnamed(tensor: Tensor, data: string): void {
    const base = tensor.label ?? `captured${this.captured.size}`;
    let name = base;
    for (let k = 2; this.captured.has(name); k++) name = `${base}_${k}`;
    this.captured.set(name, { tensor, data });
  }

  /** Returns the name of constant data. Equal bytes are stored once. */
  constant(bytes: Uint8Array): string {
    const isSame = (other: Uint8Array): boolean =>
      other.length === bytes.length && other.every((byte, k) => byte === bytes[k]);
    const known = this.data.find((each) => each.name.startsWith("c") && isSame(each.bytes));
    return (known ?? this.#add(bytes.slice(), "c")).name;
  }

  #add(bytes: Uint8Array, kind = "s"): PartData {
    const data = { name: `${kind}${this.data.length}`, bytes };
    this.data.push(data);
    return data;
  }
}

/** The bytes of a storage, in place. */
export function bytesOf(storage: Storage): Uint8Array {
  const { nbytes } = storage;
  if (nbytes === 0) return new Uint8Array(0);
  const memory = storage.readable();
  return memory.array("u8").subarray(storage.byteOffset, storage.byteOffset + nbytes);
}
