/**
 * Index tensors read into plain lists: integers checked against their axis, masks as the positions where they are true.
 */
import { IndexError } from "../../base/errors.ts";
import { visitElements } from "../../kernel/callbacks.ts";
import { isIntegerDType } from "../../storage/dtype.ts";
import { sizesOf } from "../geometry.ts";
import { operandOf } from "../operand.ts";
import type { Tensor } from "../tensor.ts";

/** Indices in row-major order of their own shape, from 0 up. */
export interface IndexList {
  readonly shape: readonly number[];
  readonly values: Float64Array;
}

/** bool and uint8 tensors are masks. */
export const isMask = (t: Tensor): boolean => t.dtype === "bool" || t.dtype === "uint8";

/** An index from 0 up; refuses one that the axis does not have. */
export function placeOf(who: string, given: number, size: number, axisFor: () => number): number {
  if (!Number.isInteger(given) || given < -size || given >= size)
    throw new IndexError(`${who}: index ${given} is out of range for axis ${axisFor()} with size ${size}`);
  return given < 0 ? given + size : given;
}

/** The indices in a tensor, negative ones counted from the end of the axis, which messages call `axisFor()`; not looked at where that is null. */
export function indexList(who: string, t: Tensor, size: number, axisFor: (() => number) | null): IndexList {
  if (!isIntegerDType(t.dtype))
    throw new IndexError(
      `${who}: index tensors must be integers or bool, got ${t.dtype}. Make it with { dtype: "int32" }, or give a list to pick([...])`,
    );
  const values = new Float64Array(t.size);
  if (axisFor !== null)
    visitElements(operandOf(t, who), (value, i) => {
      values[i] = placeOf(who, Number(value), size, axisFor);
    });
  return { shape: sizesOf(t), values };
}

/** One list for each axis of a mask: where it is true, in row-major order. */
export function positionsOf(mask: Tensor): IndexList[] {
  const sizes = sizesOf(mask);
  const found: number[] = [];
  visitElements(operandOf(mask, "at"), (value, i) => {
    if (value !== false && value !== 0) found.push(i);
  });
  const lists = sizes.map(() => new Float64Array(found.length));
  for (let k = 0; k < found.length; k++) {
    let rest = found[k] as number;
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      const size = sizes[axis] as number;
      (lists[axis] as Float64Array)[k] = rest % size;
      rest = Math.floor(rest / size);
    }
  }
  return lists.map((values) => ({ shape: [found.length], values }));
}
