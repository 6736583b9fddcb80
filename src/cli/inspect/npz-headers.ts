/**
 * The headers of the arrays in an .npz file. Of each array only the first bytes are read, compressed or not; an array that this library cannot read,
 * such as one of objects, has the reason in place of its dtype.
 */
import { constants, inflateRawSync } from "node:zlib";
import { FileError } from "../../io/file-error.ts";
import { Limits } from "../../io/limits.ts";
import { loneNpyHead, maxBytesBefore, type NpyHead } from "../../io/npy.ts";
import { type ByteSource, readFromBytes, readFromSource } from "../../io/source.ts";
import { type ZipEntry, zipReader } from "../../io/zip-read.ts";
import type { FileTensorInfo } from "./tree.ts";

const localSize = 30;
/** Enough for a header whose bytes do not compress at all. */
const maxCompressed = 2 * maxBytesBefore;

export async function npzHeaders(source: ByteSource): Promise<FileTensorInfo[]> {
  const who = "inspect";
  const entries = await readFromSource(source, zipReader(who, source.size, new Limits({}, source.size)));
  const tensors: FileTensorInfo[] = [];
  for (const entry of entries) {
    if (entry.name.endsWith("/")) continue;
    const name = entry.name.replace(/\.npy$/, "");
    try {
      const { dtype, shape, begin, end } = await headOf(source, entry);
      tensors.push({ name, dtype, shape, bytes: end - begin });
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const problem = error.message.replace(/^inspect: /, "");
      tensors.push({ name, dtype: "unknown", shape: [], bytes: entry.size, problem });
    }
  }
  return tensors;
}

async function headOf(source: ByteSource, { begin, method, compressedSize, size }: ZipEntry): Promise<NpyHead> {
  const local = await source.read(begin, begin + localSize);
  if (local.length < localSize) throw new FileError("the zip file is truncated.", begin);
  const view = new DataView(local.buffer, local.byteOffset, local.length);
  const start = begin + localSize + view.getUint16(26, true) + view.getUint16(28, true);
  const stored = await source.read(start, Math.min(start + compressedSize, start + maxCompressed, source.size));
  const bytes = method === 0 ? stored : inflated(stored, method, start);
  return readFromBytes(bytes, loneNpyHead("inspect", size, new Limits({ maxBytes: Infinity }, size)));
}

/** The start of a compressed entry. */
function inflated(bytes: Uint8Array, method: number, start: number): Uint8Array {
  if (method !== 8)
    throw new FileError(`it is compressed by method ${method}; must be 0 (stored) or 8 (deflated).`, start);
  try {
    return inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch (cause) {
    throw new FileError(`it cannot be decompressed: ${(cause as Error).message}.`, start, { cause });
  }
}
