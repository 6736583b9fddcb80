/**
 * NumPy's .npy format, versions 1, 2 and 3, on bytes.
 * Files are written byte for byte as NumPy does. Arrays that are read can be big-endian (their bytes are swapped in a copy) or in Fortran order
 * (which is kept); otherwise their bytes are a view of the file.
 * Dtypes have NumPy's names (`<f4`, `|b1`, `>c16`). Text, objects, structured arrays and dates have no dtype here: the error names a remedy.
 */
import { type DType, DTypeError, dtypes } from "../storage/dtype.ts";
import { FileError, quoted } from "./file-error.ts";
import { Limits, maxAxes, type ReadLimits } from "./limits.ts";
import { type PythonLiteral, parsePythonLiteral } from "./python-literal.ts";
import {
  byteLengthOf,
  checkRawArray,
  joinParts,
  normalizeBools,
  ordersAgree,
  type RawArray,
  swapBytes,
} from "./raw-array.ts";
import { type Allocate, ask, checkRange, decodeHeader, type Reader, readFromBytes } from "./source.ts";

const magic = "\x93NUMPY";
const alignment = 64;
/** NumPy reserves this number of digits for the growing axis. */
const growthDigits = 21;
/** The longest header that is accepted, as in NumPy. Those of the supported dtypes and shapes are far shorter. */
const maxHeaderBytes = 10_000;
/** The largest number of bytes before the data. */
export const maxBytesBefore = 12 + maxHeaderBytes;

export interface NpyOptions {
  /** The version of the format. Default: 1, the oldest, which every reader supports. */
  readonly version?: 1 | 2 | 3;
}

/** Parses an .npy file. */
export function parseNpy(bytes: Uint8Array, options: ReadLimits = {}): RawArray {
  return readFromBytes(bytes, npyReader("parseNpy", bytes.length, new Limits(options, bytes.length)));
}

/** Parses a file with several concatenated arrays. */
export function parseNpySequence(bytes: Uint8Array, options: ReadLimits = {}): RawArray[] {
  const who = "parseNpySequence";
  const limits = new Limits(options, bytes.length);
  const arrays: RawArray[] = [];
  for (let at = 0; at < bytes.length; ) {
    limits.checkTensors(who, arrays.length + 1);
    const head = readFromBytes(bytes, npyHead(who, bytes.length, at, limits));
    arrays.push(arrayOf(head, bytes.subarray(head.begin, head.end)));
    at = head.end;
  }
  return arrays;
}

/** Reads a file of `size` bytes with one array, whose bytes are read into the memory of `allocate` if the source can do that. */
export function* npyReader(who: string, size: number, limits: Limits, allocate?: Allocate): Reader<RawArray> {
  limits.checkTensors(who, 1);
  const head = yield* loneNpyHead(who, size, limits);
  const own = allocate?.(head.end - head.begin);
  const data = yield* ask(who, size, head.begin, head.end, "the data", own);
  return arrayOf(head, data, data === own);
}

/** The header of an array, and the position of its data: begin <= position < end. */
export interface NpyHead {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly order: "C" | "F";
  readonly bigEndian: boolean;
  readonly begin: number;
  readonly end: number;
}

/** Creates the array from head and data; converts the data in-place if the reader owns it. */
function arrayOf({ dtype, shape, order, bigEndian }: NpyHead, data: Uint8Array, isOwn = false): RawArray {
  const { itemsize, parts } = dtypes[dtype];
  const bytes = bigEndian ? swapBytes(data, itemsize / parts, isOwn) : data;
  return { dtype, shape, order, bytes: dtype === "bool" ? normalizeBools(bytes, isOwn) : bytes };
}

/** Collects an .npy file that arrives in pieces, such as from a compressed stream. */
export interface NpyCollector {
  /** Receives the next piece. The first one contains the header. A single piece is kept, others are copied. */
  write(piece: Uint8Array): void;
  /** The array, once all pieces have arrived. */
  finish(): RawArray;
}

/** Creates a collector of an .npy file of `size` bytes. Data in several pieces is copied to the bytes that `allocate` returns. */
export function npyCollector(
  who: string,
  size: number,
  limits: Limits,
  allocate: (length: number) => Uint8Array,
): NpyCollector {
  let [whole, head, data, filled]: [Uint8Array?, NpyHead?, Uint8Array?, number?] = [];
  return {
    write(piece) {
      if (piece.length === size) {
        whole = piece;
        return;
      }
      let rest = piece;
      if (head === undefined) {
        head = readFromBytes(piece, loneNpyHead(who, size, limits));
        data = allocate(head.end - head.begin);
        rest = piece.subarray(head.begin);
        filled = 0;
      }
      data?.set(rest, filled);
      filled = (filled as number) + rest.length;
    },
    finish: () =>
      whole === undefined
        ? arrayOf(head as NpyHead, data as Uint8Array, true)
        : readFromBytes(whole, npyReader(who, size, limits)),
  };
}

/** Reads the head of a file with one array. */
export function* loneNpyHead(who: string, size: number, limits: Limits): Reader<NpyHead> {
  const head = yield* npyHead(who, size, 0, limits);
  if (head.end !== size)
    throw new FileError(
      `${who}: ${size - head.end} bytes follow the array. If the file holds several arrays, read it with parseNpySequence.`,
      head.end,
    );
  return head;
}

/** Reads the head of the array that starts at byte `start`. */
function* npyHead(who: string, size: number, start: number, limits: Limits): Reader<NpyHead> {
  const prefix = yield* ask(who, size, start, start + 8, "the start of an .npy file");
  if (latin1(prefix.subarray(0, 6)) !== magic)
    throw new FileError(
      `${who}: an .npy file starts with \\x93NUMPY, but this one starts with ${startOf(prefix)}.${latin1(prefix.subarray(0, 2)) === "PK" ? " It is an .npz file: use loadNpz or parseNpz" : ""}`,
      start,
    );
  const version = prefix[6];
  if (version < 1 || version > 3 || prefix[7] !== 0)
    throw new FileError(`${who}: version ${version}.${prefix[7]} is unknown. Must be 1.0, 2.0 or 3.0.`, start + 6);
  const lengthBytes = version === 1 ? 2 : 4;
  const lengthField = yield* ask(who, size, start + 8, start + 8 + lengthBytes, "the length of the header");
  let length = 0;
  for (let i = lengthBytes - 1; i >= 0; i--) length = length * 256 + lengthField[i];
  if (length > maxHeaderBytes)
    throw new FileError(
      `${who}: the header has ${length} bytes; the limit is ${maxHeaderBytes}. The file is damaged or malicious.`,
      start + 8,
    );
  const headerStart = start + 8 + lengthBytes;
  const headerBytes = yield* ask(who, size, headerStart, headerStart + length, "the header");
  const text = version === 3 ? decodeHeader(who, headerBytes, headerStart) : latin1(headerBytes);
  const { shape, order, descr } = readHeader(who, text, headerStart);
  const begin = headerStart + length;
  const byteLength = byteLengthOf(descr.dtype, shape);
  if (byteLength === undefined)
    throw new FileError(`${who}: shape (${shape.join(", ")}) takes more than 2^53 bytes.`, headerStart);
  const end = begin + byteLength;
  checkRange(who, size, begin, end, `the data, ${descr.dtype} of shape (${shape.join(", ")}),`);
  limits.takeBytes(who, byteLength, headerStart);
  return { ...descr, shape, order, begin, end };
}

function readHeader(who: string, text: string, start: number) {
  const fail = (problem: string, offset = 0): never => {
    // Past ASCII a character of version 3 is more than one byte; none of NumPy's headers for these dtypes has any.
    throw new FileError(`${who}: the header ${problem}.`, start + offset);
  };
  const literal = parsePythonLiteral(text, fail);
  if (literal.kind !== "dict") return fail("is not a dict");
  for (const [key, { offset }] of literal.entries)
    if (key !== "descr" && key !== "fortran_order" && key !== "shape")
      fail(`has the unknown key ${quoted(key)}`, offset);
  const entry = (key: string): PythonLiteral => literal.entries.get(key) ?? fail(`has no key '${key}'`);
  const fortran = entry("fortran_order");
  if (fortran.kind !== "constant" || fortran.value === null)
    return fail("must have True or False for fortran_order", fortran.offset);
  const sizes = entry("shape");
  if (sizes.kind !== "tuple") return fail("must have shape as a tuple such as (2, 3)", sizes.offset);
  const shape = sizes.items.map((item) => {
    const size = item.kind === "integer" ? Number(item.text) : NaN;
    return Number.isSafeInteger(size) && size >= 0
      ? size + 0
      : fail("has a size in shape that is not a non-negative integer", item.offset);
  });
  if (shape.length > maxAxes) fail(`has a shape of ${shape.length} axes; the limit is ${maxAxes}`, sizes.offset);
  const order: RawArray["order"] = fortran.value ? "F" : "C";
  return { descr: readDescr(who, entry("descr"), start), order, shape };
}

/** Encodes an array as NumPy does. */
export function encodeNpy(array: RawArray, options: NpyOptions = {}): Uint8Array<ArrayBuffer> {
  return joinParts(npyParts("encodeNpy", array, options));
}

/** The header and the data of an .npy file, without copying the data. */
export function npyParts(who: string, array: RawArray, options: NpyOptions = {}): [Uint8Array, Uint8Array] {
  const { shape, dtype, bytes } = checkRawArray(who, array);
  // If both orders agree, NumPy writes C.
  const order = array.order === "F" && !ordersAgree(shape) ? "F" : "C";
  return [npyHeader(who, writeDescr(who, dtype), shape, order, options), bytes];
}

/** The header of an .npy file; `descr` is NumPy's name of the dtype. */
export function npyHeader(
  who: string,
  descr: string,
  shape: readonly number[],
  order: RawArray["order"],
  options: NpyOptions = {},
): Uint8Array {
  const fortran = order === "F";
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const dict = `{'descr': '${descr}', 'fortran_order': ${fortran ? "True" : "False"}, 'shape': ${tuple}, }`;
  const growing = shape[fortran ? shape.length - 1 : 0];
  const text = dict + " ".repeat(growing === undefined ? 0 : Math.max(0, growthDigits - `${growing}`.length));
  const version = options.version ?? 1;
  if (version !== 1 && version !== 2 && version !== 3)
    throw new FileError(`${who}: version ${version} of .npy is unknown. Must be 1, 2 or 3.`);
  const headerStart = version === 1 ? 10 : 12;
  const padding = alignment - ((headerStart + text.length + 1) % alignment);
  const length = text.length + padding + 1;
  const header = new Uint8Array(headerStart + length).fill(0x20);
  for (let i = 0; i < magic.length; i++) header[i] = magic.charCodeAt(i);
  header[6] = version;
  header[7] = 0;
  for (let i = 8, rest = length; i < headerStart; i++, rest = Math.floor(rest / 256)) header[i] = rest % 256;
  for (let i = 0; i < text.length; i++) header[headerStart + i] = text.charCodeAt(i);
  header[header.length - 1] = 0x0a;
  return header;
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** The first bytes of a file, as readable text. */
function startOf(prefix: Uint8Array): string {
  return quoted(latin1(prefix)).replace(/[^\x20-\x7e]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
}

/** A dtype and the byte order of its numbers in the file. */
export interface Descr {
  readonly dtype: DType;
  readonly bigEndian: boolean;
}

const codes: Readonly<Partial<Record<DType, string>>> = {
  bool: "|b1",
  uint8: "|u1",
  int8: "|i1",
  int16: "<i2",
  uint16: "<u2",
  int32: "<i4",
  uint32: "<u4",
  int64: "<i8",
  uint64: "<u8",
  float16: "<f2",
  float32: "<f4",
  float64: "<f8",
  complex64: "<c8",
  complex128: "<c16",
};

const refusals: Readonly<Record<string, string>> = {
  U: "text. Save numbers, for example the index of each word in a list",
  S: "byte strings. Save numbers, for example array.view('u1')",
  a: "byte strings. Save numbers, for example array.view('u1')",
  O: "pickled Python objects, which are programs and never run here. Save it again as array.astype(float)",
  V: "raw bytes (NumPy's void). If it holds bfloat16, save it as float32 or as safetensors; otherwise save each field separately",
  M: "dates. Save array.astype('int64') instead",
  m: "time spans. Save array.astype('int64') instead",
};

/** The dtype of a header's `descr`; `start` is the position of the header's text in the file. */
function readDescr(who: string, literal: PythonLiteral, start: number): Descr {
  const position = start + literal.offset;
  if (literal.kind === "list")
    throw new FileError(
      `${who}: the file holds a structured array with fields. Save each field as a separate array.`,
      position,
    );
  if (literal.kind !== "string") throw new FileError(`${who}: descr must be a string such as '<f4'.`, position);
  const code = literal.value;
  const order = "<>|=".includes(code.charAt(0)) ? code.charAt(0) : "";
  const name = code.slice(order.length);
  for (const [dtype, known] of Object.entries(codes) as [DType, string][])
    if (known.slice(1) === name) return { dtype, bigEndian: order === ">" && !known.startsWith("|") };
  if (name === "?") return { dtype: "bool", bigEndian: false };
  if (/^[fc][0-9]+$/.test(name))
    throw new FileError(
      `${who}: dtype ${quoted(code)} is platform dependent (long double). Save it as float64 or complex128.`,
      position,
    );
  const refusal = /^[A-Za-z]/.test(name) ? refusals[name.charAt(0)] : undefined;
  throw new FileError(
    refusal === undefined
      ? `${who}: dtype ${quoted(code)} is unknown. Must be one of ${Object.values(codes).join(" ")}, or the big-endian forms with > instead of <.`
      : `${who}: dtype ${quoted(code)} is an array of ${refusal}.`,
    position,
  );
}

/** The `descr` of a dtype. */
function writeDescr(who: string, dtype: DType): string {
  const code = codes[dtype];
  if (code === undefined)
    throw new DTypeError(
      `${who}: the .npy format does not support ${dtype}. Convert to float32 first, which holds every value, or save as safetensors.`,
    );
  return code;
}
