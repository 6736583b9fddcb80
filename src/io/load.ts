/**
 * Loads tensors from bytes, a Blob or File, a Response, or in Node a path or file URL; saves tensors to files, in Node by path.
 * Loaded tensors are copies in the library's memory. Blobs and paths are read range by range, so only the named arrays of a large file are
 * read.
 *
 * A temporary file is written and then replaces the old one, so a failure loses nothing. It holds the elements at the time of the call.
 * In a browser, encode to bytes (`tensor-bytes.ts`) and create a Blob.
 * Options are checked for unknown names and wrong values, because unknown options would be ignored silently.
 */
import { nearest } from "../base/arguments.ts";
import { StridewiseError } from "../base/errors.ts";
import { FileError } from "./file-error.ts";
import { Limits, type ReadLimits } from "./limits.ts";
import { type NpyOptions, npyParts, npyReader } from "./npy.ts";
import { compressedNpzParts, type NpzReadOptions, npzParts, npzReader } from "./npz.ts";
import { isMap, type RawArray } from "./raw-array.ts";
import {
  readSafetensorsHeader,
  type SafetensorsEntry,
  type SafetensorsReadOptions,
  type SafetensorsSaveOptions,
  safetensorsHeaderReader,
  safetensorsParts,
  safetensorsTensorReader,
} from "./safetensors.ts";
import { type Allocate, describe, type FileInput, openSource, pathOf, readFromSource, writePath } from "./source.ts";
import { Destination, type FileTensor, type Tensor, type Tensors, takeSnapshot } from "./tensor-arrays.ts";
import { type TransferOptions, Watch } from "./watch.ts";

/** The tensors and the metadata of a safetensors file. */
export interface LoadedSafetensors {
  readonly tensors: Map<string, FileTensor>;
  readonly metadata: ReadonlyMap<string, string>;
}

/** A safetensors file whose header has been read. */
export interface OpenedSafetensors {
  readonly metadata: ReadonlyMap<string, string>;
  /** The descriptions of the tensors, in the order of the header. */
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  /** Reads only the bytes of one tensor. */
  readTensor(name: string): Promise<FileTensor>;
}

/** Loads the tensor of an .npy file. */
export async function loadNpy(input: FileInput, options: ReadLimits & TransferOptions = {}): Promise<FileTensor> {
  const who = "loadNpy";
  checkOptions(who, options, [...limitNames, ...transferNames]);
  const source = await openSource(who, input, new Watch(options));
  const limits = new Limits(options, source.size);
  return readTensor((allocate) => readFromSource(source, npyReader(who, source.size, limits, allocate)));
}

/** Reads an array into the library's memory where the source can do that, else copies it there. */
async function readTensor(read: (allocate: Allocate) => Promise<RawArray>): Promise<FileTensor> {
  const destination = new Destination();
  try {
    return destination.toTensor(await read(destination.allocateForRead));
  } finally {
    destination.release();
  }
}

/** Loads the tensors of an .npz file, or those in `names`, in order. */
export async function loadNpz(
  input: FileInput,
  options: NpzReadOptions & TransferOptions = {},
): Promise<Map<string, FileTensor>> {
  const who = "loadNpz";
  checkOptions(who, options, ["names", ...limitNames, ...transferNames]);
  const source = await openSource(who, input, new Watch(options));
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

/** Loads the tensors of a safetensors file, or those in `names`. */
export async function loadSafetensors(
  input: FileInput,
  options: SafetensorsReadOptions & TransferOptions = {},
): Promise<LoadedSafetensors> {
  const who = "loadSafetensors";
  checkOptions(who, options, ["names", ...limitNames, ...transferNames]);
  const source = await openSource(who, input, new Watch(options));
  const { size } = source;
  const limits = new Limits(options, size);
  const header = await readFromSource(source, safetensorsHeaderReader(who, size, limits));
  const tensors = new Map<string, FileTensor>();
  for (const name of options.names ?? header.entries.keys()) {
    const read = (allocate: Allocate): Promise<RawArray> =>
      readFromSource(source, safetensorsTensorReader(who, size, header, name, limits, allocate));
    tensors.set(name, await readTensor(read));
  }
  return { tensors, metadata: header.metadata };
}

/**
 * Reads and checks the header of a safetensors file. Tensors are read on demand; `maxBytes` bounds each of them, and `signal` and
 * `onProgress` are used for all of them.
 */
export async function openSafetensors(
  input: FileInput,
  options: ReadLimits & TransferOptions = {},
): Promise<OpenedSafetensors> {
  const who = "openSafetensors";
  checkOptions(who, options, [...limitNames, ...transferNames]);
  const file = await readSafetensorsHeader(who, await openSource(who, input, new Watch(options)), options);
  const { metadata, entries } = file;
  return { metadata, entries, readTensor: (name) => readTensor((allocate) => file.readTensor(name, allocate)) };
}

/** Saves a tensor as an .npy file. */
export async function saveNpy(
  path: string | URL,
  tensor: Tensor,
  options: NpyOptions & TransferOptions = {},
): Promise<void> {
  checkOptions("saveNpy", options, ["version", ...transferNames]);
  const encode = (arrays: Arrays): Parts => npyParts("saveNpy", arrays.get("tensor") as RawArray, options);
  await save("saveNpy", path, { tensor }, options, encode);
}

export interface NpzSaveOptions extends TransferOptions {
  /** Deflate the arrays where that makes them smaller. */
  readonly compress?: boolean;
}

/** Saves tensors by name as an .npz file. */
export async function saveNpz(path: string | URL, tensors: Tensors, options: NpzSaveOptions = {}): Promise<void> {
  checkOptions("saveNpz", options, ["compress", ...transferNames]);
  await save("saveNpz", path, tensors, options, (arrays, watch) =>
    options.compress ? compressedNpzParts("saveNpz", arrays, () => watch.check()) : npzParts("saveNpz", arrays),
  );
}

/** Saves tensors by name as a safetensors file. */
export async function saveSafetensors(
  path: string | URL,
  tensors: Tensors,
  options: SafetensorsSaveOptions & TransferOptions = {},
): Promise<void> {
  checkSafetensorsOptions("saveSafetensors", options, transferNames);
  await save("saveSafetensors", path, tensors, options, (arrays) =>
    safetensorsParts("saveSafetensors", arrays, options.metadata),
  );
}

type Arrays = ReadonlyMap<string, RawArray>;
type Parts = readonly Uint8Array[];

async function save(
  who: string,
  path: string | URL,
  tensors: Tensors,
  options: TransferOptions,
  encode: (arrays: Arrays, watch: Watch) => Parts | Promise<Parts>,
): Promise<void> {
  const name = pathOf(who, path);
  if (name === undefined)
    throw new FileError(`${who}: the first argument must be a path, got ${describe(path)}. Write ${who}(path, ...).`);
  const watch = new Watch(options);
  const snapshot = takeSnapshot(who, tensors);
  try {
    await writePath(who, name, await encode(snapshot.arrays, watch), watch);
  } finally {
    snapshot.release();
  }
}

type Kind = readonly [what: string, fits: (value: unknown) => boolean];

const flag: Kind = ["true or false", (value) => typeof value === "boolean"];
const count: Kind = [
  "a non-negative integer, or Infinity",
  (value) => value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 0),
];
/** Every option of functions that read and write files, and its valid values. */
const kinds = {
  names: ["a list of strings", (value) => Array.isArray(value) && value.every((name) => typeof name === "string")],
  maxBytes: count,
  maxTensors: count,
  maxNodes: count,
  maxSteps: count,
  maxKeptBytes: count,
  maxWeightBytes: count,
  version: ["1, 2 or 3", (value) => value === 1 || value === 2 || value === 3],
  compress: flag,
  signal: ["an AbortSignal", (value) => typeof Object(value).throwIfAborted === "function"],
  onProgress: ["a function", (value) => typeof value === "function"],
  compile: flag,
  external: ["a function", (value) => typeof value === "function"],
  metadata: ['text by name, such as { author: "..." }', (value) => isRecord(value)],
} as const satisfies Readonly<Record<string, Kind>>;

export type OptionName = keyof typeof kinds;

/** The options that bound the allocations of a reader. */
export const limitNames = ["maxBytes", "maxTensors"] as const satisfies readonly OptionName[];

/** The options of the functions that transfer files. */
const transferNames = ["signal", "onProgress"] as const satisfies readonly OptionName[];

/** True for a plain object or a Map, as metadata and options are. */
function isRecord(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Object]" || isMap(value);
}

/** Returns the options; throws if one is unknown or has a wrong value. `remedy` ends the message for an unknown one. */
export function checkOptions<T extends object>(
  who: string,
  options: T,
  known: readonly OptionName[],
  remedy: (name: string) => string = () => "",
): T {
  const list = known.length === 0 ? "It takes no options." : `The options are ${known.join(", ")}.`;
  if (!isRecord(options) || isMap(options))
    throw new StridewiseError(`${who}: options must be an object, got ${describe(options)}. ${list}`);
  for (const [name, value] of Object.entries(options)) {
    const kind = known.find((one) => one === name);
    if (kind === undefined) {
      const guess = nearest(name, known);
      const advice = guess === undefined ? remedy(name) : ` Did you mean ${guess}?`;
      throw new StridewiseError(`${who}: there is no option ${name}. ${list}${advice}`);
    }
    const [what, fits] = kinds[kind];
    if (value !== undefined && !fits(value))
      throw new StridewiseError(`${who}: ${name} must be ${what}, got ${describe(value)}.`);
  }
  return options;
}

/** Returns the options of the functions that write safetensors, or throws. */
export function checkSafetensorsOptions<T extends object>(
  who: string,
  options: T,
  more: readonly OptionName[] = [],
): T {
  const remedy = (name: string): string => ` Free text goes into metadata: { metadata: { ${name}: "..." } }.`;
  return checkOptions(who, options, ["metadata", ...more], remedy);
}
