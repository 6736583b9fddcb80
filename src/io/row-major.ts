/**
 * From Fortran order to C order, on bytes: the same elements, the last index fastest.
 * Promise: result at row-major index i = array at the same coordinate. An array whose orders agree is not copied.
 */
import { dtypes } from "../storage/dtype.ts";
import { ordersAgree, type RawArray } from "./raw-array.ts";

/** The array in C order. */
export function toRowMajor(array: RawArray): RawArray {
  if (array.order === "C") return array;
  if (ordersAgree(array.shape)) return { ...array, order: "C" };
  const { shape } = array;
  const { itemsize } = dtypes[array.dtype];
  const { bytes: source } = array;
  const bytes = new Uint8Array(source.length);
  const rank = shape.length;
  const strides = new Array<number>(rank);
  let step = itemsize;
  for (let axis = 0; axis < rank; axis++) {
    strides[axis] = step;
    step *= shape[axis] as number;
  }
  const coord = new Array<number>(rank).fill(0);
  const lastSize = shape[rank - 1] as number;
  const lastStride = strides[rank - 1] as number;
  let rowStart = 0;
  let to = 0;
  while (to < bytes.length) {
    for (let i = 0, from = rowStart; i < lastSize; i++, from += lastStride)
      for (let byte = 0; byte < itemsize; byte++) bytes[to++] = source[from + byte] as number;
    // The next row: count up in the axes before the last.
    for (let axis = rank - 2; axis >= 0; axis--) {
      coord[axis] = (coord[axis] as number) + 1;
      rowStart += strides[axis] as number;
      if (coord[axis] !== shape[axis]) break;
      rowStart -= (strides[axis] as number) * (shape[axis] as number);
      coord[axis] = 0;
    }
  }
  return { dtype: array.dtype, shape, order: "C", bytes };
}
