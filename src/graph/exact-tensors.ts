/**
 * Tensors with exactly the strides of a type, gaps and repeated elements included, because asStrided nodes refer to the memory of their value.
 * Negative strides start at the end.
 */
import { dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";
import { rowMajorStrides } from "../tensor/contiguity.ts";
import { copyAll } from "../tensor/copy-all.ts";
import { flatStrides, isFlat } from "../tensor/geometry.ts";
import { type Tensor, tensorOver } from "../tensor/tensor.ts";
import type { ConcreteType } from "./sizes.ts";
import { firstIn, spanIn } from "./trace/traced.ts";

const stridesOf = ({ shape, strides }: ConcreteType): readonly number[] => strides ?? rowMajorStrides(shape);

/** Returns a tensor of a type over a storage that `allocate` returns for its bytes. */
export function exactTensor(type: ConcreteType, allocate: (bytes: number) => Storage): Tensor {
  const { dtype, shape } = type;
  const strides = stridesOf(type);
  const storage = allocate(spanIn(shape, strides) * dtypes[dtype].itemsize);
  return tensorOver(storage, dtype, firstIn(shape, strides), shape, strides);
}

/** Returns a tensor of zeros. */
export const exactZeros = (type: ConcreteType): Tensor =>
  exactTensor(type, (bytes) => Storage.allocate(bytes, { zeroed: true }));

/** Returns a tensor in the strides of a type: itself, or a copy. */
export function inStrides(t: Tensor, type: ConcreteType): Tensor {
  if (isFlat(t) && t.source instanceof Storage && `${flatStrides(t)}` === `${stridesOf(type)}`) return t;
  const copy = exactZeros(type);
  copyAll(t, copy, "runGraph");
  return copy;
}
