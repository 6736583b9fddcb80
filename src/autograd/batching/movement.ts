/** Batching rules of ops that move elements: joins, repeats, padding, gathering and scattering along an axis. */
import { diagEmbed } from "../../ops/movement/diagonals.ts";
import { gather } from "../../ops/movement/gather.ts";
import type { Axis } from "../../tensor/axes.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { at, clone, diagonal, expand, reshape } from "../../tensor/views/view-ops.ts";
import { isRecord } from "../arguments.ts";
import { along, axisArgument, folded } from "./along.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  expandBatch,
  type RuleMaker,
  shifted,
  tensorsOf,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

const first = ({ args }: BatchedCall): Tensor => args[0] as Tensor;
const value = (call: BatchedCall): Tensor => valueOf(first(call), call);

/** A list of tensors, joined along an axis, or along a new one. */
const join =
  (extra: number): BatchingRule =>
  (call) => {
    const [list, axis = 0] = call.args as [readonly Tensor[], Axis?];
    const tensors = list.map((t) => expandBatch(t, call));
    return again(call, tensors, shifted(call, list[0], axis, extra));
  };

/** x, an axis, an index of the rank of x, and more tensors of that rank. */
const alongIndex: BatchingRule = (call) => {
  const [x, axis, ...more] = call.args as [Tensor, Axis, ...unknown[]];
  const tensors = tensorsOf(more);
  if (x.rank === 0 || tensors.some((t) => t.rank !== x.rank)) return undefined;
  return again(
    call,
    expandBatch(x, call),
    shifted(call, x, axis),
    ...more.map((arg) => (arg instanceof Tensor ? expandBatch(arg, call) : arg)),
  );
};

/** x, an axis, an index of one axis for all samples, and another tensor of the rank of x. */
const rowIndex: BatchingRule = (call) => {
  const [x, axis, index, ...more] = call.args as [Tensor, Axis, Tensor, ...unknown[]];
  if (x.rank === 0 || varies(index, call) || tensorsOf(more).some((t) => t.rank !== x.rank)) return undefined;
  const others = more.map((arg) => (arg instanceof Tensor ? expandBatch(arg, call) : arg));
  return again(call, expandBatch(x, call), shifted(call, x, axis), index, ...others);
};

const indexSelect: BatchingRule = (call) => {
  const [x, axis, index] = call.args as [Tensor, Axis, Tensor];
  if (x.rank === 0) return undefined;
  const at = shifted(call, x, axis);
  if (!varies(index, call)) return again(call, value(call), at, index);
  const all = expandBatch(x, call);
  const [{ size }, count] = [call.level, index.size];
  const shape = sizesOf(all).map((_, axis) => (axis === 0 ? size : axis === at ? count : 1));
  const wide = sizesOf(all).with(at, count);
  return gather(all, at, expand(reshape(index.value, shape), wide));
};

/** Rows of a table; if each sample has its own table, all columns are gathered. */
const embedding: BatchingRule = (call) => {
  const [indices, weight, ...more] = call.args as [Tensor, Tensor, ...unknown[]];
  if (!varies(weight, call)) return again(call, valueOf(indices, call), weight, ...more);
  // Only the op itself knows the row without a gradient.
  if (more.length > 0) return undefined;
  const [{ size }, width] = [call.level, weight.shape[1]];
  const rows = expand(reshape(expandBatch(indices, call), [size, indices.size, 1]), [size, indices.size, width]);
  return reshape(gather(weight.value, 1, rows), [size, ...sizesOf(indices), width]);
};

const roll: BatchingRule = (call) => {
  const [x, by, axes] = call.args as [Tensor, number | readonly number[], unknown];
  const none = axes === undefined || axes === null || (Array.isArray(axes) && axes.length === 0);
  if (!none) return along([2])(call);
  const flat = reshape(value(call), [call.level.size, x.size]);
  return reshape(again(call, flat, by, 1) as Tensor, [call.level.size, ...sizesOf(x)]);
};

const repeat: BatchingRule = (call) => {
  const times = call.args
    .slice(1)
    .flat()
    .filter((one) => typeof one === "number");
  return times.length < first(call).rank ? undefined : again(call, withRank(value(call), times.length), [1, ...times]);
};

const pad: BatchingRule = (call) => {
  const [x, list, options] = call.args as [Tensor, readonly number[], unknown];
  const axes = list.length / 2;
  if (x.rank < axes) return undefined;
  const isConstant = !isRecord(options) || options["mode"] === undefined || options["mode"] === "constant";
  return isConstant ? again(call, value(call), ...call.args.slice(1)) : folded(axes + 1)(call);
};

const diag: BatchingRule = (call) => {
  const [x, offset = 0] = call.args as [Tensor, number?];
  if (x.rank === 1) return diagEmbed(value(call), offset);
  return x.rank === 2 ? clone(diagonal(value(call), offset, 1, 2)) : undefined;
};

const diagEmbedRule: BatchingRule = (call) => {
  const [x, offset = 0, a = -2, b = -1] = call.args as [Tensor, number?, Axis?, Axis?];
  return x.rank === 0 ? undefined : again(call, value(call), offset, shifted(call, x, a, 1), shifted(call, x, b, 1));
};

/** x and a tensor that replaces a part of it; the settings are the axes among the arguments after both. */
const part: RuleMaker = (...settings) => {
  const axes = settings.map(axisArgument);
  return (call) => {
    const [x, part, ...more] = call.args as [Tensor, Tensor, ...unknown[]];
    if (x.rank === 0) return undefined;
    const rest = [...more];
    for (const [index, fallback] of axes) rest[index] = shifted(call, x, (rest[index] ?? fallback) as Axis);
    return again(call, expandBatch(x, call), expandBatch(part, call), ...rest);
  };
};

const scatterIndex: BatchingRule = (call) => {
  const [x, axis, index, shape] = call.args as [Tensor, number, Tensor, readonly number[]];
  const all = [expandBatch(x, call), axis + 1, expandBatch(index, call), [call.level.size, ...shape]];
  return x.rank === 0 || index.rank !== x.rank ? undefined : again(call, ...all);
};

/** Channels of each image of each sample. */
const channelShuffle: BatchingRule = (call) => {
  const [x, groups] = call.args as [Tensor, number];
  if (x.rank < 2) return undefined;
  const [count, ...image] = sizesOf(x) as [number, ...number[]];
  const { size } = call.level;
  return reshape(again(call, reshape(value(call), [size * count, ...image]), groups) as Tensor, [
    size,
    count,
    ...image,
  ]);
};

/** Elements by flat index, combined with the indices of the samples. */
const take: BatchingRule = (call) => {
  const [x, index] = call.args as [Tensor, Tensor];
  const { size } = call.level;
  const samples = reshape(arange(0, size, 1, { dtype: "int32" }), [size, ...sizesOf(index).map(() => 1)]);
  return at(reshape(expandBatch(x, call), [size, x.size]), [samples, expandBatch(index, call)]);
};

export const movementRules = () =>
  ({
    join: (extra) => join(Number(extra)),
    roll: () => roll,
    repeat: () => repeat,
    pad: () => pad,
    diag: () => diag,
    diagEmbed: () => diagEmbedRule,
    alongIndex: () => alongIndex,
    rowIndex: () => rowIndex,
    scatterIndex: () => scatterIndex,
    indexSelect: () => indexSelect,
    embedding: () => embedding,
    oneHot: () => (call) =>
      typeof call.args[1] === "number" && call.args[1] > 0 ? again(call, value(call), call.args[1]) : undefined,
    part,
    channelShuffle: () => channelShuffle,
    take: () => take,
  }) satisfies Record<string, RuleMaker>;
