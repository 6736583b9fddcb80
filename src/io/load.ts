/**
 * Tensors from files, wherever they are: bytes, a Blob or File, a Response, in Node a path or file URL.
 * What is loaded lies in the library's memory, a copy of what was read. Blobs and paths are read range by range, so that of a large file only
 * the named arrays are read.
 */
import { npyReader } from "./npy.ts";
import { type NpzReadOptions, npzReader } from "./npz.ts";
import type { RawArray } from "./raw-array.ts";
import { readFromSource } from "./reader.ts";
import {
  readSafetensorsHeader,
  type SafetensorsEntry,
  type SafetensorsReadOptions,
  safetensorsHeaderReader,
  safetensorsTensorReader,
} from "./safetensors.ts";
import { type FileInput, openSource } from "./source.ts";
import { copyToTensor, type FileTensor } from "./tensor-arrays.ts";

/** The tensors of a safetensors file, and its free text by name. */
export interface LoadedSafetensors {
  readonly tensors: Map<string, FileTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/** A safetensors file of which so far the header has been read. */
export interface OpenedSafetensors {
  readonly metadata: ReadonlyMap<string, string>;
  /** What the header says of each tensor, in its order. */
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  /** Reads one tensor, and no more of the file than its bytes. */
  readTensor(name: string): Promise<FileTensor>;
}

/** The tensor of an .npy file. */
export async function loadNpy(input: FileInput): Promise<FileTensor> {
  const source = await openSource("loadNpy", input);
  return copyToTensor(await readFromSource(source, npyReader("loadNpy", source.size)));
}

/** The tensors of an .npz file, or those named, in order. */
export async function loadNpz(input: FileInput, options: NpzReadOptions = {}): Promise<Map<string, FileTensor>> {
  const source = await openSource("loadNpz", input);
  const tensors = new Map<string, FileTensor>();
  const keep = (name: string, array: RawArray): void => {
    tensors.set(name, copyToTensor(array));
  };
  await readFromSource(source, npzReader("loadNpz", source.size, options, keep));
  return tensors;
}

/** The tensors of a safetensors file, or those named. */
export async function loadSafetensors(
  input: FileInput,
  options: SafetensorsReadOptions = {},
): Promise<LoadedSafetensors> {
  const who = "loadSafetensors";
  const source = await openSource(who, input);
  const header = await readFromSource(source, safetensorsHeaderReader(who, source.size));
  const tensors = new Map<string, FileTensor>();
  for (const name of options.names ?? header.entries.keys())
    tensors.set(
      name,
      copyToTensor(await readFromSource(source, safetensorsTensorReader(who, source.size, header, name))),
    );
  return { tensors, metadata: header.metadata };
}

/** Reads and checks the header of a safetensors file; tensors are read when they are asked for. */
export async function openSafetensors(input: FileInput): Promise<OpenedSafetensors> {
  const { metadata, entries, readTensor } = await readSafetensorsHeader(await openSource("openSafetensors", input));
  return { metadata, entries, readTensor: async (name) => copyToTensor(await readTensor(name)) };
}
