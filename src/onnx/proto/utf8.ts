/** Text in UTF-8: strict in both directions, so that two different byte sequences or texts never become equal. */
import { StridewiseError } from "../../base/errors.ts";

/** Short names are most of the texts in a model; decoding them here is faster than a call of the decoder. */
const shortLength = 24;

/** Returns the text of these bytes, or undefined if they are not valid UTF-8. A byte order mark is part of the text. */
export function utf8OrUndefined(bytes: Uint8Array, begin = 0, end: number = bytes.length): string | undefined {
  if (end - begin <= shortLength) {
    let text = "";
    let at = begin;
    for (; at < end && bytes[at] < 0x80; at++) text += String.fromCharCode(bytes[at]);
    if (at === end) return text;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(begin, end));
  } catch {
    return undefined;
  }
}

/** Returns the text of a field of bytes, such as `s` of an attribute; throws if they are not valid UTF-8. */
export function decodeUtf8(who: string, bytes: Uint8Array): string {
  const text = utf8OrUndefined(bytes);
  if (text === undefined) throw new StridewiseError(`${who}: the ${bytes.length} bytes are not text in UTF-8.`);
  return text;
}

/** Returns the bytes of a text; throws if it has half of a surrogate pair, which UTF-8 cannot encode. */
export function encodeUtf8(who: string, text: string): Uint8Array<ArrayBuffer> {
  if (/\p{Surrogate}/u.test(text))
    throw new StridewiseError(
      `${who}: the text ${JSON.stringify(text)} has half of a surrogate pair, which UTF-8 cannot encode.`,
    );
  return new TextEncoder().encode(text);
}
