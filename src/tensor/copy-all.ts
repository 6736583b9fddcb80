/**
 * Copies all elements of one tensor to another of the same size, in the order of their 1-D indices, whatever engines and layouts
 * they have. Where both have storage and strides with a common refinement, one strided kernel moves everything; between other
 * storages offsets are listed first; elements of engines that compute move one by one.
 */
import { listOf } from "../base/list-of.ts";
import { copyElements } from "../kernel/copy.ts";
import { moveScattered, type Scattered } from "../kernel/gather.ts";
import { offsetAt } from "../layout/queries.ts";
import { areBytesDisjoint } from "../storage/byte-range.ts";
import { deviceKeys } from "../storage/device.ts";
import { type DType, dtypes } from "../storage/dtype.ts";
import { Storage, StorageError } from "../storage/storage.ts";
import { indexReader, indexWriter } from "./elements.ts";
import { isComposedTensor } from "./geometry.ts";
import { commonLayout, refinedOperands } from "./lowering.ts";
import { computedEngine, type Tensor } from "./tensor.ts";
import { byteOffsetIn, wholeMemory } from "./whole-memory.ts";

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && !isComposedTensor(t);

/** True for a tensor without memory. */
export const isMeta = ({ source }: Tensor): boolean => source instanceof Storage && source.keys === deviceKeys.meta;

/** Copies element i of `from` to element i of `to` for every i, converting the dtype. */
export function copyAll(from: Tensor, to: Tensor, who: string): void {
  if (to.size === 0) return;
  if (isMeta(to)) return;
  if (isMeta(from))
    throw new StorageError(
      `${who}: cannot copy out of a meta tensor, which has only shape and dtype. Create it on the cpu`,
    );
  const refined = hasStrides(from, who) && hasStrides(to, who) ? commonLayout(from, to) : undefined;
  if (refined === undefined) {
    copyWithoutAxes(from, to, who);
    return;
  }
  const [source, target] = refinedOperands(from, to, refined, who);
  copyElements(source, target);
}

/** The same for tensors without common axes: a swizzle, tiles that do not divide each other, a computed engine. */
export function copyWithoutAxes(from: Tensor, to: Tensor, who: string): void {
  if (computedEngine(from, who) === null && computedEngine(to, who) === null) {
    moveLists(offsetsOf(from, who), offsetsOf(to, who));
    return;
  }
  const read = indexReader(from, who);
  const write = indexWriter(to, who);
  // A source that shares the engine is read before anything is written.
  const values = from.source === to.source ? listOf(to.size, (i) => read(i)) : null;
  for (let i = 0; i < to.size; i++) write(i, values === null ? read(i) : (values[i] as never));
}

/** The offset of each element of a tensor, by its 1-D index; throws if one is outside the storage. */
function offsetsOf(t: Tensor, who: string): Scatter {
  const storage = wholeMemory(t, who);
  const { layout, dtype, start } = t;
  const outer = new Float64Array(t.size);
  for (let i = 0; i < t.size; i++) {
    const offset = offsetAt(layout, i);
    byteOffsetIn(t, storage, dtypes[dtype], offset, who);
    outer[i] = offset;
  }
  return { storage, dtype, start, outer, inner: upTo(1) };
}

/** Offsets in a storage, and the dtype of the elements. */
export interface Scatter extends Scattered {
  readonly storage: Storage;
  readonly dtype: DType;
}

/** Copies element (k, r) of `from` to element (k, r) of `to`, as if all were read before the first is written. */
export function moveLists(from: Scatter, to: Scatter): void {
  if (from.dtype === to.dtype && areBytesDisjoint(from.storage, to.storage)) {
    moveScattered(from, to, to.dtype);
    return;
  }
  const rows = [row(from)];
  try {
    moveScattered(from, rows[0], from.dtype);
    if (from.dtype !== to.dtype) {
      rows.push(row(to));
      copyElements(asOperand(rows[0]), asOperand(rows[1]));
    }
    moveScattered(rows[rows.length - 1], to, to.dtype);
  } finally {
    for (const { storage } of rows) storage.release();
  }
}

/** Returns new memory for the elements of an operand, in row-major order. */
function row({ outer, inner, dtype }: Scatter): Scatter {
  const storage = Storage.allocate(outer.length * inner.length * dtypes[dtype].itemsize);
  return {
    storage,
    dtype,
    start: 0,
    outer: Float64Array.from(outer, (_, k) => k * inner.length),
    inner: upTo(inner.length),
  };
}

function asOperand({ storage, dtype, outer, inner }: Scatter) {
  return { storage, dtype, offset: 0, shape: [outer.length * inner.length], stride: [1] };
}

/** Returns 0, 1, ..., count - 1. */
export const upTo = (count: number): Float64Array => Float64Array.from({ length: count }, (_, k) => k);
