/**
 * A common interface to many kinds of input: bytes in memory, a Blob or File, a Response, a path or file URL in Node.
 * A Blob and a path are read range by range; a Response is read whole, as its body can be read only once. Inputs are recognized by their
 * properties, not by their class, so that inputs of other realms work.
 *
 * A reader is a generator that requests ranges of a file and receives their bytes. Each format is implemented once, and runs synchronously over
 * bytes in memory, without a copy, or over an asynchronous source. Ranges outside of the file throw here.
 *
 * Node's file system is looked up at run time, so that bundlers ignore it. Each read opens the file, so there is nothing to close; a file that
 * changed since the first read is an error. Outside of Node, Deno and Bun there is no file system.
 */
import { shown } from "../base/arguments.ts";
import { foreign } from "../base/foreign.ts";
import { setBytes } from "../storage/set-bytes.ts";
import { FileError, quoted } from "./file-error.ts";
import { type ByteSource, Watch } from "./watch.ts";

export type { ByteSource } from "./watch.ts";

/** The inputs that files can be read from. A string is a path. */
export type FileInput = string | URL | Uint8Array | ArrayBufferLike | Blob | Response | ByteSource;

/** Opens an input as a source of bytes, whose reads are watched. */
export async function openSource(who: string, input: FileInput, watch: Watch = new Watch({})): Promise<ByteSource> {
  const path = pathOf(who, input);
  if (path !== undefined) return watch.over(await openPath(who, path));
  const bytes = bytesOf(input);
  if (bytes !== undefined) return watch.over(sourceOfBytes(bytes), Infinity);
  if (typeof input === "object" && input !== null) {
    if (isResponse(input)) return sourceOfBytes(await bodyOf(who, input, watch));
    if (isBlob(input)) return watch.over(sourceOfBlob(who, input));
    if (isSource(input)) return watch.over(input);
  }
  throw new FileError(
    input instanceof Promise
      ? `${who}: a promise is not readable. Await it first.`
      : `${who}: ${describe(input)} is not readable. Pass bytes, a Blob, a Response, or in Node a path.`,
  );
}

/** The path of a string or URL; undefined if the input is neither. */
export function pathOf(who: string, input: unknown): string | undefined {
  const isUrl = Object.prototype.toString.call(input) === "[object URL]";
  if (typeof input !== "string" && !isUrl) return undefined;
  const text = String(input);
  if (/^(https?|data|blob):/i.test(text))
    throw new FileError(`${who}: ${quoted(text)} is not a path. Fetch it, and pass the Response: await fetch(url).`);
  if (!/^file:/i.test(text)) return text;
  const url = new URL(text);
  if (/%2f/i.test(url.pathname)) throw new FileError(`${who}: ${quoted(text)} has an encoded / and is not a path.`);
  const name = decodeURIComponent(url.pathname);
  // Windows: file:///C:/x is C:/x, file://host/x is //host/x.
  if (url.hostname !== "") return `//${url.hostname}${name}`;
  return /^\/[A-Za-z]:/.test(name) ? name.slice(1) : name;
}

/** The bytes of a typed array or a buffer, without a copy; undefined for other values. */
export function bytesOf(input: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const brand = Object.prototype.toString.call(input);
  return brand === "[object ArrayBuffer]" || brand === "[object SharedArrayBuffer]"
    ? new Uint8Array(input as ArrayBufferLike)
    : undefined;
}

function sourceOfBytes(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (begin, end) => Promise.resolve(bytes.subarray(begin, end)) };
}

/** The largest piece of a Blob that is copied at once. */
const blobPieceLength = 2 ** 22;

function sourceOfBlob(who: string, blob: Blob): ByteSource {
  const readPiece = async (begin: number, end: number): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.slice(begin, end).arrayBuffer());
    } catch (cause) {
      throw new FileError(`${who}: the Blob cannot be read: ${String(cause)}.`, begin, { cause });
    }
  };
  // A Blob returns copies, so large ones are copied piece by piece.
  const read = async (begin: number, end: number, into?: Uint8Array): Promise<Uint8Array> => {
    if (into === undefined || end - begin <= blobPieceLength) return readPiece(begin, end);
    for (let at = begin; at < end; at += blobPieceLength)
      setBytes(into, at - begin, await readPiece(at, Math.min(at + blobPieceLength, end)));
    return into;
  };
  return { size: blob.size, read };
}

async function bodyOf(who: string, response: Response, watch: Watch): Promise<Uint8Array> {
  if (!response.ok)
    throw new FileError(
      `${who}: the response for ${quoted(response.url)} has status ${response.status}, expected 200 to 299. Check the URL.`,
    );
  if (response.bodyUsed) throw new FileError(`${who}: the body of the response was read before. Fetch it again.`);
  try {
    const { body, headers } = response;
    if (body === null || watch.piece === Infinity) return new Uint8Array(await response.arrayBuffer());
    // The length of a compressed body is not that of its bytes.
    const isPlain = (headers.get("content-encoding") ?? "identity") === "identity";
    return await watch.read(body, isPlain ? Number(headers.get("content-length")) : null);
  } catch (cause) {
    if (watch.hasThrown(cause)) throw cause;
    throw new FileError(`${who}: the body of the response cannot be read: ${String(cause)}.`, undefined, { cause });
  }
}

const isResponse = (input: object): input is Response => "arrayBuffer" in input && "bodyUsed" in input;
const isBlob = (input: object): input is Blob => "arrayBuffer" in input && "slice" in input && "size" in input;

const isSource = (input: object): input is ByteSource =>
  typeof (input as ByteSource).read === "function" && typeof (input as ByteSource).size === "number";

/** Describes a value for an error message. */
export const describe = (input: unknown): string =>
  ArrayBuffer.isView(input) ? "a typed array" : foreign(input) || shown(input);

/** Decodes the header of a file; throws unless it is UTF-8. */
export function decodeHeader(who: string, bytes: Uint8Array, position: number): string {
  try {
    // A copy, because a decoder rejects shared memory.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.slice());
  } catch {
    throw new FileError(`${who}: the header is not UTF-8 text.`, position);
  }
}

/** A range of bytes, begin <= position < end, and its description for messages. */
export interface ByteRange {
  readonly begin: number;
  readonly end: number;
  readonly what: string;
  /** Memory for the bytes. A source that can read into it returns it; others return other bytes. */
  readonly into: Uint8Array | undefined;
}

/** Allocates memory to read this number of bytes into; undefined if the source should allocate it. */
export type Allocate = (length: number) => Uint8Array | undefined;

/** Yields ranges, receives their bytes, returns T. */
export type Reader<T> = Generator<ByteRange, T, Uint8Array>;

/** Throws if the range is outside of the file of `size` bytes. */
export function checkRange(who: string, size: number, begin: number, end: number, what: string): void {
  if (end > size)
    throw new FileError(
      `${who}: ${what} takes bytes ${begin} to ${end - 1}, but the file has ${size} bytes. It is truncated or damaged.`,
      Math.min(begin, size),
    );
}

/** Requests a range of the file of `size` bytes, in `into` if the source can read into it. */
export function* ask(
  who: string,
  size: number,
  begin: number,
  end: number,
  what: string,
  into?: Uint8Array,
): Reader<Uint8Array> {
  checkRange(who, size, begin, end, what);
  const bytes = yield { begin, end, what, into };
  if (bytes.length !== end - begin)
    throw new FileError(
      `${who}: the source returned ${bytes.length} bytes for ${what}, expected ${end - begin}. The file changed while it was read.`,
      begin,
    );
  return bytes;
}

/** Runs a reader over bytes in memory. It receives views of them. */
export function readFromBytes<T>(bytes: Uint8Array, reader: Reader<T>): T {
  let step = reader.next();
  while (!step.done) step = reader.next(bytes.subarray(step.value.begin, step.value.end));
  return step.value;
}

/** Runs a reader over a source. */
export async function readFromSource<T>(source: ByteSource, reader: Reader<T>): Promise<T> {
  let step = reader.next();
  while (!step.done) {
    const { begin, end, into } = step.value;
    step = reader.next(await source.read(begin, end, into));
  }
  return step.value;
}

/** The part of `node:fs/promises` that is used here. */
interface FileSystem {
  open(path: string, flags: string, mode?: number): Promise<FileHandle>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<FileStatus>;
  mkdir(path: string, options: { recursive: true }): Promise<unknown>;
}
interface FileHandle {
  stat(): Promise<FileStatus>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}
interface FileStatus {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly mode: number;
  isFile(): boolean;
}
interface NodeProcess {
  readonly versions?: { readonly node?: string };
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** The largest size of one read or write: below 2 GiB, which some systems reject. */
const pieceLength = 1 << 30;

async function fileSystem(who: string, path: string): Promise<FileSystem> {
  const { process } = globalThis as { process?: NodeProcess };
  if (process?.versions?.node === undefined)
    throw new FileError(
      `${who}: ${quoted(path)} is a path, but there is no file system here. Pass a Blob (from a file input) or a Response (from fetch).`,
    );
  const name = ["node:fs", "promises"].join("/");
  const builtin = process.getBuiltinModule?.(name) as FileSystem | undefined;
  return builtin ?? ((await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as FileSystem);
}

/** Runs a file system operation; errors name the file, except those that are final. */
async function attempt<T>(
  who: string,
  path: string,
  doing: string,
  action: () => Promise<T>,
  isFinal: (error: unknown) => boolean = () => false,
): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof FileError || isFinal(cause)) throw cause;
    const { code, message } = Object(cause) as { readonly code?: string; readonly message?: string };
    const reason =
      doing === "written" && code === "ENOENT"
        ? "its folder does not exist. Create it first"
        : (message ?? String(cause));
    throw new FileError(`${who}: ${quoted(path)} cannot be ${doing}: ${reason}.`, undefined, { cause });
  }
}

/** Opens the file at a path as a source. */
export async function openPath(who: string, path: string): Promise<ByteSource> {
  const fs = await fileSystem(who, path);
  const first = await attempt(who, path, "read", () => fs.stat(path));
  if (!first.isFile()) throw new FileError(`${who}: ${quoted(path)} is not a file.`);
  return { size: first.size, read: (...range) => attempt(who, path, "read", () => readRange(...range)) };

  async function readRange(begin: number, end: number, into?: Uint8Array): Promise<Uint8Array> {
    const handle = await fs.open(path, "r");
    try {
      const now = await handle.stat();
      if (now.size !== first.size || now.mtimeMs !== first.mtimeMs || now.ino !== first.ino)
        throw new FileError(`${who}: ${quoted(path)} was changed while it was read. Read it again.`);
      const bytes = into ?? new Uint8Array(end - begin);
      let done = 0;
      while (done < bytes.length) {
        const length = Math.min(bytes.length - done, pieceLength);
        const { bytesRead } = await handle.read(bytes, done, length, begin + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done === bytes.length ? bytes : bytes.subarray(0, done);
    } finally {
      await handle.close();
    }
  }
}

/** Creates a folder, and those that it is in, unless it exists. */
export async function createFolder(who: string, path: string): Promise<void> {
  const fs = await fileSystem(who, path);
  await attempt(who, path, "created", () => fs.mkdir(path, { recursive: true }));
}

/**
 * Writes a file from its parts.
 *
 * Postcondition: afterward the file contains all of the parts, or an error was thrown and the file is unchanged.
 */
export async function writePath(
  who: string,
  path: string,
  parts: readonly Uint8Array[],
  watch: Watch = new Watch({}),
): Promise<void> {
  const fs = await fileSystem(who, path);
  // A link stays a link: its target is replaced.
  const target = await fs.realpath(path).catch(() => path);
  const old = await fs.stat(target).catch(() => undefined);
  if (old !== undefined && !old.isFile()) throw new FileError(`${who}: ${quoted(path)} is not a file.`);
  const temporary = `${target}.${Math.random().toString(36).slice(2, 10)}.tmp`;
  watch.total = parts.reduce((sum, part) => sum + part.length, 0);
  const write = async (): Promise<void> => {
    const handle = await fs.open(temporary, "wx");
    try {
      try {
        if (old !== undefined) await handle.chmod(old.mode & 0o7777);
        for (const part of parts) await writeAll(handle, part, watch);
        await handle.sync();
      } finally {
        await handle.close();
      }
      watch.check();
      await fs.rename(temporary, target);
    } catch (error) {
      await fs.unlink(temporary).catch(() => undefined);
      throw error;
    }
  };
  await attempt(who, path, "written", write, (error) => watch.hasThrown(error));
}

async function writeAll(handle: FileHandle, part: Uint8Array, watch: Watch): Promise<void> {
  for (let done = 0; done < part.length; ) {
    const length = Math.min(part.length - done, pieceLength, watch.piece);
    const { bytesWritten } = await handle.write(part, done, length);
    done += bytesWritten;
    watch.advance(bytesWritten);
  }
}
