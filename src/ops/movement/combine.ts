/**
 * What scatterReduce and indexReduce share: elements that go to one place are combined with what is there, and with each other.
 */

import { StridewiseError } from "../../base/errors.ts";
import { noOrder } from "../../kernel/reduce/reductions.ts";
import type { IndexedMove } from "../../kernel/scatter.ts";
import { type DType, isComplexDType, isIntegerDType, type Value } from "../../storage/dtype.ts";
import { copyAll } from "../../tensor/copy-all.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { fillUnchecked } from "../../tensor/in-place.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { expand } from "../../tensor/views/views-shape.ts";
import { clampMin, div, floorDivide } from "../elementwise/arithmetic.ts";
import { fresh } from "../op.ts";
import type { OutOption } from "../op-types.ts";
import { meetAlong } from "./indexed.ts";

/** How elements that go to one place are combined. */
export type Combining = "sum" | "prod" | "mean" | "amax" | "amin";

const moves: Readonly<Record<Combining, IndexedMove>> = {
  sum: "add",
  prod: "mul",
  mean: "add",
  amax: "max",
  amin: "min",
};

/** Refuses a way to combine that there is not, or that the dtype does not have. */
export function checkCombining(who: string, combining: unknown, dtype: DType, known = Object.keys(moves)): void {
  if (!known.includes(combining as Combining))
    throw new StridewiseError(
      `${who}: reduce must be ${known.slice(0, -1).join(", ")} or ${known.at(-1)}, got ${typeof combining === "string" ? combining : describeValue(combining)}.`,
    );
  if (isComplexDType(dtype) && (combining === "amax" || combining === "amin")) throw noOrder(who, combining, dtype);
}

export interface CombiningOptions extends OutOption {
  /** What was there takes part; if not, it is replaced where something is written. */
  readonly includeSelf?: boolean | undefined;
}

/** A number as a tensor of a shape, by strides of 0. */
export function repeated(value: Value, dtype: DType, shape: readonly number[]): Tensor {
  const one = fresh(dtype, []);
  fillUnchecked(one, value, "fill");
  return expand(one, shape);
}

/** Everything that writing along an axis needs, checked, all with at least one axis. */
export interface Prepared {
  readonly target: Tensor;
  readonly axis: number;
  readonly near: Tensor;
  readonly places: Tensor;
}

/** What moves near to the elements of the target, or combines both. */
export const writeAlong =
  (move: IndexedMove, { target, axis, near, places }: Prepared): (() => void) =>
  () =>
    meetAlong(move, target, axis, near, places);

/** Combines near with the elements of the target that it meets. */
export function combineAlong(
  { target, axis, near, places }: Prepared,
  combining: Combining,
  includeSelf: boolean,
): void {
  const { dtype } = target;
  const shape = sizesOf(near);
  if (!includeSelf) {
    const isOrdered = combining === "amax" || combining === "amin";
    const start = isOrdered ? near : repeated(combining === "prod" ? 1 : 0, dtype, shape);
    meetAlong("set", target, axis, start, places);
  }
  meetAlong(moves[combining], target, axis, near, places);
  if (combining !== "mean") return;
  const counts = fresh("int64", sizesOf(target));
  fillUnchecked(counts, includeSelf ? 1 : 0, "mean");
  meetAlong("add", counts, axis, repeated(1, "int64", shape), places);
  const divide = isIntegerDType(dtype) ? floorDivide : div;
  copyAll(divide(target, clampMin(counts, 1)), target, "mean");
}
