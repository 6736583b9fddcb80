/**
 * Batching rules of products and convolutions. A product with a tensor that all samples share is one product; a convolution merges the batch with
 * its own batch, or with its groups if each sample has its own weight.
 */
import { matmul } from "../../ops/contract/matmul.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { reshape, squeeze, transpose, unsqueeze } from "../../tensor/views/view-ops.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  expandBatch,
  type RuleMaker,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

const product = (a: Tensor, b: Tensor): Tensor => matmul(a, b);

const matmulRule: BatchingRule = (call) => {
  const [x, other] = call.args as [Tensor, Tensor];
  const [a, b] = [valueOf(x, call), valueOf(other, call)];
  if (x.rank === 0 || other.rank === 0) return undefined;
  // One product of matrices, the samples as rows.
  if (!varies(other, call) && x.rank === 1 && other.rank <= 2) return product(a, b);
  if (!varies(x, call) && other.rank === 1 && x.rank <= 2) return product(b, x.rank === 1 ? a : transpose(a, 0, 1));
  const rank = Math.max(x.rank, other.rank, 2);
  const left = x.rank === 1 ? unsqueeze(a, -2) : a;
  const right = other.rank === 1 ? unsqueeze(b, -1) : b;
  let result = product(
    varies(x, call) ? withRank(left, rank) : left,
    varies(other, call) ? withRank(right, rank) : right,
  );
  if (other.rank === 1) result = squeeze(result, -1);
  return x.rank === 1 ? squeeze(result, other.rank === 1 ? -1 : -2) : result;
};

/** [samples, batch, channels, ...] with the samples among the channels: [batch, samples * channels, ...]. */
const amongChannels = (t: Tensor, { level: { size } }: BatchedCall): Tensor => {
  const [, batch, channels, ...image] = t.shape as readonly number[] as [number, number, number, ...number[]];
  return reshape(transpose(t, 0, 1), [batch, size * channels, ...image]);
};

/** The inverse of that. */
const fromChannels = (t: Tensor, { level: { size } }: BatchedCall): Tensor => {
  const [batch, channels, ...image] = t.shape as readonly number[] as [number, number, ...number[]];
  return transpose(reshape(t, [batch, size, channels / size, ...image]), 0, 1);
};

/** The first two axes as one. */
const joined = (t: Tensor): Tensor => {
  const [a, b, ...others] = t.shape as readonly number[] as [number, number, ...number[]];
  return reshape(t, [a * b, ...others]);
};

/** The first axis split into two, of which the first is the batch. */
const parted = (t: Tensor, { level: { size } }: BatchedCall): Tensor => {
  const [count, ...others] = t.shape as readonly number[] as [number, ...number[]];
  return reshape(t, [size, count / size, ...others]);
};

/** Convolution and its transpose, of an input and a weight. */
const convolutionRule: BatchingRule = (call) => {
  const [x, weight, windows, groups, ...more] = call.args as [Tensor, Tensor, unknown, number, ...unknown[]];
  if (!varies(weight, call))
    return parted(again(call, joined(valueOf(x, call)), weight, windows, groups, ...more) as Tensor, call);
  const { size } = call.level;
  const channels = amongChannels(expandBatch(x, call), call);
  return fromChannels(again(call, channels, joined(weight.value), windows, groups * size, ...more) as Tensor, call);
};

/** The gradient of the weight, one for each sample. */
const weightRule: BatchingRule = (call) => {
  const [x, y, windows, groups] = call.args as [Tensor, Tensor, unknown, number];
  const [inputs, outputs] = [x, y].map((t) => amongChannels(expandBatch(t, call), call)) as [Tensor, Tensor];
  return parted(again(call, inputs, outputs, windows, groups * call.level.size) as Tensor, call);
};

export const contractRules = () =>
  ({
    matmul: () => matmulRule,
    convolution: () => convolutionRule,
    convolutionWeight: () => weightRule,
  }) satisfies Record<string, RuleMaker>;
