/**
 * The arrays that routines read and write: dense rows of `n` elements each.
 * Elements are copied as raw bits, so no loop here reads a bigint, and signs of zero and payloads of NaN are kept.
 * Indices are always Int32Array; callers convert them to other dtypes. Arguments are trusted.
 */
import { dtypeOfArray, type TypedArray } from "../../storage/dtype.ts";

/** Elements of a real dtype: bool as bytes, float16 and bfloat16 as float32. */
export type Values = TypedArray;

/** The bits of an array: one item per element, or two words (the low one first) for elements of eight bytes. */
export type Bits = Uint8Array | Uint16Array | Int32Array;

/** True if elements have eight bytes. */
export const isWide = (values: Values): boolean => values.BYTES_PER_ELEMENT === 8;

/** True if elements are floating-point numbers, which may be NaN. */
export const isFloating = (values: Values): values is Float32Array | Float64Array =>
  dtypeOfArray(values)!.startsWith("float");

/** True if elements are integers with a sign. */
export const isSigned = (values: Values): boolean => dtypeOfArray(values)!.startsWith("int");

/** Returns a view of the same memory as bits. */
export function bitsOf(values: Values): Bits {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT: bytes } = values;
  if (bytes === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (bytes === 2) return new Uint16Array(buffer, byteOffset, byteLength >> 1);
  return new Int32Array(buffer, byteOffset, byteLength >> 2);
}

/**
 * Picks `per` elements of every row.
 *
 * Postconditions: out[r * per + j] = values[r * n + indices[r * per + j]], bit for bit. `out` has the kind of `values`.
 */
export function takeRows<V extends Values>(
  values: V,
  rows: number,
  n: number,
  indices: Int32Array,
  per: number,
  out: V,
): void {
  const from = bitsOf(values);
  const to = bitsOf(out);
  for (let row = 0; row < rows; row++) {
    const base = row * n;
    const end = (row + 1) * per;
    if (isWide(values))
      for (let i = row * per; i < end; i++) {
        const at = 2 * (base + indices[i]!);
        to[2 * i] = from[at]!;
        to[2 * i + 1] = from[at + 1]!;
      }
    else for (let i = row * per; i < end; i++) to[i] = from[base + indices[i]!]!;
  }
}

/** Returns the smallest and the largest element as numbers: NaN if one is NaN, Infinity and -Infinity if there are none. */
export function extent(values: Values): { readonly min: number; readonly max: number } {
  const words = isWide(values) && !isFloating(values) ? bitsOf(values) : null;
  const signed = isSigned(values);
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    let value = 0;
    if (words === null) value = values[i] as number;
    else {
      const high = words[2 * i + 1]!;
      value = (signed ? high : high >>> 0) * 2 ** 32 + (words[2 * i]! >>> 0);
    }
    if (Number.isNaN(value)) return { min: NaN, max: NaN };
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}
