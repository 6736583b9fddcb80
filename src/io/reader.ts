/**
 * Reading as a dialogue: a reader is a generator that asks for ranges of a file and is given their bytes.
 * So each format is written once, and runs at once over bytes in memory, without a copy, or over a source that answers later.
 * A range that leaves the file is refused here; readers may trust what they are given.
 */
import { FileError } from "./file-error.ts";

/** The bytes from `begin` to before `end`, and what they are, for messages. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
  readonly what: string;
}

/** Asks for ranges, is given bytes, returns T. */
export type Reader<T> = Generator<ByteRange, T, Uint8Array>;

/** Where bytes come from: read(begin, end) gives those of begin <= position < end. */
export interface ByteSource {
  readonly size: number;
  read(begin: number, end: number): Promise<Uint8Array>;
}

/** Throws if the range leaves the file of `size` bytes. */
export function checkRange(who: string, size: number, begin: number, end: number, what: string): void {
  if (end > size)
    throw new FileError(
      `${who}: ${what} needs bytes ${begin} to ${end}, the file has ${size}. It is cut off or damaged.`,
      Math.min(begin, size),
    );
}

/** Asks for a range of the file of `size` bytes. */
export function* ask(who: string, size: number, begin: number, end: number, what: string): Reader<Uint8Array> {
  checkRange(who, size, begin, end, what);
  const bytes = yield { begin, end, what };
  if (bytes.length !== end - begin)
    throw new FileError(
      `${who}: the source gave ${bytes.length} bytes for ${what}, asked for ${end - begin}. The file changed while it was read.`,
      begin,
    );
  return bytes;
}

/** Runs a reader over bytes in memory; what it is given are windows into them. */
export function readFromBytes<T>(bytes: Uint8Array, reader: Reader<T>): T {
  let step = reader.next();
  while (!step.done) step = reader.next(bytes.subarray(step.value.begin, step.value.end));
  return step.value;
}

/** Runs a reader over a source. */
export async function readFromSource<T>(source: ByteSource, reader: Reader<T>): Promise<T> {
  let step = reader.next();
  while (!step.done) step = reader.next(await source.read(step.value.begin, step.value.end));
  return step.value;
}
