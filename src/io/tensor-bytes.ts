/**
 * Parses and encodes files as bytes, synchronously and without a file system.
 * Parsed tensors share the memory of the bytes if their alignment allows it, so they need no copy, and writes to either are visible in both.
 * For independent tensors, clone them, or load the bytes instead (`load.ts`).
 */
import { FileError } from "./file-error.ts";
import type { ReadLimits } from "./limits.ts";
import { checkOptions, checkSafetensorsOptions, type LoadedSafetensors, limitNames } from "./load.ts";
import * as npy from "./npy.ts";
import * as npz from "./npz.ts";
import * as safetensors from "./safetensors.ts";
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

function fileBytes(who: string, input: FileBytes): Uint8Array {
  const bytes = bytesOf(input);
  if (bytes !== undefined) return bytes;
  throw new FileError(
    `${who}: needs the bytes of a file, got ${describe(input)}. Pass a Uint8Array or an ArrayBuffer; load... takes paths, Blobs and Responses.`,
  );
}

/** Parses an .npy file. The tensor shares its bytes. */
export function parseNpy(bytes: FileBytes, options: ReadLimits = {}): FileTensor {
  checkOptions("parseNpy", options, limitNames);
  return shareAsTensor(npy.parseNpy(fileBytes("parseNpy", bytes), options));
}

/** Parses a file with several concatenated .npy arrays. */
export function parseNpySequence(bytes: FileBytes, options: ReadLimits = {}): FileTensor[] {
  checkOptions("parseNpySequence", options, limitNames);
  return npy.parseNpySequence(fileBytes("parseNpySequence", bytes), options).map(shareAsTensor);
}

/** Encodes a tensor as an .npy file, as NumPy writes it. */
export function encodeNpy(tensor: Tensor, options: npy.NpyOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions("encodeNpy", options, ["version"]);
  return npy.encodeNpy(toRawArray("encodeNpy", tensor), options);
}

/** Parses an .npz file. Tensors share its bytes if they are stored uncompressed and aligned. */
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

/** Encodes tensors by name as an .npz file, without compression. */
export function encodeNpz(tensors: Tensors, options: NoOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions("encodeNpz", options, [], () => " To compress, call encodeNpzCompressed.");
  return npz.encodeNpz(toRawArrays("encodeNpz", tensors));
}

/** Encodes tensors by name as an .npz file, deflated where the platform supports it and the result is smaller. */
export async function encodeNpzCompressed(tensors: Tensors, options: NoOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  checkOptions("encodeNpzCompressed", options, []);
  const snapshot = takeSnapshot("encodeNpzCompressed", tensors);
  try {
    return await npz.encodeNpzCompressed(snapshot.arrays);
  } finally {
    snapshot.release();
  }
}

/** Parses a safetensors file. The tensors share its bytes. */
export function parseSafetensors(
  bytes: FileBytes,
  options: safetensors.SafetensorsReadOptions = {},
): LoadedSafetensors {
  checkOptions("parseSafetensors", options, ["names", ...limitNames]);
  const { tensors, metadata } = safetensors.parseSafetensors(fileBytes("parseSafetensors", bytes), options);
  return { tensors: new Map([...tensors].map(([name, array]) => [name, shareAsTensor(array)])), metadata };
}

/** Encodes tensors by name as a safetensors file. */
export function encodeSafetensors(
  tensors: Tensors,
  options: safetensors.SafetensorsSaveOptions = {},
): Uint8Array<ArrayBuffer> {
  checkSafetensorsOptions("encodeSafetensors", options);
  return safetensors.encodeSafetensors(toRawArrays("encodeSafetensors", tensors), options.metadata);
}
