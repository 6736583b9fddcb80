/**
 * What the ops of `masked` have in common: elements that a mask leaves out are replaced by a value that does not count. No mask counts
 * all of them. The mask is broadcast to the shape of the tensor, and never the other way round.
 */
import { type DType, DTypeError, dtypes, isComplexDType, isFloatDType, type Value } from "../../storage/dtype.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { maskedFill } from "../elementwise/choose.ts";
import { logicalNot } from "../elementwise/comparison.ts";
import { expand } from "../views.ts";

export interface MaskOption {
  /** True where an element counts; all do unless given. */
  readonly mask?: Tensor | null | undefined;
}

/** The mask in the shape of a tensor. */
export function maskOf(who: string, x: Tensor, mask: Tensor): Tensor {
  if (mask.dtype !== "bool")
    throw new DTypeError(`${who}: mask is a tensor of bools, got ${mask.dtype}. Compare it: mask.ne(0)`);
  return expand(mask, sizesOf(x));
}

/** The tensor with a value in the place of what does not count. */
export const filled = (who: string, x: Tensor, mask: Tensor | null | undefined, value: Value): Tensor =>
  mask === null || mask === undefined ? x : maskedFill(x, logicalNot(maskOf(who, x, mask)), value);

/** The value of a dtype that no other is below, or with a sign of 1 above. */
export function extremeOf(dtype: DType, sign: 1 | -1): Value {
  const { category, itemsize } = dtypes[dtype];
  if (category === "float" || category === "complex") return sign * Infinity;
  if (category === "bool") return sign === 1;
  const isSigned = dtype.startsWith("int");
  if (sign === -1 && !isSigned) return 0;
  const power = 2n ** BigInt(8 * itemsize - (isSigned ? 1 : 0));
  const value = sign === 1 ? power - 1n : -power;
  return itemsize === 8 ? value : Number(value);
}

/** Integers as float32. */
export const floats = (x: Tensor): DType => (isFloatDType(x.dtype) || isComplexDType(x.dtype) ? x.dtype : "float32");
