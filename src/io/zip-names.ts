/**
 * The names in zip files: UTF-8 if the entry says so, else code page 437 as the format has it from its first days.
 */

/** The flag of an entry whose name is UTF-8. */
export const utf8Name = 0x800;

const codePage437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** The name that these bytes spell. */
export function decodeName(bytes: Uint8Array, flags: number): string {
  // A copy, because a decoder refuses shared memory.
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
