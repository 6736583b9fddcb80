/** Tensors of the library as tensors of ONNX Runtime, and back. */
import * as ort from "onnxruntime-node";
import { type Tensor, tensor } from "../../src/index.ts";
import { toRawArray } from "../../src/io/tensor-arrays.ts";

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

/** The elements of a tensor for ONNX Runtime. */
export function fed(t: Tensor): ort.Tensor {
  const { bytes, shape } = toRawArray("bench", t.contiguous() as Tensor);
  const dtype = t.dtype as Fed;
  return new ort.Tensor(dtype, new arrays[dtype](bytes.slice().buffer) as never, shape);
}

/** A tensor of ONNX Runtime as one of the library. */
export function received({ type, dims, data }: ort.Tensor): Tensor {
  const { buffer, byteOffset, byteLength } = data as Uint8Array;
  const list = new arrays[type as Fed](
    buffer as ArrayBuffer,
    byteOffset,
    byteLength / arrays[type as Fed].BYTES_PER_ELEMENT,
  );
  if (type !== "float16") return tensor(list as Float32Array, { dtype: type as Fed }).reshape([...dims]) as Tensor;
  const bits = tensor(list as Uint16Array, { dtype: "uint16" }) as Tensor;
  return bits.view("float16").reshape([...dims]) as Tensor;
}
