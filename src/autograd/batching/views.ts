/** Batching rules of views, copies and writes of whole tensors. A view of a sample is a view of the batch, so writes to it reach the batch. */
import type { DType } from "../../storage/dtype.ts";
import type { Axis } from "../../tensor/axes.ts";
import { zeros } from "../../tensor/create/create-ops.ts";
import { modeStrides, sizesOf } from "../../tensor/geometry.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { permute, reshape } from "../../tensor/views/view-ops.ts";
import { inferShape } from "../../tensor/views/view-shape.ts";
import { VmapError } from "../error.ts";
import { along, axisArgument, shiftedAxes } from "./along.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  type RuleMaker,
  shifted,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

const first = ({ args }: BatchedCall): Tensor => args[0] as Tensor;
const value = (call: BatchedCall): Tensor => valueOf(first(call), call);
const rest = ({ args }: BatchedCall): readonly unknown[] => args.slice(1);

/** The op unchanged, for samples with at least `rank` axes. */
const unchanged =
  (rank = 0): BatchingRule =>
  (call) =>
    first(call).rank < rank ? undefined : again(call, value(call), ...rest(call));

/** The op with shifted axes, for samples that have axes. */
const moved: RuleMaker = (...settings) => {
  const rule = along(...settings.map(axisArgument));
  return (call) => (first(call).rank === 0 ? undefined : rule(call));
};

const refused: BatchingRule = ({ op }) => {
  throw new VmapError(
    `${op.name}: a tensor mapped by vmap cannot change its memory or axes in place. Use the op that returns a new tensor`,
  );
};

/** A tensor to be written to a mapped one, with the batch in front. */
const source = (call: BatchedCall, from: Tensor): Tensor =>
  varies(from, call) ? withRank(from.value, first(call).rank) : from;

export const viewRules = () =>
  ({
    same: (rank) => unchanged(Number(rank ?? 0)),
    moved,
    refused: () => refused,
    permute: () => (call) =>
      permute(value(call), [0, ...(call.args[1] as Axis[]).map((axis) => shifted(call, first(call), axis))]),
    T: () => (call) => permute(value(call), [0, ...sizesOf(first(call)).map((_, axis) => first(call).rank - axis)]),
    squeeze: () => (call) => {
      const x = first(call);
      const gone = sizesOf(x).flatMap((size, axis) => (size === 1 ? [axis + 1] : []));
      return again(call, value(call), x.rank === 0 ? [] : (shiftedAxes(call, x, call.args[1], false) ?? gone));
    },
    unsqueeze: () => (call) => again(call, value(call), shifted(call, first(call), call.args[1] as Axis, 1)),
    diagonal: () => (call) => {
      const [, offset = 0, a = 0, b = 1] = call.args as [Tensor, number?, Axis?, Axis?];
      return again(call, value(call), offset, shifted(call, first(call), a), shifted(call, first(call), b));
    },
    view: () => (call) => {
      const shape = inferShape("view", call.args[1] as readonly number[], first(call).size);
      return again(call, value(call), [call.level.size, ...shape]);
    },
    expand: () => (call) => {
      const shape = call.args[1] as readonly number[];
      return again(call, withRank(value(call), shape.length), [call.level.size, ...shape]);
    },
    asStrided: () => (call) => {
      const [, sizes, strides, offset] = call.args as [Tensor, readonly number[], readonly number[], number?];
      const own = modeStrides(value(call));
      if (own === null) return undefined;
      return again(call, value(call), [call.level.size, ...sizes], [own[0], ...strides], offset);
    },
    rename: () => (call) => {
      const names = call.args[1];
      return again(call, value(call), Array.isArray(names) ? [null, ...names] : names);
    },
    clone: () => (call) => {
      const [, format, dtype] = call.args as [Tensor, string?, string?];
      return again(call, value(call), format === "preserve" ? format : "contiguous", dtype);
    },
    zerosBeside: () => (call) => {
      const [, shape, dtype] = call.args as [Tensor, readonly number[], DType];
      return zeros([call.level.size, ...shape], { dtype });
    },
    fill_: () => (call) => {
      const filling = call.args[1];
      const x = value(call);
      if (!(filling instanceof Tensor) || !varies(filling, call)) return again(call, x, filling);
      const ones = Array.from({ length: first(call).rank }, () => 1);
      x.copy_(reshape(filling.value, [call.level.size, ...ones]));
      return x;
    },
    copy_: () => (call) => again(call, value(call), source(call, call.args[1] as Tensor)),
  }) satisfies Record<string, RuleMaker>;
