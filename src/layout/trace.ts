/**
 * The steps of a derivation, as data. Operations append to an optional trace; without one they create no steps.
 * `explain.ts` formats the steps. A refusal is a LayoutError whose detail is a Refusal.
 */
import { LayoutError, type Refusal } from "../base/errors.ts";
import type { Mode } from "./algebra/coalesce.ts";
import type { SliceCoord } from "./coord.ts";
import { formatLayout } from "./format.ts";
import { type Int, isZero } from "./int.ts";
import type { AnyLayout, Layout, Tiler } from "./layout.ts";
import type { IntTuple } from "./tuple.ts";

/** The data of each kind of step. */
export interface Steps {
  /** The operation continues inside one mode. */
  "by mode": { mode: number; layout: Layout; tiler: Tiler };
  /** Composition: the part of A that is addressed, in modes that no longer merge; the last one is open. */
  "open modes": { part: string; layout: Layout; modes: readonly Mode[] };
  /** Composition: a leaf of B, whose steps follow. */
  leaf: { leaf: string; size: Int; stride: Int };
  "step over": { mode: number; size: Int; step: Int; next: Int };
  fill: { mode: number; size: Int; step: Int; taken: Int; rest: Int };
  "stay inside": { mode: number; size: Int; step: Int; taken: Int };
  "last mode": { step: Int; taken: Int };
  /** Composition: the steps are uneven, so the offsets decide. */
  uneven: { obstacle: string };
  fit: { sizes: readonly number[]; strides: readonly number[] };
  /** Composition: the leaves of B do not carry into each other. */
  "no carry": { mode: number; size: Int; digits: readonly Int[]; total: Int };
  "no carry anywhere": Record<string, never>;
  /** Complement and inverses: the modes of L that count. */
  filter: { layout: Layout; modes: readonly Mode[] };
  sort: { modes: readonly Mode[] };
  gap: { size: Int; stride: Int; filled: Int; gap: Int };
  copies: { filled: Int; copies: Int; target: IntTuple };
  /** Divide and product: the two operations they consist of. */
  "complement of tile": { tile: Layout; layout: Layout };
  "read through": { layout: Layout; tile: Layout; rest: Layout };
  "free offsets": { block: Layout; copies: Layout; target: Int };
  "place copies": { copies: Layout; free: Layout };
  /** Right inverse. */
  continue: { size: Int; stride: Int; step: Int };
  stop: { reached: Int; left: readonly Mode[] };
  /** Left inverse. */
  digit: { size: Int; stride: Int; step: Int };
  "other radix": { sizes: readonly number[]; result: Layout };
  /** Partitions: a division, then one side of it is fixed. */
  projected: { projection: SliceCoord; tiler: Tiler; coord: SliceCoord };
  "thread coordinate": { index: Int; threads: Layout; coord: IntTuple };
  "thread tile": { threads: Layout; tile: IntTuple };
  "into tiles": { layout: AnyLayout; tiler: Tiler };
  "keep the tile": { coord: SliceCoord; rests: AnyLayout };
  "keep the rests": { coord: SliceCoord; tiles: AnyLayout };
  "not a local partition": Record<string, never>;
  "not a local tile": Record<string, never>;
  /** Thread-value partition: read through the TV layout, then one thread's values. */
  "by threads and values": { layout: AnyLayout; threadValues: Layout };
  "keep the values": { thread: SliceCoord; threads: AnyLayout };
  result: { result: AnyLayout };
}

/** One step: its kind, its data, and its depth inside other operations (0 at the top). */
export type Step = {
  [Rule in keyof Steps]: { readonly rule: Rule; readonly data: Steps[Rule]; readonly level: number };
}[keyof Steps];

/** Collects steps. Operations call it as `trace?.note(...)`, so that nothing is allocated without a trace. */
export class Trace {
  readonly steps: Step[] = [];
  #level = 0;

  note<Rule extends keyof Steps>(rule: Rule, data: Steps[Rule]): void {
    this.steps.push({ rule, data, level: this.#level } as Step);
  }
  /** Adds a step; steps up to `leave` belong to an operation inside it. */
  enter<Rule extends keyof Steps>(rule: Rule, data: Steps[Rule]): void {
    this.note(rule, data);
    this.#level++;
  }
  leave(): void {
    this.#level--;
  }
}

/** Returns the error of a refused operation. */
export function refuse(operation: string, rule: string, data: Record<string, unknown>, text: string): LayoutError {
  const refusal: Refusal = { operation, rule, text, data };
  return new LayoutError(`${operation}: ${text}`, refusal);
}

/** True if the error means that an operation has no answer. */
export const isRefused = (error: unknown): boolean => error instanceof Error && error.name === "LayoutError";

/** Throws if a mode has size 0, in the name of an operation that needs coordinates in every mode. */
export function refuseEmpty(operation: string, layout: Layout, modes: readonly Mode[]): void {
  if (!modes.some((mode) => isZero(mode.size))) return;
  throw refuse(operation, "empty", {}, `${formatLayout(layout)} has a mode of size 0`);
}
