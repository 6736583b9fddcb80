/**
 * `tensor(data)`: a new tensor from nested arrays, typed arrays, scalars, tensors, or arrays of those.
 * The dtype follows from the kind of the data, never from a value: numbers are the default dtype, bigints int64, booleans bool.
 * A value that the dtype cannot hold is an error; typed arrays and tensors are cast. `from-buffer.ts` shares memory instead of copying.
 */
import { ShapeError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkedValue } from "../../kernel/checked-value.ts";
import { type ElementWriter, writer } from "../../kernel/element.ts";
import { type DeviceOption, isDevice } from "../../storage/device.ts";
import { type DType, DTypeError, dtypeOfArray, dtypes, type TypedArray, type Value } from "../../storage/dtype.ts";
import { getDefaultDType, inferDType, promoteTypes } from "../../storage/promotion.ts";
import { setBytes } from "../../storage/set-bytes.ts";
import type { Storage } from "../../storage/storage.ts";
import { clone, type ValueMode } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { toDevice } from "../convert/to-device.ts";
import { copyAll } from "../copy-all.ts";
import { maxAxes, showShape, sizesOf, tooDeep } from "../geometry.ts";
import { Tensor, viewOf } from "../tensor.ts";
import { allocated, type CreateOptions, checkOptions, described, dtypeOr, fresh } from "./create.ts";
import { takeMemory } from "./from-buffer.ts";

/** The data that a tensor can be created from. */
export type TensorData = Value | TypedArray | Tensor | readonly TensorData[];

export interface DataOptions extends CreateOptions {
  /** "cpu", "meta" for a tensor with the shape and dtype of the data, without elements, or a device. */
  readonly device?: DeviceOption | undefined;
  /** copy: new memory (the default). alias: the memory of the typed array or tensor. move: the same, and the source is disposed. */
  readonly mode?: ValueMode | undefined;
}

/** A tensor of the data: a copy, unless the value mode says otherwise. */
export function fromData(data: TensorData, options: DataOptions = {}, who = "tensor"): Tensor {
  checkOptions(who, options);
  const { mode = "copy", device = "cpu" } = options;
  const t =
    mode !== "copy"
      ? takeMemory(data, mode, options.dtype, who)
      : data instanceof Tensor
        ? clone(data, "preserve", dtypeOr(who, options, data.dtype))
        : filledFrom(data, options, who);
  return described(
    who,
    device === "cpu" ? t : isDevice(device) ? toDevice(t, device) : fresh(who, sizesOf(t), t.dtype, { device }),
    options,
  );
}

function filledFrom(data: TensorData, options: CreateOptions, who: string): Tensor {
  const shape = shapeOf(data);
  if (shape.length > maxAxes) throw depthError(who);
  const dtype =
    options.dtype === undefined ? (joined(data, undefined, who, 0) ?? getDefaultDType()) : dtypeOr(who, options);
  const t = allocated(who, shape, dtype);
  if (t.size > 0 || shape.length > 1) fill(t, shape, data, who);
  return t;
}

const isArray: (value: unknown) => value is readonly TensorData[] = Array.isArray;
const isTyped = (value: unknown): value is TypedArray => dtypeOfArray(value) !== undefined;

/** The shape by the first element of each axis. Other elements are compared with it while they are read. */
function shapeOf(data: TensorData): number[] {
  const shape: number[] = [];
  let at: TensorData | undefined = data;
  while (isArray(at) && shape.length <= maxAxes) {
    shape.push(at.length);
    at = at[0];
  }
  if (at instanceof Tensor) shape.push(...sizesOf(at));
  else if (typeof at === "object" && isTyped(at)) shape.push(at.length);
  return shape;
}

const depthError = (who: string): ShapeError => new ShapeError(tooDeep(who));

/** The dtype of all parts together with the one found so far. */
function joined(data: TensorData, dtype: DType | undefined, who: string, depth: number): DType | undefined {
  let own: DType;
  let result = dtype;
  if (isArray(data)) {
    if (depth >= maxAxes) throw depthError(who);
    let i = 0;
    while (i < data.length && typeof data[i] === "number") i++;
    for (; i < data.length; i++) result = joined(data[i], result, who, depth + 1);
    if (typeof data[0] !== "number") return result;
    own = getDefaultDType();
  } else own = data instanceof Tensor ? data.dtype : inferDType(data, who);
  return result === undefined || result === own ? own : promoteTypes(result, own);
}

/** The target of the elements, and the number of those written so far. */
interface Filling {
  readonly tensor: Tensor;
  readonly shape: readonly number[];
  readonly window: TypedArray;
  /** The index of element 0 in the window. */
  readonly first: number;
  readonly write: ElementWriter;
  readonly plain: readonly [low: number, high: number] | undefined;
  readonly who: string;
  done: number;
  readonly path: number[];
}

const anyNumber = [-Infinity, Infinity] as const;
/** Numbers that a typed array stores without a check; a row with any other value is checked value by value. */
const plainNumbers: Readonly<Partial<Record<DType, readonly [number, number]>>> = {
  float32: anyNumber,
  float64: anyNumber,
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

function fill(t: Tensor, shape: readonly number[], data: TensorData, who: string): void {
  const storage = t.source as Storage;
  const dtype = t.type as DType;
  const { array, itemsize } = dtypes[dtype];
  const window = storage.writable().array(array);
  const first = storage.byteOffset / itemsize;
  const write = writer(dtype);
  fillAxis({ tensor: t, shape, window, first, write, plain: plainNumbers[dtype], who, done: 0, path: [] }, data, 0);
}

function fillAxis(to: Filling, data: TensorData, axis: number): void {
  const last = to.shape.length - 1;
  const size = to.shape[axis];
  if (data instanceof Tensor) fillFromTensor(to, data, axis);
  else if (axis > last) fillOne(to, data);
  else if (isArray(data)) {
    if (data.length !== size) throw ragged(to, data, axis);
    if (axis < last || !fillRow(to, data)) fillRows(to, data, axis);
  } else if (isTyped(data) && axis === last && data.length === size) fillFromTyped(to, data);
  else throw ragged(to, data, axis);
}

function fillRows(to: Filling, rows: readonly TensorData[], axis: number): void {
  for (let i = 0; i < rows.length; i++) {
    to.path[axis] = i;
    fillAxis(to, rows[i], axis + 1);
  }
  to.path.length = axis;
}

/** Writes a row of numbers that need no check; returns false if it is not one. */
function fillRow(to: Filling, row: readonly TensorData[]): boolean {
  if (to.plain === undefined) return false;
  const [low, high] = to.plain;
  const isAnyNumber = low === -Infinity;
  for (let i = 0; i < row.length; i++) {
    const value = row[i];
    if (typeof value !== "number" || !(isAnyNumber || (value >= low && value <= high))) return false;
  }
  (to.window as Float32Array).set(row as readonly number[], to.first + to.done);
  to.done += row.length;
  return true;
}

function fillOne(to: Filling, value: TensorData): void {
  if (isArray(value) || isTyped(value)) throw ragged(to, value, to.shape.length);
  const { dtype } = to.tensor;
  if (typeof value === "bigint" && dtype === "int64" && BigInt.asIntN(64, value) !== value)
    throw new DTypeError(
      `${to.who}: ${value}${pathOf(to)} does not fit int64 (-2^63 to 2^63 - 1). Use float64, or uint64 up to 2^64 - 1`,
    );
  to.write(to.window, to.first + to.done++, checkedValue(to.who, value as Value, dtype));
}

function fillFromTyped(to: Filling, row: TypedArray): void {
  const { dtype } = to.tensor;
  if (dtypeOfArray(row) === dtype && dtype !== "float16") {
    const { buffer, BYTES_PER_ELEMENT: bytes } = to.window;
    const part = new Uint8Array(buffer, (to.first + to.done) * bytes, row.byteLength);
    setBytes(part, 0, new Uint8Array(row.buffer, row.byteOffset, row.byteLength));
  } else for (let i = 0; i < row.length; i++) to.write(to.window, to.first + to.done + i, row[i] as Value);
  to.done += row.length;
}

function fillFromTensor(to: Filling, from: Tensor, axis: number): void {
  const sizes = sizesOf(from);
  if (sizes.length !== to.shape.length - axis || sizes.some((size, i) => size !== to.shape[axis + i]))
    throw ragged(to, from, axis);
  const part = viewOf(to.tensor, sizes, rowMajorStrides(sizes), to.done);
  copyAll(from, part, to.who);
  part.endWith("disposed when it was filled");
  to.done += from.size;
}

const pathOf = (to: Filling): string => (to.path.length === 0 ? "" : ` at position ${show(to.path)}`);

function ragged(to: Filling, data: TensorData, axis: number): ShapeError {
  const got = isArray(data) || isTyped(data) ? `${data.length}` : describe(data);
  const at = to.path.slice(0, axis);
  const where = at.length === 0 ? "" : `, at position ${show(at)}`;
  if (axis < to.shape.length)
    return new ShapeError(
      `${to.who}: expected sequence of length ${to.shape[axis]} at axis ${axis} (got ${got})${where}. All rows of an axis must have the same length`,
    );
  return new ShapeError(
    `${to.who}: expected a single value at axis ${axis} (got a sequence of length ${got})${where}. All rows of an axis must have the same length`,
  );
}

const describe = (data: TensorData): string =>
  data instanceof Tensor
    ? `a tensor of shape ${showShape(data)}`
    : data !== null && typeof data === "object"
      ? "an object"
      : `${typeof data} ${String(data)}`;
