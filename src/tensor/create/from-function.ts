/**
 * `fromFunction(shape, f)`: the tensor whose element at (i, j, ...) is f(i, j, ...).
 * The function is called in row-major order. All values are computed before the tensor is created, so the function may create tensors.
 *
 * `fromIndex` creates tensors of one axis, each element computed from its index by a function of this library.
 */

import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { writer } from "../../kernel/element.ts";
import { checkResultBytes } from "../../storage/byte-range.ts";
import { type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { describeValue } from "../describe-value.ts";
import { sizeOf } from "../geometry.ts";
import { storageOf, type Tensor } from "../tensor.ts";
import { checkShape } from "../views/view-shape.ts";
import { view } from "../views/views-shape.ts";
import { checkOptions, described, fresh, type ShapedOptions } from "./create.ts";
import { fromData } from "./from-data.ts";

/** The largest number of values: engines keep as many in a plain list. */
const maxValues = 2 ** 25;

/** The tensor of a function's values. Default dtype: inferred as by `tensor(...)`. */
export function fromFunction(
  shape: readonly number[],
  valueAt: (...index: number[]) => Value,
  options: Pick<ShapedOptions, "dtype" | "names"> = {},
): Tensor {
  checkShape("fromFunction", shape);
  checkOptions("fromFunction", options);
  if (typeof valueAt !== "function")
    throw new StridewiseError(`fromFunction: needs a function of the indices, got ${describeValue(valueAt)}`);
  const size = sizeOf(shape);
  // The values are a list until all are known.
  if (size > maxValues)
    throw new ShapeError(
      `fromFunction: the shape ${show(shape)} has more than ${maxValues} elements, for each of which the function is called. Use ops instead`,
    );
  const index = new Array<number>(shape.length).fill(0);
  const values = new Array<Value>(size);
  for (let i = 0; i < size; i++) {
    values[i] = valueAt(...index);
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = index[axis] + 1;
      if (index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  const flat = fromData(values, { dtype: options.dtype }, "fromFunction");
  const shaped = owned(flat, shape);
  return described("fromFunction", shaped, options);
}

/** Moves the memory of a tensor into a tensor of a different shape. */
function owned(flat: Tensor, shape: readonly number[]): Tensor {
  const shaped = view(flat, shape);
  shaped.root = null;
  shaped.bits = flat.bits & 0b1111;
  flat.endWith("disposed when its values were placed");
  return shaped;
}

/** The tensor of `valueAt(0)`, `valueAt(1)`, ...; its memory is allocated first. The function must allocate none. */
export function fromIndex(
  who: string,
  length: number,
  dtype: DType,
  options: ShapedOptions,
  valueAt: (i: number) => number,
): Tensor {
  checkOptions(who, options);
  if (options.device !== "meta") checkResultBytes(who, length, dtypes[dtype].itemsize);
  const t = fresh(who, [length], dtype, options);
  if (t.device.type === "meta") return t;
  const storage = storageOf(t, who);
  const { array, itemsize } = dtypes[dtype];
  const window = storage.writable().array(array);
  const first = storage.byteOffset / itemsize;
  const write = writer(dtype);
  for (let i = 0; i < length; i++) write(window, first + i, valueAt(i));
  return t;
}
