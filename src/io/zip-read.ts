/**
 * Reads zip files from their central directory: stored and deflated entries, data descriptors, zip64.
 * Throws for encryption, other methods, several disks, two entries of one name, entries that overlap or reach outside of the file, and content
 * with a wrong length or checksum. Stored entries are views of the file. Nothing is extracted to a disk, so any name is allowed.
 */

import { FileError, quoted } from "./file-error.ts";
import { inflate, type Write } from "./inflate.ts";
import type { Limits } from "./limits.ts";
import { ask, type Reader } from "./source.ts";
import { asciiAndMore, crc32, decodeName } from "./zip-format.ts";

/** The directory entry of one file in a zip. */
export interface ZipEntry {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The start of its local header. */
  readonly begin: number;
  /** The start of the next entry or of the directory. */
  limit: number;
}

const endSize = 22;
const localSize = 30;
const centralSize = 46;
const maxCommentBytes = 0xffff;
const signatures = { local: 0x04034b50, central: 0x02014b50, end: 0x06054b50, locator: 0x07064b50, end64: 0x06064b50 };
const methodNames: Readonly<Record<number, string>> = {
  9: "deflate64",
  12: "bzip2",
  14: "lzma",
  93: "zstd",
  95: "xz",
  99: "AES",
};
const encrypted = 0x1 | 0x40 | 0x2000;
const hasDescriptor = 0x8;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A 64-bit field. No file exceeds 2^53 bytes, so the nearest double suffices. */
const uint64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;

/** The position of the directory and the number of its entries. */
interface Directory {
  readonly begin: number;
  readonly size: number;
  readonly count: number;
}

/** The entries of a zip file of `size` bytes, in the order of its directory. */
export function* zipReader(who: string, size: number, limits: Limits): Reader<ZipEntry[]> {
  const directory = yield* findDirectory(who, size);
  limits.checkTensors(who, directory.count);
  const { begin } = directory;
  const bytes = yield* ask(who, size, begin, begin + directory.size, "the directory of the zip file");
  const entries = readDirectory(who, bytes, directory);
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw new FileError(`${who}: the zip file has two entries named ${quoted(name)}.`, begin);
    names.add(name);
  }
  const sorted = [...entries].sort((a, b) => a.begin - b.begin);
  for (let i = 0; i < sorted.length; i++) {
    const entry = sorted[i];
    entry.limit = sorted[i + 1]?.begin ?? begin;
    if (entry.begin + localSize + entry.nameBytes.length + entry.compressedSize > entry.limit)
      throw new FileError(
        `${who}: entry ${quoted(entry.name)} does not fit between bytes ${entry.begin} and ${entry.limit}, where the next part of the zip file starts.`,
        entry.begin,
      );
  }
  return entries;
}

function* findDirectory(who: string, size: number): Reader<Directory> {
  const tailStart = Math.max(0, size - endSize - maxCommentBytes);
  const tail = yield* ask(who, size, tailStart, size, "the end of the zip file");
  const view = viewOf(tail);
  let at = tail.length - endSize;
  // The end record is followed by a comment that must end exactly at the end of the file.
  while (
    at >= 0 &&
    !(view.getUint32(at, true) === signatures.end && at + endSize + view.getUint16(at + 20, true) === tail.length)
  )
    at--;
  if (at < 0)
    throw new FileError(
      `${who}: the end of a zip file is missing. The file is truncated or of a different kind.`,
      size,
    );
  const end = tailStart + at;
  let count = view.getUint16(at + 10, true);
  let directorySize = view.getUint32(at + 12, true);
  let begin = view.getUint32(at + 16, true);
  let after = end;
  let disks = view.getUint16(at + 4, true) | view.getUint16(at + 6, true);
  if (count === 0xffff || directorySize === 0xffffffff || begin === 0xffffffff) {
    const locator = end >= 20 ? viewOf(yield* ask(who, size, end - 20, end, "the zip64 locator")) : undefined;
    if (locator?.getUint32(0, true) === signatures.locator) {
      after = uint64(locator, 8);
      const record = viewOf(yield* ask(who, size, after, after + 56, "the zip64 end record"));
      if (record.getUint32(0, true) !== signatures.end64)
        throw new FileError(`${who}: the zip64 end record is not where its locator says.`, after);
      disks = record.getUint32(16, true) | record.getUint32(20, true);
      count = uint64(record, 32);
      directorySize = uint64(record, 40);
      begin = uint64(record, 48);
    }
  }
  if (disks !== 0) throw new FileError(`${who}: the zip file is one of several disks. Join them first.`, end);
  if (begin + directorySize !== after)
    throw new FileError(
      `${who}: the directory of the zip file claims to fill bytes ${begin} to ${begin + directorySize}, but the end record starts at ${after}.`,
      end,
    );
  return { begin, size: directorySize, count };
}

function readDirectory(who: string, bytes: Uint8Array, directory: Directory): ZipEntry[] {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at < bytes.length) {
    const position = directory.begin + at;
    if (at + centralSize > bytes.length || view.getUint32(at, true) !== signatures.central)
      throw new FileError(`${who}: the directory of the zip file is damaged.`, position);
    const nameLength = view.getUint16(at + 28, true);
    const extraLength = view.getUint16(at + 30, true);
    const next = at + centralSize + nameLength + extraLength + view.getUint16(at + 32, true);
    if (next > bytes.length) throw new FileError(`${who}: the directory of the zip file is damaged.`, position);
    if (entries.length === directory.count) break;
    const nameBytes = bytes.subarray(at + centralSize, at + centralSize + nameLength);
    const flags = view.getUint16(at + 8, true);
    const extraStart = at + centralSize + nameLength;
    const [size, compressedSize, begin] = zip64Fields(
      [view.getUint32(at + 24, true), view.getUint32(at + 20, true), view.getUint32(at + 42, true)],
      viewOf(bytes.subarray(extraStart, extraStart + extraLength)),
    );
    entries.push({
      name: decodeName(nameBytes, flags),
      nameBytes,
      flags,
      method: view.getUint16(at + 10, true),
      crc: view.getUint32(at + 16, true),
      compressedSize,
      size,
      begin,
      limit: directory.begin,
    });
    at = next;
  }
  if (entries.length !== directory.count || at !== bytes.length)
    throw new FileError(
      `${who}: the directory of the zip file has ${at === bytes.length ? entries.length : "more"} entries, but its end record says ${directory.count}.`,
      directory.begin,
    );
  return entries;
}

/** The values of fields that are all ones, stored in order in the extra field of kind 1. */
function zip64Fields(fields: [number, number, number], extra: DataView): [number, number, number] {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true)) {
    if (extra.getUint16(at, true) !== 1) continue;
    let from = at + 4;
    const end = Math.min(from + extra.getUint16(at + 2, true), extra.byteLength);
    for (let i = 0; i < fields.length; i++)
      if (fields[i] === 0xffffffff && from + 8 <= end) {
        fields[i] = uint64(extra, from);
        from += 8;
      }
    break;
  }
  return fields;
}

/** Writes the content of one entry, in one or several pieces; throws at the end if its checksum is wrong. */
export function* zipContent(who: string, size: number, entry: ZipEntry, write: Write): Reader<void> {
  const title = `${who}: entry ${quoted(entry.name)}`;
  if ((entry.flags & encrypted) !== 0)
    throw new FileError(`${title} is encrypted. Write the zip file without a password.`, entry.begin);
  if (entry.method !== 0 && entry.method !== 8)
    throw new FileError(
      `${title} is compressed by method ${entry.method}${entry.method in methodNames ? ` (${methodNames[entry.method]})` : ""}. Must be 0 (stored) or 8 (deflated).`,
      entry.begin,
    );
  const local = viewOf(
    yield* ask(who, size, entry.begin, entry.begin + localSize, `the header of ${quoted(entry.name)}`),
  );
  if (local.getUint32(0, true) !== signatures.local)
    throw new FileError(`${title} does not start where the directory says.`, entry.begin);
  const nameLength = local.getUint16(26, true);
  const nameStart = entry.begin + localSize;
  const dataStart = nameStart + nameLength + local.getUint16(28, true);
  if (dataStart + entry.compressedSize > entry.limit)
    throw new FileError(
      `${title} runs into byte ${entry.limit}, where the next part of the zip file starts.`,
      entry.begin,
    );
  const localName = yield* ask(who, size, nameStart, nameStart + nameLength, "a name");
  const disagrees =
    asciiAndMore(localName) !== asciiAndMore(entry.nameBytes) ||
    local.getUint16(8, true) !== entry.method ||
    ((local.getUint16(6, true) & hasDescriptor) === 0 &&
      (differs(local.getUint32(18, true), entry.compressedSize) || differs(local.getUint32(22, true), entry.size)));
  if (disagrees) throw new FileError(`${title} differs between its own header and the directory.`, entry.begin);
  const data = yield* ask(who, size, dataStart, dataStart + entry.compressedSize, `the data of ${quoted(entry.name)}`);
  if (entry.method === 0 && entry.size !== entry.compressedSize)
    throw new FileError(
      `${title} is stored, but has two sizes, ${entry.size} and ${entry.compressedSize}.`,
      entry.begin,
    );
  let crc = 0;
  const checked: Write = (piece) => {
    crc = crc32(piece, crc);
    write(piece);
  };
  if (entry.method === 0) checked(data);
  else inflate(data, checked, { size: entry.size, who: title, start: dataStart });
  if (crc !== entry.crc)
    throw new FileError(`${title} has checksum ${crc}, expected ${entry.crc}. The file is damaged.`, dataStart);
}

/** True if a size in the local header is wrong. One that is all ones is in an extra field. */
const differs = (local: number, known: number): boolean => local !== 0xffffffff && local !== known;
