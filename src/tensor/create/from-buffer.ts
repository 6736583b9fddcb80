/**
 * `fromBuffer`: a tensor over memory that the user owns, without a copy. Writes on either side are seen on the other.
 * Every element lies in the given memory, and every address is a multiple of the itemsize, or the call is refused with the numbers.
 */
import { ShapeError } from "../../base/errors.ts";
import { type DType, DTypeError, dtypeOfArray, dtypes, type TypedArray } from "../../storage/dtype.ts";
import { isBuffer } from "../../storage/memory.ts";
import { Storage, StorageError } from "../../storage/storage.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { identityBits, type Tensor, tensorOver } from "../tensor.ts";
import { checkReach, checkShape } from "../views/view-shape.ts";
import { type CreateOptions, described, dtypeOr } from "./create.ts";
import { checkOptions } from "./options.ts";

/** Memory that a tensor can share. */
export type BufferSource = TypedArray | ArrayBuffer | SharedArrayBuffer | DataView;

export interface BufferOptions extends CreateOptions {
  /** All that the memory holds from the offset on, unless given. */
  readonly shape?: readonly number[] | undefined;
  /** Elements to step for each axis; row-major unless given. */
  readonly stride?: readonly number[] | undefined;
  /** Elements from the start of the given memory to element 0. */
  readonly offset?: number | undefined;
  /** True: the tensor refuses writes. */
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
    `${who}: memory is a typed array, an ArrayBuffer, a SharedArrayBuffer or a DataView, got ${Object.prototype.toString.call(source)}. ` +
      "Data of another kind is copied by tensor(...).",
  );
}

function dtypeFor(who: string, source: unknown, asked: DType | undefined): DType {
  const own = dtypeOfArray(source);
  if (asked === undefined && own === undefined)
    throw new DTypeError(`${who}: a buffer says nothing about its elements. Give { dtype }.`);
  return dtypeOr(who, { dtype: asked }, own as DType);
}

/** A tensor that shares the memory of a typed array or buffer. */
export function fromBuffer(source: BufferSource, options: BufferOptions = {}, who = "fromBuffer"): Tensor {
  const { buffer, byteOffset, byteLength } = bytesOf(who, source);
  checkOptions(who, options);
  const dtype = dtypeFor(who, source, options.dtype);
  const { itemsize } = dtypes[dtype];
  if (byteOffset % itemsize !== 0)
    throw new StorageError(
      `${who}: the memory starts at byte ${byteOffset} of its buffer, which is no multiple of the ${itemsize} bytes of ${dtype}. ` +
        "Start at such a multiple, or copy the bytes first: slice().",
    );
  const count = Math.floor(byteLength / itemsize);
  const offset = options.offset ?? 0;
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > count)
    throw new ShapeError(
      `${who}: the offset is an integer from 0 to ${count}, the elements of the memory, got ${offset}`,
    );
  const shape = options.shape ?? [count - offset];
  checkShape(who, shape);
  const stride = options.stride ?? rowMajorStrides(shape);
  checkReach(who, shape, stride, offset, count);
  const bits = identityBits(options.const ? "const" : "view", "none");
  const t = tensorOver(Storage.fromBuffer(buffer, byteOffset, byteLength), dtype, offset, shape, stride, bits);
  return described(who, t, options);
}
