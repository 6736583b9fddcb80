/**
 * An array as files know it: a dtype, a shape, an order, and its bytes, little endian and without gaps.
 * The bytes may be a window into the buffer of a whole file, and then start at any address. All formats read and write this;
 * `tensor-arrays.ts` turns it into tensors and back.
 */
import { ShapeError } from "../base/errors.ts";
import { checkDType, type DType, dtypes } from "../storage/dtype.ts";
import { mostAxes } from "./limits.ts";

/** What a file holds of one array. */
export interface RawArray {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** "C": the last index runs fastest; "F": the first. */
  readonly order: "C" | "F";
  readonly bytes: Uint8Array;
}

/** Several arrays by name, in either form. */
export type RawArrays = ReadonlyMap<string, RawArray> | Readonly<Record<string, RawArray>>;

/** The bytes that an array of this shape takes, or undefined past 2^53. */
export function byteLengthOf(dtype: DType, shape: readonly number[]): number | undefined {
  let length = dtypes[dtype].itemsize;
  for (const size of shape) {
    length *= size;
    if (!Number.isSafeInteger(length)) return undefined;
  }
  return length;
}

/** True if and only if both orders put the elements at the same places. */
export function ordersAgree(shape: readonly number[]): boolean {
  let long = 0;
  for (const size of shape) {
    if (size === 0) return true;
    if (size > 1) long++;
  }
  return long < 2;
}

/** The array itself, once its parts are known to fit each other. */
export function checkRawArray(who: string, array: RawArray): RawArray {
  const dtype = checkDType(who, array.dtype);
  if (array.shape.length > mostAxes)
    throw new ShapeError(
      `${who}: files hold arrays of at most ${mostAxes} axes, this one has ${array.shape.length}. Reshape it first.`,
    );
  for (const size of array.shape)
    if (!Number.isSafeInteger(size) || size < 0)
      throw new ShapeError(`${who}: sizes are integers from 0, given [${array.shape.join(", ")}].`);
  const length = byteLengthOf(dtype, array.shape);
  if (length !== array.bytes.length)
    throw new ShapeError(
      `${who}: ${dtype} of shape [${array.shape.join(", ")}] takes ${length ?? "more than 2^53"} bytes, given ${array.bytes.length}.`,
    );
  return array;
}

/** The names and arrays of either form, in order. */
export function entriesOf<T>(arrays: ReadonlyMap<string, T> | Readonly<Record<string, T>>): readonly [string, T][] {
  return isMap<T>(arrays) ? [...arrays] : Object.entries(arrays);
}

/** True for a Map. Recognized by its brand, so that maps of other realms count. */
export function isMap<T>(value: unknown): value is ReadonlyMap<string, T> {
  return Object.prototype.toString.call(value) === "[object Map]";
}
