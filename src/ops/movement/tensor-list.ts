/**
 * Helpers of ops on lists of tensors: the check of the list, and axes of size 1 added as PyTorch adds them.
 */
import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { unsqueeze } from "../views.ts";

/** Throws unless `tensors` is a non-empty list of tensors. */
export function checkTensors(who: string, tensors: unknown): asserts tensors is readonly Tensor[] {
  if (!Array.isArray(tensors))
    throw new StridewiseError(`${who}: expected a list of tensors, ${who}([a, b]), got ${describeValue(tensors)}`);
  if (tensors.length === 0) throw new StridewiseError(`${who}: the list of tensors is empty`);
  tensors.forEach((each, k) => {
    if (!(each instanceof Tensor))
      throw new StridewiseError(`${who}: element ${k} of the list must be a tensor, got ${describeValue(each)}`);
  });
}

/** Returns the op with a check of the list before dispatch, which an empty list has no keys for. */
export function onTensors<F extends OpFunction>(op: F): F {
  const { operator } = op;
  const call = (tensors: unknown, ...more: unknown[]): unknown => {
    checkTensors(operator.name, tensors);
    return (op as unknown as (...args: unknown[]) => unknown)(tensors, ...more);
  };
  return Object.assign(call as unknown as F, { operator });
}

/** Adds axes of size 1 up to `rank`: in front, or after those of a matrix. */
export function atLeast(t: Tensor, rank: 1 | 2 | 3): Tensor {
  if (t.rank >= rank) return t;
  if (t.rank === 2) return unsqueeze(t, 2);
  return atLeast(unsqueeze(t, 0), rank);
}
