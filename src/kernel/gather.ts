/**
 * Moving elements between places given by lists of offsets: what index tensors need.
 * An operand is a storage, a start and two lists; element (k, r) lies at start + outer[k] + inner[r], in elements. Both
 * operands have the same dtype and lists of the same lengths. The simple loop; generated kernels take over where speed matters.
 */
import { type ArrayKind, type DType, dtypes } from "../storage/dtype.ts";
import type { ElementStorage } from "./loops.ts";

export interface Scattered {
  readonly storage: ElementStorage;
  readonly start: number;
  readonly outer: ArrayLike<number>;
  readonly inner: ArrayLike<number>;
}

/** Copies element (k, r) of `from` to element (k, r) of `to`, for all k, and r within k, in order. */
export function moveScattered(from: Scattered, to: Scattered, dtype: DType): void {
  const { itemsize, array, parts } = dtypes[dtype];
  const count = to.outer.length;
  const width = to.inner.length;
  if (count === 0 || width === 0) return;
  const writable = to.storage.writable();
  const readable = from.storage.readable();
  const source = readable.array(array as ArrayKind) as Float64Array;
  const target = writable.array(array as ArrayKind) as Float64Array;
  const sourceStart = (from.storage.byteOffset / itemsize + from.start) * parts;
  const targetStart = (to.storage.byteOffset / itemsize + to.start) * parts;
  for (let k = 0; k < count; k++) {
    const a = sourceStart + (from.outer[k] as number) * parts;
    const b = targetStart + (to.outer[k] as number) * parts;
    for (let r = 0; r < width; r++) {
      const i = a + (from.inner[r] as number) * parts;
      const j = b + (to.inner[r] as number) * parts;
      target[j] = source[i] as number;
      if (parts === 2) target[j + 1] = source[i + 1] as number;
    }
  }
}

/** The offset of every element of a strided region, in row-major order. */
export function offsetsOf(shape: readonly number[], stride: readonly number[]): Float64Array {
  let size = 1;
  for (const extent of shape) size *= extent;
  const result = new Float64Array(size);
  let repeat = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const extent = shape[axis] as number;
    const step = stride[axis] as number;
    for (let i = 0; i < size; i++) result[i] = (result[i] as number) + (Math.floor(i / repeat) % extent) * step;
    repeat *= extent;
  }
  return result;
}
