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

/** The names of the values of each kind of step, in the order in which operations pass them. Only `explain` loads this table. */
const fields = {
  "by mode": ["mode", "layout", "tiler"],
  "open modes": ["part", "layout", "modes"],
  leaf: ["leaf", "size", "stride"],
  "step over": ["mode", "size", "step", "next"],
  fill: ["mode", "size", "step", "taken", "rest"],
  "stay inside": ["mode", "size", "step", "taken"],
  "last mode": ["step", "taken"],
  uneven: ["obstacle"],
  fit: ["sizes", "strides"],
  "no carry": ["mode", "size", "digits", "total"],
  "no carry anywhere": [],
  filter: ["layout", "modes"],
  sort: ["modes"],
  gap: ["size", "stride", "filled", "gap"],
  copies: ["filled", "copies", "target"],
  "complement of tile": ["tile", "layout"],
  "read through": ["layout", "tile", "rest"],
  "free offsets": ["block", "copies", "target"],
  "place copies": ["copies", "free"],
  continue: ["size", "stride", "step"],
  stop: ["reached", "left"],
  digit: ["size", "stride", "step"],
  "other radix": ["sizes", "result"],
  projected: ["projection", "tiler", "coord"],
  "thread coordinate": ["index", "threads", "coord"],
  "thread tile": ["threads", "tile"],
  "into tiles": ["layout", "tiler"],
  "keep the tile": ["coord", "rests"],
  "keep the rests": ["coord", "tiles"],
  "not a local partition": [],
  "not a local tile": [],
  "by threads and values": ["layout", "threadValues"],
  "keep the values": ["thread", "threads"],
  result: ["result"],
} as const satisfies { readonly [Rule in keyof Steps]: readonly (keyof Steps[Rule])[] };

type Named<Data, Names extends readonly unknown[]> = { readonly [I in keyof Names]: Data[Names[I] & keyof Data] };
type Values<Rule extends keyof Steps> = Named<Steps[Rule], (typeof fields)[Rule]>;

/** Collects steps. Operations call it as `trace?.note(...)`, so that nothing is allocated without a trace. */
export class Trace {
  readonly steps: Step[] = [];
  #level = 0;

  note<Rule extends keyof Steps>(rule: Rule, ...values: Values<Rule>): void {
    const data = Object.fromEntries(fields[rule].map((field, i) => [field, values[i]]));
    this.steps.push({ rule, data, level: this.#level } as unknown as Step);
  }
  /** Adds a step; steps up to `leave` belong to an operation inside it. */
  enter<Rule extends keyof Steps>(rule: Rule, ...values: Values<Rule>): void {
    this.note(rule, ...values);
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
  throw refuse(operation, "empty", {}, `${formatLayout(layout)} has a mode of size 0. Use sizes from 1 up`);
}
