/**
 * The safetensors format, on bytes and on sources.
 * Every rule of the format is checked before a tensor is returned: the length of the header, JSON without a duplicate key, known dtypes, sizes
 * that match, and ranges that fill the rest of the file without a gap or an overlap. Tensors are views of the file, or reads of their range.
 *
 * Files are written as the reference implementation does: tensors by decreasing alignment of their dtype, then by name, contiguous; the header
 * without spaces, padded with spaces to a multiple of 8. Metadata keeps its order. Floats of less than 16 bits are not supported.
 */
import { type DType, DTypeError } from "../storage/dtype.ts";
import { FileError, listed, quoted } from "./file-error.ts";
import { Limits, maxAxes, type ReadLimits } from "./limits.ts";
import {
  byteLengthOf,
  checkRawArray,
  entriesOf,
  joinParts,
  normalizeBools,
  type RawArray,
  type RawArrays,
  toRowMajor,
} from "./raw-array.ts";
import {
  type Allocate,
  ask,
  type ByteSource,
  decodeHeader,
  type Reader,
  readFromBytes,
  readFromSource,
} from "./source.ts";
import { isWellFormed, type JsonNode, parseStrictJson } from "./strict-json.ts";

/** The longest header that the format allows. */
export const maxHeaderBytes = 100_000_000;
/** The limit of JSON values in a header: a tensor of 10 axes has 16. */
const minValueLimit = 100_000;
const valuesPerTensor = 16;
export const metadataKey = "__metadata__";

/** The description of a tensor in the header; its bytes are those of begin <= position < end in the file. */
export interface SafetensorsEntry {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/** The header of a file. */
export interface SafetensorsHeader {
  readonly metadata: ReadonlyMap<string, string>;
  /** The tensors, in the order of the header. */
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
}

/** The tensors and the metadata of a file. */
export interface Safetensors {
  readonly metadata: ReadonlyMap<string, string>;
  readonly tensors: Map<string, RawArray>;
}

export interface SafetensorsReadOptions extends ReadLimits {
  /** The tensors to read. Default: all. */
  readonly names?: readonly string[];
}

/** A file whose header has been read. */
export interface SafetensorsFile extends SafetensorsHeader {
  /** Reads only the bytes of one tensor, into the memory of `allocate` if the source can do that. */
  readTensor(name: string, allocate?: Allocate): Promise<RawArray>;
}

/** Parses a safetensors file. Tensors are views of it. */
export function parseSafetensors(bytes: Uint8Array, options: SafetensorsReadOptions = {}): Safetensors {
  return readFromBytes(bytes, safetensorsReader("parseSafetensors", bytes.length, options));
}

/** Reads and checks the header of a file. Tensors are read on demand. */
export async function readSafetensorsHeader(
  who: string,
  source: ByteSource,
  options: ReadLimits = {},
): Promise<SafetensorsFile> {
  const { size } = source;
  const header = await readFromSource(source, safetensorsHeaderReader(who, size, new Limits(options, size)));
  return {
    ...header,
    readTensor: (name, allocate) => {
      const limits = new Limits(options, size);
      return readFromSource(source, safetensorsTensorReader("readTensor", size, header, name, limits, allocate));
    },
  };
}

/** Reads a safetensors file of `size` bytes. */
export function* safetensorsReader(who: string, size: number, options: SafetensorsReadOptions): Reader<Safetensors> {
  const limits = new Limits(options, size);
  const header = yield* safetensorsHeaderReader(who, size, limits);
  const tensors = new Map<string, RawArray>();
  for (const name of options.names ?? header.entries.keys())
    tensors.set(name, yield* safetensorsTensorReader(who, size, header, name, limits));
  return { metadata: header.metadata, tensors };
}

/** Reads one tensor of a file whose header is known, into the memory of `allocate` if the source can do that. */
export function* safetensorsTensorReader(
  who: string,
  size: number,
  header: SafetensorsHeader,
  name: string,
  limits: Limits,
  allocate?: Allocate,
): Reader<RawArray> {
  const entry = header.entries.get(name);
  if (entry === undefined)
    throw new FileError(`${who}: there is no tensor ${quoted(name)}. There are: ${listed(header.entries.keys())}.`);
  const { dtype, shape, begin, end } = entry;
  limits.takeBytes(who, end - begin, begin);
  const own = allocate?.(end - begin);
  const bytes = yield* ask(who, size, begin, end, `tensor ${quoted(name)}`, own);
  return { dtype, shape, order: "C", bytes: dtype === "bool" ? normalizeBools(bytes, bytes === own) : bytes };
}

/** Reads and checks the header of a file of `size` bytes. */
export function* safetensorsHeaderReader(who: string, size: number, limits: Limits): Reader<SafetensorsHeader> {
  const lengthField = yield* ask(who, size, 0, 8, "the length of the header");
  const exactLength = new DataView(lengthField.buffer, lengthField.byteOffset).getBigUint64(0, true);
  const length = Number(exactLength);
  if (length > maxHeaderBytes)
    throw new FileError(
      `${who}: the header claims to have ${exactLength} bytes; the limit is ${maxHeaderBytes}. Is this a safetensors file?`,
      0,
    );
  const bytes = yield* ask(who, size, 8, 8 + length, "the header");
  if (bytes[0] !== 0x7b) throw new FileError(`${who}: the header must start with "{".`, 8);
  const text = decodeHeader(who, bytes, 8);
  const fail = (problem: string, offset: number): never => {
    const before = text.length === length ? offset : new TextEncoder().encode(text.slice(0, offset)).length;
    throw new FileError(`${who}: the header ${problem}.`, 8 + before);
  };
  const { maxTensors } = limits;
  const root = parseStrictJson(text, fail, {
    keys: { max: maxTensors + 1, remedy: "raise maxTensors if you trust the file" },
    values: Math.max(minValueLimit, valuesPerTensor * maxTensors),
  });
  if (root.kind !== "object") return fail("must be an object", 0);
  let metadata: ReadonlyMap<string, string> = new Map();
  const entries = new Map<string, SafetensorsEntry>();
  for (const [name, node] of root.entries)
    if (name === metadataKey) metadata = readMetadata(node, fail);
    else entries.set(name, readEntry(name, node, 8 + length, fail));
  limits.checkTensors(who, entries.size);
  checkCover(who, entries, 8 + length, size);
  return { metadata, entries };
}

type Fail = (problem: string, offset: number) => never;

function readMetadata(node: JsonNode, fail: Fail): ReadonlyMap<string, string> {
  if (node.kind !== "object") return fail(`must have an object of strings as ${metadataKey}`, node.offset);
  const metadata = new Map<string, string>();
  for (const [key, value] of node.entries) {
    if (value.kind !== "string")
      return fail(`has ${quoted(key)} in ${metadataKey}, which is not a string`, value.offset);
    metadata.set(key, value.value);
  }
  return metadata;
}

function readEntry(name: string, node: JsonNode, dataStart: number, failAt: Fail): SafetensorsEntry {
  const fail: Fail = (problem, offset) => failAt(`has tensor ${quoted(name)}${problem}`, offset);
  if (node.kind !== "object") return fail(", which is not an object", node.offset);
  const dtypeNode = fieldOf(node, "dtype", fail);
  if (dtypeNode.kind !== "string") return fail(", whose dtype is not a string", dtypeNode.offset);
  const dtype = readSafetensorsDType(dtypeNode.value);
  if (typeof dtype === "object") return fail(`, which ${dtype.problem}`, dtypeNode.offset);
  const shape = integersOf(node, "shape", fail);
  if (shape.length > maxAxes) return fail(` of ${shape.length} axes; the limit is ${maxAxes}`, node.offset);
  const offsets = integersOf(node, "data_offsets", fail);
  if (offsets.length !== 2) return fail(` with ${offsets.length} data_offsets instead of 2`, node.offset);
  const begin = offsets[0];
  const end = offsets[1];
  if (begin > end) return fail(`, which begins at ${begin}, after its end at ${end}`, node.offset);
  const byteLength = byteLengthOf(dtype, shape);
  if (byteLength === undefined) return fail(` of shape [${shape.join(", ")}], more than 2^53 bytes`, node.offset);
  if (byteLength !== end - begin)
    return fail(
      ` with ${end - begin} bytes, ${dtypeNode.value} of shape [${shape.join(", ")}] takes ${byteLength}`,
      node.offset,
    );
  return { dtype, shape, begin: dataStart + begin, end: dataStart + end };
}

type JsonObject = JsonNode & { readonly kind: "object" };

function fieldOf(node: JsonObject, key: string, fail: Fail): JsonNode {
  return node.entries.get(key) ?? fail(` without ${key}`, node.offset);
}

function integersOf(node: JsonObject, key: string, fail: Fail): number[] {
  const list = fieldOf(node, key, fail);
  if (list.kind !== "array") return fail(`, whose ${key} is not an array`, list.offset);
  const values: number[] = [];
  for (const item of list.items) {
    const value = item.kind === "number" && /^[0-9]+$/.test(item.text) ? Number(item.text) : NaN;
    if (!Number.isSafeInteger(value))
      return fail(`, whose ${key} has values that are not integers from 0 to 2^53`, item.offset);
    values.push(value);
  }
  return values;
}

/** Throws unless the ranges are contiguous from the header to the end of the file. */
function checkCover(who: string, entries: ReadonlyMap<string, SafetensorsEntry>, start: number, size: number): void {
  const sorted = [...entries].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end);
  let at = start;
  for (const [name, { begin, end }] of sorted) {
    if (begin !== at)
      throw new FileError(
        `${who}: tensor ${quoted(name)} begins at offset ${begin - start}, ${begin < at ? "inside the previous tensor, which ends" : "after a gap from the end of the previous one"} at ${at - start}.`,
        Math.min(at, begin),
      );
    at = end;
  }
  if (at !== size)
    throw new FileError(
      at < size
        ? `${who}: ${size - at === 1 ? "1 byte at the end belongs" : `${size - at} bytes at the end belong`} to no tensor. The file is damaged.`
        : `${who}: the tensors take ${at - start} bytes, but the file has ${size - start} after its header. It is truncated.`,
      Math.min(at, size),
    );
}

const names = {
  bool: "BOOL",
  uint8: "U8",
  int8: "I8",
  int16: "I16",
  uint16: "U16",
  float16: "F16",
  bfloat16: "BF16",
  int32: "I32",
  uint32: "U32",
  float32: "F32",
  complex64: "C64",
  float64: "F64",
  int64: "I64",
  uint64: "U64",
} as const satisfies Partial<Record<DType, string>>;

const order = Object.keys(names) as (keyof typeof names)[];
const smallFloats = /^F[468](_E[0-9]M[0-9](FNUZ)?)?$/;

/** The dtype of this name, or the problem with it. */
function readSafetensorsDType(name: string): DType | { readonly problem: string } {
  for (const dtype of order) if (names[dtype] === name) return dtype;
  return smallFloats.test(name)
    ? { problem: `has dtype ${name}, a float of less than 16 bits, which is not supported. Save it as F16 or BF16` }
    : { problem: `has the unknown dtype ${JSON.stringify(name)}. Must be one of ${Object.values(names).join(", ")}` };
}

/** The name of a dtype and its rank in the order of alignment. */
function writeSafetensorsDType(who: string, dtype: DType): { readonly name: string; readonly rank: number } {
  const rank = order.indexOf(dtype as keyof typeof names);
  if (rank === -1)
    throw new DTypeError(
      `${who}: the safetensors format does not support ${dtype}. Save its real and imaginary parts as float64, or convert to complex64.`,
    );
  return { name: names[dtype as keyof typeof names], rank };
}

/** Free text by name. */
export type Metadata = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

export interface SafetensorsSaveOptions {
  /** Free text by name, kept in the header. */
  readonly metadata?: Metadata;
}

/** Encodes tensors as a safetensors file. */
export function encodeSafetensors(arrays: RawArrays, metadata?: Metadata): Uint8Array<ArrayBuffer> {
  return joinParts(safetensorsParts("encodeSafetensors", arrays, metadata));
}

/** The parts of a safetensors file. Tensors are copied only if they are in Fortran order. */
export function safetensorsParts(who: string, arrays: RawArrays, metadata?: Metadata): Uint8Array[] {
  const items = entriesOf(arrays).map(([name, array]) => {
    if (name === metadataKey) throw new FileError(`${who}: no tensor can be named ${metadataKey}. Rename it.`);
    checkText(who, name);
    const checked = toRowMajor(checkRawArray(`${who}: tensor ${quoted(name)}`, array));
    return { name, array: checked, dtype: writeSafetensorsDType(`${who}: tensor ${quoted(name)}`, checked.dtype) };
  });
  items.sort((a, b) => b.dtype.rank - a.dtype.rank || compareCodePoints(a.name, b.name));
  const fields: string[] = [];
  if (metadata !== undefined) fields.push(`${JSON.stringify(metadataKey)}:${metadataText(who, metadata)}`);
  let at = 0;
  for (const { name, array, dtype } of items) {
    const end = at + array.bytes.length;
    fields.push(
      `${JSON.stringify(name)}:{"dtype":"${dtype.name}","shape":[${array.shape.join(",")}],"data_offsets":[${at},${end}]}`,
    );
    at = end;
  }
  const text = new TextEncoder().encode(`{${fields.join(",")}}`);
  const length = Math.ceil(text.length / 8) * 8;
  if (length > maxHeaderBytes)
    throw new FileError(
      `${who}: the header would have ${length} bytes; the limit is ${maxHeaderBytes}. Use several files.`,
    );
  const header = new Uint8Array(8 + length).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(length), true);
  header.set(text, 8);
  return [header, ...items.map(({ array }) => array.bytes)];
}

function metadataText(who: string, metadata: Metadata): string {
  const pairs = entriesOf(metadata).map(([key, value]) => {
    if (typeof value !== "string")
      throw new FileError(`${who}: metadata ${quoted(key)} must be a string, got ${typeof value}.`);
    checkText(who, key);
    checkText(who, value);
    return `${JSON.stringify(key)}:${JSON.stringify(value)}`;
  });
  return `{${pairs.join(",")}}`;
}

function checkText(who: string, text: string): void {
  if (!isWellFormed(text)) throw new FileError(`${who}: ${quoted(text)} has a lone surrogate.`);
}

/** Compares by code points, which is the order of UTF-8 bytes but not of UTF-16 units. */
function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  // If only the low surrogates of two characters differ, their order is that of the code points.
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
