/**
 * Copying by runs: each axis of the result is divided into runs, and each run is a range of the source, forwards or reversed, or one
 * repeated element. flip, roll and pad are lists of runs; elements outside of all runs are not written.
 */
import type { ProgramBuilder } from "../../kernel/program/builder.ts";
import { sizeAt, sizesOf } from "../../tensor/geometry.ts";
import { lowerCopyAll } from "../../tensor/lowering.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { narrow, slice } from "../../tensor/views/views-parts.ts";
import { expand } from "../../tensor/views/views-shape.ts";

/** Element `at + i` of the result is element `first + i * step` of the source, for 0 <= i < count. */
export interface Run {
  readonly at: number;
  readonly first: number;
  readonly count: number;
  readonly step: -1 | 0 | 1;
}

/** The elements of a run in the source. */
function partOf(x: Tensor, axis: number, { first, count, step }: Run): Tensor {
  if (step === 1) return narrow(x, axis, first, count);
  if (step < 0) return slice(narrow(x, axis, first - count + 1, count), axis, null, null, -1);
  return expand(narrow(x, axis, first, 1), sizesOf(x).with(axis, count));
}

/** Adds copies of runs of the source to the result; an axis without a list is one run. */
export function lowerRuns(
  builder: ProgramBuilder,
  x: Tensor,
  result: Tensor,
  runs: readonly (readonly Run[] | null)[],
  axis = 0,
): void {
  if (axis >= x.rank) {
    lowerCopyAll(builder, x, result, "copy");
    return;
  }
  const own = runs[axis];
  if (own == null) lowerRuns(builder, x, result, runs, axis + 1);
  else
    for (const run of own)
      if (run.count > 0)
        lowerRuns(builder, partOf(x, axis, run), narrow(result, axis, run.at, run.count), runs, axis + 1);
}

/** The run that reverses an axis. */
export const reversed = (x: Tensor, axis: number): Run[] => {
  const size = sizeAt(x, axis);
  return [{ at: 0, first: size - 1, count: size, step: -1 }];
};
