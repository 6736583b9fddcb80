/**
 * The bridge from tensors to kernels: a tensor as an operand of `../kernel/operand.ts`, and the checks before it is written.
 * A nested layout becomes an operand with one axis for each leaf; two tensors are brought to a common shape first.
 */
import { ShapeError } from "../base/errors.ts";
import type { Operand } from "../kernel/operand.ts";
import { counterOfNew } from "../storage/version.ts";
import { describeValue } from "./describe-value.ts";
import { flatStrides, isStaticTensor, leafNumbers, nestedBit, sizesOf, spanOf } from "./geometry.ts";
import { counterOf, describeBriefly, storageOf, Tensor } from "./tensor.ts";
import { wholeMemory } from "./whole-memory.ts";
import { WriteError } from "./write-error.ts";

/** Refuses what is no tensor. */
export function checkTensor(who: string, value: unknown): asserts value is Tensor {
  if (!(value instanceof Tensor))
    throw new ShapeError(`${who}: needs a tensor, got ${describeValue(value)}. Make one of your data: tensor(...)`);
}

/** A tensor with flat modes as an operand of the element loops. */
export function operandOf(t: Tensor, who: string): Operand {
  const storage = wholeMemory(t, who);
  if (t.bits & nestedBit) {
    if ("inner" in t.layout)
      throw new ShapeError(
        `${who}: a swizzled layout has no strides for the element loops; copy it with copy(...) first`,
      );
    const [shape, stride] = leafNumbers(t);
    return { storage, dtype: t.dtype, offset: t.start, shape, stride, isStatic: isStaticTensor(t) };
  }
  const isStatic = isStaticTensor(t);
  return { storage, dtype: t.dtype, offset: t.start, shape: sizesOf(t), stride: flatStrides(t), isStatic };
}

/** Refuses to write to a tensor that may not be written; elements that share a place are the caller's question. */
export function checkWritable(t: Tensor, who: string): void {
  storageOf(t, who);
  if (mayWrite(t)) return;
  if (t.ownership !== "const")
    throw new WriteError(
      `${who}: Inplace update to inference tensor outside InferenceMode is not allowed. Write to a clone()`,
    );
  throw new WriteError(
    `${who}: ${describeBriefly(t)} is ${isConstant(t) ? "a constant" : "a const view"} and refuses writes. Write to a copy: clone()`,
  );
}

/** False of const views, and outside of inference mode of tensors that were made in it. */
export const mayWrite = (t: Tensor): boolean => (t.bits & 3) !== 2 && (counterOf(t).enabled || counterOfNew() !== null);

const isConstant = (t: Tensor): boolean =>
  t.size > 1 && t.root === null && flatStrides(t).every((stride) => stride === 0);

/** Refuses a write that would store several elements in one place. */
export function checkNoOverlap(t: Tensor, who: string): void {
  if (t.overlap === "yes")
    throw new WriteError(
      `${who}: unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.`,
    );
}

/** Refuses an input that shares some, but not exactly the same, places with the written tensor. Only dense tensors are judged. */
export function checkNoPartialOverlap(written: Tensor, read: Tensor, who: string): void {
  if (written === read || written.size === 0 || read.size === 0 || written.source !== read.source) return;
  if (!written.isNonOverlappingAndDense || !read.isNonOverlappingAndDense) return;
  const [low, high] = spanOf(written, written.start);
  const [readLow, readHigh] = spanOf(read, read.start);
  const [size, readSize] = [written.itemsize, read.itemsize];
  if ((high + 1) * size <= readLow * readSize || (readHigh + 1) * readSize <= low * size) return;
  if (low * size === readLow * readSize && size === readSize && sameGeometry(written, read)) return;
  throw new WriteError(
    `${who}: unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() the tensor before performing the operation.`,
  );
}

function sameGeometry(a: Tensor, b: Tensor): boolean {
  const [sizes, strides] = leafNumbers(a);
  const [otherSizes, otherStrides] = leafNumbers(b);
  return (
    sizes.length === otherSizes.length &&
    sizes.every((size, i) => size === otherSizes[i] && (size === 1 || strides[i] === otherStrides[i]))
  );
}

/** Notes one in-place operation on the storage. */
export function bumpVersion(t: Tensor): void {
  counterOf(t).bump();
}
