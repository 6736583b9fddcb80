/**
 * Tensors to files, in Node by path: written beside the file and then put in its place, so that a failure loses nothing.
 * What is saved is what the tensors hold at the moment of the call. In a browser, encode to bytes (`tensor-bytes.ts`) and offer those as a Blob.
 */
import { FileError } from "./file-error.ts";
import { writePath } from "./node-files.ts";
import { type NpyOptions, npyParts } from "./npy.ts";
import { compressedNpzParts, npzParts } from "./npz.ts";
import { checkOptions, checkSafetensorsOptions } from "./options.ts";
import type { RawArray } from "./raw-array.ts";
import { type SafetensorsSaveOptions, safetensorsParts } from "./safetensors-write.ts";
import { pathOf } from "./source.ts";
import { type Tensor, type Tensors, takeSnapshot } from "./tensor-arrays.ts";

/** Saves a tensor as an .npy file. */
export async function saveNpy(path: string | URL, tensor: Tensor, options: NpyOptions = {}): Promise<void> {
  checkOptions("saveNpy", options, ["version"]);
  await save("saveNpy", path, { tensor }, (arrays) => npyParts("saveNpy", arrays.get("tensor") as RawArray, options));
}

export interface NpzSaveOptions {
  /** Deflate the arrays where that makes them smaller. */
  readonly compress?: boolean;
}

/** Saves tensors by name as an .npz file. */
export async function saveNpz(path: string | URL, tensors: Tensors, options: NpzSaveOptions = {}): Promise<void> {
  checkOptions("saveNpz", options, ["compress"]);
  await save("saveNpz", path, tensors, (arrays) =>
    options.compress ? compressedNpzParts("saveNpz", arrays) : npzParts("saveNpz", arrays),
  );
}

/** Saves tensors by name as a safetensors file. */
export async function saveSafetensors(
  path: string | URL,
  tensors: Tensors,
  options: SafetensorsSaveOptions = {},
): Promise<void> {
  checkSafetensorsOptions("saveSafetensors", options);
  await save("saveSafetensors", path, tensors, (arrays) =>
    safetensorsParts("saveSafetensors", arrays, options.metadata),
  );
}

type Parts = readonly Uint8Array[];

async function save(
  who: string,
  path: string | URL,
  tensors: Tensors,
  encode: (arrays: ReadonlyMap<string, RawArray>) => Parts | Promise<Parts>,
): Promise<void> {
  const name = pathOf(who, path);
  if (name === undefined) throw new FileError(`${who}: the first argument must be a path, given ${typeof path}.`);
  const snapshot = takeSnapshot(who, tensors);
  try {
    await writePath(who, name, await encode(snapshot.arrays));
  } finally {
    snapshot.release();
  }
}
