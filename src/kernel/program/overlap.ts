/**
 * The overlap of two operands: apart, exactly in place, or across.
 * The lowest and highest byte of each decide, so operands that interleave without overlapping count as across: the result is never wrongly
 * "apart", and sometimes wrongly "across".
 */
import { reachOf } from "../../layout/flat.ts";
import { dtypes } from "../../storage/dtype.ts";
import type { Operand } from "../operand.ts";
import { mayShare } from "./builder.ts";

export type Overlap = "apart" | "in place" | "across";

/** Returns how two operands overlap. */
export function overlapOf(a: Operand, b: Operand): Overlap {
  if (!mayShare(a.storage, b.storage)) return "apart";
  const [low, end] = byteSpan(a);
  const [otherLow, otherEnd] = byteSpan(b);
  if (low >= otherEnd || otherLow >= end) return "apart";
  return isInPlace(a, b) ? "in place" : "across";
}

function byteSpan({ storage, dtype, offset, shape, stride }: Operand): readonly [low: number, end: number] {
  const [low, high] = reachOf(shape, stride, offset);
  const { itemsize } = dtypes[dtype];
  return [storage.byteOffset + low * itemsize, storage.byteOffset + (high + 1) * itemsize];
}

/** True if and only if corresponding elements have the same address and itemsize. */
function isInPlace(a: Operand, b: Operand): boolean {
  const size = dtypes[a.dtype].itemsize;
  if (size !== dtypes[b.dtype].itemsize) return false;
  if (a.storage.byteOffset + a.offset * size !== b.storage.byteOffset + b.offset * size) return false;
  return (
    a.shape.length === b.shape.length &&
    a.shape.every((n, axis) => n === b.shape[axis] && (n === 1 || a.stride[axis] === b.stride[axis]))
  );
}
