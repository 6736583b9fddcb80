/**
 * NumPy's names for dtypes (`<f4`, `|b1`, `>c16`), both ways.
 * What has no dtype here (text, objects, records, dates) is refused with what it is and what to do.
 */
import { type DType, DTypeError } from "../storage/dtype.ts";
import { FileError, quoted } from "./file-error.ts";
import type { PythonLiteral } from "./python-literal.ts";

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
  V: "raw records. If it holds bfloat16, save it as float32 or as safetensors; else save each field by itself",
  M: "dates. Save array.astype('int64') instead",
  m: "time spans. Save array.astype('int64') instead",
};

/** The dtype that a header's `descr` names; `start` is where the header's text starts in the file. */
export function readDescr(who: string, literal: PythonLiteral, start: number): Descr {
  const position = start + literal.offset;
  if (literal.kind === "list")
    throw new FileError(
      `${who}: the file holds a structured array with fields. Save each field as an array of its own.`,
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
      `${who}: dtype ${quoted(code)} has a precision that exists on some machines only. Save it as float64 or complex128.`,
      position,
    );
  const refusal = /^[A-Za-z]/.test(name) ? refusals[name.charAt(0)] : undefined;
  throw new FileError(
    refusal === undefined
      ? `${who}: dtype ${quoted(code)} is unknown. Known are ${Object.values(codes).join(" ")}, and > for <.`
      : `${who}: dtype ${quoted(code)} is an array of ${refusal}.`,
    position,
  );
}

/** The `descr` of a dtype. */
export function writeDescr(who: string, dtype: DType): string {
  const code = codes[dtype];
  if (code === undefined)
    throw new DTypeError(
      `${who}: ${dtype} has no name in .npy files. Convert to float32 first, which holds every value, or save as safetensors.`,
    );
  return code;
}
