/**
 * The two questions asked of every number of bytes that comes from outside: is it one, and does it fit.
 */
import { StorageError } from "./storage-error.ts";

/** Refuses what is no number of bytes. */
export function checkBytes(who: string, nbytes: number): void {
  if (!Number.isSafeInteger(nbytes) || nbytes < 0)
    throw new StorageError(`${who}: a number of bytes is a whole number, 0 or more, got ${nbytes}`);
}

/** Refuses bytes that are not all in the buffer. */
export function checkRange(who: string, buffer: ArrayBufferLike, byteOffset: number, nbytes: number): void {
  if (Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset + nbytes <= buffer.byteLength) return;
  throw new StorageError(
    `${who}: bytes ${byteOffset} to ${byteOffset + nbytes} are not all in the buffer of ${buffer.byteLength} bytes` +
      (buffer.byteLength === 0 ? ", which is empty or was transferred" : ""),
  );
}
