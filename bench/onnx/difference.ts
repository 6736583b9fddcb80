/** Compares values of the library with those of ONNX Runtime, strings included. */
import * as ort from "onnxruntime-node";
import { Tensor } from "../../src/index.ts";
import { type OnnxValue, TextTensor } from "../../src/onnx/values.ts";
import { fed, received } from "./ort-tensors.ts";

/** A value for ONNX Runtime. */
export const fedValue = (value: Tensor | TextTensor): ort.Tensor =>
  value instanceof TextTensor ? new ort.Tensor("string", [...value.data], [...value.shape]) : fed(value);

/** A value of ONNX Runtime as one of the library. */
export const receivedValue = (value: ort.Tensor): Tensor | TextTensor =>
  value.type === "string" ? new TextTensor([...value.dims], [...(value.data as string[])]) : received(value);

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
