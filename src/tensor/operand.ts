/**
 * Tensors as operands of kernels (`../kernel/operand.ts`), and the checks before a tensor is written.
 * A nested layout becomes an operand with one axis for each leaf.
 *
 * Most operands are dense: flat, contiguous, in memory, without names. That is one test of the bits.
 */
import { ShapeError, StridewiseError, WriteError } from "../base/errors.ts";
import type { Operand } from "../kernel/operand.ts";
import { type Overlap, overlapOf } from "../kernel/program/overlap.ts";
import { offsetAt } from "../layout/queries.ts";
import { areBytesDisjoint } from "../storage/byte-range.ts";
import { type DType, isComplexDType } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { counterOfNew } from "../storage/version.ts";
import { describeValue } from "./describe-value.ts";
import {
  flatStrides,
  heldBit,
  isComposedTensor,
  isNumbers,
  isStaticTensor,
  leafNumbers,
  nestedBit,
  setMode,
  sizeAt,
} from "./geometry.ts";
import { contiguousBits, counterOf, describeBriefly, storageOf, Tensor } from "./tensor.ts";
import { wholeMemory } from "./whole-memory.ts";

/** Throws unless the value is a tensor. */
export function checkTensor(who: string, value: unknown): asserts value is Tensor {
  if (!(value instanceof Tensor))
    throw new StridewiseError(`${who}: needs a tensor, got ${describeValue(value)}. Create one: tensor(...)`);
}

/** True if and only if the value is a tensor of complex numbers. */
export const isComplexTensor = (value: unknown): boolean =>
  value instanceof Tensor && value.type !== null && isComplexDType(value.type);

/** Returns a tensor as an operand of kernels. */
export function operandOf(t: Tensor, who: string): Operand {
  const storage = wholeMemory(t, who);
  if (isComposedTensor(t))
    throw new ShapeError(`${who}: a swizzled layout has no strides. Copy it first: copy(source, destination)`);
  const [shape, stride] = leafNumbers(t);
  return { storage, dtype: t.dtype, offset: t.start, shape, stride, isStatic: isStaticTensor(t) };
}

/** Throws if a tensor is not writable. Elements that share an address are not checked. */
export function checkWritable(t: Tensor, who: string): void {
  storageOf(t, who);
  if (mayWrite(t)) return;
  if (t.ownership !== "const")
    throw new WriteError(
      `${who}: in-place update to an inference tensor outside inferenceMode is not allowed. Write to a clone()`,
    );
  throw new WriteError(
    `${who}: ${describeBriefly(t)} is ${isConstant(t) ? "a constant" : "a const view"} and not writable. Write to a copy: clone()`,
  );
}

/** False for const views, and outside of inference mode for tensors that were created in it. */
export const mayWrite = (t: Tensor): boolean => (t.bits & 3) !== 2 && (counterOf(t).enabled || counterOfNew() !== null);

const isConstant = (t: Tensor): boolean =>
  t.size > 1 && t.root === null && flatStrides(t).every((stride) => stride === 0);

/** Returns the error of a write to shared bytes. */
export const refuseSharing = (who: string, what: string): WriteError =>
  new WriteError(`${who}: unsupported operation: ${what}. Please clone() the tensor before performing the operation.`);

/** Throws if several elements are known to share an address: because of strides of 0, or by `isKnownOverlap`. */
export function checkNoSelfOverlap(t: Tensor, who: string, isKnownOverlap = false): void {
  if (isKnownOverlap || t.overlap === "yes")
    throw refuseSharing(who, "more than one element of the written-to tensor refers to a single memory location");
}

/** True if each stride steps over all elements of the smaller ones, so no two elements share an address. */
function areStridesNested(t: Tensor): boolean {
  const [sizes, strides] = leafNumbers(t);
  let reach = 0;
  return strides
    .map((stride, axis) => ({ step: Math.abs(stride), last: sizes[axis] - 1 }))
    .sort((a, b) => a.step - b.step)
    .every(({ step, last }) => {
      const before = reach;
      reach += last * step;
      return last === 0 || step > before;
    });
}

/** Returns how the bytes of a written tensor overlap those of another: decided by addresses, exact where both are dense. */
export function overlapOfTensors(written: Tensor, read: Tensor): Overlap {
  if (written === read) return "in place";
  const [to, from] = [written.source, read.source];
  if (!(to instanceof Storage && from instanceof Storage)) return to === from ? "across" : "apart";
  if (written.size * read.size === 0) return "apart";
  if (to !== from) {
    if (to.keys | from.keys || to.isScratch || from.isScratch) return "apart";
    // A lazy copy is materialized before it is written.
    to.writable();
    if (areBytesDisjoint(to, from)) return "apart";
  }
  return isComposedTensor(written) || isComposedTensor(read)
    ? "across"
    : overlapOf(uncheckedOperand(written), uncheckedOperand(read));
}

/** Returns a tensor with a storage as an operand, unchecked; a swizzled one by its inner layout. */
function uncheckedOperand(t: Tensor): Operand {
  const [shape, stride] = leafNumbers(t);
  return { storage: t.source as Storage, dtype: t.dtype, offset: t.start, shape, stride };
}

/** True if writing one tensor may change bytes of the other. */
export const mayOverlap = (written: Tensor, read: Tensor): boolean => overlapOfTensors(written, read) !== "apart";

/**
 * Throws if elements of tensors that are all written share bytes, within one tensor or between two. For a tensor that is also an input,
 * only strides of 0 are checked, as in PyTorch.
 */
export function checkOutputsDisjoint(tensors: readonly Tensor[], who: string, inputs: readonly Tensor[] = []): void {
  tensors.forEach((t, k) => {
    const isUnclear = t.overlap === "unknown" && !inputs.includes(t) && !areStridesNested(t);
    checkNoSelfOverlap(t, who, isUnclear && haveCommonBytes([t]));
    for (const other of tensors.slice(0, k))
      if (mayOverlap(t, other) && haveCommonBytes([t, other])) throw refuseSharing(who, "two outputs share memory");
  });
}

/** True if and only if a byte belongs to two elements of tensors in one memory; visits every element. */
function haveCommonBytes(tensors: readonly Tensor[]): boolean {
  // The first byte of each element and its itemsize, in one number.
  const spans = new Float64Array(tensors.reduce((sum, { size }) => sum + size, 0));
  let k = 0;
  for (const { source, start, itemsize, layout, size } of tensors)
    for (let i = 0; i < size; i++)
      spans[k++] = 32 * ((source as Storage).byteOffset + (start + offsetAt(layout, i)) * itemsize) + itemsize;
  // Compares 32 times the first byte of an element with 32 times the end of the previous one.
  return spans.sort().some((span, k) => {
    const before = spans[k - 1];
    return span - (span % 32) < before + 31 * (before % 32);
  });
}

/** Throws if a dense input partially overlaps the dense written tensor. */
export function checkNoPartialOverlap(written: Tensor, read: Tensor, who: string): void {
  if (overlapOfTensors(written, read) === "across" && written.isNonOverlappingAndDense && read.isNonOverlappingAndDense)
    throw refuseSharing(
      who,
      "some elements of the input tensor and the written-to tensor refer to a single memory location",
    );
}

/** Counts one in-place operation on the storage. */
export function bumpVersion(t: Tensor): void {
  counterOf(t).bump();
}

const geometryBits = contiguousBits | heldBit | nestedBit;

/** True if a tensor is contiguous with 1 to 5 flat dynamic modes, has elements and no names. */
export function isFlatAndDense(t: Tensor): boolean {
  if ((t.bits & geometryBits) !== contiguousBits && !isContiguousFlat(t)) return false;
  return (
    (t.extras === null || t.extras.names === null) &&
    t.rank > 0 &&
    t.rank <= 5 &&
    t.size > 0 &&
    t.source instanceof Storage
  );
}

/** Determines contiguity, for a tensor whose bits do not say that it is contiguous. */
function isContiguousFlat(t: Tensor): boolean {
  return isNumbers(t) && t.isContiguous();
}

/** True if `t` is flat and dense (`isFlatAndDense`) and has the sizes of `like`. */
export const isDenseLike = (t: Tensor, like: Tensor): boolean =>
  t.rank === like.rank &&
  t.s0 === like.s0 &&
  t.s1 === like.s1 &&
  t.s2 === like.s2 &&
  t.s3 === like.s3 &&
  t.s4 === like.s4 &&
  isFlatAndDense(t);

/** Returns a new tensor with the dtype and the modes, at most five, of another. */
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

/** Returns a new row-major tensor with the sizes of another, which has at most five modes. */
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
