/**
 * `fromBuffer`: a tensor over memory that the user owns, without a copy. Writes on either side are visible on the other.
 * Throws unless every element is inside the memory, and every address is a multiple of the itemsize.
 *
 * mlvm's value modes alias and move create a tensor that has the memory of a typed array or of another tensor, without a copy.
 * After a move the source is disposed: use of a moved tensor throws, and the arrays of a moved buffer have length 0.
 */
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypeOfArray, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { Storage, StorageError } from "../../storage/storage.ts";
import { cloneBy, type ValueMode } from "../clone.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { describeValue } from "../describe-value.ts";
import { identityBits, Tensor, tensorOver } from "../tensor.ts";
import { checkReach, checkShape } from "../views/view-shape.ts";
import { type CreateOptions, checkOptions, described, dtypeOr } from "./create.ts";

/** Memory that a tensor can share. */
export type BufferSource = TypedArray | ArrayBuffer | SharedArrayBuffer | DataView;

export interface BufferOptions extends CreateOptions {
  /** Default: one axis, from the offset to the end of the memory. */
  readonly shape?: readonly number[] | undefined;
  /** Elements to step for each axis. Default: row-major. */
  readonly stride?: readonly number[] | undefined;
  /** Elements from the start of the memory to element 0. */
  readonly offset?: number | undefined;
  /** True for a read-only tensor. */
  readonly const?: boolean | undefined;
}

interface Bytes {
  readonly buffer: ArrayBufferLike;
  readonly byteOffset: number;
  readonly byteLength: number;
}

function bytesOf(who: string, source: unknown): Bytes {
  if (ArrayBuffer.isView(source)) return source;
  if (isBuffer(source)) return { buffer: source, byteOffset: 0, byteLength: source.byteLength };
  throw new StorageError(
    `${who}: memory must be a typed array, an ArrayBuffer, a SharedArrayBuffer or a DataView, got ${describeValue(source)}. ` +
      "Data of a different kind is copied by tensor(...).",
  );
}

function dtypeFor(who: string, source: unknown, requested: DType | undefined): DType {
  const own = dtypeOfArray(source);
  if (requested === undefined && own === undefined)
    throw new DTypeError(`${who}: an ArrayBuffer has no dtype. Pass { dtype }.`);
  return dtypeOr(who, { dtype: requested }, own);
}

/** A tensor that shares the memory of a typed array or buffer. */
export function fromBuffer(source: BufferSource, options: BufferOptions = {}, who = "fromBuffer"): Tensor {
  const { buffer, byteOffset, byteLength } = bytesOf(who, source);
  checkOptions(who, options);
  const dtype = dtypeFor(who, source, options.dtype);
  const { itemsize } = dtypes[dtype];
  if (byteOffset % itemsize !== 0)
    throw new StorageError(
      `${who}: the memory starts at byte ${byteOffset} of its buffer, which is not a multiple of the ${itemsize} bytes of ${dtype}. ` +
        "Start at such a multiple, or copy the bytes first: slice().",
    );
  const count = Math.floor(byteLength / itemsize);
  const offset = options.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > count)
    throw new ShapeError(
      `${who}: the offset must be an integer from 0 to ${count}, the number of elements in memory, got ${offset}`,
    );
  const shape = options.shape ?? [count - offset];
  checkShape(who, shape);
  const stride = options.stride ?? rowMajorStrides(shape);
  checkReach(who, shape, stride, offset, count);
  const bits = identityBits(options.const ? "const" : "view", "none");
  const t = tensorOver(Storage.fromBuffer(buffer, byteOffset, byteLength), dtype, offset, shape, stride, bits);
  return described(who, t, options);
}

/** A tensor over the memory of the data. Throws for data without memory, and for a different dtype than that of the data. */
export function takeMemory(data: unknown, mode: ValueMode, dtype: DType | undefined, who: string): Tensor {
  const own = data instanceof Tensor ? data.dtype : dtypeOfArray(data);
  if (own === undefined)
    throw new StridewiseError(
      `${who}: plain values have no memory to share, so the mode must be "copy", got "${mode}"`,
    );
  if (dtype !== undefined && dtype !== own)
    throw new DTypeError(
      `${who}: with mode "${mode}" the dtype cannot change from ${own} to ${dtype}. Use mode "copy"`,
    );
  if (data instanceof Tensor) return cloneBy(data, mode);
  return mode === "alias" ? fromBuffer(data as TypedArray, {}, who) : moved(data as TypedArray, own, who);
}

/** Detaches the buffer: arrays over it have length 0 afterward. */
function moved(array: TypedArray, dtype: DType, who: string): Tensor {
  const { byteOffset, byteLength, length } = array;
  if (Object.prototype.toString.call(array.buffer) !== "[object ArrayBuffer]")
    throw new StridewiseError(`${who}: a SharedArrayBuffer cannot be moved. Use mode "alias" or "copy"`);
  const buffer = transferred(array.buffer as ArrayBuffer);
  if (buffer === null)
    throw new StridewiseError(
      `${who}: the buffer cannot be moved because it belongs to a WebAssembly memory or to Node's Buffer pool. Use mode "alias" or "copy"`,
    );
  return tensorOver(Storage.fromBuffer(buffer, byteOffset, byteLength), dtype, 0, [length], [1]);
}

/** The bytes of a buffer, which is detached; null if that fails. Some engines throw, some copy silently. */
function transferred(buffer: ArrayBuffer): ArrayBuffer | null {
  const { byteLength } = buffer;
  try {
    const transferred = structuredClone(buffer, { transfer: [buffer] });
    return byteLength > 0 && buffer.byteLength > 0 ? null : transferred;
  } catch {
    return null;
  }
}
