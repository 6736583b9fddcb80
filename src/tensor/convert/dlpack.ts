/**
 * A tensor as a DLPack descriptor, for other libraries of the same process: where the bytes are, sizes, strides, and the
 * dtype as (code, bits, lanes). Nothing is copied. As in DLPack, whoever takes a descriptor calls its deleter once when done; the
 * memory stays until then. A JavaScript program has no pointers, so the descriptor has the buffer and a byte offset in addition to the address.
 */
import { StridewiseError } from "../../base/errors.ts";
import { DataPtr } from "../../storage/data-ptr.ts";
import { type DType, DTypeError, dtypeNames, dtypes } from "../../storage/dtype.ts";
import { isBuffer, memoryOf } from "../../storage/memory.ts";
import { Storage, StorageError } from "../../storage/storage.ts";
import { dataPtr } from "../access/access.ts";
import { rowMajorStrides } from "../contiguity.ts";
import { describeValue } from "../describe-value.ts";
import { sizesOf, stridesOf } from "../geometry.ts";
import { identityBits, sameView, type Tensor, tensorOver } from "../tensor.ts";
import { checkReach, checkShape } from "../views/view-shape.ts";
import { wholeMemory } from "../whole-memory.ts";

/** DLPack's DLDataType: code 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool. */
export interface DLDataType {
  readonly code: number;
  readonly bits: number;
  readonly lanes: number;
}

/** DLPack's DLManagedTensor, with a buffer in place of a pointer. */
export interface DLTensor {
  /** The address of element 0, for comparing. */
  readonly data: number;
  readonly buffer: ArrayBufferLike;
  /** Bytes from the start of the buffer to element 0. */
  readonly byteOffset: number;
  /** type 1 is the CPU. */
  readonly device: { readonly type: number; readonly id: number };
  readonly dtype: DLDataType;
  readonly shape: readonly number[];
  /** In elements; null: row-major. */
  readonly strides: readonly number[] | null;
  readonly readOnly: boolean;
  /** Releases the memory; a second call does nothing. */
  deleter?(): void;
}

const cpuType = 1;

function codeOf(dtype: DType): number {
  switch (dtypes[dtype].category) {
    case "bool":
      return 6;
    case "complex":
      return 5;
    case "float":
      return dtype === "bfloat16" ? 4 : 2;
    case "integer":
      return dtype.startsWith("u") ? 1 : 0;
  }
}

const dlDataType = (dtype: DType): DLDataType => ({
  code: codeOf(dtype),
  bits: dtypes[dtype].itemsize * 8,
  lanes: 1,
});

/** The descriptor of a tensor; it holds the memory until its deleter is called. */
export function toDLPack(t: Tensor): DLTensor {
  const storage = wholeMemory(t, "toDLPack");
  if (t.device.type !== "cpu")
    throw new StorageError(`toDLPack: only CPU tensors can be exported, got device ${t.device.type}`);
  const strides = stridesOf(t, "toDLPack");
  storage.takeRawWindow();
  const data = dataPtr(t);
  const view = sameView(t);
  return {
    data,
    buffer: storage.readable().buffer,
    byteOffset: storage.byteOffset + t.start * t.itemsize,
    device: { type: cpuType, id: 0 },
    dtype: dlDataType(t.dtype),
    shape: sizesOf(t),
    strides,
    readOnly: t.ownership === "const",
    deleter: () => view.endWith("disposed by its deleter"),
  };
}

function dtypeFor({ code, bits, lanes }: DLDataType): DType {
  const dtype = dtypeNames.find((name) => codeOf(name) === code && dtypes[name].itemsize * 8 === bits);
  if (dtype !== undefined && lanes === 1) return dtype;
  throw new DTypeError(
    `fromDLPack: there is no dtype for (code ${code}, bits ${bits}, lanes ${lanes}). Convert it first`,
  );
}

/** A tensor over the memory of a descriptor, without a copy; the deleter runs when the last such tensor is freed. */
export function fromDLPack(descriptor: DLTensor): Tensor {
  if (typeof descriptor !== "object" || descriptor === null || !isBuffer(descriptor.buffer))
    throw new StridewiseError(`fromDLPack: needs a descriptor from toDLPack(), got ${describeValue(descriptor)}`);
  if (descriptor.device.type !== cpuType)
    throw new StorageError(`fromDLPack: only device type 1, the CPU, can be read here, got ${descriptor.device.type}`);
  const dtype = dtypeFor(descriptor.dtype);
  const { itemsize } = dtypes[dtype];
  const { buffer, byteOffset, shape } = descriptor;
  checkShape("fromDLPack", shape);
  const strides = descriptor.strides ?? rowMajorStrides(shape);
  if (!Number.isSafeInteger(byteOffset) || byteOffset < 0 || byteOffset % itemsize !== 0)
    throw new StorageError(
      `fromDLPack: byte offset ${byteOffset} is not a multiple of the ${itemsize} bytes of ${dtype}; copy the bytes first`,
    );
  const offset = byteOffset / itemsize;
  const [low, high] = checkReach("fromDLPack", shape, strides, offset, Math.floor(buffer.byteLength / itemsize));
  const context = { deleter: () => descriptor.deleter?.() };
  const address = { memory: memoryOf(buffer), byteOffset: low * itemsize };
  const pointer = new DataPtr(address, context, (source) => source.deleter());
  const storage = Storage.wrap(pointer, (high - low + 1) * itemsize);
  const bits = identityBits(descriptor.readOnly ? "const" : "view", "none");
  return tensorOver(storage, dtype, offset - low, shape, strides, bits);
}
