/**
 * Operands of ops on lists of numbers, signals and coefficients: tensors with one axis, as floats, and two of them in one dtype.
 */
import { ShapeError } from "../../base/errors.ts";
import { dtypes } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { showShape, sizeAt } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { reshape, to } from "../views.ts";

/** A tensor with one axis, or with so many at most, and with elements if it must have some; one without axes is a list of one. */
export function sequence(who: string, name: string, t: Tensor, isFilled = false, axes = 1): Tensor {
  checkTensor(who, t);
  if (t.rank > axes)
    throw new ShapeError(
      `${who}: ${name} has a rank of ${axes} at most, got shape ${showShape(t)}. Take a part of it: select(0, k)`,
    );
  if (isFilled && t.size === 0) throw new ShapeError(`${who}: ${name} cannot be empty. Give it at least one element`);
  return t.rank === 0 ? reshape(t, [1]) : t;
}

/** Refuses two tensors that have not as many rows as each other. */
export function checkPaired(who: string, names: string, a: Tensor, b: Tensor): void {
  const [n, m] = [sizeAt(a, 0), sizeAt(b, 0)];
  if (n !== m) throw new ShapeError(`${who}: ${names} must have the same length, got ${n} and ${m}. Give one for each`);
}

/** The tensor, integers and bools as floats. */
export const floating = (t: Tensor): Tensor => (/float|complex/.test(dtypes[t.dtype].category) ? t : div(t, 1));

/** Two tensors in the dtype that they make together, as floats: integers beside float64 keep all their digits. */
export const floatsTogether = (a: Tensor, b: Tensor): [a: Tensor, b: Tensor] =>
  together(a, b).map(floating) as [Tensor, Tensor];

/** Two tensors in the dtype that they make together. */
export function together(a: Tensor, b: Tensor): [a: Tensor, b: Tensor] {
  const dtype = promoteTypes(a.dtype, b.dtype);
  return [to(a, dtype), to(b, dtype)];
}
