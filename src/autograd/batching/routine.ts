/** Batching rules of routines: quantiles, searches, and ops on matrices, which have their own batch axes. */
import type { Axis } from "../../tensor/axes.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { expand, movedim, reshape, squeeze, unsqueeze } from "../../tensor/views/view-ops.ts";
import { isRecord } from "../arguments.ts";
import { expandAll, onLast, onlyFirstVaries } from "./along.ts";
import {
  again,
  type BatchingRule,
  expandBatch,
  mapTensors,
  type RuleMaker,
  shifted,
  tensorsOf,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

/** A system of equations: a right-hand side that is a vector gets a column axis. */
const solve: BatchingRule = (call) => {
  const [A, B, ...more] = call.args as [Tensor, Tensor, ...unknown[]];
  if (A.rank < 2 || B.rank === 0) return undefined;
  const isVector = B.rank === 1 || (B.rank === A.rank - 1 && sizesOf(B).every((size, axis) => size === A.shape[axis]));
  const rank = Math.max(A.rank, B.rank + Number(isVector));
  const [left, right] = [valueOf(A, call), isVector ? unsqueeze(valueOf(B, call), -1) : valueOf(B, call)];
  const result = again(
    call,
    varies(A, call) ? withRank(left, rank) : left,
    varies(B, call) ? withRank(right, rank) : right,
    ...more,
  );
  // The solution is the first result; the others describe A.
  if (!isVector) return result;
  if (!Array.isArray(result)) return squeeze(result as Tensor, -1);
  return [squeeze(result[0] as Tensor, -1), ...result.slice(1)];
};

/** Tensors with batch axes in front, some of which are vectors where others are matrices. */
const withVectors: BatchingRule = (call) => {
  const [first, ...others] = tensorsOf(call.args) as [Tensor, ...Tensor[]];
  return first.rank < 2 || others.some((t) => t.rank !== first.rank && t.rank !== first.rank - 1)
    ? undefined
    : mapTensors(expandAll(call), (t) => whole(t, call.level.size));
};

/** An empty result, which was not requested, gets the batch axis. */
const whole = (t: Tensor, size: number): Tensor => (t.rank === 1 && t.size === 0 ? expand(t, [size, 0]) : t);

const matrix: BatchingRule = (call) => mapTensors(onLast(2)(call), (t) => whole(t, call.level.size));

/** Several quantiles are the first axis of the result. */
const quantile: BatchingRule = (call) => {
  const [x, q, ...more] = call.args as [Tensor, Tensor | number | readonly number[], ...unknown[]];
  const axes = more.map((arg) => (isRecord(arg) ? arg["axis"] : arg)).filter((axis) => axis != null) as Axis[];
  if (!onlyFirstVaries(call) || x.rank === 0) return undefined;
  const options = more.find(isRecord);
  if (axes.length === 0 && options?.["keepdims"] === true) return undefined;
  const [{ size }, axis] = [call.level, axes[0] === undefined ? 1 : shifted(call, x, axes[0])];
  const all = axes.length === 0 ? reshape(valueOf(x, call), [size, x.size]) : valueOf(x, call);
  const result = again(call, all, q, { ...options, axis }) as Tensor;
  const isList = Array.isArray(q) || (q instanceof Tensor && q.rank > 0);
  return isList ? movedim(result, 1, 0) : result;
};

/** Boundaries for all samples, or for each sample. */
const searchsorted: BatchingRule = (call) => {
  const [bounds, values, ...more] = call.args as [Tensor, Tensor | number, ...unknown[]];
  if (tensorsOf(more).length > 0 || typeof values === "number") return undefined;
  if (!varies(bounds, call) && bounds.rank === 1) return again(call, bounds, valueOf(values, call), ...more);
  if (values.rank !== bounds.rank || bounds.rank === 0) return undefined;
  return again(call, expandBatch(bounds, call), expandBatch(values, call), ...more);
};

/** Elements compared with a list that all samples share. */
const withList: BatchingRule = (call) => {
  const [x, ...more] = call.args;
  if (tensorsOf(more).some((t) => varies(t, call))) return undefined;
  return again(call, ...mapTensors([x], (t) => valueOf(t, call)), ...more);
};

export const routineRules = () =>
  ({
    matrix: () => matrix,
    vectors: () => withVectors,
    solve: () => solve,
    quantile: () => quantile,
    searchsorted: () => searchsorted,
    withList: () => withList,
  }) satisfies Record<string, RuleMaker>;
