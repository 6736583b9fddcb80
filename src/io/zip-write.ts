/**
 * Writes zip files: entries stored, or deflated beforehand, with the date 1980-01-01, so that equal content gives equal files.
 * Sizes and offsets above 2^32 are written as zip64. The content is not copied: a file is a list of parts.
 *
 * The platform's CompressionStream, in browsers and in Node, compresses. Some support "deflate-raw", others only "deflate", which adds a header
 * of two bytes and a checksum of four. If neither is supported the result is undefined, and the caller stores the entry.
 */

import { FileError, quoted } from "./file-error.ts";
import { utf8Name } from "./zip-format.ts";

/** One file to put into a zip. */
export interface ZipItem {
  readonly name: string;
  /** The content in parts, compressed if method is 8. */
  readonly parts: readonly Uint8Array[];
  readonly method: 0 | 8;
  /** The size of the content before compression. */
  readonly size: number;
  readonly crc: number;
}

export interface ZipOptions {
  /** Writes zip64 fields even if they are not needed. */
  readonly zip64?: boolean;
}

const all16 = 0xffff;
const all32 = 0xffffffff;
/** 1980-01-01 00:00, the earliest date of the format. */
const date = 0x0021;
/** The attributes of a Unix file that its owner can read and write. */
const unix = 3;
const attributes = 0o600 * 2 ** 16;

/** The parts of a zip file with these items. */
export function zipParts(who: string, items: readonly ZipItem[], options: ZipOptions = {}): Uint8Array[] {
  const force = options.zip64 ?? false;
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const names = new Set<string>();
  let offset = 0;
  for (const item of items) {
    if (names.has(item.name)) throw new FileError(`${who}: the name ${quoted(item.name)} occurs twice.`);
    names.add(item.name);
    const name = new TextEncoder().encode(item.name);
    if (name.length > all16) throw new FileError(`${who}: the name ${quoted(item.name)} is longer than 65535 bytes.`);
    let length = 0;
    for (const part of item.parts) length += part.length;
    const local = localHeader(item, name, length, force);
    directory.push(directoryEntry(item, name, length, offset, force));
    parts.push(local, ...item.parts);
    offset += local.length + length;
  }
  let directorySize = 0;
  for (const entry of directory) directorySize += entry.length;
  return [...parts, ...directory, ...endRecords(items.length, directorySize, offset, force)];
}

/** The fields that both headers share, from the version on. */
function sharedFields(item: ZipItem, name: Uint8Array, length: number, wide: boolean, extra: number): Fields {
  const isAscii = name.length === item.name.length;
  return new Fields()
    .u16(wide ? 45 : 20)
    .u16(isAscii ? 0 : utf8Name)
    .u16(item.method)
    .u16(0)
    .u16(date)
    .u32(item.crc)
    .u32(wide ? all32 : length)
    .u32(wide ? all32 : item.size)
    .u16(name.length)
    .u16(extra);
}

function localHeader(item: ZipItem, name: Uint8Array, length: number, force: boolean): Uint8Array {
  const wide = force || length >= all32 || item.size >= all32;
  const fields = new Fields()
    .u32(0x04034b50)
    .add(sharedFields(item, name, length, wide, wide ? 20 : 0))
    .bytes(name);
  return (wide ? fields.u16(1).u16(16).u64(item.size).u64(length) : fields).done();
}

function directoryEntry(item: ZipItem, name: Uint8Array, length: number, offset: number, force: boolean): Uint8Array {
  const wide = force || length >= all32 || item.size >= all32;
  const far = force || offset >= all32;
  const extra = (wide ? 16 : 0) + (far ? 8 : 0);
  const fields = new Fields()
    .u32(0x02014b50)
    .u16((unix << 8) | (wide || far ? 45 : 20))
    .add(sharedFields(item, name, length, wide, extra > 0 ? extra + 4 : 0))
    .u16(0)
    .u16(0)
    .u16(0)
    .u32(attributes)
    .u32(far ? all32 : offset)
    .bytes(name);
  if (extra > 0) fields.u16(1).u16(extra);
  if (wide) fields.u64(item.size).u64(length);
  if (far) fields.u64(offset);
  return fields.done();
}

function endRecords(count: number, directorySize: number, offset: number, force: boolean): Uint8Array[] {
  const records: Uint8Array[] = [];
  if (force || count >= all16 || directorySize >= all32 || offset >= all32) {
    const end64 = new Fields()
      .u32(0x06064b50)
      .u64(44)
      .u16((unix << 8) | 45)
      .u16(45)
      .u32(0)
      .u32(0);
    records.push(end64.u64(count).u64(count).u64(directorySize).u64(offset).done());
    records.push(
      new Fields()
        .u32(0x07064b50)
        .u32(0)
        .u64(offset + directorySize)
        .u32(1)
        .done(),
    );
  }
  const few = (value: number, all: number): number => (force ? all : Math.min(value, all));
  const end = new Fields().u32(0x06054b50).u16(0).u16(0).u16(few(count, all16)).u16(few(count, all16));
  records.push(end.u32(few(directorySize, all32)).u32(few(offset, all32)).u16(0).done());
  return records;
}

/** A buffer of little-endian numbers. */
class Fields {
  readonly #bytes: number[] = [];

  u16(value: number): this {
    this.#bytes.push(value & 255, (value >>> 8) & 255);
    return this;
  }
  u32(value: number): this {
    return this.u16(value & 0xffff).u16(value >>> 16);
  }
  u64(value: number): this {
    return this.u32(value % 2 ** 32).u32(Math.floor(value / 2 ** 32));
  }
  bytes(values: Uint8Array): this {
    for (const value of values) this.#bytes.push(value);
    return this;
  }
  add(other: Fields): this {
    for (const byte of other.#bytes) this.#bytes.push(byte);
    return this;
  }
  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** The bytes as a raw DEFLATE stream; undefined where the platform cannot compress. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array | undefined> {
  const raw = openStream("deflate-raw");
  if (raw !== undefined) return through(raw, bytes);
  const wrapped = openStream("deflate");
  return wrapped === undefined ? undefined : (await through(wrapped, bytes)).slice(2, -4);
}

function openStream(format: CompressionFormat): CompressionStream | undefined {
  try {
    return new CompressionStream(format);
  } catch {
    return undefined;
  }
}

async function through(stream: CompressionStream, bytes: Uint8Array): Promise<Uint8Array> {
  const result = new Response(stream.readable).arrayBuffer();
  const writer = stream.writable.getWriter();
  // Copied in pieces, because a stream rejects views of shared memory.
  for (let at = 0; at < bytes.length; at += pieceLength) await writer.write(bytes.slice(at, at + pieceLength));
  await writer.close();
  return new Uint8Array(await result);
}

const pieceLength = 1 << 20;
