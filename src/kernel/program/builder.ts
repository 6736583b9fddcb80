/**
 * Building a program: functions that lower an op's work to steps add them here. They see operands, whose storages stand for slots, and never
 * look at elements or addresses.
 */
import type { Value } from "../../storage/dtype.ts";
import { alignment } from "../../storage/memory.ts";
import { kernelBackend } from "../backend.ts";
import type { ElementStorage } from "../operand.ts";
import type { KernelEntry } from "./kernels.ts";
import type { MovingSlot, Program, Step } from "./program.ts";
import { MovingStorage, rootOf, Workspace } from "./slots.ts";

/** A buffer of a launch: an element of a storage, and the bytes of an element. */
export interface Buffer {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly itemsize: number;
}

/** A launch as it is asked for. */
export interface LaunchRequest {
  readonly kernel: KernelEntry;
  readonly buffers: readonly Buffer[];
  readonly sizes: readonly number[];
  /** Null for those of the call. */
  readonly scalars?: readonly Value[] | null;
  readonly modes?: readonly (readonly number[])[];
  readonly units: number;
  readonly unitSize: number;
}

const none: readonly never[] = [];

export class ProgramBuilder {
  /** What slots stand for, slot 0 for the workspace; and the byte of each storage at which its slot starts. */
  readonly storages: ElementStorage[] = [new Workspace()];
  readonly origins: number[] = [0];
  /** The numbers of the call for which the program is built; a launch with scalars of null uses those of the call that it runs for. */
  readonly scalars: readonly Value[];
  /** False if the program is for one call: it does little work that is new by other means than a kernel of its own. */
  isKept = true;
  #steps: Step[] = [];
  /** Bytes of the workspace that are taken now, and the most that were. */
  #taken = 0;
  #most = 0;

  constructor(scalars: readonly Value[] = none) {
    this.scalars = scalars;
  }

  /** The program of all steps so far. */
  finish(): Program {
    return { steps: this.#steps, workspace: this.#most };
  }

  /** Makes a storage the next slot, which starts at this byte of it. */
  addSlot(storage: ElementStorage, origin = 0): number {
    this.origins.push(origin);
    return this.storages.push(storage) - 1;
  }

  /** The slot of a storage. */
  slotOf(storage: ElementStorage): number {
    const { storages } = this;
    for (let slot = 0; slot < storages.length; slot++) if (storages[slot] === storage) return slot;
    return this.addSlot(storage);
  }

  /** Bytes from the start of a storage's slot to an element. */
  shiftOf({ storage, start, itemsize }: Buffer): number {
    return start * itemsize - this.origins[this.slotOf(storage)];
  }

  /** True if and only if kernels can use a storage where it is. */
  reaches(storage: ElementStorage): boolean {
    const root = rootOf(storage);
    return root instanceof Workspace || kernelBackend().reaches(root.readable());
  }

  add(step: Step): void {
    this.#steps.push(step);
  }

  launch({ kernel, buffers, sizes, scalars = none, modes = none, units, unitSize }: LaunchRequest): void {
    const slots = buffers.map(({ storage }) => this.slotOf(storage));
    const shifts = buffers.map((buffer) => this.shiftOf(buffer));
    this.add({ kind: "launch", kernel, slots, shifts, sizes, scalars, modes, units, unitSize });
  }

  /** So many bytes of the workspace, 64-byte aligned, for all steps that are added in this call of `workspace`, or at all. */
  take(bytes: number): readonly [storage: ElementStorage, byteOffset: number] {
    const at = this.#taken;
    this.#taken += Math.ceil(bytes / alignment) * alignment;
    this.#most = Math.max(this.#most, this.#taken);
    return [this.storages[0], at];
  }

  /** Calls `use` with so many bytes of the workspace; steps that are added meanwhile may use them. */
  workspace<T>(bytes: number, use: (storage: ElementStorage, byteOffset: number) => T): T {
    const before = this.#taken;
    try {
      return use(...this.take(bytes));
    } finally {
      this.#taken = before;
    }
  }

  /**
   * Adds a loop over the steps that `body` adds. It is called with a storage for each buffer, which starts at the buffer's element, and is
   * `advance` bytes further on after each round.
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
        of: this.slotOf(buffer.storage),
        shift: this.shiftOf(buffer),
        advance: advance[k],
      }),
    );
    const outer = this.#steps;
    const steps: Step[] = [];
    this.#steps = steps;
    try {
      body(storages);
    } finally {
      this.#steps = outer;
    }
    outer.push({ kind: "pieces", rounds, moving, steps });
  }
}
