/** Batching rules of normalization, attention and distances. */
import { Tensor } from "../../tensor/tensor.ts";
import { reshape } from "../../tensor/views/view-ops.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  expandBatch,
  mapTensors,
  type RuleMaker,
  tensorsOf,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

/** A scale or shift that is broadcast over samples of a rank. */
const broadcast = (t: unknown, call: BatchedCall, rank: number): unknown =>
  t instanceof Tensor && varies(t, call) ? withRank(t.value, rank) : t;

const standardize: BatchingRule = (call) => {
  const [x, row, factor, shift, options] = call.args as [Tensor, readonly number[], unknown, unknown, unknown];
  const axes = row.map((axis) => axis + 1);
  return again(
    call,
    expandBatch(x, call),
    axes,
    broadcast(factor, call, x.rank),
    broadcast(shift, call, x.rank),
    options,
  );
};

const standardizeBackward: BatchingRule = (call) => {
  const [g, x, row, factor, options] = call.args as [Tensor, Tensor, readonly number[], unknown, unknown];
  const axes = row.map((axis) => axis + 1);
  return again(call, expandBatch(g, call), expandBatch(x, call), axes, broadcast(factor, call, x.rank), options);
};

/** Queries, keys, values and a mask whose leading axes are broadcast. */
const attention: BatchingRule = (call) => {
  const rank = Math.max(...tensorsOf(call.args).map((t) => t.rank));
  return again(call, ...mapTensors([...call.args], (t) => (varies(t, call) ? withRank(t.value, rank) : t)));
};

/** Pairs of points along the second-to-last axis. */
const pairs: BatchingRule = (call) => {
  const [x, other, ...more] = call.args as [Tensor, Tensor, ...unknown[]];
  const rank = Math.max(x.rank, other.rank);
  const [a, b] = [x, other].map((t) => (varies(t, call) ? withRank(t.value, rank) : valueOf(t, call)));
  return again(call, a, b, ...more);
};

/** Merges the samples with the channels: [samples, batch, channels, ...] as [batch, samples * channels, ...]. */
const batchStandardize: BatchingRule = (call) => {
  const [x, weight, bias, options] = call.args as [Tensor, Tensor | null, Tensor | null, unknown];
  if (x.rank < 2) return undefined;
  const { size } = call.level;
  const [batch, channels, ...image] = x.shape as readonly number[] as [number, number, ...number[]];
  const flat = (t: Tensor | null | undefined): Tensor | null =>
    t ? reshape(expandBatch(t, call), [size * channels]) : null;
  const all = reshape(expandBatch(x, call).transpose(0, 1), [batch, size * channels, ...image]);
  const [y, mean, variance] = again(call, all, flat(weight), flat(bias), options) as [Tensor, Tensor, Tensor];
  return [
    reshape(y, [batch, size, channels, ...image]).transpose(0, 1),
    reshape(mean, [size, channels]),
    reshape(variance, [size, channels]),
  ];
};

const classLogs: BatchingRule = (call) => {
  const [x, classes, axis] = call.args as [Tensor, Tensor, number];
  return again(call, expandBatch(x, call), expandBatch(classes, call), axis + 1);
};

export const rowRules = () =>
  ({
    standardize: () => standardize,
    standardizeBackward: () => standardizeBackward,
    batchStandardize: () => batchStandardize,
    attention: () => attention,
    classLogs: () => classLogs,
    pairs: () => pairs,
  }) satisfies Record<string, RuleMaker>;
