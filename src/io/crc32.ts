/**
 * The checksum of zip files: CRC-32 with polynomial 0xedb88320, four bytes at a step.
 * The tables are made at the first call.
 */
let tables: Int32Array | undefined;

/** Table k (256 entries each) advances the checksum of one byte over k more zero bytes. */
function makeTables(): Int32Array {
  const made = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    made[byte] = crc;
  }
  for (let at = 256; at < made.length; at++) {
    const before = made[at - 256] as number;
    made[at] = (made[before & 255] as number) ^ (before >>> 8);
  }
  return made;
}

/** The CRC-32 of the bytes, from 0 to 2^32 - 1; of `before` and the bytes, given the checksum of what stands before. */
export function crc32(bytes: Uint8Array, before = 0): number {
  tables ??= makeTables();
  const table = tables;
  const whole = bytes.length - (bytes.length % 4);
  let crc = ~before;
  let at = 0;
  for (; at < whole; at += 4) {
    crc ^=
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    crc =
      (table[768 + (crc & 255)] as number) ^
      (table[512 + ((crc >>> 8) & 255)] as number) ^
      (table[256 + ((crc >>> 16) & 255)] as number) ^
      (table[crc >>> 24] as number);
  }
  for (; at < bytes.length; at++) crc = (table[(crc ^ (bytes[at] as number)) & 255] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}
