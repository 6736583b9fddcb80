/**
 * Batching rules of ops along axes of one tensor, or of several tensors of one shape: their axes are shifted by one, after the batch axis. A 0-d
 * sample gets an axis of size 1 for the call.
 */
import { listOf } from "../../base/list-of.ts";
import type { Axis } from "../../tensor/axes.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { reshape } from "../../tensor/views/view-ops.ts";
import { isRecord } from "../arguments.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  expandBatch,
  mapTensors,
  type RuleMaker,
  shifted,
  tensorsOf,
  valueOf,
  varies,
} from "./rule.ts";

/** The index of an argument that is an axis, or a list of them, and its default: "all" for every axis. */
export type AxisArgument = readonly [index: number, fallback?: number | "all"];

/** Parses the setting of a batching rule: the index of an axis argument and its default, "1", "1=0" or "1=all". */
export function axisArgument(setting: string): AxisArgument {
  const [index, fallback] = setting.split("=") as [string, string?];
  return fallback === undefined ? [Number(index)] : [Number(index), fallback === "all" ? fallback : Number(fallback)];
}

/** Shifts an argument that is an axis, or a list of axes. */
export function shiftedAxes(call: BatchedCall, t: Tensor, axes: unknown, isAll: boolean): unknown {
  const none = axes === undefined || axes === null || (isAll && Array.isArray(axes) && axes.length === 0);
  if (none) return isAll ? listOf(Math.max(t.rank, 1), (axis) => axis + 1) : axes;
  return Array.isArray(axes) ? axes.map((axis) => shifted(call, t, axis)) : shifted(call, t, axes as Axis);
}

/** Shifts the axis among named options; returns false if there is none. */
function shiftNamed(call: BatchedCall, t: Tensor, args: unknown[], isAll: boolean): boolean {
  const at = args.findIndex((arg) => isRecord(arg) && arg["axis"] != null);
  if (at < 0) return false;
  const options = args[at] as Readonly<Record<string, unknown>>;
  args[at] = { ...options, axis: shiftedAxes(call, t, options["axis"], isAll) };
  return true;
}

/** The rule of an op along axes whose tensors have the same rank. Tensors that all samples share are expanded. Results of 0-d samples are 0-d. */
export const along =
  (...axes: readonly AxisArgument[]): BatchingRule =>
  (call) => {
    const x = tensorsOf(call.args)[0];
    if (tensorsOf(call.args).some((t) => t.rank !== x.rank)) return undefined;
    const isPoint = x.rank === 0;
    const { size } = call.level;
    const args = mapTensors([...call.args], (t) =>
      isPoint ? reshape(expandBatch(t, call), [size, 1]) : expandBatch(t, call),
    );
    const isNamed = shiftNamed(call, x, args, axes[0]?.[1] === "all");
    for (const [index, fallback] of axes) {
      const axis = isRecord(args[index]) ? undefined : args[index];
      if (isNamed && axis === undefined) continue;
      // Options at the index of an omitted axis move after it.
      if (isRecord(args[index])) args.splice(index, 0, undefined);
      const isAll = fallback === "all";
      args[index] = shiftedAxes(call, x, axis ?? (isAll ? undefined : fallback), isAll);
    }
    const result = again(call, ...args);
    return isPoint ? mapTensors(result, (t) => reshape(t, [size])) : result;
  };

/** The rule of an op on the last `rank` axes of its tensors, which may have any number of axes in front. */
export const onLast =
  (rank: number): BatchingRule =>
  (call) => {
    const tensors = tensorsOf(call.args);
    if (tensors.some((t) => t.rank < rank)) return undefined;
    return tensors.every((t) => t.rank === tensors[0].rank) ? expandAll(call) : undefined;
  };

/** The rule of an op whose tensors may have any axes in front, if all of them have the same ones. */
export const expandAll: BatchingRule = (call) =>
  again(call, ...mapTensors([...call.args], (t) => expandBatch(t, call)));

/** The rule of an op on samples of a rank, or on batches of them: the axis of vmap becomes the op's batch axis, or is merged with it. */
export const folded =
  (rankOf: number | ((call: BatchedCall) => number)): BatchingRule =>
  (call) => {
    const rank = typeof rankOf === "number" ? rankOf : rankOf(call);
    const tensors = tensorsOf(call.args);
    const x = tensors[0];
    if (tensors.some((t) => t.rank !== x.rank) || (x.rank !== rank && x.rank !== rank + 1)) return undefined;
    const values = mapTensors([...call.args], (t) => expandBatch(t, call));
    if (x.rank === rank) return again(call, ...values);
    const [count, { size }] = [x.shape[0], call.level];
    const flat = mapTensors(values, (t) => reshape(t, [size * count, ...t.shape.slice(2)]));
    return mapTensors(again(call, ...flat), (t) => reshape(t, [size, count, ...t.shape.slice(1)]));
  };

/** The rules of ops along axes, or on the last axes. */
export const axisRules = () =>
  ({
    along: (...settings) => along(...settings.map(axisArgument)),
    last: (rank) => onLast(Number(rank)),
    lastOfFirst(rank) {
      const rule = onLast(Number(rank));
      return (call) => (onlyFirstVaries(call) ? rule(call) : undefined);
    },
    folded: (rank) => folded(Number(rank)),
    firstOnly: () => (call) =>
      onlyFirstVaries(call) ? again(call, valueOf(call.args[0] as Tensor, call), ...call.args.slice(1)) : undefined,
  }) satisfies Record<string, RuleMaker>;

/** True if only the first argument differs between samples. */
export const onlyFirstVaries = (call: BatchedCall): boolean =>
  varies(call.args[0], call) && !tensorsOf(call.args.slice(1)).some((t) => varies(t, call));
