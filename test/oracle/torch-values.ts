/**
 * Tensors as PyTorch's records write them: {dtype, shape, data}, data in row-major order; nan, inf, -inf and -0 are words,
 * integers past 2^53 are decimal texts, complex numbers are pairs. A whole float is written as an integer.
 */
import * as api from "../../src/api.ts";
import { complex, type DType, isComplex, type Value } from "../../src/storage/dtype.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import type { Json } from "./values.ts";

/** A tensor of a record. */
export interface RecordedTensor {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: readonly Json[];
  /** Only where the elements do not lie in row-major order. */
  readonly stride?: readonly number[];
}

const words: Readonly<Record<string, number>> = { nan: NaN, inf: Infinity, "-inf": -Infinity, "-0": -0 };

/** The element that a recorded number stands for. */
export function valueOf(recorded: Json): Value {
  if (Array.isArray(recorded)) return complex(valueOf(recorded[0] as Json) as number, valueOf(recorded[1]) as number);
  if (typeof recorded === "string") return words[recorded] ?? BigInt(recorded);
  return recorded as number | boolean;
}

/** An element as the records write it. */
export function recordedValue(value: Value): Json {
  if (isComplex(value)) return [recordedValue(value.re), recordedValue(value.im)];
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "boolean") return value;
  if (Object.is(value, -0)) return "-0";
  return Number.isFinite(value) ? value : String(value).toLowerCase().replace("infinity", "inf");
}

/** The first `limit` elements in row-major order, read one by one through their coordinates. */
export function elementsOf(t: Tensor, limit = Number.POSITIVE_INFINITY): Value[] {
  const { shape } = t;
  const coord = shape.map(() => 0);
  const count = Math.min(t.size, limit);
  const elements: Value[] = [];
  while (elements.length < count) {
    elements.push(shape.length === 0 ? t.item() : t.get(...coord));
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      coord[axis] = (coord[axis] as number) + 1;
      if ((coord[axis] as number) < (shape[axis] as number)) break;
      coord[axis] = 0;
    }
  }
  return elements;
}

/** The tensor as a record would have it. */
export const recordedTensor = (t: Tensor): Json => ({
  dtype: t.dtype,
  shape: [...t.shape],
  data: elementsOf(t).map(recordedValue),
});

/** The tensor of a record, with its strides if the record says them. */
export function tensorOfRecord({ dtype, shape, data, stride }: RecordedTensor): Tensor {
  const values = data.map(valueOf);
  if (stride === undefined) {
    const flat = values.length === 0 ? api.zeros([0], { dtype }) : api.tensor(values as number[], { dtype });
    return flat.view(shape) as Tensor;
  }
  const reach = shape.reduce((last, size, axis) => last + (size - 1) * (stride[axis] as number), 0);
  const memory: Value[] = Array.from({ length: values.length === 0 ? 0 : reach + 1 }, () => 0);
  for (const [k, value] of values.entries()) {
    let [offset, rest] = [0, k];
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const size = shape[axis] as number;
      offset += (rest % size) * (stride[axis] as number);
      rest = Math.floor(rest / size);
    }
    memory[offset] = value;
  }
  const flat = memory.length === 0 ? api.zeros([0], { dtype }) : api.tensor(memory as number[], { dtype });
  return flat.asStrided(shape, stride) as Tensor;
}
