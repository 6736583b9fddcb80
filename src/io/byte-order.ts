/**
 * Reverses the bytes of every number: big endian to little endian and back.
 * Promise: result[i * width + k] = bytes[i * width + width - 1 - k].
 */

/** The bytes with each group of `width` (2, 4, 8) reversed: in a copy, or in place. */
export function swapBytes(bytes: Uint8Array, width: number, inPlace = false): Uint8Array {
  const result = inPlace ? bytes : bytes.slice();
  for (let start = 0; start < result.length; start += width)
    for (let low = start, high = start + width - 1; low < high; low++, high--) {
      const byte = result[low] as number;
      result[low] = result[high] as number;
      result[high] = byte;
    }
  return result;
}
