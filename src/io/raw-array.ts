/**
 * An array in a file: a dtype, a shape, an order, and its bytes, little-endian and without gaps.
 * The bytes can be a view of the buffer of a whole file, at any alignment. All formats read and write this; `tensor-arrays.ts` converts it to
 * tensors and back.
 */
import { ShapeError } from "../base/errors.ts";
import { checkDType, type DType, dtypes } from "../storage/dtype.ts";
import { maxAxes } from "./limits.ts";

/** One array of a file. */
export interface RawArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** "C": the last index runs fastest; "F": the first. */
  readonly order: "C" | "F";
  readonly bytes: Uint8Array;
}

/** Arrays by name, as a Map or an object. */
export type RawArrays = ReadonlyMap<string, RawArray> | Readonly<Record<string, RawArray>>;

/** The number of bytes of an array of this shape, or undefined above 2^53. */
export function byteLengthOf(dtype: DType, shape: readonly number[]): number | undefined {
  let length = dtypes[dtype].itemsize;
  for (const size of shape) {
    length *= size;
    if (!Number.isSafeInteger(length)) return undefined;
  }
  return length;
}

/** True if and only if both orders give the elements the same positions. */
export function ordersAgree(shape: readonly number[]): boolean {
  let long = 0;
  for (const size of shape) {
    if (size === 0) return true;
    if (size > 1) long++;
  }
  return long < 2;
}

/** Returns the array; throws if its parts are inconsistent. */
export function checkRawArray(who: string, array: RawArray): RawArray {
  const dtype = checkDType(who, array.dtype);
  if (array.shape.length > maxAxes)
    throw new ShapeError(
      `${who}: arrays in files have at most ${maxAxes} axes; this one has ${array.shape.length}. Reshape it first.`,
    );
  for (const size of array.shape)
    if (!Number.isSafeInteger(size) || size < 0)
      throw new ShapeError(`${who}: sizes must be non-negative integers, got [${array.shape.join(", ")}].`);
  const length = byteLengthOf(dtype, array.shape);
  if (length !== array.bytes.length)
    throw new ShapeError(
      `${who}: ${dtype} of shape [${array.shape.join(", ")}] takes ${length ?? "more than 2^53"} bytes, got ${array.bytes.length}.`,
    );
  return array;
}

/** The entries of a Map or an object, in order. */
export function entriesOf<T>(arrays: ReadonlyMap<string, T> | Readonly<Record<string, T>>): readonly [string, T][] {
  return isMap<T>(arrays) ? [...arrays] : Object.entries(arrays);
}

/** True for a Map. Checks the brand, so that Maps of other realms are recognized. */
export function isMap<T>(value: unknown): value is ReadonlyMap<string, T> {
  return Object.prototype.toString.call(value) === "[object Map]";
}

/**
 * The same truth values with every byte 0 or 1, in a copy or in-place, because no format guarantees that. Bytes that are 0 and 1 already are
 * returned without a copy.
 */
export function normalizeBools(bytes: Uint8Array, inPlace = false): Uint8Array {
  if (!hasOtherThanBits(bytes)) return bytes;
  const result = inPlace ? bytes : new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) result[i] = bytes[i] === 0 ? 0 : 1;
  return result;
}

function hasOtherThanBits(bytes: Uint8Array): boolean {
  const { length } = bytes;
  // Four bytes at a time from the first aligned one.
  const head = Math.min(length, -bytes.byteOffset & 3);
  const count = Math.floor((length - head) / 4);
  const words = count > 0 ? new Uint32Array(bytes.buffer, bytes.byteOffset + head, count) : new Uint32Array(0);
  let seen = 0;
  for (let i = 0; i < head; i++) seen |= bytes[i];
  for (let i = 0; i < count; i++) seen |= words[i];
  for (let i = head + count * 4; i < length; i++) seen |= bytes[i];
  return (seen & ~0x01010101) !== 0;
}

/**
 * Reverses each group of `width` (2, 4, 8) bytes, from big-endian to little-endian and back, in a copy or in-place.
 * Postcondition: result[i * width + k] = bytes[i * width + width - 1 - k].
 */
export function swapBytes(bytes: Uint8Array, width: number, inPlace = false): Uint8Array {
  const result = inPlace ? bytes : bytes.slice();
  for (let start = 0; start < result.length; start += width)
    for (let low = start, high = start + width - 1; low < high; low++, high--) {
      const byte = result[low];
      result[low] = result[high];
      result[high] = byte;
    }
  return result;
}

/**
 * The array in C order: the same elements, with the last index fastest.
 * Postcondition: result at row-major index i = array at the same coordinate. An array whose orders agree is not copied.
 */
export function toRowMajor(array: RawArray): RawArray {
  if (array.order === "C") return array;
  if (ordersAgree(array.shape)) return { ...array, order: "C" };
  const { shape } = array;
  const { itemsize } = dtypes[array.dtype];
  const { bytes: source } = array;
  const bytes = new Uint8Array(source.length);
  const rank = shape.length;
  const strides = new Array<number>(rank);
  let step = itemsize;
  for (let axis = 0; axis < rank; axis++) {
    strides[axis] = step;
    step *= shape[axis];
  }
  const coord = new Array<number>(rank).fill(0);
  const lastSize = shape[rank - 1];
  const lastStride = strides[rank - 1];
  let rowStart = 0;
  let to = 0;
  while (to < bytes.length) {
    for (let i = 0, from = rowStart; i < lastSize; i++, from += lastStride)
      for (let byte = 0; byte < itemsize; byte++) bytes[to++] = source[from + byte];
    // The next row: increment the coordinate of the axes before the last.
    for (let axis = rank - 2; axis >= 0; axis--) {
      coord[axis] = coord[axis] + 1;
      rowStart += strides[axis];
      if (coord[axis] !== shape[axis]) break;
      rowStart -= strides[axis] * shape[axis];
      coord[axis] = 0;
    }
  }
  return { dtype: array.dtype, shape, order: "C", bytes };
}

/** Concatenates the parts of a file. Files are built in parts, so that saving does not copy them. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
