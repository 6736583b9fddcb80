/**
 * New tensors of a given shape: empty, full, zeros, ones, eye, constant, and the same shaped like another tensor.
 * Row-major unless a memory format is given; the ones shaped like another keep the order of its strides. A constant is one
 * element seen through strides of 0, and not writable.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { show } from "../../base/show.ts";
import { checkedValue, exactValue } from "../../kernel/checked-value.ts";
import { fillElements } from "../../kernel/copy.ts";
import { meta } from "../../storage/device.ts";
import { checkDType, type DType, dtypes, type Value } from "../../storage/dtype.ts";
import { clearBytes } from "../../storage/memory.ts";
import { getDefaultDType, inferDType } from "../../storage/promotion.ts";
import { Storage } from "../../storage/storage.ts";
import { emptyFor } from "../clone.ts";
import { type CopyFormat, formatStrides, type MemoryFormat } from "../contiguity.ts";
import { type ScalarLike, scalarOf } from "../elements.ts";
import { type AxisName, setNames } from "../names.ts";
import { checkTensor, operandOf } from "../operand.ts";
import { identityBits, storageOf, Tensor, tensorOver } from "../tensor.ts";
import { checkShape } from "../views/view-shape.ts";
import { checkOptions } from "./options.ts";

type Sizes = readonly number[];

/** What every creation function takes. */
export interface CreateOptions {
  readonly dtype?: DType | undefined;
  readonly names?: readonly AxisName[] | null | undefined;
  /** Asks for gradients. */
  readonly requiresGrad?: boolean | undefined;
  /** How the elements are stored; strided is all there is. */
  readonly format?: "strided" | undefined;
}

/** The tensor with the names that the options give; refuses what it cannot be. */
export function described(who: string, t: Tensor, options: CreateOptions): Tensor {
  checkOptions(who, options);
  if (options.format !== undefined && options.format !== "strided")
    throw new StridewiseError(
      `${who}: the format '${String(options.format)}' does not exist here; every tensor is strided. Keep the indices and values of a sparse one as two tensors`,
    );
  if (options.names != null) setNames(who, t, options.names);
  return t;
}

/** What functions take that make a tensor of a given shape. */
export interface ShapedOptions extends CreateOptions {
  /** "cpu", or "meta" for a shape and a dtype without elements. */
  readonly device?: "cpu" | "meta" | undefined;
  readonly memoryFormat?: MemoryFormat | undefined;
}

/** What functions take whose elements are all equal. */
export interface FillOptions extends ShapedOptions {
  /** One element with strides of 0, which refuses writes. */
  readonly constant?: boolean | undefined;
}

/** What functions take that make a tensor shaped like another. */
export interface LikeOptions {
  readonly dtype?: DType | undefined;
  /** That of the other tensor, unless given. */
  readonly device?: "cpu" | "meta" | undefined;
  /** "preserve", unless given: the order of the other tensor's strides. */
  readonly memoryFormat?: CopyFormat | undefined;
}

/** The dtype that was asked for, or the default one. */
export function dtypeOr(
  who: string,
  options: { readonly dtype?: DType | undefined },
  other: DType = getDefaultDType(),
): DType {
  if (options === null) checkOptions(who, options);
  return options.dtype === undefined ? other : checkDType(who, options.dtype);
}

/** A new tensor of a shape, its elements not set. */
export function empty(shape: Sizes, options: ShapedOptions = {}, who = "empty"): Tensor {
  return fresh(who, shape, dtypeOr(who, options), options);
}

/** The same with a dtype that was checked; that of the options does not count. */
export function fresh(who: string, shape: Sizes, dtype: DType, options: ShapedOptions): Tensor {
  checkShape(who, shape);
  const strides = formatStrides(who, options.memoryFormat ?? "contiguous", shape);
  let size = 1;
  for (let i = 0; i < shape.length; i++) size *= shape[i];
  const bytes = size * dtypes[dtype].itemsize;
  if (!Number.isSafeInteger(bytes))
    throw new ShapeError(`${who}: a ${dtype} tensor of shape ${show(shape)} has more bytes than can be counted`);
  const t = tensorOver(allocateOn(who, options.device, bytes), dtype, 0, shape, strides);
  return described(who, t, options);
}

/** Bytes on a device by its name. */
function allocateOn(who: string, device: string | undefined, bytes: number): Storage {
  if (device === undefined || device === "cpu") return Storage.allocate(bytes);
  if (device === "meta") return Storage.allocate(bytes, { device: meta });
  throw new StridewiseError(`${who}: the device '${String(device)}' does not exist here; they are cpu and meta`);
}

/** The dtype of one value: that of the tensor that holds it, or by its kind. */
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

/** Fills a tensor whose elements are all of its storage. */
function filled(t: Tensor, value: Value, who: string): Tensor {
  if (t.device.type === "meta") return t;
  if (Object.is(value, 0)) {
    // Zero is the same bits in every dtype.
    const storage = storageOf(t, who);
    const memory = storage.writable();
    clearBytes(memory, storage.byteOffset, storage.nbytes);
  } else fillElements(operandOf(t, who), value);
  return t;
}

/** A tensor whose elements are all one element of memory: strides of 0. Writing to it is refused. */
export function constant(value: ScalarLike, shape: Sizes = [], options: CreateOptions = {}): Tensor {
  return full(shape, value, { ...options, constant: true }, "constant");
}

function constantOf(who: string, shape: Sizes, value: Value, dtype: DType, options: FillOptions): Tensor {
  checkShape(who, shape);
  const storage = Storage.allocate(dtypes[dtype].itemsize);
  fillElements({ storage, dtype, offset: 0, shape: [], stride: [] }, value);
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

/** The matrix with ones on its diagonal and zeros elsewhere; the columns may be left away before options. */
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

/** A new tensor with the shape and names of another, its elements not set. */
export function emptyLike(t: Tensor, options: LikeOptions = {}, who = "emptyLike"): Tensor {
  checkTensor(who, t);
  checkOptions(who, options);
  const like = emptyFor(who, t, options.memoryFormat ?? "preserve", dtypeOr(who, options, t.dtype));
  const { device = like.device.type } = options;
  if (device === like.device.type) return like;
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
