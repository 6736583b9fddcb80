/**
 * Makes bool bytes honest: false is 0, true is 1, and nothing else.
 * No format promises that. Bytes that keep the rule are returned as they are, without a copy.
 */

/** The same truth values with every byte 0 or 1: in a copy, or in place. */
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
  for (let i = 0; i < head; i++) seen |= bytes[i] as number;
  for (let i = 0; i < count; i++) seen |= words[i] as number;
  for (let i = head + count * 4; i < length; i++) seen |= bytes[i] as number;
  return (seen & ~0x01010101) !== 0;
}
