/**
 * Element types of ONNX that the library has no dtype for: floats of 8 and 4 bits, and integers of 4 and 2 bits.
 *
 * A tensor of such a type is held in a wider dtype (`NarrowType.dtype`: float32, int8 or uint8), and each of its elements is a value of the narrow
 * type. `roundToNarrow` makes such values of any numbers, `decodeNarrow` makes them of packed bytes in a file, and `codesOf` and `fromCodes` convert
 * between values and their bits. Which values of a graph have a narrow type is known before it runs: see `narrow-values.ts`.
 */
import * as sw from "../index.ts";
import { OnnxError } from "./error.ts";
import { DataType } from "./proto/types.ts";

/** The bit format of a float: a sign, an exponent, a fraction. */
interface FloatFormat {
  readonly fractionBits: number;
  readonly bias: number;
  /** The largest finite value. */
  readonly max: number;
  /** The result for values that are too large, without saturation. */
  readonly overflow: "infinity" | "nan" | "max";
  /** False if the bits of -0 are NaN. */
  readonly hasNegativeZero: boolean;
}

export interface NarrowType {
  /** The name in texts. */
  readonly name: string;
  readonly bits: 2 | 4 | 8;
  /** The dtype of tensors that hold its values. */
  readonly dtype: "float32" | "int8" | "uint8";
  /** Present for floats with a sign. */
  readonly float?: FloatFormat;
}

const floatType = (name: string, bits: 4 | 8, float: FloatFormat): NarrowType => ({
  name,
  bits,
  dtype: "float32",
  float,
});
const format = (
  fractionBits: number,
  bias: number,
  max: number,
  overflow: FloatFormat["overflow"],
  hasNegativeZero: boolean,
): FloatFormat => ({ fractionBits, bias, max, overflow, hasNegativeZero });

/** The narrow types by the element type of ONNX. */
export const narrowTypes: Readonly<Record<number, NarrowType>> = {
  [DataType.FLOAT8E4M3FN]: floatType("float8e4m3fn", 8, format(3, 7, 448, "nan", true)),
  [DataType.FLOAT8E4M3FNUZ]: floatType("float8e4m3fnuz", 8, format(3, 8, 240, "nan", false)),
  [DataType.FLOAT8E5M2]: floatType("float8e5m2", 8, format(2, 15, 57344, "infinity", true)),
  [DataType.FLOAT8E5M2FNUZ]: floatType("float8e5m2fnuz", 8, format(2, 16, 57344, "nan", false)),
  [DataType.FLOAT4E2M1]: floatType("float4e2m1", 4, format(1, 1, 6, "max", true)),
  [DataType.FLOAT8E8M0]: { name: "float8e8m0", bits: 8, dtype: "float32" },
  [DataType.UINT4]: { name: "uint4", bits: 4, dtype: "uint8" },
  [DataType.INT4]: { name: "int4", bits: 4, dtype: "int8" },
  [DataType.UINT2]: { name: "uint2", bits: 2, dtype: "uint8" },
  [DataType.INT2]: { name: "int2", bits: 2, dtype: "int8" },
};

/** Returns the value of a code, an integer in [0, 2^bits). */
function valueOf({ bits, dtype, float }: NarrowType, code: number): number {
  const half = 2 ** (bits - 1);
  if (dtype === "uint8") return code;
  if (dtype === "int8") return code < half ? code : code - 2 * half;
  if (float === undefined) return code === 255 ? Number.NaN : 2 ** (code - 127);
  const { fractionBits, bias, max, overflow, hasNegativeZero } = float;
  if (!hasNegativeZero && code === half) return Number.NaN;
  const magnitude = code % half;
  const exponent = magnitude >> fractionBits;
  const fraction = (magnitude % 2 ** fractionBits) / 2 ** fractionBits;
  const size = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  const value = size <= max ? size : overflow === "infinity" && fraction === 0 ? Infinity : Number.NaN;
  return code < half ? value : -value;
}

type Values = Float32Array<ArrayBuffer> | Int8Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;
const arrays = { float32: Float32Array, int8: Int8Array, uint8: Uint8Array } as const;

const tables = new Map<NarrowType, Values>();

/** The values of all codes, in the order of the codes. */
function tableOf(type: NarrowType): Values {
  const known = tables.get(type);
  if (known !== undefined) return known;
  const table = new arrays[type.dtype](2 ** type.bits);
  for (let code = 0; code < table.length; code++) table[code] = valueOf(type, code);
  tables.set(type, table);
  return table;
}

/** Returns `count` values of packed bytes. The first value of a byte is in its lowest bits. */
export function decodeNarrow(bytes: Uint8Array, type: NarrowType, count: number): Values {
  const { bits, dtype, name } = type;
  const perByte = 8 / bits;
  const needed = Math.ceil(count / perByte);
  if (bytes.length !== needed)
    throw new OnnxError(`${count} elements of ${name} need ${needed} bytes, got ${bytes.length}`);
  const table = tableOf(type);
  const values = new arrays[dtype](count);
  const mask = 2 ** bits - 1;
  for (let k = 0; k < count; k++) values[k] = table[(bytes[Math.floor(k / perByte)] >> ((k % perByte) * bits)) & mask];
  return values;
}

/** Returns the bytes of a narrow type, packed. The inverse of `decodeNarrow`, for codes in [0, 2^bits). */
export function packCodes(codes: Uint8Array, { bits }: NarrowType): Uint8Array<ArrayBuffer> {
  const perByte = 8 / bits;
  const bytes = new Uint8Array(Math.ceil(codes.length / perByte));
  for (const [k, code] of codes.entries()) bytes[Math.floor(k / perByte)] |= code << ((k % perByte) * bits);
  return bytes;
}

export type RoundMode = "up" | "down" | "nearest";

export interface NarrowOptions {
  /** Of floats of 8 bits: true (the default) if values that are too large become the largest value, false if they become infinity or NaN. */
  readonly saturate?: boolean | undefined;
  /** Of float8e8m0, whose values are powers of two. Default: "up". */
  readonly roundMode?: RoundMode | undefined;
}

/** Returns the values of a narrow type for the elements of x, in the dtype of that type. Floats round to nearest even, integers wrap around. */
export function roundToNarrow(x: sw.Tensor, type: NarrowType, options: NarrowOptions = {}): sw.Tensor {
  const { saturate = true, roundMode = "up" } = options;
  if (type.dtype !== "float32") return wrapped(x, type);
  return (type.float === undefined ? powerOfTwo(x, saturate, roundMode) : roundedFloat(x, type.float, saturate)).to(
    "float32",
  );
}

/** The lowest bits of the integer part. */
function wrapped(x: sw.Tensor, { bits, dtype }: NarrowType): sw.Tensor {
  const whole = x.dtype === "int64" || x.dtype === "uint64" ? x : x.to("int32");
  const half = 2 ** (bits - 1);
  const text = dtype === "uint8" ? `x & ${2 * half - 1}` : `((x + ${half}) & ${2 * half - 1}) - ${half}`;
  return sw.elementwise(`${dtype}(${text})`, { x: whole });
}

/** Converts to float32 if it represents all values of the dtype, otherwise to float64. */
const floatOf = (x: sw.Tensor): sw.Tensor =>
  x.to(x.dtype === "float16" || x.dtype === "bfloat16" || x.dtype === "float32" ? "float32" : "float64");

/** For finite elements, the largest power of two that is not above their absolute value; 0 for subnormal ones. By the bits of the exponent. */
const powerBelow = (x: sw.Tensor): sw.Tensor =>
  x.dtype === "float32"
    ? sw.elementwise(`b & ${0x7f800000}`, { b: x.view("int32") }).view("float32")
    : sw.elementwise(`b & ${0x7ff0000000000000n}`, { b: x.view("int64") }).view("float64");

function roundedFloat(elements: sw.Tensor, float: FloatFormat, saturate: boolean): sw.Tensor {
  const { fractionBits, bias, max, overflow, hasNegativeZero } = float;
  const x = floatOf(elements);
  const beyond = saturate || overflow === "max" ? max : overflow === "infinity" ? Infinity : Number.NaN;
  // The distance between adjacent values is a power of two, so division and multiplication by it are exact.
  const rounded = sw.elementwise("let q = max(p, least) * step; copysign(abs(x) > most ? inf : round(x / q) * q, x)", {
    x,
    p: powerBelow(x),
    least: 2 ** (1 - bias),
    step: 2 ** -fractionBits,
    most: 2 * max,
  });
  const bounded = sw.elementwise("abs(y) > max ? copysign(beyond, y) : y", { y: rounded, max, beyond });
  const signed = hasNegativeZero ? bounded : sw.elementwise("y + 0.0", { y: bounded });
  // A type without NaN returns -0 for NaN, as the operator cases of ONNX require.
  return overflow === "max" ? sw.elementwise("y != y ? -0.0 : y", { y: signed }) : signed;
}

function powerOfTwo(elements: sw.Tensor, saturate: boolean, roundMode: RoundMode): sw.Tensor {
  // Subnormal numbers of float32 are normal numbers of float64.
  const x = elements.to("float64");
  const from = { up: 1, nearest: 1.5, down: 2 }[roundMode];
  const rounded = sw.elementwise(roundMode === "up" ? "x > p ? 2 * p : p" : "x >= from * p ? 2 * p : p", {
    x,
    p: powerBelow(x),
    ...(roundMode === "up" ? {} : { from }),
  });
  const [min, max] = [2 ** -127, 2 ** 127];
  return saturate
    ? sw.elementwise("(x != x) | (x < 0) ? nan : clamp(y, least, most)", { x, y: rounded, least: min, most: max })
    : sw.elementwise("(x >= 0) & (y >= least) & (y <= most) ? y : nan", { x, y: rounded, least: min, most: max });
}

/** Returns the codes of values as uint8. */
export function codesOf(x: sw.Tensor, type: NarrowType): sw.Tensor {
  const { bits, dtype, float } = type;
  if (dtype !== "float32") return sw.elementwise(`uint8(x & ${2 ** bits - 1})`, { x });
  const table = Array.from(tableOf(type));
  // The codes of positive values are in ascending order, so they are found by binary search. NaN is handled separately.
  const positive = table.slice(0, float === undefined ? 256 : 2 ** (bits - 1)).filter((value) => !Number.isNaN(value));
  const code = sw.searchsorted(sw.tensor(positive, { dtype: "float32" }), x.abs());
  const notANumber = table.findIndex(Number.isNaN);
  const isNegative = sw.signbit(x);
  const signed = float === undefined ? code : sw.where(isNegative, code.add(2 ** (bits - 1)), code);
  return (notANumber < 0 ? signed : sw.where(sw.isnan(x), notANumber, signed)).to("uint8");
}

/** Returns the values of codes. */
export const fromCodes = (codes: sw.Tensor, type: NarrowType): sw.Tensor =>
  sw.take(sw.tensor(tableOf(type)), codes.to("int32"));
