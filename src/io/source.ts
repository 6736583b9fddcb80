/**
 * One way to read from many places: bytes in memory, a Blob or File, a Response, a path or file URL in Node.
 * A Blob and a path are read range by range; a Response is read whole, as its body can be read once only. Things are recognised by what they
 * are, not by their class, so that those of another realm count.
 */
import { foreign } from "../base/foreign.ts";
import { FileError, quoted } from "./file-error.ts";
import { openPath } from "./node-files.ts";
import type { ByteSource } from "./reader.ts";

/** What files can be read from. A string is a path. */
export type FileInput = string | URL | Uint8Array | ArrayBufferLike | Blob | Response | ByteSource;

/** The bytes behind an input. */
export async function openSource(who: string, input: FileInput): Promise<ByteSource> {
  const path = pathOf(who, input);
  if (path !== undefined) return openPath(who, path);
  const bytes = bytesOf(input);
  if (bytes !== undefined) return sourceOfBytes(bytes);
  if (typeof input === "object" && input !== null) {
    if (isResponse(input)) return sourceOfBytes(await bodyOf(who, input));
    if (isBlob(input)) return sourceOfBlob(who, input);
    if (isSource(input)) return input;
  }
  throw new FileError(
    input instanceof Promise
      ? `${who}: a promise is nothing to read from. Await it first.`
      : `${who}: ${describe(input)} is nothing to read from. Pass bytes, a Blob, a Response, or in Node a path.`,
  );
}

/** The path that a string or URL names; undefined if the input is neither. */
export function pathOf(who: string, input: unknown): string | undefined {
  const isUrl = Object.prototype.toString.call(input) === "[object URL]";
  if (typeof input !== "string" && !isUrl) return undefined;
  const text = String(input);
  if (/^(https?|data|blob):/i.test(text))
    throw new FileError(`${who}: ${quoted(text)} is no path. Fetch it, and pass the Response: await fetch(url).`);
  if (!/^file:/i.test(text)) return text;
  const url = new URL(text);
  if (/%2f/i.test(url.pathname)) throw new FileError(`${who}: ${quoted(text)} has an encoded / and is no path.`);
  const name = decodeURIComponent(url.pathname);
  // Windows: file:///C:/x is C:/x, file://host/x is //host/x.
  if (url.hostname !== "") return `//${url.hostname}${name}`;
  return /^\/[A-Za-z]:/.test(name) ? name.slice(1) : name;
}

/** The bytes of a typed array or a buffer, shared with it; undefined for anything else. */
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

function sourceOfBlob(who: string, blob: Blob): ByteSource {
  const read = async (begin: number, end: number): Promise<Uint8Array> => {
    try {
      return new Uint8Array(await blob.slice(begin, end).arrayBuffer());
    } catch (cause) {
      throw new FileError(`${who}: the Blob cannot be read: ${String(cause)}.`, begin, { cause });
    }
  };
  return { size: blob.size, read };
}

async function bodyOf(who: string, response: Response): Promise<Uint8Array> {
  if (!response.ok)
    throw new FileError(
      `${who}: the response for ${quoted(response.url)} has status ${response.status}, it must be 200.`,
    );
  if (response.bodyUsed) throw new FileError(`${who}: the body of the response was read before. Fetch it again.`);
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw new FileError(`${who}: the body of the response cannot be read: ${String(cause)}.`, undefined, { cause });
  }
}

const isResponse = (input: object): input is Response => "arrayBuffer" in input && "bodyUsed" in input;
const isBlob = (input: object): input is Blob => "arrayBuffer" in input && "slice" in input && "size" in input;

const isSource = (input: object): input is ByteSource =>
  typeof (input as ByteSource).read === "function" && typeof (input as ByteSource).size === "number";

/** A value as messages show it. */
export function describe(input: unknown): string {
  if (foreign(input)) return foreign(input);
  return typeof input === "object" && input !== null ? Object.prototype.toString.call(input) : String(input);
}
