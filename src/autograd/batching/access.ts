/**
 * Batching rules of indexing. The batch is a leading axis; index tensors that differ between samples are combined with the numbers of the samples.
 * The axes of index tensors that are not adjacent come first, and are moved to their axes in a sample.
 */
import { listOf } from "../../base/list-of.ts";
import { _ } from "../../layout/coord.ts";
import { isMask } from "../../tensor/access/advanced-index.ts";
import type { Index } from "../../tensor/access/indexing.ts";
import type { Axis } from "../../tensor/axes.ts";
import { arange } from "../../tensor/create/ranges.ts";
import { Tensor } from "../../tensor/tensor.ts";
import { at, copy_, fill_, movedim, reshape } from "../../tensor/views/view-ops.ts";
import { onlyFirstVaries } from "./along.ts";
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

/** The number of axes in front of adjacent index tensors; null if the index tensors are not adjacent. */
function keptInFront(items: readonly Index[]): number | null {
  const tensors = items.flatMap((item, k) => (item instanceof Tensor ? [k] : []));
  const [from, to] = [tensors[0] ?? 0, tensors[tensors.length - 1] ?? 0];
  // A number in between removes its axis.
  if (items.slice(from, to).some((item) => !(item instanceof Tensor) && typeof item !== "number")) return null;
  const front = items.slice(0, from);
  if (front.some((item) => item === "..." || typeof item === "boolean")) return null;
  return front.filter((item) => typeof item !== "number").length;
}

const isNested = (item: Index): boolean => Array.isArray(item);
const isTensor = (item: Index): item is Tensor => item instanceof Tensor;
const whole = _ as Index;

/** Index tensors with the batch in front, all of one rank. */
const alignedItems = (call: BatchedCall, items: readonly Index[], rank: number): Index[] =>
  items.map((item) => (varies(item, call) ? withRank(item.value, rank) : item));

const atRule: BatchingRule = (call) => {
  const [x, items] = call.args as [Tensor, readonly Index[]];
  if (!Array.isArray(items) || items.some(isNested)) return undefined;
  const tensors = items.filter(isTensor);
  if (tensors.length === 0) return at(valueOf(x, call), [whole, ...items]);
  // Axes after a leading "..." are counted from the end, and the indices of the samples would not be adjacent.
  const inFront = keptInFront(items);
  if (inFront === null) return undefined;
  if (!tensors.some((t) => varies(t, call))) return at(valueOf(x, call), [whole, ...items]);
  if (tensors.some(isMask)) return undefined;
  const rank = Math.max(...tensors.map((t) => t.rank));
  const chosen = alignedItems(call, items, rank);
  if (!varies(x, call)) return movedim(at(x, chosen), inFront, 0);
  const { size } = call.level;
  const numbers = reshape(arange(0, size, 1, { dtype: "int32" }), [size, ...Array.from({ length: rank }, () => 1)]);
  const result = at(x.value, [numbers, ...chosen]);
  if (inFront === 0 || rank === 0) return result;
  const axes = listOf(rank, (k) => k + 1);
  return movedim(
    result,
    axes,
    axes.map((k) => k + inFront),
  );
};

/** Writes to a part that is a view. */
const assignRule: BatchingRule = (call) => {
  const [x, items, value] = call.args as [Tensor, readonly Index[], unknown];
  if (!Array.isArray(items) || items.some((item) => isNested(item) || isTensor(item))) return undefined;
  const all = valueOf(x, call);
  const part = at(all, [whole, ...items]);
  if (!(value instanceof Tensor)) fill_(part, value as never);
  else copy_(part, varies(value, call) ? withRank(value.value, part.rank - 1) : value);
  return all;
};

const pick: BatchingRule = (call) => {
  const [x, indices, axis = 0] = call.args as [Tensor, unknown, Axis?];
  return x.rank > 0 && onlyFirstVaries(call)
    ? again(call, valueOf(x, call), indices, shifted(call, x, axis))
    : undefined;
};

export const accessRules = () =>
  ({ at: () => atRule, assignAt_: () => assignRule, pick: () => pick }) satisfies Record<string, RuleMaker>;
