/**
 * The batching rule of elementwise ops and user-defined formulas: axes of size 1 after the batch axis give all samples one rank, and the op broadcasts
 * them. A 0-d sample has a lower priority in dtype promotion, as a number does; with the batch it has an axis, so it is converted
 * first.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { reshape, to } from "../../tensor/views/view-ops.ts";
import { allWrittenBy, withoutOut } from "../arguments.ts";
import {
  again,
  type BatchedCall,
  type BatchingRule,
  mapTensors,
  tensorsOf,
  valueOf,
  varies,
  withRank,
} from "./rule.ts";

const kinds = ["bool", "integer", "float", "complex"];
const categoryRank = ({ dtype }: Tensor): number => kinds.indexOf(dtypes[dtype].category);
const float = 2;

const isWide = ({ dtype }: Tensor): boolean => dtype === "float64" || dtype === "complex128";

/** The dtype to which a 0-d sample is converted, so that it does not affect promotion with tensors that have axes. */
function silent(t: Tensor, wide: readonly Tensor[]): DType {
  const alike = wide.filter((other) => categoryRank(other) === categoryRank(t)).map(({ dtype }) => dtype);
  if (alike.length > 0) return alike.reduce(promoteTypes);
  if (!isWide(t) || wide.some(isWide)) return t.dtype;
  return t.dtype === "float64" ? "float32" : "complex64";
}

/** The arguments with all tensors of one rank, the batch in front. */
export function aligned(call: BatchedCall): unknown[] {
  const out = allWrittenBy(call.op, call.args);
  const tensors = tensorsOf(withoutOut(call.args));
  const rank = Math.max(...tensors.map((t) => t.rank));
  const wide = tensors.filter((t) => t.rank > 0);
  const top = Math.max(-1, ...wide.map(categoryRank));
  // With tensors that have axes, only a higher kind affects promotion; a complex sample among floats makes the result complex, no more.
  const counts = (t: Tensor): boolean => categoryRank(t) > top && top !== float;
  const align = (t: Tensor): Tensor => {
    // The output is not converted; it may also be an operand.
    if (out.includes(t)) return valueOf(t, call);
    // 0-d samples are promoted among themselves if no other tensor is of as high a kind.
    if (!varies(t, call)) return t.rank === 0 && counts(t) ? reshape(t, [1]) : t;
    if (t.rank > 0 || counts(t)) return withRank(t.value, rank);
    return withRank(to(t.value, silent(t, wide)), rank);
  };
  return mapTensors([...call.args], align);
}

export const elementwiseRule: BatchingRule = (call) => again(call, ...aligned(call));
