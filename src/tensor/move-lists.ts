/**
 * Moving elements between listed places of two storages, converted where the dtypes differ: by way of rows of memory in between.
 */
import { copyElements } from "../kernel/copy.ts";
import { moveScattered, type Scattered } from "../kernel/gather.ts";
import { areApart } from "../storage/byte-range.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage } from "../storage/storage.ts";

/** Places in a storage, and the dtype of what lies there. */
export interface Places extends Scattered {
  readonly storage: Storage;
  readonly dtype: DType;
}

/** Element (k, r) of `from` to element (k, r) of `to`, for all of them, as if all had been read before the first is written. */
export function moveLists(from: Places, to: Places): void {
  if (from.dtype === to.dtype && areApart(from.storage, to.storage)) {
    moveScattered(from, to, to.dtype);
    return;
  }
  const taken = row(from);
  moveScattered(from, taken, from.dtype);
  if (from.dtype === to.dtype) moveScattered(taken, to, to.dtype);
  else {
    const given = row(to);
    copyElements(asOperand(taken), asOperand(given));
    moveScattered(given, to, to.dtype);
    given.storage.release();
  }
  taken.storage.release();
}

/** As many elements in a row, in memory of their own. */
function row({ outer, inner, dtype }: Places): Places {
  const storage = Storage.allocate(outer.length * inner.length * dtypes[dtype].itemsize);
  return {
    storage,
    dtype,
    start: 0,
    outer: Float64Array.from(outer, (_, k) => k * inner.length),
    inner: upTo(inner.length),
  };
}

function asOperand({ storage, dtype, outer, inner }: Places) {
  return { storage, dtype, offset: 0, shape: [outer.length * inner.length], stride: [1] };
}

/** 0, 1, ... below a count. */
export const upTo = (count: number): Float64Array => Float64Array.from({ length: count }, (_, k) => k);
