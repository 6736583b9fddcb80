/**
 * NumPy's .npz format, on bytes: a zip file with one .npy file for each array.
 * Names are those of the entries without `.npy`. Uncompressed little-endian arrays are views of the file. An array that cannot be read (text,
 * objects) makes reading the file an error, unless `names` excludes it.
 */

import { FileError, listed, quoted } from "./file-error.ts";
import { Limits, type ReadLimits } from "./limits.ts";
import { maxBytesBefore, npyCollector, npyParts } from "./npy.ts";
import { entriesOf, joinParts, type RawArray, type RawArrays } from "./raw-array.ts";
import { type Reader, readFromBytes } from "./source.ts";
import { crc32 } from "./zip-format.ts";
import { type ZipEntry, zipContent, zipReader } from "./zip-read.ts";
import { deflate, type ZipItem, type ZipOptions, zipParts } from "./zip-write.ts";

export interface NpzReadOptions extends ReadLimits {
  /** The arrays to read. Default: all. */
  readonly names?: readonly string[];
}

const suffix = ".npy";

/** Parses an .npz file into arrays by name, in the order of the file. */
export function parseNpz(bytes: Uint8Array, options: NpzReadOptions = {}): Map<string, RawArray> {
  const arrays = new Map<string, RawArray>();
  const keep = (name: string, array: RawArray): void => {
    arrays.set(name, array);
  };
  readFromBytes(bytes, npzReader("parseNpz", bytes.length, options, keep));
  return arrays;
}

/** The names of the arrays in an .npz file. */
export function npzNames(bytes: Uint8Array, options: ReadLimits = {}): string[] {
  return [...readFromBytes(bytes, arrayEntries("npzNames", bytes.length, new Limits(options, bytes.length))).keys()];
}

function* arrayEntries(who: string, size: number, limits: Limits): Reader<Map<string, ZipEntry>> {
  const entries = new Map<string, ZipEntry>();
  for (const entry of yield* zipReader(who, size, limits)) {
    if (entry.name.endsWith("/")) continue; // a folder
    const name = entry.name.endsWith(suffix) ? entry.name.slice(0, -suffix.length) : entry.name;
    if (entries.has(name))
      throw new FileError(`${who}: the entries ${quoted(name)} and ${quoted(name + suffix)} both name one array.`);
    entries.set(name, entry);
  }
  return entries;
}

/**
 * Reads an .npz file of `size` bytes, and passes each array to `keep` before it reads the next.
 * A large compressed array is inflated into the bytes that `allocate` returns, so it is never in memory twice.
 */
export function* npzReader(
  who: string,
  size: number,
  options: NpzReadOptions,
  keep: (name: string, array: RawArray) => void,
  allocate: (length: number) => Uint8Array = (length) => new Uint8Array(length),
): Reader<void> {
  const limits = new Limits(options, size);
  const entries = yield* arrayEntries(who, size, limits);
  for (const name of options.names ?? entries.keys()) {
    const entry = entries.get(name);
    if (entry === undefined)
      throw new FileError(`${who}: there is no array ${quoted(name)}. There are: ${listed(entries.keys())}.`);
    const title = `${who}: array ${quoted(name)}`;
    // A compressed array is checked when its header is inflated, a stored one before it is read.
    if (entry.method === 0) limits.checkBytes(title, entry.size - maxBytesBefore, entry.begin);
    const collector = npyCollector(title, entry.size, limits, allocate);
    yield* zipContent(who, size, entry, collector.write);
    keep(name, collector.finish());
  }
}

/** Encodes arrays as an .npz file, without compression. */
export function encodeNpz(arrays: RawArrays, options: ZipOptions = {}): Uint8Array<ArrayBuffer> {
  return joinParts(npzParts("encodeNpz", arrays, options));
}

/** Encodes arrays as an .npz file, compressed where the platform supports it and the result is smaller. */
export async function encodeNpzCompressed(arrays: RawArrays): Promise<Uint8Array<ArrayBuffer>> {
  return joinParts(await compressedNpzParts("encodeNpzCompressed", arrays));
}

/** The parts of an uncompressed .npz file, without copying the arrays. */
export function npzParts(who: string, arrays: RawArrays, options: ZipOptions = {}): Uint8Array[] {
  return zipParts(
    who,
    entriesOf(arrays).map(([name, array]) => storedItem(who, name, array)),
    options,
  );
}

/** The parts of a compressed .npz file. `check` is called before each array, and may throw. */
export async function compressedNpzParts(
  who: string,
  arrays: RawArrays,
  check: () => void = () => undefined,
): Promise<Uint8Array[]> {
  const items: ZipItem[] = [];
  for (const [name, array] of entriesOf(arrays)) {
    check();
    const stored = storedItem(who, name, array);
    const packed = await deflate(joinParts(stored.parts));
    items.push(
      packed === undefined || packed.length >= stored.size ? stored : { ...stored, method: 8, parts: [packed] },
    );
  }
  return zipParts(who, items);
}

function storedItem(who: string, name: string, array: RawArray): ZipItem {
  const [header, data] = npyParts(`${who}: array ${quoted(name)}`, array);
  return {
    name: name + suffix,
    parts: [header, data],
    method: 0,
    size: header.length + data.length,
    crc: crc32(data, crc32(header)),
  };
}
