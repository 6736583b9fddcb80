/**
 * How two operands lie to each other: apart, exactly on each other, or across.
 * "Apart" is decided by the lowest and highest byte of each, so operands that interleave without meeting count as across:
 * never wrongly apart, sometimes wrongly across.
 */
import { dtypes } from "../../storage/dtype.ts";
import type { Memory } from "../../storage/memory.ts";
import type { KernelCall } from "../backend.ts";
import type { Operand } from "../operand.ts";

export type Overlap = "apart" | "in place" | "across";

/** How two operands of one shape meet. */
export function overlapOf(a: Operand, b: Operand): Overlap {
  const [first, second] = [a.storage.readable(), b.storage.readable()];
  if (first !== second && first.buffer !== second.buffer) return "apart";
  const [low, end] = byteSpan(a);
  const [otherLow, otherEnd] = byteSpan(b);
  if (low >= otherEnd || otherLow >= end) return "apart";
  return isSamePlace(a, b) ? "in place" : "across";
}

/** How the bytes meet that begin where two buffers of a call do. */
export function meetingOf(
  { memories, addresses }: KernelCall,
  j: number,
  k: number,
  bytes: number,
  otherBytes: number,
): Overlap {
  const [from, other] = [addresses[j] as number, addresses[k] as number];
  const isElsewhere = (memories[j] as Memory).buffer !== (memories[k] as Memory).buffer;
  if (isElsewhere || from >= other + otherBytes || other >= from + bytes) return "apart";
  return from === other && bytes === otherBytes ? "in place" : "across";
}

function byteSpan({ storage, dtype, offset, shape, stride }: Operand): readonly [low: number, end: number] {
  let low = offset;
  let high = offset;
  for (let axis = 0; axis < shape.length; axis++) {
    const reach = ((shape[axis] as number) - 1) * (stride[axis] as number);
    if (reach < 0) low += reach;
    else high += reach;
  }
  const { itemsize } = dtypes[dtype];
  return [storage.byteOffset + low * itemsize, storage.byteOffset + (high + 1) * itemsize];
}

/** True if and only if each element of one is at the same place as the other's, and of the same size. */
function isSamePlace(a: Operand, b: Operand): boolean {
  const size = dtypes[a.dtype].itemsize;
  if (size !== dtypes[b.dtype].itemsize) return false;
  if (a.storage.byteOffset + a.offset * size !== b.storage.byteOffset + b.offset * size) return false;
  for (let axis = 0; axis < a.shape.length; axis++)
    if (a.shape[axis] !== 1 && a.stride[axis] !== b.stride[axis]) return false;
  return true;
}
