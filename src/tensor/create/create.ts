/**
 * New tensors of a given shape: empty, full, zeros, ones, eye, constant, and their variants with the shape of another tensor. Row-major unless a
 * memory format is given; the variants keep the stride order of the other tensor. A constant is one element with strides of 0, and is read-only.
 */

import { nearest } from "../../base/arguments.ts";
import { namedAccess, ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkedValue, exactValue } from "../../kernel/checked-value.ts";
import { fillElements } from "../../kernel/copy.ts";
import { writer } from "../../kernel/element.ts";
import { type DeviceOption, deviceOption, isDevice, meta } from "../../storage/device.ts";
import { checkDType, type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { clearBytes } from "../../storage/memory.ts";
import { getDefaultDType, inferDType } from "../../storage/promotion.ts";
import { Storage } from "../../storage/storage.ts";
import { emptyFor } from "../clone.ts";
import { type CopyFormat, formatStrides, type MemoryFormat, rowMajorStrides } from "../contiguity.ts";
import { describeValue } from "../describe-value.ts";
import { type ScalarLike, scalarOf } from "../elements.ts";
import { type AxisName, setNames } from "../names.ts";
import { checkTensor, operandOf } from "../operand.ts";
import { identityBits, storageOf, Tensor, tensorOver } from "../tensor.ts";
import { checkArray, checkShape } from "../views/view-shape.ts";

type Sizes = readonly number[];

/** The options of every creation function. */
export interface CreateOptions {
  readonly dtype?: DType | undefined;
  readonly names?: readonly AxisName[] | null | undefined;
  /** Whether the tensor requires a gradient. */
  readonly requiresGrad?: boolean | undefined;
  /** The storage of elements: always strided. */
  readonly format?: "strided" | undefined;
}

/** The options of all creation functions. */
const common: readonly string[] = ["dtype", "device", "names", "requiresGrad", "format", "memoryFormat"];

/** Further options, with the functions that have them. */
const special: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ new Map([
  ["constant", ["zeros", "ones", "full", "constant"]],
  ["mode", ["tensor"]],
  ["base", ["logspace"]],
  ["endpoint", ["linspace", "logspace", "geomspace"]],
  ["shape", ["fromBuffer"]],
  ["stride", ["fromBuffer"]],
  ["offset", ["fromBuffer"]],
  ["const", ["fromBuffer"]],
]);

/** The creation functions without random numbers; all others have the option `generator`. */
const fixed: readonly string[] = [
  "tensor",
  "empty",
  "zeros",
  "ones",
  "full",
  "constant",
  "eye",
  "arange",
  "linspace",
  "logspace",
  "geomspace",
  "fromBuffer",
  "fromFunction",
  "emptyLike",
  "zerosLike",
  "onesLike",
  "fullLike",
];

/** The options of a function. */
const optionsOf = (who: string): string[] => [
  ...common,
  ...[...special].filter(([, functions]) => functions.includes(who)).map(([name]) => name),
  ...(fixed.includes(who) ? [] : ["generator"]),
];

/** Throws unless options are an object with known names. */
export function checkOptions(who: string, options: unknown): void {
  if (typeof options !== "object" || options === null)
    throw new StridewiseError(
      `${who}: options must be an object, such as { dtype: "int32" }, got ${describeValue(options)}`,
    );
  for (const name in options)
    if (!common.includes(name) && !optionsOf(who).includes(name)) throw unknownOption(who, name);
  const { generator } = options as { readonly generator?: unknown };
  if (generator != null && !("nextDraw" in Object(generator)))
    throw new StridewiseError(`${who}: generator must be a Generator: new Generator(seed)`);
}

/** Throws for null and symbols among arguments that are numbers and options. */
export function checkDefined(who: string, args: readonly unknown[]): void {
  for (const arg of args)
    if (arg === null || typeof arg === "symbol")
      throw new StridewiseError(`${who}: takes numbers and options, got ${describeValue(arg)}`);
}

function unknownOption(who: string, name: string): StridewiseError {
  const known = optionsOf(who);
  const guess = nearest(name, known);
  const reshaping = name === "shape" ? `. Reshape the result: ${who}(...).reshape(shape)` : "";
  return new StridewiseError(
    `${who}: there is no option ${name}${guess === undefined ? `; the options are ${known.join(", ")}${reshaping}` : `. Did you mean ${guess}?`}`,
  );
}

/** Gives a tensor the names in the options. Throws unless the format is strided. */
export function described(who: string, t: Tensor, options: CreateOptions): Tensor {
  if (options.format !== undefined && options.format !== "strided")
    throw new StridewiseError(
      `${who}: the format '${String(options.format)}' does not exist here; every tensor is strided. Keep the indices and values of a sparse one as two tensors`,
    );
  if (options.names != null) setNames(who, t, options.names);
  return t;
}

/** The options of functions that create a tensor on a device. */
export interface PlacedOptions extends CreateOptions {
  /** "cpu", "meta" for a tensor without elements, or a device. */
  readonly device?: DeviceOption | undefined;
}

/** The options of functions that create a tensor of a given shape. */
export interface ShapedOptions extends PlacedOptions {
  readonly memoryFormat?: MemoryFormat | undefined;
}

/** The options of functions that create a tensor of equal elements. */
export interface FillOptions extends ShapedOptions {
  /** Stores one element with strides of 0; the tensor is read-only. */
  readonly constant?: boolean | undefined;
}

/** The options of functions that create a tensor with the shape of another. */
export interface LikeOptions {
  readonly dtype?: DType | undefined;
  /** Default: the device of the other tensor. */
  readonly device?: DeviceOption | undefined;
  /** Default: "preserve", the stride order of the other tensor. */
  readonly memoryFormat?: CopyFormat | undefined;
}

/** The dtype in the options, or another. Default: the default dtype. */
export function dtypeOr(
  who: string,
  options: { readonly dtype?: DType | undefined },
  other: DType = getDefaultDType(),
): DType {
  if (options === null) checkOptions(who, options);
  return options.dtype === undefined ? other : checkDType(who, options.dtype);
}

/** A new tensor with uninitialized elements. */
export function empty(shape: Sizes, options: ShapedOptions = {}, who = "empty"): Tensor {
  return fresh(who, shape, dtypeOr(who, options), options);
}

/** The same with a checked dtype; the dtype in the options is ignored. */
export function fresh(who: string, shape: Sizes, dtype: DType, options: ShapedOptions): Tensor {
  checkArray(who, shape, options);
  checkShape(who, shape);
  checkOptions(who, options);
  return described(who, allocated(who, shape, dtype, options.memoryFormat, options.device), options);
}

/** The same with a checked shape. */
export function allocated(
  who: string,
  shape: Sizes,
  dtype: DType,
  format?: MemoryFormat,
  device?: DeviceOption,
): Tensor {
  const strides = format === undefined ? rowMajorStrides(shape) : formatStrides(who, format, shape);
  let size = 1;
  for (let i = 0; i < shape.length; i++) size *= shape[i];
  const bytes = size * dtypes[dtype].itemsize;
  if (!Number.isSafeInteger(bytes))
    throw new ShapeError(`${who}: a ${dtype} tensor of shape ${show(shape)} has more than 2^53 - 1 bytes`);
  return tensorOver(allocateOn(who, device, bytes), dtype, 0, shape, strides);
}

/** Allocates bytes on a device. */
function allocateOn(who: string, device: DeviceOption | undefined, bytes: number): Storage {
  if (device === undefined || device === "cpu") return namedAccess(who, () => Storage.allocate(bytes));
  if (device === "meta") return Storage.allocate(bytes, { device: meta });
  if (isDevice(device)) return namedAccess(who, () => Storage.allocate(bytes, { device }));
  throw new StridewiseError(
    `${who}: there is no device '${String(device)}'; the devices are cpu and meta, and those that you open: await device("webgpu")`,
  );
}

/** The dtype of a tensor, or of a JavaScript value by its kind. */
const dtypeOfScalar = (who: string, value: ScalarLike): DType =>
  value instanceof Tensor ? value.dtype : inferDType(value, who);

/** A new tensor whose elements are all equal. */
export function full(shape: Sizes, value: ScalarLike, options: FillOptions = {}, who = "full"): Tensor {
  const dtype = dtypeOr(who, options, dtypeOfScalar(who, value));
  return fullOf(who, shape, checkedValue(who, scalarOf(who, value), dtype), dtype, options);
}

function fullOf(who: string, shape: Sizes, value: Value, dtype: DType, options: FillOptions): Tensor {
  if (options.constant) return constantOf(who, shape, value, dtype, options);
  return filled(fresh(who, shape, dtype, options), value, who);
}

/** Fills a tensor that covers all of its storage. */
function filled(t: Tensor, value: Value, who: string): Tensor {
  if (t.device.type === "meta" || t.size === 0) return t;
  if (t.storage.isOnDevice) fillElements(operandOf(t, who), value);
  // One element needs no kernel.
  else if (t.size === 1) writeElement(storageOf(t, who), t.dtype, value);
  else if (Object.is(value, 0)) {
    // Zero is the same bits in every dtype.
    const storage = storageOf(t, who);
    const memory = storage.writable();
    clearBytes(memory, storage.byteOffset, storage.nbytes);
  } else fillElements(operandOf(t, who), value);
  return t;
}

/** Writes the first element of a storage. */
function writeElement(storage: Storage, dtype: DType, value: Value): void {
  const { array, itemsize } = dtypes[dtype];
  const memory = storage.writable();
  writer(dtype)(memory.array(array), storage.byteOffset / itemsize, value);
}

/** A read-only tensor whose elements are all one element of memory, by strides of 0. */
export function constant(value: ScalarLike, shape: Sizes = [], options: CreateOptions = {}): Tensor {
  return full(shape, value, { ...options, constant: true }, "constant");
}

function constantOf(who: string, shape: Sizes, value: Value, dtype: DType, options: FillOptions): Tensor {
  checkShape(who, shape);
  checkOptions(who, options);
  const storage = Storage.allocate(dtypes[dtype].itemsize);
  writeElement(storage, dtype, value);
  const strides = new Array<number>(shape.length).fill(0);
  const t = tensorOver(storage, dtype, 0, shape, strides, identityBits("const", "none"));
  return described(who, t, options);
}

/** A new tensor of zeros. */
export function zeros(shape: Sizes, options: FillOptions = {}): Tensor {
  return fullOf("zeros", shape, 0, dtypeOr("zeros", options), options);
}

/** A new tensor of ones. */
export function ones(shape: Sizes, options: FillOptions = {}): Tensor {
  return fullOf("ones", shape, 1, dtypeOr("ones", options), options);
}

/** The matrix with ones on its diagonal and zeros elsewhere; the number of columns may be omitted before options. */
export function eye(
  rows: number,
  columns: number | ShapedOptions = rows,
  options: ShapedOptions = {},
  who = "eye",
): Tensor {
  const [width, settings] = typeof columns === "object" && columns !== null ? [rows, columns] : [columns, options];
  const t = filled(fresh(who, [rows, width], dtypeOr(who, settings), settings), 0, who);
  if (t.device.type === "meta") return t;
  const diagonal = { ...operandOf(t, who), shape: [Math.min(rows, width)], stride: [t.d0 + t.d1] };
  fillElements(diagonal, 1);
  return t;
}

/** A new tensor with the shape and names of another, with uninitialized elements. */
export function emptyLike(t: Tensor, options: LikeOptions = {}, who = "emptyLike"): Tensor {
  checkTensor(who, t);
  checkOptions(who, options);
  const like = emptyFor(who, t, options.memoryFormat ?? "preserve", dtypeOr(who, options, t.dtype));
  const { device } = options;
  if (device === undefined || device === deviceOption(like.device)) return like;
  const bytes = like.size * dtypes[like.dtype].itemsize;
  return described(who, tensorOver(allocateOn(who, device, bytes), like.dtype, 0, like.shape, like.stride), {
    names: like.names,
  });
}

/** A new tensor with the shape and dtype of another, its elements all equal. */
export function fullLike(t: Tensor, value: ScalarLike, options: LikeOptions = {}, who = "fullLike"): Tensor {
  const scalar = scalarOf(who, value);
  const fresh = emptyLike(t, options, who);
  try {
    const check = options.dtype === undefined ? exactValue : checkedValue;
    return filled(fresh, check(who, scalar, fresh.dtype), who);
  } catch (error) {
    fresh.dispose();
    throw error;
  }
}
