/**
 * The dtypes of the safetensors format, by its names and in its order.
 * The order is that of growing alignment; writers put the largest first. Small floats that have no dtype here are refused by name.
 */
import { type DType, DTypeError } from "../storage/dtype.ts";

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

/** The dtype of this name, or why there is none. */
export function readSafetensorsDType(name: string): DType | { readonly problem: string } {
  for (const dtype of order) if (names[dtype] === name) return dtype;
  return smallFloats.test(name)
    ? { problem: `has dtype ${name}, a float of less than 16 bits, which is not supported. Save it as F16 or BF16` }
    : { problem: `has the unknown dtype ${JSON.stringify(name)}. Known are ${Object.values(names).join(", ")}` };
}

/** The name of a dtype and its place in the order of alignment. */
export function writeSafetensorsDType(who: string, dtype: DType): { readonly name: string; readonly place: number } {
  const place = order.indexOf(dtype as keyof typeof names);
  if (place === -1)
    throw new DTypeError(
      `${who}: ${dtype} has no name in safetensors files. Save its real and imaginary parts as float64, or convert to complex64.`,
    );
  return { name: names[dtype as keyof typeof names], place };
}
