/**
 * Elementwise ops, formulas of the user's own too: axes of size 1 behind the batch bring all samples to one rank, and broadcasting does
 * the rest. A sample without axes counts less where dtypes are promoted, as a number does; with the batch it has an axis, so it is
 * converted first.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { reshape, to } from "../../tensor/views/view-ops.ts";
import { allWrittenBy, withoutOut } from "../arguments.ts";
import { mapTensors, tensorsOf } from "./arguments.ts";
import { again, type BatchedCall, type BatchingRule, valueOf, varies, withRank } from "./rule.ts";

const kinds = ["bool", "integer", "float", "complex"];
const kindOf = ({ dtype }: Tensor): number => kinds.indexOf(dtypes[dtype].category);
const float = 2;

const isWide = ({ dtype }: Tensor): boolean => dtype === "float64" || dtype === "complex128";

/** The dtype in which a sample without axes has no say beside tensors with axes: of a complex one, the parts have none. */
function silent(t: Tensor, wide: readonly Tensor[]): DType {
  const alike = wide.filter((other) => kindOf(other) === kindOf(t)).map(({ dtype }) => dtype);
  if (alike.length > 0) return alike.reduce(promoteTypes);
  if (!isWide(t) || wide.some(isWide)) return t.dtype;
  return t.dtype === "float64" ? "float32" : "complex64";
}

/** All tensors of a call at one rank, the batch in front. */
export function aligned(call: BatchedCall): unknown[] {
  const out = allWrittenBy(call.op, call.args);
  const tensors = tensorsOf(withoutOut(call.args));
  const rank = Math.max(...tensors.map((t) => t.rank));
  const wide = tensors.filter((t) => t.rank > 0);
  const top = Math.max(-1, ...wide.map(kindOf));
  // Beside others with axes, only a higher kind counts; and of complex numbers beside floats no more than that they are complex.
  const counts = (t: Tensor): boolean => kindOf(t) > top && top !== float;
  const align = (t: Tensor): Tensor => {
    // What is written to is what it is; it may be an operand as well.
    if (out.includes(t)) return valueOf(t, call);
    // Those without axes count among themselves where no other is of as high a kind.
    if (!varies(t, call)) return t.rank === 0 && counts(t) ? reshape(t, [1]) : t;
    if (t.rank > 0 || counts(t)) return withRank(t.value, rank);
    return withRank(to(t.value, silent(t, wide)), rank);
  };
  return mapTensors([...call.args], align);
}

export const elementwiseRule: BatchingRule = (call) => again(call, ...aligned(call));
