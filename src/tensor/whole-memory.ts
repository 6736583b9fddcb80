/**
 * The memory of a tensor, with a check that all elements are inside. They are, except for a ragged tile: where a tiler does not divide a
 * tensor, its last tiles reach past the end, as in CuTe. The part of such a tile that is inside can be sliced, read and written; use of the
 * whole tile throws here, so that it never touches memory of another tensor.
 */
import { type DTypeInfo, dtypes } from "../storage/dtype.ts";
import { Storage, StorageError } from "../storage/storage.ts";
import { isComposedTensor, spanOf } from "./geometry.ts";
import { describeBriefly, storageOf, type Tensor } from "./tensor.ts";

/** The storage of a tensor; throws if an element is outside. Swizzled tensors are checked element by element by `byteOffsetIn`. */
export function wholeMemory(t: Tensor, who: string): Storage {
  const storage = storageOf(t, who);
  const outside = elementOutside(t, storage);
  if (outside !== null) throw reachesPast(t, storage, outside, who);
  return storage;
}

/** The index of the element `offset` elements after element 0 in the typed array over the tensor's memory. */
export function byteOffsetIn(t: Tensor, storage: Storage, info: DTypeInfo, offset: number, who: string): number {
  const element = t.start + offset;
  if (element < 0 || (element + 1) * info.itemsize > storage.nbytes) throw reachesPast(t, storage, element, who);
  return storage.byteOffset / info.itemsize + element;
}

/** True if and only if an element is known to be outside the tensor's storage. */
export const isRagged = (t: Tensor): boolean => t.source instanceof Storage && elementOutside(t, t.source) !== null;

/** The lowest or highest element, in elements from the start of the storage, if it is outside; otherwise null. */
function elementOutside(t: Tensor, storage: Storage): number | null {
  if (t.size === 0 || isComposedTensor(t)) return null;
  const [low, high] = spanOf(t, t.start);
  if (low < 0) return low;
  return (high + 1) * dtypes[t.dtype].itemsize > storage.nbytes ? high : null;
}

function reachesPast(t: Tensor, storage: Storage, element: number, who: string): StorageError {
  const count = Math.floor(storage.nbytes / dtypes[t.dtype].itemsize);
  return new StorageError(
    `${who}: ${describeBriefly(t)} reaches element ${element} of a storage of ${count}, as a tile at the edge does. Use only the part inside: copyIf(predicate, source, destination)`,
  );
}
