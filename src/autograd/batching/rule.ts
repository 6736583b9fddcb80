/**
 * Batching rules: what an op does for all samples at once. A rule sees a call whose tensors are one sample each, and gives the results for
 * all of them, the batch as their first axis. Rules run below the level of the batch, and call ops, so what they do is recorded,
 * and batched again by the levels around.
 */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Arguments, Operator } from "../../tensor/dispatch/operator.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { expand, reshape, unsqueeze } from "../../tensor/views/view-ops.ts";
import { type BatchedTensor, isBatched, type Level } from "./batched.ts";

/** A call with batched arguments, without `out`. */
export interface BatchedCall {
  readonly op: Operator;
  readonly args: Arguments;
  readonly level: Level;
}

/** Gives the results of a call with the batch in front; undefined where another way must be found. */
export type BatchingRule = (call: BatchedCall) => unknown;

/** What makes the rule of a kind from the settings behind its name, as in "along 1=all". */
export type RuleMaker = (...settings: string[]) => BatchingRule;

/** The op of a call with other arguments. */
export const again = ({ op }: BatchedCall, ...args: readonly unknown[]): unknown => {
  const own = [...args];
  while (own.length > 0 && own[own.length - 1] === undefined) own.pop();
  return op.call(own);
};

/** What lies below a tensor: all samples, or a tensor that is the same for all as it is. */
export const valueOf = (t: Tensor, { level }: BatchedCall): Tensor => (isBatched(t, level) ? t.value : t);

/** True of a tensor that differs from sample to sample. */
export const varies = (t: unknown, { level }: BatchedCall): t is BatchedTensor => isBatched(t, level);

/** A tensor with the batch in front, of size 1 if it is the same for all samples. */
export const fronted = (t: Tensor, { level }: BatchedCall): Tensor => (isBatched(t, level) ? t.value : unsqueeze(t, 0));

/** A tensor with the whole batch in front; what is the same for all samples is repeated by a stride of 0. */
export const spreadOut = (t: Tensor, { level }: BatchedCall): Tensor =>
  isBatched(t, level) ? t.value : expand(unsqueeze(t, 0), [level.size, ...sizesOf(t)]);

/** A tensor of a batch with axes of size 1 behind the batch, so that samples have this rank. */
export function withRank(t: Tensor, rank: number): Tensor {
  const [size, ...rest] = sizesOf(t) as [number, ...number[]];
  if (rest.length >= rank) return t;
  return reshape(t, [size, ...Array.from({ length: rank - rest.length }, () => 1), ...rest]);
}

/** An axis of a sample as an axis of the batch. */
export const shifted = ({ op }: BatchedCall, t: Tensor, axis: Axis, extra = 0): number =>
  axisOf(op.name, t, axis, extra) + 1;
