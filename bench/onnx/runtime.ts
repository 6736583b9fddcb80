/** Values of the library for ONNX Runtime, and the other way around. */
import * as ort from "onnxruntime-node";
import { Tensor, tensor } from "../../src/index.ts";
import { toRawArray } from "../../src/io/tensor-arrays.ts";
import { type OnnxValue, TextTensor } from "../../src/onnx/values.ts";

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
} as const;
type Fed = keyof typeof arrays;

/** A value for ONNX Runtime. */
export function fed(value: Tensor | TextTensor): ort.Tensor {
  if (value instanceof TextTensor) return new ort.Tensor("string", [...value.data], [...value.shape]);
  const { bytes, shape } = toRawArray("exports", value.contiguous() as Tensor);
  const dtype = value.dtype as Fed;
  return new ort.Tensor(dtype, new arrays[dtype](bytes.slice().buffer) as never, shape);
}

/** A value of ONNX Runtime as one of the library. */
export function received({ type, dims, data }: ort.Tensor): Tensor | TextTensor {
  if (type === "string") return new TextTensor([...dims], [...(data as string[])]);
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  const list = new arrays[type as Fed](buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
  if (type !== "float16") return tensor(list as Float32Array, { dtype: type as Fed }).reshape([...dims]) as Tensor;
  const bits = tensor(list as Uint16Array, { dtype: "uint16" }) as Tensor;
  return bits.view("float16").reshape([...dims]) as Tensor;
}

/** The largest difference, relative to the largest element, that two implementations may have. */
const tolerances: Readonly<Record<string, number>> = { float16: 2e-3, float32: 1e-4, float64: 1e-7 };

/** How a tensor differs from an expected one; null if it does not. */
export function difference(got: OnnxValue, expected: OnnxValue, slack = 0): string | null {
  if (got instanceof TextTensor && expected instanceof TextTensor) {
    const [a, b] = [got, expected].map(({ shape, data }) => JSON.stringify([shape, data]));
    return a === b ? null : `got the strings ${a}, expected ${b}`;
  }
  if (!(got instanceof Tensor) || !(expected instanceof Tensor)) return "the kinds differ";
  if (got.dtype !== expected.dtype) return `got the dtype ${got.dtype}, expected ${expected.dtype}`;
  if (String(got.shape) !== String(expected.shape)) return `got the shape [${got.shape}], expected [${expected.shape}]`;
  const isLong = got.dtype === "int64" || got.dtype === "uint64";
  if (isLong && slack === 0) {
    const [a, b] = [got, expected].map((t) => t.reshape([-1]).toArray({ bigint: true }) as bigint[]);
    const at = a.findIndex((value, k) => value !== b[k]);
    return at < 0 ? null : `element ${at} is ${a[at]}, expected ${b[at]}`;
  }
  const [a, b] = [got, expected].map((t) => t.to("float64").reshape([-1]).toArray() as number[]);
  const largest = b.reduce((max, each) => (Number.isFinite(each) ? Math.max(max, Math.abs(each)) : max), 0);
  const tolerance = (tolerances[got.dtype] ?? 0) * Math.max(largest, 0.01) + slack;
  const at = a.findIndex(
    (value, k) => !(Object.is(value, b[k]) || value === b[k] || Math.abs(value - b[k]) <= tolerance),
  );
  return at < 0 ? null : `element ${at} is ${a[at]}, expected ${b[at]}`;
}
