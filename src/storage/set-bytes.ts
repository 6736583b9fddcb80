/**
 * Copies bytes between typed arrays, including shared memory.
 *
 * Engines copy to and from shared memory by words of 8 bytes if both addresses have the same remainder by 8, else byte by byte, which takes
 * 4 times as long. Such a copy goes through a small unshared buffer, in which the bytes are moved by the missing remainder.
 */
import { once } from "../base/lazy.ts";

/** The words that engines copy, and the bytes that are moved at once: these stay in the first cache. */
const wordBytes = 8;
const pieceBytes = 4096;
/** Shorter copies are not worth the steps. */
const minBytes = 2048;

const between = /* @__PURE__ */ once(() => new Uint8Array(pieceBytes + wordBytes));

const isShared = ({ buffer }: Uint8Array): boolean =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/** Copies all bytes of the source to the target, from byte `at` on. The arrays do not overlap. */
export function setBytes(target: Uint8Array, at: number, source: Uint8Array): void {
  const count = source.length;
  const to = (target.byteOffset + at) % wordBytes;
  const from = source.byteOffset % wordBytes;
  if (to === from || count < minBytes || !(isShared(source) || isShared(target))) {
    target.set(source, at);
    return;
  }
  const piece = between();
  // Unshared bytes are copied to any address at full speed.
  const first = isShared(source) ? from : to;
  const last = isShared(target) ? to : first;
  for (let done = 0; done < count; done += pieceBytes) {
    const length = Math.min(pieceBytes, count - done);
    piece.set(source.subarray(done, done + length), first);
    if (last !== first) piece.copyWithin(last, first, first + length);
    target.set(piece.subarray(last, last + length), at + done);
  }
}
