/**
 * The work of a call as data: a program is a list of steps over slots, which are bound to memory when it runs.
 *
 * Slot 0 is the workspace, temporary bytes of the program; the others are operands and results. A buffer of a step is a slot and
 * a number of bytes from its start. A program depends on dtypes, sizes, strides, on which slots share memory and which the backend can address,
 * and on the backend; never on addresses or on elements. So it can be cached and run again over other memory.
 */
import type { DType, Value } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { KernelBackend } from "../backend.ts";
import type { KernelEntry } from "./kernels.ts";

export interface Program {
  readonly steps: readonly Step[];
  /** Bytes of slot 0. */
  readonly workspace: number;
}

export type Step = Launch | Copy | Pieces | Choice | Loop | HostStep;

/** One call of a kernel. */
export interface Launch {
  readonly kind: "launch";
  readonly kernel: KernelEntry;
  /** The slot of each buffer, and the bytes from the start of the slot. */
  readonly slots: readonly number[];
  readonly shifts: readonly number[];
  readonly sizes: readonly number[];
  /** The scalars; null for those of the call. */
  readonly scalars: readonly Value[] | null;
  readonly modes: readonly (readonly number[])[];
  readonly units: number;
  readonly unitSize: number;
}

/** One call of an elementwise kernel over `Binding.count` elements, dense in each slot. Its buffers are slots 1, 2 and so on. */
export interface DenseLaunch {
  readonly kernel: KernelEntry;
  readonly buffers: number;
}

/** One side of a copy: the first run of elements, and the steps between runs. */
export interface CopyEnd {
  readonly slot: number;
  /** Bytes from the start of the slot to the first run. */
  readonly shift: number;
  /** Elements from one run to the next, along each of the counts. */
  readonly steps: readonly number[];
}

/** A copy of runs of adjacent elements, where the backend cannot address one of the slots. */
export interface Copy {
  readonly kind: "copy";
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Elements of a run. */
  readonly run: number;
  readonly counts: readonly number[];
  readonly itemsize: number;
}

/** A slot that moves through another one while a loop runs. */
export interface MovingSlot {
  readonly slot: number;
  readonly base: number;
  /** Bytes from the start of the other slot in the first iteration, and the increment of each further iteration. */
  readonly shift: number;
  readonly advance: number;
}

/** Steps that run several times, over moving slots. */
export interface Pieces {
  readonly kind: "pieces";
  readonly rounds: number;
  readonly moving: readonly MovingSlot[];
  readonly steps: readonly Step[];
}

/** Two lists of steps, one of which runs. The test may read results of steps before this one. */
export interface Choice {
  readonly kind: "choice";
  /** The question that the test answers. */
  readonly name: string;
  readonly test: (binding: Binding) => boolean;
  /** The test as data, for programs that are written to files. */
  readonly rule?: EvenRule | undefined;
  readonly steps: readonly Step[];
  readonly otherwise: readonly Step[];
}

/** Steps that run as long as a test is true. The steps of the test run before each test, which may read their results. */
export interface Loop {
  readonly kind: "loop";
  /** The question that the test answers. */
  readonly name: string;
  readonly test: (binding: Binding) => boolean;
  readonly testSteps: readonly Step[];
  readonly steps: readonly Step[];
}

/** A TypeScript function over the bound slots, for work without a kernel. */
export interface HostStep {
  readonly kind: "host";
  readonly name: string;
  readonly run: (binding: Binding) => void;
  /** The work as data, for programs that are written to files; undefined if it needs the function. */
  readonly rule?: HostRule;
}

/** An address: a slot, and the bytes from its start. */
export interface SlotAddress {
  readonly slot: number;
  readonly shift: number;
}

/**
 * True if for each count the two float64 numbers at the address, one pair after the other, are even: the first times the count is at most
 * `times` times the second, and the first is less than `max`.
 */
export interface EvenRule extends SlotAddress {
  readonly counts: readonly number[];
  readonly times: number;
  readonly max: number;
}

/** Host steps that are simple enough to be data. */
export type HostRule =
  /** Throws unless all integers are in bounds; null for other uses of their range. */
  | (SlotAddress & {
      readonly kind: "bounds";
      readonly dtype: DType;
      readonly count: number;
      readonly who: string;
      readonly bounds: IndexBounds | null;
    })
  /** Copies the bytes of all slots but the first one to the first one, one after the other. */
  | {
      readonly kind: "join";
      readonly slots: readonly number[];
      readonly shifts: readonly number[];
      readonly bytes: readonly number[];
    };

/** The bounds of indices. */
export interface IndexBounds {
  readonly size: number;
  /** The name of the indexed object, for errors. */
  readonly what: string;
  /** True if negative indices count from the end. */
  readonly isNegativeAllowed?: boolean;
  /** The words of errors. Default: out of bounds. */
  readonly outside?: string;
}

/** The memory of all slots, and the numbers of one call. `runProgram` binds slot 0. */
export interface Binding {
  readonly memories: Memory[];
  /** The address of each slot in its memory, in bytes. */
  readonly addresses: number[];
  scalars: readonly Value[];
  /** The number of elements of a `DenseLaunch`. */
  count: number;
  /** The backend of the device that the memories belong to; null for the CPU. */
  readonly device: KernelBackend | null;
}
