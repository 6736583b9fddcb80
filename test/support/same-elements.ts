/** Compares the elements of tensors bit for bit. */
import type { Tensor } from "../../src/index.ts";
import { toTypedArray } from "../../src/tensor/convert/to-array.ts";

/** True if two tensors have the same elements, bit for bit; the payload of NaN is not defined. */
export function haveSameElements(a: Tensor, b: Tensor): boolean {
  const [left, right] = [toTypedArray(a), toTypedArray(b)] as ArrayLike<number>[];
  for (let k = 0; k < left.length; k++) if (!Object.is(left[k], right[k])) return false;
  return left.length === right.length;
}
