/**
 * Operands of ops on signals and coefficients: lists, that is tensors with one axis, as floats or in a common dtype.
 */
import { ShapeError } from "../../base/errors.ts";
import { dtypes } from "../../storage/dtype.ts";
import { promoteTypes } from "../../storage/promotion.ts";
import { showShape, sizeAt } from "../../tensor/geometry.ts";
import { checkTensor } from "../../tensor/operand.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { div } from "../elementwise/arithmetic.ts";
import { reshape, to } from "../views.ts";

/** Checks and returns a list, or a tensor of up to `axes` axes, not empty if `isFilled`; a 0-d tensor is a list of one. */
export function sequence(who: string, name: string, t: Tensor, isFilled = false, axes = 1): Tensor {
  checkTensor(who, t);
  if (t.rank > axes)
    throw new ShapeError(
      `${who}: ${name} must have a rank of at most ${axes}, got shape ${showShape(t)}. Select a part: select(0, k)`,
    );
  if (isFilled && t.size === 0) throw new ShapeError(`${who}: ${name} must not be empty`);
  return t.rank === 0 ? reshape(t, [1]) : t;
}

/** Throws unless two tensors have the same number of rows. */
export function checkPaired(who: string, names: string, a: Tensor, b: Tensor): void {
  const [n, m] = [sizeAt(a, 0), sizeAt(b, 0)];
  if (n !== m) throw new ShapeError(`${who}: ${names} must have the same length, got ${n} and ${m}`);
}

/** Returns the tensor with integers and bools as floats. */
export const floating = (t: Tensor): Tensor => (/float|complex/.test(dtypes[t.dtype].category) ? t : div(t, 1));

/** Returns two tensors as floats of their common dtype, so that integers keep their precision next to float64. */
export const floatsTogether = (a: Tensor, b: Tensor): [a: Tensor, b: Tensor] =>
  together(a, b).map(floating) as [Tensor, Tensor];

/** Returns two tensors in their common dtype. */
export function together(a: Tensor, b: Tensor): [a: Tensor, b: Tensor] {
  const dtype = promoteTypes(a.dtype, b.dtype);
  return [to(a, dtype), to(b, dtype)];
}
