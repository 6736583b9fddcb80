/**
 * The WGSL types of values, and how elements are stored in buffers.
 *
 * Integers of up to 32 bits are i32 or u32 and are narrowed after arithmetic. A 64-bit integer is two words, vec2<u32>, the lower one first.
 * WGSL has no float64: kernels compute with float32 instead. Kernels are lowered first, so there are no halves and no complex numbers.
 */
import { InternalError } from "../../../base/errors.ts";
import { type DType, dtypes } from "../../../storage/dtype.ts";

export type ValueType = "bool" | "i32" | "u32" | "f32" | "vec2<u32>";

/** The type of the elements of a binding. */
export type WordType = "i32" | "u32" | "f32" | "atomic<u32>";

const valueTypes: Readonly<Partial<Record<DType, ValueType>>> = {
  bool: "bool",
  int8: "i32",
  int16: "i32",
  int32: "i32",
  uint8: "u32",
  uint16: "u32",
  uint32: "u32",
  int64: "vec2<u32>",
  uint64: "vec2<u32>",
  float32: "f32",
  // Only in loads and stores: values are float32.
  float64: "f32",
};

/** Returns the type of values of a dtype. Throws for dtypes that lowered kernels do not have. */
export function valueType(dtype: DType): ValueType {
  const type = valueTypes[dtype];
  if (type === undefined) throw new InternalError(`webgpu: a lowered kernel has values of ${dtype}`);
  return type;
}

/** The type of words that hold elements of a dtype: its own, if an element is one word. */
export function wordType(dtype: DType): WordType {
  return dtypes[dtype].itemsize === 4 ? (valueType(dtype) as WordType) : "u32";
}

/** True for dtypes of which several elements share a word. */
export const isPacked = (dtype: DType): boolean => dtypes[dtype].itemsize < 4;

/** True for integers of two words. */
export const isLong = (dtype: DType): boolean => dtype === "int64" || dtype === "uint64";

export const isSigned = (dtype: DType): boolean => valueType(dtype) === "i32" || dtype === "int64";

/** Wraps a 32-bit value to the bits of its dtype. */
export function narrowed(dtype: DType, text: string): string {
  switch (dtype) {
    case "int8":
      return `((${text} << 24u) >> 24u)`;
    case "int16":
      return `((${text} << 16u) >> 16u)`;
    case "uint8":
      return `(${text} & 255u)`;
    case "uint16":
      return `(${text} & 65535u)`;
    default:
      return text;
  }
}
