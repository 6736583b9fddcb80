/**
 * The steps of a derivation, as data. Operations take an optional trace and append to it; without one they make no step
 * and pay nothing. `explain.ts` puts the steps into words. A refusal is a LayoutError whose detail is a Refusal.
 */
import { LayoutError, type Refusal } from "../base/errors.ts";
import type { Mode } from "./algebra/coalesce.ts";
import type { SliceCoord } from "./coord.ts";
import { formatLayout } from "./format.ts";
import { type Int, isZero } from "./int.ts";
import type { Layout } from "./layout.ts";
import type { Tiler } from "./tiler.ts";
import type { IntTuple } from "./tuple.ts";

/** What each kind of step is about. */
export interface Steps {
  /** The operation goes on inside one mode. */
  "by mode": { mode: number; layout: Layout; tiler: Tiler };
  /** Composition: the part of A that is addressed, in modes that no longer merge; the last one is open. */
  "open modes": { part: string; layout: Layout; modes: readonly Mode[] };
  /** Composition: a leaf of B starts its walk. */
  leaf: { leaf: string; size: Int; stride: Int };
  "step over": { mode: number; size: Int; step: Int; next: Int };
  fill: { mode: number; size: Int; step: Int; taken: Int; rest: Int };
  "stay inside": { mode: number; size: Int; step: Int; taken: Int };
  "last mode": { step: Int; taken: Int };
  /** Composition: the walk is uneven, so the offsets decide, and what they show. */
  uneven: { obstacle: string };
  fit: { sizes: readonly number[]; strides: readonly number[] };
  /** Composition: the leaves of B do not disturb each other. */
  "no carry": { mode: number; size: Int; digits: readonly Int[]; total: Int };
  "no carry anywhere": Record<string, never>;
  /** Complement and left inverse: what is left of L. */
  filter: { layout: Layout; modes: readonly Mode[] };
  sort: { modes: readonly Mode[] };
  gap: { size: Int; stride: Int; filled: Int; gap: Int };
  copies: { filled: Int; copies: Int; target: IntTuple };
  /** Divide and product: the two operations they consist of. */
  "complement of tile": { tile: Layout; layout: Layout };
  "read through": { layout: Layout; tile: Layout; rest: Layout };
  "free places": { block: Layout; copies: Layout; target: Int };
  "place copies": { copies: Layout; free: Layout };
  /** Right inverse. */
  continue: { size: Int; stride: Int; place: Int };
  stop: { reached: Int; left: readonly Mode[] };
  /** Left inverse. */
  digit: { size: Int; stride: Int; place: Int };
  "other radix": { sizes: readonly number[]; result: Layout };
  /** Partitions: cut into tiles, then one side of the cut is fixed. */
  projected: { projection: SliceCoord; tiler: Tiler; coord: SliceCoord };
  "thread coordinate": { index: Int; threads: Layout; coord: IntTuple };
  "thread tile": { threads: Layout; tile: IntTuple };
  "into tiles": { layout: Layout; tiler: Tiler };
  "keep the tile": { coord: SliceCoord; rests: Layout };
  "keep the rests": { coord: SliceCoord; tiles: Layout };
  "not a local partition": Record<string, never>;
  "not a local tile": Record<string, never>;
  /** Thread-value partition: read through the TV layout, then one thread's values. */
  "by threads and values": { layout: Layout; threadValues: Layout };
  "keep the values": { thread: SliceCoord; threads: Layout };
  result: { result: Layout };
}

/** One step: its kind, its data, and how deep it lies inside other operations (0 at the top). */
export type Step = {
  [Rule in keyof Steps]: { readonly rule: Rule; readonly data: Steps[Rule]; readonly level: number };
}[keyof Steps];

/** Collects steps. Operations call it as `trace?.note(...)`, so that nothing is made when nobody listens. */
export class Trace {
  readonly steps: Step[] = [];
  #level = 0;

  note<Rule extends keyof Steps>(rule: Rule, data: Steps[Rule]): void {
    this.steps.push({ rule, data, level: this.#level } as Step);
  }
  /** The steps that follow belong to an inner operation. */
  enter(): void {
    this.#level++;
  }
  leave(): void {
    this.#level--;
  }
}

/** The error of a refused operation. */
export function refuse(operation: string, rule: string, data: Record<string, unknown>, text: string): LayoutError {
  const refusal: Refusal = { operation, rule, text, data };
  return new LayoutError(`${operation}: ${text}`, refusal);
}

/** Whether an error says that an operation has no answer. */
export const isRefused = (error: unknown): boolean => error instanceof Error && error.name === "LayoutError";

/** Refuses a layout in the name of an operation that needs every mode to have coordinates. */
export function refuseEmpty(operation: string, layout: Layout, modes: readonly Mode[]): void {
  if (!modes.some((mode) => isZero(mode.size))) return;
  throw refuse(operation, "empty", {}, `${formatLayout(layout)} has a mode of size 0`);
}
