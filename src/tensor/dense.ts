/**
 * Tensors as ops mostly meet them: flat, row-major without gaps, in memory, without names. Such a test is one look at the bits, and a
 * result with the same sizes needs no plan.
 */
import type { DType } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { heldBit, nestedBit, setMode, sizeAt } from "./geometry.ts";
import { contiguousBits, Tensor } from "./tensor.ts";

const asked = contiguousBits | heldBit | nestedBit;

/** True if a tensor has 1 to 5 flat dynamic modes, row-major and without gaps, elements and no names. */
export function isFlatAndDense(t: Tensor): boolean {
  if ((t.bits & asked) !== contiguousBits && !isKnownNow(t)) return false;
  return t.extras === null && t.rank > 0 && t.rank <= 5 && t.size > 0 && t.source instanceof Storage;
}

function isKnownNow(t: Tensor): boolean {
  return (t.bits & (heldBit | nestedBit)) === 0 && t.isContiguous();
}

/** True of such a tensor with the sizes of another. */
export const isDenseLike = (t: Tensor, like: Tensor): boolean =>
  t.rank === like.rank &&
  t.s0 === like.s0 &&
  t.s1 === like.s1 &&
  t.s2 === like.s2 &&
  t.s3 === like.s3 &&
  t.s4 === like.s4 &&
  isFlatAndDense(t);

/** A new row-major tensor with the sizes of one that has at most five modes. */
export function denseLike(like: Tensor, dtype: DType, itemsize: number): Tensor {
  const storage = Storage.allocate(like.size * itemsize);
  const t = new Tensor(storage, dtype, 0, contiguousBits, like.rank, like.size, null, null, null);
  if (like.rank === 1) {
    t.s0 = like.s0;
    t.d0 = 1;
    return t;
  }
  for (let axis = like.rank - 1, stride = 1; axis >= 0; axis--) {
    const size = sizeAt(like, axis);
    setMode(t, axis, size, stride);
    stride *= size;
  }
  return t;
}

/** A new tensor with the dtype and the modes, at most five, of one that need not have memory. */
export function newLike(like: Tensor, itemsize: number): Tensor {
  const storage = Storage.allocate(like.size * itemsize);
  const t = new Tensor(storage, like.type, 0, like.bits & contiguousBits, like.rank, like.size, null, null, null);
  t.s0 = like.s0;
  t.s1 = like.s1;
  t.s2 = like.s2;
  t.s3 = like.s3;
  t.s4 = like.s4;
  t.d0 = like.d0;
  t.d1 = like.d1;
  t.d2 = like.d2;
  t.d3 = like.d3;
  t.d4 = like.d4;
  return t;
}
