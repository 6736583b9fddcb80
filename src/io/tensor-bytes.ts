/**
 * Tensors from the bytes of files, and files as bytes, at once and without a file system.
 * What is parsed shares the memory of the bytes where their place in it allows, so it costs no copy, and a write to either is seen by both.
 * To have tensors of their own, clone them, or load the bytes instead (`load.ts`).
 */
import { FileError } from "./file-error.ts";
import type { ReadLimits } from "./limits.ts";
import { checkOptions, checkSafetensorsOptions, type LoadedSafetensors, limitNames } from "./load.ts";
import * as npy from "./npy.ts";
import * as npz from "./npz.ts";
import * as safetensors from "./safetensors.ts";
import * as safetensorsWrite from "./safetensors.ts";
import { bytesOf, describe } from "./source.ts";
import {
  type FileTensor,
  shareAsTensor,
  type Tensor,
  type Tensors,
  takeSnapshot,
  toRawArray,
  toRawArrays,
} from "./tensor-arrays.ts";

/** The bytes of a file, in an array or a buffer. */
export type FileBytes = Uint8Array | ArrayBufferLike;

function fileBytes(who: string, given: FileBytes): Uint8Array {
  const bytes = bytesOf(given);
  if (bytes !== undefined) return bytes;
  throw new FileError(
    `${who}: needs the bytes of a file, got ${describe(given)}. Pass a Uint8Array or an ArrayBuffer; load... takes paths, Blobs and Responses.`,
  );
}

/** The tensor of an .npy file, over its bytes. */
export function parseNpy(bytes: FileBytes, options: ReadLimits = {}): FileTensor {
  checkOptions("parseNpy", options, limitNames);
  return shareAsTensor(npy.parseNpy(fileBytes("parseNpy", bytes), options));
}

/** The tensors of a file into which several were saved as .npy, one after the other. */
export function parseNpySequence(bytes: FileBytes, options: ReadLimits = {}): FileTensor[] {
  checkOptions("parseNpySequence", options, limitNames);
  return npy.parseNpySequence(fileBytes("parseNpySequence", bytes), options).map(shareAsTensor);
}

/** The .npy file of a tensor, as NumPy writes it. */
export function encodeNpy(tensor: Tensor, options: npy.NpyOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions("encodeNpy", options, ["version"]);
  return npy.encodeNpy(toRawArray("encodeNpy", tensor), options);
}

/** The tensors of an .npz file, over its bytes where they are stored at a fitting place. */
export function parseNpz(bytes: FileBytes, options: npz.NpzReadOptions = {}): Map<string, FileTensor> {
  checkOptions("parseNpz", options, ["names", ...limitNames]);
  const tensors = new Map<string, FileTensor>();
  for (const [name, array] of npz.parseNpz(fileBytes("parseNpz", bytes), options))
    tensors.set(name, shareAsTensor(array));
  return tensors;
}

/** The names of the arrays in an .npz file. */
export function npzNames(bytes: FileBytes, options: ReadLimits = {}): string[] {
  checkOptions("npzNames", options, limitNames);
  return npz.npzNames(fileBytes("npzNames", bytes), options);
}

/** The options of a function that has none. */
type NoOptions = Readonly<Record<never, never>>;

/** The .npz file of tensors by name, without compression. */
export function encodeNpz(tensors: Tensors, options: NoOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions("encodeNpz", options, [], () => " To compress, call encodeNpzCompressed.");
  return npz.encodeNpz(toRawArrays("encodeNpz", tensors));
}

/** The .npz file of tensors by name, deflated where the platform can and where it helps. */
export async function encodeNpzCompressed(tensors: Tensors, options: NoOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  checkOptions("encodeNpzCompressed", options, []);
  const snapshot = takeSnapshot("encodeNpzCompressed", tensors);
  try {
    return await npz.encodeNpzCompressed(snapshot.arrays);
  } finally {
    snapshot.release();
  }
}

/** The tensors of a safetensors file, over its bytes. */
export function parseSafetensors(
  bytes: FileBytes,
  options: safetensors.SafetensorsReadOptions = {},
): LoadedSafetensors {
  checkOptions("parseSafetensors", options, ["names", ...limitNames]);
  const { tensors, metadata } = safetensors.parseSafetensors(fileBytes("parseSafetensors", bytes), options);
  return { tensors: new Map([...tensors].map(([name, array]) => [name, shareAsTensor(array)])), metadata };
}

/** The safetensors file of tensors by name. */
export function encodeSafetensors(
  tensors: Tensors,
  options: safetensorsWrite.SafetensorsSaveOptions = {},
): Uint8Array<ArrayBuffer> {
  checkSafetensorsOptions("encodeSafetensors", options);
  return safetensorsWrite.encodeSafetensors(toRawArrays("encodeSafetensors", tensors), options.metadata);
}
