/**
 * The elements of a tensor as ordinary JavaScript: nested arrays, or one typed array in row-major order. Both are copies.
 * A typed array has the dtype's own kind, except that float16 and bfloat16 become Float32Array, bool becomes Uint8Array, and
 * complex numbers become pairs (re, im) of floats. The view without a copy is in `raw-view.ts`.
 *
 * `itemBigInt` returns the one element of an integer tensor as a bigint, exact for int64 and uint64 past 2^53.
 *
 * A coordinate reader reads elements by one index for each axis, non-negative and unchecked, for any engine and layout.
 * It is for printing and conversions; kernels move many elements of a strided tensor (`../copy-all.ts`).
 */
import { namedAccess } from "../../base/errors.ts";
import { copyElements, fixedStorage } from "../../kernel/copy.ts";
import { type ElementReader, type IntegerForm, reader, writer } from "../../kernel/element.ts";
import type { Layout } from "../../layout/layout.ts";
import { coordAt, offsetAt } from "../../layout/queries.ts";
import { computedAs, type DType, DTypeError, dtypes, type TypedArray, type Value } from "../../storage/dtype.ts";
import { BufferMemory } from "../../storage/memory.ts";
import { checkOne } from "../access/access.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { hasCoordOffsets, readAt } from "../elements.ts";
import { flatStrides, isFlat, sizeOf, sizesOf } from "../geometry.ts";
import { operandOf } from "../operand.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import type { ArrayFor } from "../types/shape-arrays.ts";
import { byteOffsetIn, wholeMemory } from "../whole-memory.ts";

/** Elements in as many arrays as there are axes; a scalar is the element itself. */
export type NestedValues = Value | NestedValues[];

export interface ToArrayOptions {
  /** True: int64 and uint64 as bigints, always exact; otherwise as numbers, and an OverflowError past 2^53. */
  readonly bigint?: boolean | undefined;
}

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && isFlat(t);

/** The elements as nested arrays. */
export const toArray = (t: Tensor, options: ToArrayOptions = {}): NestedValues =>
  namedAccess("toArray", () => nestedElements(t, options));

function nestedElements(t: Tensor, options: ToArrayOptions): NestedValues {
  const form: IntegerForm = options?.bigint ? "bigint" : "number";
  const sizes = sizesOf(t);
  if (!hasStrides(t, "toArray")) {
    const read = coordReader(t, "toArray", form);
    return nestByCoord(sizes, read, 0, new Array<number>(sizes.length).fill(0));
  }
  const storage = wholeMemory(t, "toArray");
  const info = dtypes[t.dtype];
  const window = storage.readable().array(info.array);
  const source: Source = {
    sizes,
    strides: flatStrides(t),
    window,
    read: readsItself(t) ? null : reader(info.name, form),
  };
  return nest(source, 0, storage.byteOffset / info.itemsize + t.start);
}

function nestByCoord(
  sizes: readonly number[],
  read: (index: readonly number[]) => Value,
  axis: number,
  index: number[],
): NestedValues {
  if (axis === sizes.length) return read(index);
  const result: NestedValues[] = [];
  for (let i = 0; i < sizes[axis]; i++) {
    index[axis] = i;
    result.push(nestByCoord(sizes, read, axis + 1, index));
  }
  return result;
}

/** True if the window's elements are the values. */
function readsItself(t: Tensor): boolean {
  const { category, itemsize, parts } = dtypes[t.dtype];
  return parts === 1 && (category === "float" ? itemsize >= 4 : category === "integer" && itemsize < 8);
}

interface Source {
  readonly sizes: readonly number[];
  readonly strides: readonly number[];
  readonly window: TypedArray;
  /** Null: the window's elements are the values. */
  readonly read: ElementReader | null;
}

function nest(source: Source, axis: number, position: number): NestedValues {
  const { sizes, strides, window, read } = source;
  if (axis === sizes.length) return read === null ? (window[position] as number) : read(window, position);
  const size = sizes[axis];
  const stride = strides[axis];
  const result = new Array<NestedValues>(size);
  if (axis < sizes.length - 1) for (let i = 0; i < size; i++) result[i] = nest(source, axis + 1, position + i * stride);
  else if (read === null) for (let i = 0; i < size; i++) result[i] = window[position + i * stride] as number;
  else for (let i = 0; i < size; i++) result[i] = read(window, position + i * stride);
  return result;
}

/** The elements in row-major order, as a new typed array. */
export const toTypedArray = (t: Tensor): ArrayFor<DType> => namedAccess("toTypedArray", () => elementsInOrder(t));

function elementsInOrder(t: Tensor): ArrayFor<DType> {
  if (t.type === null)
    throw new DTypeError("toTypedArray: the elements are coordinates, which no typed array holds; use toArray()");
  const dtype = computedAs(t.dtype);
  const { array, itemsize, parts } = dtypes[dtype];
  const memory = new BufferMemory("overflow", new ArrayBuffer(t.size * itemsize));
  const result = memory.array(array) as ArrayFor<DType>;
  if (hasStrides(t, "toTypedArray")) {
    const source = operandOf(t, "toTypedArray");
    if (dtype === t.dtype && t.isContiguous()) return sliceOf(t, parts);
    const storage = fixedStorage(memory, 0);
    copyElements(source, { storage, dtype, offset: 0, shape: source.shape, stride: rowMajorStrides(source.shape) });
    return result;
  }
  const write = writer(dtype);
  const read = coordReader(t, "toTypedArray", "bigint");
  let at = 0;
  forEachIndex(sizesOf(t), (index) => write(result, at++, read(index)));
  return result;
}

/** A copy of a block of memory; `slice` of shared memory returns unshared memory. */
function sliceOf(t: Tensor, parts: number): ArrayFor<DType> {
  const storage = wholeMemory(t, "toTypedArray");
  const { array, itemsize } = dtypes[t.dtype];
  const window = storage.readable().array(array);
  const first = (storage.byteOffset / itemsize + t.start) * parts;
  return window.slice(first, first + t.size * parts);
}

/** Visits every index in row-major order; the array is reused. */
export function forEachIndex(sizes: readonly number[], visit: (index: readonly number[]) => void): void {
  const index = new Array<number>(sizes.length).fill(0);
  const size = sizeOf(sizes);
  for (let i = 0; i < size; i++) {
    visit(index);
    for (let axis = sizes.length - 1; axis >= 0; axis--) {
      index[axis] = index[axis] + 1;
      if (index[axis] < sizes[axis]) break;
      index[axis] = 0;
    }
  }
}

/** The element of a tensor of size 1. */
export function itemBigInt(t: Tensor): bigint {
  checkOne("itemBigInt", t);
  const { category } = dtypes[t.dtype];
  if (category !== "integer" && category !== "bool")
    throw new DTypeError(`itemBigInt: the elements must be integers or bools, got ${t.dtype}; use item()`);
  return BigInt(coordReader(t, "itemBigInt", "bigint")(new Array<number>(t.rank).fill(0)) as number);
}

/** The element at an index for each axis; `form` chooses numbers or bigints for int64 and uint64. */
export type CoordReader = (index: readonly number[]) => Value;

export function coordReader(t: Tensor, who: string, form: IntegerForm = "number"): CoordReader {
  if (computedEngine(t, who) !== null) {
    const offsetOf = hasCoordOffsets(t) ? coordAt : offsetAt;
    return (index) => readAt(t, offsetOf(t.layout as Layout, coordFor(t, index)));
  }
  const storage = wholeMemory(t, who);
  const info = dtypes[t.dtype];
  const read = reader(info.name, form);
  const offsetOf = offsetsOf(t);
  return (index) => {
    const window = storage.readable().array(info.array);
    return read(window, byteOffsetIn(t, storage, info, offsetOf(index), who));
  };
}

function offsetsOf(t: Tensor): (index: readonly number[]) => number {
  if (!isFlat(t)) return (index) => offsetAt(t.layout, coordFor(t, index));
  const strides = flatStrides(t);
  return (index) => {
    let offset = 0;
    for (let axis = 0; axis < strides.length; axis++) offset += index[axis] * strides[axis];
    return offset;
  };
}

/** A layout of one mode that is not a tuple takes the index itself. */
function coordFor(t: Tensor, index: readonly number[]): number | readonly number[] {
  const layout = t.layout;
  const shape = "inner" in layout ? layout.inner.shape : layout.shape;
  return Array.isArray(shape) ? index : index[0];
}
