/**
 * Shared by reading and writing zip files: the checksum, and names, which are UTF-8 if the entry has that flag, else code page 437.
 */

import { once } from "../base/lazy.ts";

/**
 * The tables of CRC-32 with polynomial 0xedb88320, to process eight aligned bytes per step.
 * Table k (256 entries each) advances the checksum of one byte over k more zero bytes.
 */
const tables = /* @__PURE__ */ once((): Int32Array => {
  const result = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    result[byte] = crc;
  }
  for (let at = 256; at < result.length; at++) {
    const before = result[at - 256];
    result[at] = result[before & 255] ^ (before >>> 8);
  }
  return result;
});

/** The CRC-32 of the bytes, from 0 to 2^32 - 1; `before` is the checksum of preceding bytes. */
export function crc32(bytes: Uint8Array, before = 0): number {
  const table = tables();
  const head = Math.min(bytes.length, -bytes.byteOffset & 3);
  const pairs = Math.floor((bytes.length - head) / 8);
  let crc = byBytes(table, bytes, 0, head, ~before);
  if (pairs > 0) crc = byWords(table, new Int32Array(bytes.buffer, bytes.byteOffset + head, pairs * 2), crc);
  return ~byBytes(table, bytes, head + pairs * 8, bytes.length, crc) >>> 0;
}

function byBytes(table: Int32Array, bytes: Uint8Array, begin: number, end: number, start: number): number {
  let crc = start;
  for (let at = begin; at < end; at++) crc = table[(crc ^ bytes[at]) & 255] ^ (crc >>> 8);
  return crc;
}

/** Processes two little-endian words of four bytes per step. */
function byWords(table: Int32Array, words: Int32Array, start: number): number {
  let crc = start;
  for (let at = 0; at < words.length; at += 2) {
    const low = words[at] ^ crc;
    const high = words[at + 1];
    crc =
      table[1792 + (low & 255)] ^
      table[1536 + ((low >>> 8) & 255)] ^
      table[1280 + ((low >>> 16) & 255)] ^
      table[1024 + (low >>> 24)] ^
      table[768 + (high & 255)] ^
      table[512 + ((high >>> 8) & 255)] ^
      table[256 + ((high >>> 16) & 255)] ^
      table[high >>> 24];
  }
  return crc;
}

/** The flag of an entry whose name is UTF-8. */
export const utf8Name = 0x800;

const codePage437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** Decodes a name. */
export function decodeName(bytes: Uint8Array, flags: number): string {
  // A copy, because a decoder rejects shared memory.
  if ((flags & utf8Name) !== 0) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.slice());
  let name = "";
  for (const byte of bytes) name += byte < 128 ? String.fromCharCode(byte) : codePage437.charAt(byte - 128);
  return name;
}

/** One character for each byte: equal if and only if the bytes are. */
export function asciiAndMore(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
