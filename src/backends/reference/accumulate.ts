/** How values are combined into an accumulator: the fixed order of a vector loop. */
import { KernelError } from "../../kernel/ir/error.ts";
import { identityOf } from "../../kernel/ir/identity.ts";
import type { Combination } from "../../kernel/ir/kernel.ts";
import { rounder } from "../../kernel/round-value.ts";
import type { DType, Value } from "../../storage/dtype.ts";
import type { Frame } from "./frame.ts";
import type { Meaning } from "./meaning.ts";
import { meaningOf } from "./scalar-values.ts";

/** An accumulator that a loop adds to. */
export interface Accumulation {
  readonly slot: number;
  readonly fn: Combination;
  readonly meaning: Meaning;
  readonly identity: Value;
}

export function accumulation(slot: number, fn: Combination, dtype: DType): Accumulation {
  return { slot, fn, meaning: meaningOf(fn, dtype), identity: rounder(dtype)(identityOf(fn, dtype)) };
}

/**
 * Runs `round` for `count` rounds as a vector loop by `by`: partial results take the rounds in turn, are folded in halves and
 * combined with the accumulator; the rounds that are left come after.
 */
export function runVector(
  frame: Frame,
  accumulations: readonly Accumulation[],
  count: number,
  by: number,
  round: (frame: Frame, k: number) => void,
): void {
  const full = Math.floor(count / by) * by;
  const before = accumulations.map(({ slot }) => frame.values[slot] as Value);
  const partials = accumulations.map(({ identity }) => new Array<Value>(by).fill(identity));
  const enter = (lane: number): void =>
    accumulations.forEach(({ slot }, a) => {
      frame.values[slot] = partials[a]?.[lane] as Value;
    });
  for (let k = 0; k < full; k++) {
    enter(k % by);
    round(frame, k);
    accumulations.forEach(({ slot }, a) => {
      (partials[a] as Value[])[k % by] = frame.values[slot] as Value;
    });
  }
  accumulations.forEach(({ slot, meaning }, a) => {
    const partial = partials[a] as Value[];
    for (let half = by / 2; half >= 1; half /= 2)
      for (let l = 0; l < half; l++) partial[l] = meaning(partial[l] as Value, partial[l + half] as Value, 0);
    frame.values[slot] = meaning(before[a] as Value, partial[0] as Value, 0);
  });
  for (let k = full; k < count; k++) round(frame, k);
}

/** One accumulator of a loop has one function: its partial results could not be combined otherwise. */
export function mergeAccumulations(found: readonly Accumulation[], kernel: string): Accumulation[] {
  const bySlot = new Map<number, Accumulation>();
  for (const each of found) {
    const known = bySlot.get(each.slot);
    if (known !== undefined && known.fn !== each.fn)
      throw new KernelError(
        `kernel ${kernel}: a vector loop combines one accumulator by ${known.fn} and by ${each.fn}. Use two accumulators.`,
      );
    bySlot.set(each.slot, each);
  }
  return [...bySlot.values()];
}
