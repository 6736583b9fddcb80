/**
 * What an op does, as data: a program is a list of steps over slots, which are bound to memory when it runs.
 *
 * Slot 0 is the workspace, bytes that the program has while it runs; the others are operands and results. A buffer of a step is a slot and
 * a number of bytes from its start. A program depends on dtypes, sizes, strides, on which slots share memory and which the backend reaches,
 * and on the backend; never on addresses or on elements. So it can be kept, and run again over other memory.
 */
import type { Value } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { KernelEntry } from "./kernels.ts";
import type { Stretches } from "./stretches.ts";

export interface Program {
  readonly steps: readonly Step[];
  /** Bytes of slot 0. */
  readonly workspace: number;
}

export type Step = Launch | DenseLaunch | Copy | Pieces | HostStep;

/** One call of a kernel. */
export interface Launch {
  readonly kind: "launch";
  readonly kernel: KernelEntry;
  /** Of each buffer: its slot, and the bytes from the start of the slot. */
  readonly slots: readonly number[];
  readonly shifts: readonly number[];
  readonly sizes: readonly number[];
  /** The scalars; null for those of the call. */
  readonly scalars: readonly Value[] | null;
  readonly modes: readonly (readonly number[])[];
  readonly units: number;
  readonly unitSize: number;
}

/** One call of an elementwise kernel over as many elements as the call says, dense in each slot. Slots 1, 2 and so on are its buffers. */
export interface DenseLaunch {
  readonly kind: "dense";
  readonly kernel: KernelEntry;
  readonly buffers: number;
}

/** A move of elements between a slot that the backend does not reach and the workspace. */
export interface Copy {
  readonly kind: "copy";
  readonly direction: "in" | "out";
  readonly slot: number;
  /** Bytes from the start of the slot to the first element. */
  readonly shift: number;
  /** Bytes from the start of the workspace to the lowest element of the copy. */
  readonly at: number;
  readonly stretches: Stretches;
  readonly itemsize: number;
}

/** A slot that moves on through another one while a loop runs. */
export interface MovingSlot {
  readonly slot: number;
  readonly of: number;
  /** Bytes from the start of the other slot in the first round, and what is added in each further one. */
  readonly shift: number;
  readonly advance: number;
}

/** Steps that run several times, over slots that move on. */
export interface Pieces {
  readonly kind: "pieces";
  readonly rounds: number;
  readonly moving: readonly MovingSlot[];
  readonly steps: readonly Step[];
}

/** A function over what the slots are bound to: what no kernel does. */
export interface HostStep {
  readonly kind: "host";
  readonly name: string;
  readonly run: (binding: Binding) => void;
}

/** What slots are bound to, and the numbers of one call. Slot 0 is bound by `runProgram`. */
export interface Binding {
  readonly memories: Memory[];
  /** The byte of its memory at which each slot starts. */
  readonly addresses: number[];
  scalars: readonly Value[];
  /** How many elements a `DenseLaunch` has. */
  count: number;
}
