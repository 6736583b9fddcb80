/**
 * The builder of a program: functions that lower the work of an op add steps to it. They see operands, whose storages stand for slots, and
 * never look at elements or addresses.
 */
import type { Value } from "../../storage/dtype.ts";
import { alignment, isSameMemory, type Memory } from "../../storage/memory.ts";
import { Storage } from "../../storage/storage.ts";
import { type KernelBackend, kernelBackend } from "../backend.ts";
import type { MapKernel } from "../map/map.ts";
import type { ElementStorage, Operand } from "../operand.ts";
import { type Tiling, tiling } from "../plan/tiles.ts";
import type { ReduceKernel } from "../reduce/spec.ts";
import type { RowKernel } from "../rows/spec.ts";
import type { KernelEntry } from "./kernels.ts";
import type { Binding, EvenRule, MovingSlot, Program, Step } from "./program.ts";

/** A buffer of a launch: an element of a storage, and the bytes of an element. */
export interface Buffer {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly itemsize: number;
}

/** The arguments of `launch`. */
export interface LaunchRequest {
  readonly kernel: KernelEntry;
  readonly buffers: readonly Buffer[];
  readonly sizes: readonly number[];
  /** Null for the scalars of the call. */
  readonly scalars?: readonly Value[] | null;
  readonly modes?: readonly (readonly number[])[];
  readonly units: number;
  readonly unitSize: number;
}

/** A call of a kernel's spec, before it is lowered. */
export type KernelWork =
  | MapWork
  | { readonly kind: "reduce"; readonly kernel: ReduceKernel; readonly operands: WorkOperands }
  /** The last `axes` axes are those of a row. */
  | { readonly kind: "rows"; readonly kernel: RowKernel; readonly axes: number; readonly operands: WorkOperands }
  /** A product: the inputs are its factors. `after` is a map over its output, in place. */
  | { readonly kind: "contract"; readonly operands: WorkOperands; readonly after: MapWork | null };

/** A call of a map. */
export interface MapWork {
  readonly kind: "map";
  readonly kernel: MapKernel;
  readonly idempotent: boolean;
  readonly operands: WorkOperands;
}

/** The operands of a kernel call. Inputs of a reduction have the reduced axes after those of the outputs. */
export interface WorkOperands {
  readonly outputs: readonly Operand[];
  readonly inputs: readonly Operand[];
  readonly scalars: readonly Value[];
}

/** A storage that moves through another one while a loop runs. */
class MovingStorage implements ElementStorage {
  readonly byteOffset = 0;
  readonly of: ElementStorage;

  constructor(of: ElementStorage) {
    this.of = of;
  }

  readable(): Memory {
    return this.of.readable();
  }

  writable(): Memory {
    return this.of.writable();
  }
}

/** The storage that a moving one moves through; any other storage is its own root. */
const rootOf = (storage: ElementStorage): ElementStorage =>
  storage instanceof MovingStorage ? rootOf(storage.of) : storage;

/** True for a storage with memory, to which a slot is bound before the program runs. */
export const isBoundStorage = (storage: ElementStorage): boolean =>
  !(storage instanceof MovingStorage || storage.isScratch === true);

/** True if and only if bytes of two storages may be the same. */
export function mayShare(a: ElementStorage, b: ElementStorage): boolean {
  const [first, second] = [rootOf(a), rootOf(b)];
  if (first === second) return true;
  if (first.isScratch === true || second.isScratch === true) return first.isScratch === second.isScratch;
  return isSameMemory(first.readable(), second.readable());
}

const none: readonly never[] = [];

export class ProgramBuilder {
  /** The storage of each slot, the workspace for slot 0; and the byte of each storage at which its slot starts. */
  readonly storages: ElementStorage[] = [Storage.inWorkspace(Infinity, 0)];
  readonly origins: number[] = [0];
  /** The scalars of the call for which the program is built; launches with scalars of null use those of the current call. */
  readonly scalars: readonly Value[];
  /** The backend that runs the program. */
  readonly backend: KernelBackend;
  /** False if the program serves one call only: it computes a new map without compiling its kernel, or copies operands. */
  isCacheable = true;
  /** False if every kernel is compiled, because the program runs many times. Else a new map over little data may run in steps. */
  mayUseSteps = true;
  #steps: Step[] = [];
  #onFinished: ((part: Operand) => void) | null = null;
  /** Bytes of the workspace that are in use at this step, and their maximum so far. */
  #used = 0;
  #max = 0;

  constructor(scalars: readonly Value[] = none, backend: KernelBackend = kernelBackend()) {
    this.scalars = scalars;
    this.backend = backend;
  }

  /** The sizes of tiles for the backend. */
  get tiling(): Tiling {
    return this.backend.tiling ?? tiling;
  }

  /** Returns the program of all steps so far. */
  finish(): Program {
    return { steps: this.#steps, workspace: this.#max };
  }

  /** Adds a slot that starts at byte `origin` of a storage. */
  addSlot(storage: ElementStorage, origin = 0): number {
    this.origins.push(origin);
    return this.storages.push(storage) - 1;
  }

  /** Returns the slot of a storage, a new one if it has none. */
  slotOf(storage: ElementStorage): number {
    if (storage.isScratch === true) return 0;
    const { storages } = this;
    for (let slot = 0; slot < storages.length; slot++) if (storages[slot] === storage) return slot;
    return this.addSlot(storage);
  }

  /** Returns the bytes from the start of a buffer's slot to its first element. */
  shiftOf({ storage, start, itemsize }: Buffer): number {
    const at = start * itemsize;
    return storage.isScratch === true ? at + storage.byteOffset : at - this.origins[this.slotOf(storage)];
  }

  /** True if and only if kernels can use a storage where it is. */
  canAddress(storage: ElementStorage): boolean {
    const root = rootOf(storage);
    return root.isScratch === true || this.backend.canAddress(root.readable());
  }

  /** Tells that a part of the result of an op is complete, and that no further step writes to it. */
  finished(part: Operand): void {
    this.#onFinished?.(part);
  }

  /** Adds the steps that `lower` adds, and after each finished part the steps that `add` adds for it. */
  withFinished(add: (part: Operand) => void, lower: () => void): void {
    this.#onFinished = add;
    try {
      lower();
    } finally {
      this.#onFinished = null;
    }
  }

  /** Returns false: the call is lowered now. A builder that combines calls overrides this, stores the call and returns true. */
  defer(_work: KernelWork): boolean {
    return false;
  }

  add(step: Step): void {
    this.#steps.push(step);
  }

  launch({ kernel, buffers, sizes, scalars = none, modes = none, units, unitSize }: LaunchRequest): void {
    const slots = buffers.map(({ storage }) => this.slotOf(storage));
    const shifts = buffers.map((buffer) => this.shiftOf(buffer));
    this.add({ kind: "launch", kernel, slots, shifts, sizes, scalars, modes, units, unitSize });
  }

  /** Reserves bytes of the workspace, 64-byte aligned, until the enclosing call of `workspace` ends. */
  take(bytes: number): readonly [storage: ElementStorage, byteOffset: number] {
    const at = this.#used;
    this.#used += Math.ceil(bytes / alignment) * alignment;
    this.#max = Math.max(this.#max, this.#used);
    return [this.storages[0], at];
  }

  /** Reserves bytes of the workspace in the same way, as a separate storage. */
  scratch(bytes: number): Storage {
    return Storage.inWorkspace(bytes, this.take(bytes)[1]);
  }

  /** Reserves bytes of the workspace for the steps that `use` adds. */
  workspace<T>(bytes: number, use: (storage: ElementStorage, byteOffset: number) => T): T {
    const before = this.#used;
    try {
      return use(...this.take(bytes));
    } finally {
      this.#used = before;
    }
  }

  /**
   * Adds a loop over the steps that `body` adds. `body` is called with a storage for each buffer: it starts at the buffer's first element,
   * and `advance` bytes further in each iteration.
   */
  pieces(
    rounds: number,
    buffers: readonly Buffer[],
    advance: readonly number[],
    body: (storages: readonly ElementStorage[]) => void,
  ): void {
    if (rounds === 0) return;
    const storages = buffers.map(({ storage }) => new MovingStorage(storage));
    const moving = buffers.map(
      (buffer, k): MovingSlot => ({
        slot: this.addSlot(storages[k] as ElementStorage),
        base: this.slotOf(buffer.storage),
        shift: this.shiftOf(buffer),
        advance: advance[k],
      }),
    );
    const steps = this.#collect(() => body(storages));
    this.add({ kind: "pieces", rounds, moving, steps });
  }

  /** Adds the steps that `then` adds, which run if the test is true, and those of `otherwise`, which run if it is false. */
  choose(
    name: string,
    test: (binding: Binding) => boolean,
    then: (builder: ProgramBuilder) => void,
    otherwise: (builder: ProgramBuilder) => void,
    rule?: EvenRule,
  ): void {
    const lists = [then, otherwise].map((add) => this.workspace(0, () => this.#collect(() => add(this))));
    this.add({ kind: "choice", name, test, steps: lists[0], otherwise: lists[1], rule });
  }

  /** Adds a loop over the steps that `body` adds. The steps that `condition` adds run before each round; the test that it returns ends the loop. */
  loop(
    name: string,
    condition: (builder: ProgramBuilder) => (binding: Binding) => boolean,
    body: (builder: ProgramBuilder) => void,
  ): void {
    let test: ((binding: Binding) => boolean) | null = null;
    const testSteps = this.#collect(() => {
      test = this.workspace(0, () => condition(this));
    });
    const steps = this.workspace(0, () => this.#collect(() => body(this)));
    this.add({ kind: "loop", name, test: test ?? (() => false), testSteps, steps });
  }

  /** Returns the steps that `add` adds, instead of adding them. */
  #collect(add: () => void): Step[] {
    const outer = this.#steps;
    const steps: Step[] = [];
    this.#steps = steps;
    try {
      add();
    } finally {
      this.#steps = outer;
    }
    return steps;
  }
}
