/**
 * Converts between tensors and the arrays of files; the only file of this folder that imports tensors.
 * A tensor is created over a copy of the bytes in the library's memory, or over the bytes themselves. An array is a view of a tensor's bytes if
 * they are in C or Fortran order, else of a copy. Views end when the memory grows, so they are used immediately or held by a `Snapshot`.
 */

import { StridewiseError } from "../base/errors.ts";
import { foreign } from "../base/foreign.ts";
import { boot } from "../boot.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { setBytes } from "../storage/set-bytes.ts";
import { Storage } from "../storage/storage.ts";
import { clone } from "../tensor/clone.ts";
import { isRowMajor, rowMajorStrides } from "../tensor/contiguity.ts";
import { modeStrides } from "../tensor/geometry.ts";
import { computedEngine, identityBits, storageOf, Tensor, tensorOver } from "../tensor/tensor.ts";
import type { Shape } from "../tensor/types/types.ts";
import { wholeMemory } from "../tensor/whole-memory.ts";
import { entriesOf, type RawArray } from "./raw-array.ts";
import { describe } from "./source.ts";

export type { Tensor } from "../tensor/tensor.ts";

/** A tensor from a file: its shape and dtype are known when it is read. */
export type FileTensor = Tensor<Shape, DType>;

/** Tensors by name, in either form. */
export type Tensors = ReadonlyMap<string, Tensor> | Readonly<Record<string, Tensor>>;

/** A tensor with a copy of the array's elements. */
export function copyToTensor(array: RawArray): FileTensor {
  boot();
  const { length } = array.bytes;
  const storage = Storage.allocate(length);
  if (length > 0) setBytes(bytesOf(storage), 0, array.bytes);
  return tensorOver(storage, array.dtype, 0, array.shape, stridesOf(array)) as FileTensor;
}

/** The bytes of a storage; they are valid until the library's memory next grows. */
function bytesOf(storage: Storage): Uint8Array {
  const { buffer } = storage.writable();
  return new Uint8Array(buffer, storage.byteOffset, storage.nbytes);
}

/** The memory of a tensor that is being read, so that a reader can write its bytes without a copy. */
export class Destination {
  #storage: Storage | null = null;
  #bytes: Uint8Array | null = null;

  /** Allocates the bytes of the next tensor. They are valid until the library's memory next grows. */
  readonly allocate = (length: number): Uint8Array => {
    boot();
    this.release();
    this.#storage = Storage.allocate(length);
    this.#bytes = bytesOf(this.#storage);
    return this.#bytes;
  };

  /** Allocates the same for a read that ends in a later turn; undefined if growth could detach the bytes before that. */
  readonly allocateForRead = (length: number): Uint8Array | undefined => {
    const bytes = length === 0 ? undefined : this.allocate(length);
    if (bytes === undefined || isShared(bytes.buffer) || (this.#storage as Storage).isOverflow) return bytes;
    this.release();
    return undefined;
  };

  /** The tensor of an array that was read into the bytes allocated last, or that is copied there if it is elsewhere. */
  toTensor(array: RawArray): FileTensor {
    const storage = this.#storage;
    if (storage === null || storage.nbytes !== array.bytes.length) return copyToTensor(array);
    if (array.bytes !== this.#bytes) setBytes(bytesOf(storage), 0, array.bytes);
    this.#storage = null;
    return tensorOver(storage, array.dtype, 0, array.shape, stridesOf(array)) as FileTensor;
  }

  /** Frees the bytes of a tensor that could not be read. */
  release(): void {
    this.#storage?.release();
    this.#storage = null;
  }
}

/** A tensor that shares the bytes of the array; a copy only if they are not aligned to the item size. */
export function shareAsTensor(array: RawArray): FileTensor {
  boot();
  const { bytes, dtype } = array;
  if (bytes.byteOffset % dtypes[dtype].itemsize !== 0 || bytes.length === 0) return copyToTensor(array);
  const storage = Storage.fromBuffer(bytes.buffer, bytes.byteOffset, bytes.length);
  return tensorOver(storage, dtype, 0, array.shape, stridesOf(array), identityBits("view", "none")) as FileTensor;
}

function stridesOf({ shape, order }: RawArray): number[] {
  return order === "C" ? rowMajorStrides(shape) : rowMajorStrides([...shape].reverse()).reverse();
}

/** A tensor whose bytes can be viewed directly, or an array that was copied because they cannot. */
type Prepared = { readonly tensor: Tensor; readonly storage: Storage; readonly order: "C" | "F" } | RawArray;

/** Performs all allocations, so that views created afterward stay valid. */
function prepare(who: string, tensor: Tensor, name?: string): Prepared {
  if (!(tensor instanceof Tensor))
    throw new StridewiseError(
      `${who}: ${name === undefined ? "needs" : `"${name}" must be`} a tensor, got ${describe(tensor)}. Create one first: tensor(...) or fromBuffer(...)`,
    );
  const owner = name === undefined ? who : `${who}: ${name}`;
  const order = computedEngine(tensor, owner) === null ? orderOf(tensor) : undefined;
  if (order !== undefined) {
    const storage = wholeMemory(tensor, owner);
    if (tensor.size > 0) storage.readable();
    return { tensor, storage, order };
  }
  const dense = clone(tensor, "contiguous");
  const array = windowOf(dense, storageOf(dense, owner), "C");
  const copy = { ...array, bytes: array.bytes.slice() };
  dense.dispose();
  return copy;
}

/** The order of elements that fill a range of memory; undefined if there are gaps. */
function orderOf(tensor: Tensor): "C" | "F" | undefined {
  if (tensor.isContiguous()) return "C";
  const strides = modeStrides(tensor);
  return strides !== null && isRowMajor([...tensor.shape].reverse(), [...strides].reverse()) ? "F" : undefined;
}

function windowOf(tensor: Tensor, storage: Storage, order: "C" | "F"): RawArray {
  const { dtype, shape, nbytes, itemsize } = tensor;
  if (nbytes === 0) return { dtype, shape, order, bytes: new Uint8Array(0) };
  const memory = storage.readable();
  const { buffer } = memory;
  // Throws the error of a buffer that was transferred.
  if (buffer.byteLength === 0) memory.array("u8");
  const bytes = new Uint8Array(buffer, storage.byteOffset + tensor.storageOffset * itemsize, nbytes);
  return { dtype, shape, order, bytes };
}

/** The array of a tensor; its bytes are valid until the library's memory next grows. */
export function toRawArray(who: string, tensor: Tensor): RawArray {
  const prepared = prepare(who, tensor);
  return "bytes" in prepared ? prepared : windowOf(tensor, prepared.storage, prepared.order);
}

/** The arrays of tensors by name; their bytes are valid until the library's memory next grows. */
export function toRawArrays(who: string, tensors: Tensors): Map<string, RawArray> {
  const arrays = new Map<string, RawArray>();
  for (const [name, prepared] of prepareAll(who, tensors))
    arrays.set(name, "bytes" in prepared ? prepared : windowOf(prepared.tensor, prepared.storage, prepared.order));
  return arrays;
}

function prepareAll(who: string, tensors: Tensors): [string, Prepared][] {
  if (typeof tensors !== "object" || tensors === null || tensors instanceof Tensor || foreign(tensors))
    throw new StridewiseError(`${who}: needs tensors by name, such as { weight: x }, got ${describe(tensors)}.`);
  if (typeof (tensors as { stateDict?: unknown }).stateDict === "function")
    throw new StridewiseError(`${who}: needs tensors by name, got a model. Pass model.stateDict().`);
  return entriesOf(tensors).map(([name, tensor]) => [name, prepare(who, tensor, name)]);
}

/** The values of tensors at one time, unaffected by later writes. */
export interface Snapshot {
  readonly arrays: ReadonlyMap<string, RawArray>;
  /** Releases the bytes. */
  release(): void;
}

/**
 * Takes a snapshot of the values of tensors.
 *
 * A tensor that fills its storage is copied only if it is written to before `release`: its storage is cloned lazily.
 */
export function takeSnapshot(who: string, tensors: Tensors): Snapshot {
  const storages: Storage[] = [];
  const arrays = new Map<string, RawArray>();
  for (const [name, prepared] of prepareAll(who, tensors)) {
    if ("bytes" in prepared) {
      arrays.set(name, prepared);
      continue;
    }
    const { tensor, storage, order } = prepared;
    const array = windowOf(tensor, storage, order);
    const isWhole = storage.allocator !== null && storage.nbytes === array.bytes.length && array.bytes.length > 0;
    // A view of unshared memory ends when that memory grows, so it is copied; so is a storage that is watched.
    if (isWhole && !storage.isWatched && (storage.isOverflow || isShared(array.bytes.buffer))) {
      storages.push(storage.lazyClone());
      arrays.set(name, array);
    } else arrays.set(name, { ...array, bytes: array.bytes.slice() });
  }
  return {
    arrays,
    release: () => {
      for (const storage of storages.splice(0)) storage.release();
    },
  };
}

const isShared = (buffer: ArrayBufferLike): boolean =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";
