/**
 * The element types that the CPU kernels of ONNX Runtime have, for operators with fewer types than the standard allows. An exported node of another
 * type is computed in a wider one, between casts. Operators that are not listed take all types.
 */
import { type DType, dtypes } from "../../storage/dtype.ts";

const floats = "float32 float64";
const numbers = `${floats} int32 int64`;

const table: Readonly<Record<string, string>> = {
  Abs: `${numbers} int8 int16 uint8 uint16 uint32 uint64`,
  Add: numbers,
  ArgMax: `${floats} int32`,
  ArgMin: `${floats} int32`,
  AveragePool: "float32",
  Ceil: floats,
  Col2Im: "float32",
  Conv: "float32",
  ConvTranspose: "float32",
  Cos: floats,
  CumSum: numbers,
  Div: numbers,
  Einsum: numbers,
  Equal: `bool ${numbers}`,
  Erf: "float32",
  Exp: floats,
  Floor: floats,
  Gelu: "float32",
  Greater: numbers,
  GreaterOrEqual: numbers,
  IsInf: floats,
  IsNaN: floats,
  LayerNormalization: floats,
  Less: numbers,
  LessOrEqual: numbers,
  Log: floats,
  LogSoftmax: floats,
  MatMul: numbers,
  Max: `${numbers} uint32 uint64`,
  MaxPool: floats,
  Min: `${numbers} uint32 uint64`,
  Mod: `${numbers} int8 int16 uint8 uint16 uint32 uint64`,
  Mul: numbers,
  Neg: `${numbers} int8`,
  Pad: `bool ${numbers} int8 uint8 uint32 uint64`,
  Pow: numbers,
  ReduceLogSumExp: floats,
  ReduceMax: numbers,
  ReduceMean: floats,
  ReduceMin: numbers,
  ReduceProd: numbers,
  ReduceSum: numbers,
  Relu: floats,
  Round: floats,
  Sigmoid: floats,
  Sign: numbers,
  Sin: floats,
  Softmax: floats,
  Softplus: "float32",
  Sqrt: floats,
  Sub: numbers,
  Tanh: floats,
  TopK: numbers,
  Trilu: `${floats} int64 bool`,
  Where: `${numbers} uint8`,
  ...Object.fromEntries("Acos Acosh Asin Asinh Atan Atanh Cosh Sinh Tan".split(" ").map((op) => [op, "float32"])),
};

/** The types in which values of a type may be computed, the best one first. Integers of 64 bits wrap as those of fewer bits do. */
const wider: Readonly<Record<string, readonly DType[]>> = {
  bool: ["uint8", "int32", "float32"],
  uint8: ["int32", "int64", "float32"],
  int8: ["int32", "int64", "float32"],
  int16: ["int32", "int64", "float32"],
  uint16: ["int32", "int64", "float32"],
  int32: ["int64", "float64", "float32"],
  uint32: ["int64", "float64", "float32"],
  int64: ["float64", "float32"],
  uint64: ["int64"],
  float16: ["float32"],
  bfloat16: ["float32"],
  float64: ["float32"],
};

/** Returns the type in which an operator computes values of a type: the type itself, or a wider one; null if there is none. */
export function computedType(operator: string, dtype: DType): DType | null {
  if (dtypes[dtype].parts === 2) return null;
  const known = table[operator]?.split(" ");
  if (known === undefined || known.includes(dtype)) return dtype;
  return wider[dtype]?.find((each) => known.includes(each)) ?? null;
}
