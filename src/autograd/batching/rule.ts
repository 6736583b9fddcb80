/**
 * Batching rules compute an op for all samples at once. A rule receives a call whose tensors are one sample each, and returns the results of all
 * samples, with the batch as their first axis. Rules run below the level of the batch and call ops, so their calls are recorded, and batched
 * again by outer levels.
 */
import { type Axis, axisOf } from "../../tensor/axes.ts";
import type { Arguments, Operator } from "../../tensor/dispatch/operator.ts";
import { mapTensors } from "../../tensor/dispatch/wrapper.ts";
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

/** Returns the results of a call with the batch in front; undefined if the rule does not apply. */
export type BatchingRule = (call: BatchedCall) => unknown;

/** Returns the rule of a kind for the settings after its name, as in "along 1=all". */
export type RuleMaker = (...settings: string[]) => BatchingRule;

export { mapTensors };

/** All tensors in a value, `out` too. */
export function tensorsOf(value: unknown): Tensor[] {
  const tensors: Tensor[] = [];
  mapTensors(value, (t) => tensors.push(t));
  return tensors;
}

/** Calls the op of a call with other arguments. */
export const again = ({ op }: BatchedCall, ...args: readonly unknown[]): unknown => {
  const own = [...args];
  while (own.length > 0 && own[own.length - 1] === undefined) own.pop();
  return op.call(own);
};

/** All samples of a batched tensor; other tensors unchanged. */
export const valueOf = (t: Tensor, { level }: BatchedCall): Tensor => (isBatched(t, level) ? t.value : t);

/** True for a tensor that differs between samples. */
export const varies = (t: unknown, { level }: BatchedCall): t is BatchedTensor => isBatched(t, level);

/** A tensor with the whole batch in front; one that all samples share is repeated by a stride of 0. */
export const expandBatch = (t: Tensor, { level }: BatchedCall): Tensor =>
  isBatched(t, level) ? t.value : expand(unsqueeze(t, 0), [level.size, ...sizesOf(t)]);

/** Inserts axes of size 1 after the batch axis, so that samples have this rank. */
export function withRank(t: Tensor, rank: number): Tensor {
  const [size, ...rest] = sizesOf(t) as [number, ...number[]];
  if (rest.length >= rank) return t;
  return reshape(t, [size, ...Array.from({ length: rank - rest.length }, () => 1), ...rest]);
}

/** An axis of a sample as an axis of the batch. */
export const shifted = ({ op }: BatchedCall, t: Tensor, axis: Axis, extra = 0): number =>
  axisOf(op.name, t, axis, extra) + 1;
