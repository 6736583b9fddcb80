/**
 * What ops on lists of tensors share: the check that it is one, and axes of size 1 added where PyTorch adds them.
 */
import { StridewiseError } from "../../base/errors.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { Tensor } from "../../tensor/tensor.ts";
import type { OpFunction } from "../elementwise/map.ts";
import { unsqueeze } from "../views.ts";

/** Refuses what is no list of tensors with at least one in it. */
export function checkTensors(who: string, tensors: unknown): asserts tensors is readonly Tensor[] {
  if (!Array.isArray(tensors))
    throw new StridewiseError(`${who}: takes a list of tensors, ${who}([a, b]), got ${describeValue(tensors)}`);
  if (tensors.length === 0) throw new StridewiseError(`${who}: the list of tensors is empty`);
  tensors.forEach((each, k) => {
    if (!(each instanceof Tensor))
      throw new StridewiseError(`${who}: element ${k} of the list must be a tensor, got ${describeValue(each)}`);
  });
}

/** An op on a list of tensors that looks at the list before it asks which backend runs it: an empty one has none. */
export function onTensors<F extends OpFunction>(op: F): F {
  const { operator } = op;
  const call = (tensors: unknown, ...more: unknown[]): unknown => {
    checkTensors(operator.name, tensors);
    return (op as unknown as (...args: unknown[]) => unknown)(tensors, ...more);
  };
  return Object.assign(call as unknown as F, { operator });
}

/** The tensor with at least `rank` axes: a list is a row, and a matrix has one layer, behind it. */
export function atLeast(t: Tensor, rank: 1 | 2 | 3): Tensor {
  if (t.rank >= rank) return t;
  if (t.rank === 2) return unsqueeze(t, 2);
  return atLeast(unsqueeze(t, 0), rank);
}
