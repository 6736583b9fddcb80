/** Makes dense tensors of sparse ones: values, and for each its index in row-major order or its coordinates. */
import { zeros } from "../index.ts";
import { copyToTensor } from "../io/tensor-arrays.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import type { Tensor } from "../tensor/tensor.ts";
import { OnnxError } from "./error.ts";
import { DataType, type SparseTensorProto, type TensorProto } from "./proto/types.ts";
import { type ElementLayout, layoutOfElements, numbersOfTensor } from "./tensor-elements.ts";

interface SparseParts {
  readonly values: TensorProto;
  readonly indices: TensorProto;
  /** The layout of the dense tensor. */
  readonly dense: ElementLayout;
  readonly title: string;
}

/** Returns the parts of a sparse tensor; throws unless their shapes fit. */
export function partsOfSparse({ values, indices, dims }: SparseTensorProto): SparseParts {
  const title = `the sparse tensor ${JSON.stringify(values?.name ?? "")} of shape [${dims.join(", ")}]`;
  if (values === undefined || indices === undefined) throw new OnnxError(`${title} must have values and indices`);
  const rank = dims.length;
  const [count] = values.dims;
  const [first, second] = indices.dims;
  const hasIndices = indices.dims.length === 1 || (indices.dims.length === 2 && second === rank);
  if (values.dims.length !== 1 || indices.dataType !== DataType.INT64 || !hasIndices || first !== count)
    throw new OnnxError(
      `${title} must have values of shape [n] and int64 indices of shape [n] or [n, ${rank}], got ${layoutOfElements(values).title} and ${layoutOfElements(indices).title}`,
    );
  return { values, indices, dense: layoutOfElements({ ...values, dims }), title };
}

/** Returns the dense tensor of a sparse one whose elements are in its message. */
export function readSparseTensor(proto: SparseTensorProto): Tensor {
  const { values, indices, dense, title } = partsOfSparse(proto);
  const { layout, bytes } = numbersOfTensor(values);
  const positions = positionsOf(indices, dense, title);
  const dtype = layout.dtype as DType;
  const { shape, count } = dense;
  if (count === 0) return zeros([...shape], { dtype });
  const { itemsize } = dtypes[dtype];
  const elements = new Uint8Array(count * itemsize);
  for (const [k, position] of positions.entries())
    elements.set(bytes.subarray(k * itemsize, (k + 1) * itemsize), position * itemsize);
  return copyToTensor({ dtype, shape, order: "C", bytes: elements });
}

/** The row-major index of each value in the dense tensor. */
function positionsOf(indices: TensorProto, { shape, count }: ElementLayout, title: string): Float64Array {
  // A copy, because bytes of a file have any alignment.
  const numbers = new BigInt64Array(numbersOfTensor(indices).bytes.slice().buffer);
  const sizes = indices.dims.length === 1 ? [count] : shape;
  const positions = new Float64Array(indices.dims[0]);
  for (let k = 0; k < positions.length; k++)
    for (const [axis, size] of sizes.entries()) {
      const index = Number(numbers[k * sizes.length + axis]);
      if (index < 0 || index >= size)
        throw new OnnxError(`${title} has the index ${index} for value ${k}, which is outside of the shape`);
      positions[k] = positions[k] * size + index;
    }
  return positions;
}
