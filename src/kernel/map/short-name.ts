/** Short names of dtypes in the names of kernels. */
import type { DType } from "../../storage/dtype.ts";

const shortNames: Readonly<Record<DType, string>> = {
  bool: "bool",
  uint8: "u8",
  int8: "i8",
  int16: "i16",
  uint16: "u16",
  int32: "i32",
  uint32: "u32",
  int64: "i64",
  uint64: "u64",
  float16: "f16",
  bfloat16: "bf16",
  float32: "f32",
  float64: "f64",
  complex64: "c64",
  complex128: "c128",
};

export const shortName = (dtype: DType): string => shortNames[dtype];
