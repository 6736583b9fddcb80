/**
 * Writes safetensors files as the reference implementation does: tensors by falling alignment of their dtype, then by name, end to end;
 * the header without spaces, padded with spaces to a multiple of 8. Metadata keeps the order in which it is given.
 */
import { FileError, quoted } from "./file-error.ts";
import { joinParts } from "./join-parts.ts";
import { checkRawArray, entriesOf, type RawArrays } from "./raw-array.ts";
import { toRowMajor } from "./row-major.ts";
import { longestHeader, metadataKey } from "./safetensors.ts";
import { writeSafetensorsDType } from "./safetensors-dtype.ts";
import { isWellFormed } from "./strict-json.ts";

/** Free text by name. */
export type Metadata = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

export interface SafetensorsSaveOptions {
  /** Free text by name, kept in the header. */
  readonly metadata?: Metadata;
}

/** The safetensors file of these tensors. */
export function encodeSafetensors(arrays: RawArrays, metadata?: Metadata): Uint8Array<ArrayBuffer> {
  return joinParts(safetensorsParts("encodeSafetensors", arrays, metadata));
}

/** A safetensors file in parts, the tensors not copied unless they are in Fortran order. */
export function safetensorsParts(who: string, arrays: RawArrays, metadata?: Metadata): Uint8Array[] {
  const items = entriesOf(arrays).map(([name, array]) => {
    if (name === metadataKey) throw new FileError(`${who}: no tensor can be named ${metadataKey}. Rename it.`);
    checkText(who, name);
    const checked = toRowMajor(checkRawArray(`${who}: tensor ${quoted(name)}`, array));
    return { name, array: checked, dtype: writeSafetensorsDType(`${who}: tensor ${quoted(name)}`, checked.dtype) };
  });
  items.sort((a, b) => b.dtype.place - a.dtype.place || compareCodePoints(a.name, b.name));
  const fields: string[] = [];
  if (metadata !== undefined) fields.push(`${JSON.stringify(metadataKey)}:${metadataText(who, metadata)}`);
  let at = 0;
  for (const { name, array, dtype } of items) {
    const end = at + array.bytes.length;
    fields.push(
      `${JSON.stringify(name)}:{"dtype":"${dtype.name}","shape":[${array.shape.join(",")}],"data_offsets":[${at},${end}]}`,
    );
    at = end;
  }
  const text = new TextEncoder().encode(`{${fields.join(",")}}`);
  const length = Math.ceil(text.length / 8) * 8;
  if (length > longestHeader)
    throw new FileError(
      `${who}: the header would have ${length} bytes, the most is ${longestHeader}. Use several files.`,
    );
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(text, 8);
  return [header, ...items.map(({ array }) => array.bytes)];
}

function metadataText(who: string, metadata: Metadata): string {
  const pairs = entriesOf(metadata).map(([key, value]) => {
    if (typeof value !== "string")
      throw new FileError(`${who}: metadata ${quoted(key)} must be a string, given ${typeof value}.`);
    checkText(who, key);
    checkText(who, value);
    return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  });
  return `{${pairs.join(",")}}`;
}

function checkText(who: string, text: string): void {
  if (!isWellFormed(text)) throw new FileError(`${who}: ${quoted(text)} has half a character (a lone surrogate).`);
}

/** The order of UTF-8 bytes, which is that of code points and not that of UTF-16 units. */
function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  // If only the second halves of two characters differ, those are in the same order.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
