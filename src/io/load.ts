/**
 * Tensors from files, wherever they are: bytes, a Blob or File, a Response, in Node a path or file URL.
 * What is loaded lies in the library's memory, a copy of what was read. Blobs and paths are read range by range, so that of a large file only
 * the named arrays are read.
 */
import { Limits, type ReadLimits } from "./limits.ts";
import { npyReader } from "./npy.ts";
import { type NpzReadOptions, npzReader } from "./npz.ts";
import { checkOptions, limitNames } from "./options.ts";
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
import { copyToTensor, Destination, type FileTensor } from "./tensor-arrays.ts";

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
export async function loadNpy(input: FileInput, options: ReadLimits = {}): Promise<FileTensor> {
  const who = "loadNpy";
  checkOptions(who, options, limitNames);
  const source = await openSource(who, input);
  return copyToTensor(await readFromSource(source, npyReader(who, source.size, new Limits(options, source.size))));
}

/** The tensors of an .npz file, or those named, in order. */
export async function loadNpz(input: FileInput, options: NpzReadOptions = {}): Promise<Map<string, FileTensor>> {
  const who = "loadNpz";
  checkOptions(who, options, ["names", ...limitNames]);
  const source = await openSource(who, input);
  const tensors = new Map<string, FileTensor>();
  const destination = new Destination();
  const keep = (name: string, array: RawArray): void => {
    tensors.set(name, destination.toTensor(array));
  };
  try {
    await readFromSource(source, npzReader(who, source.size, options, keep, destination.allocate));
  } finally {
    destination.release();
  }
  return tensors;
}

/** The tensors of a safetensors file, or those named. */
export async function loadSafetensors(
  input: FileInput,
  options: SafetensorsReadOptions = {},
): Promise<LoadedSafetensors> {
  const who = "loadSafetensors";
  checkOptions(who, options, ["names", ...limitNames]);
  const source = await openSource(who, input);
  const { size } = source;
  const limits = new Limits(options, size);
  const header = await readFromSource(source, safetensorsHeaderReader(who, size, limits));
  const tensors = new Map<string, FileTensor>();
  for (const name of options.names ?? header.entries.keys()) {
    const array = await readFromSource(source, safetensorsTensorReader(who, size, header, name, limits));
    tensors.set(name, copyToTensor(array));
  }
  return { tensors, metadata: header.metadata };
}

/** Reads and checks the header of a safetensors file; tensors are read when they are asked for. `maxBytes` bounds each of them. */
export async function openSafetensors(input: FileInput, options: ReadLimits = {}): Promise<OpenedSafetensors> {
  const who = "openSafetensors";
  checkOptions(who, options, limitNames);
  const { metadata, entries, readTensor } = await readSafetensorsHeader(who, await openSource(who, input), options);
  return { metadata, entries, readTensor: async (name) => copyToTensor(await readTensor(name)) };
}
