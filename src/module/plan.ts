/**
 * The plan of a module: everything that its JavaScript needs to run kernels, as data. A number of a plan is a number, or, where sizes are
 * arguments, a reference to an expression over them: `[k]` is expression k of the variant.
 */
import type { DType } from "../storage/dtype.ts";

/** A number, or the index of an expression. */
export type Numeric = number | readonly [expression: number];

/**
 * A part of an argument block: a 32-bit word, or an address (a slot and bytes from its start), the address of a byte of the block itself, or a
 * float32 or float64, which takes two words.
 */
export type Word<N> =
  | N
  | readonly ["at", slot: string, shift: N]
  | readonly ["here", shift: N]
  | readonly ["f32" | "f64", value: N];

/** The memory of a slot. */
export type PlanSlot<N> =
  /** Bytes that are written before they are read in each run; they live from step `first` to step `last`. */
  | { readonly kind: "temporary"; readonly bytes: N; readonly first: number; readonly last: number }
  | { readonly kind: "input" | "output"; readonly bytes: N }
  /** Bytes in the data of the module. */
  | { readonly kind: "data"; readonly data: string }
  /** A number that the program may change between runs, as float64. */
  | { readonly kind: "number"; readonly name: string }
  /** An element, repeated; or numbers with a constant step. */
  | { readonly kind: "fill"; readonly bytes: N; readonly element: readonly number[] }
  | { readonly kind: "sequence"; readonly dtype: DType; readonly count: N; readonly start: N; readonly step: N };

interface At<N> {
  readonly slot: string;
  readonly shift: N;
}

export type PlanStep<N> =
  | {
      readonly do: "run";
      readonly kernel: string;
      readonly words: readonly Word<N>[];
      readonly units: N;
    }
  | {
      readonly do: "repeat";
      readonly rounds: N;
      readonly moving: readonly {
        readonly slot: string;
        readonly base: string;
        readonly shift: N;
        readonly advance: N;
      }[];
      readonly steps: readonly PlanStep<N>[];
    }
  | (At<N> & {
      readonly do: "if even";
      readonly counts: readonly N[];
      readonly times: N;
      readonly max: N;
      readonly steps: readonly PlanStep<N>[];
      readonly otherwise: readonly PlanStep<N>[];
    })
  | (At<N> & {
      readonly do: "check";
      readonly dtype: DType;
      readonly count: N;
      readonly min: N;
      readonly end: N;
      readonly error: readonly (string | N)[];
    })
  | (At<N> & { readonly do: "join"; readonly parts: readonly (At<N> & { readonly bytes: N })[] });

/** A tensor in a slot. Strides and start count elements. */
export interface PlanTensor<N> {
  readonly slot: string;
  readonly dtype: DType;
  readonly shape: readonly N[];
  readonly strides: readonly N[];
  readonly start: N;
}

/** The value that the function returns: an output by its number, a list, a record, or a constant. */
export type PlanResult<N> =
  | readonly ["output", number]
  | readonly ["list", readonly PlanResult<N>[]]
  | readonly ["record", readonly (readonly [name: string, value: PlanResult<N>])[]]
  | readonly ["number", N]
  | readonly ["constant", string | boolean | null]
  | readonly ["undefined"];

/** A program for some sizes. */
export interface PlanVariant<N> {
  readonly slots: Readonly<Record<string, PlanSlot<N>>>;
  /** Bytes of all argument blocks. */
  readonly blocks: number;
  readonly inputs: readonly PlanTensor<N>[];
  /** The inputs that the function writes to. */
  readonly written: readonly number[];
  readonly outputs: readonly PlanTensor<N>[];
  readonly result: PlanResult<N>;
  readonly steps: readonly PlanStep<N>[];
}

/** A size that is an argument of the module. */
export interface PlanSymbol {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly multipleOf: number;
}

/** The plan, as it is written to the module. */
export interface ModulePlan {
  readonly name: string;
  readonly symbols: readonly PlanSymbol[];
  /** The variants, each with the smallest and the largest value of each symbol if there is no table. */
  readonly variants: readonly (PlanVariant<Numeric> & {
    readonly ranges: readonly (readonly [min: number, max: number])[];
  })[];
  /** The index of the variant for each combination of sizes, the last size fastest; null if variants have ranges. */
  readonly table: readonly number[] | null;
  /** The addresses of data. */
  readonly data: Readonly<Record<string, number>>;
  /** The tensors that the function captured, by name. */
  readonly state: Readonly<Record<string, Omit<PlanTensor<number>, "slot"> & { readonly data: string }>>;
  readonly numbers: Readonly<Record<string, number>>;
  /** The address of the scratch bytes of kernels, and the first address after all data. */
  readonly scratch: number;
  readonly end: number;
}
