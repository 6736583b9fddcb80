/**
 * Reverses the bytes of every number: big endian to little endian and back.
 * Promise: result[i * width + k] = bytes[i * width + width - 1 - k]. The input is not changed.
 */

/** A copy of the bytes with each group of `width` (2, 4, 8) reversed. */
export function swapBytes(bytes: Uint8Array, width: number): Uint8Array {
  const result = new Uint8Array(bytes.length);
  for (let start = 0; start < bytes.length; start += width)
    for (let low = start, high = start + width - 1; low < start + width; low++, high--)
      result[low] = bytes[high] as number;
  return result;
}
