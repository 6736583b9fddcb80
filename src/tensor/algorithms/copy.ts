/**
 * copy and copyAligned: element i of the source to element i of the destination, in any layouts, spaces and engines.
 *
 * Postcondition: destination(i) = source(i) for every 1-D index i, converted to the destination's dtype, as if the source had been
 * copied first if both share memory. `copyPath` selects the method and `copyPlan` describes it.
 *
 * Swizzled tensors, and the shares of threads, are copied as vectors: a list has the offset of the first element of each vector, in
 * memory order, and one kernel moves them. Plain strides need no lists.
 *
 * cooperativeCopy: one thread's share of a copy by many threads.
 *
 * Postcondition: after every thread of 0 <= threadIndex < threadCount has made its call, each element was copied exactly once.
 * Consecutive threads take adjacent vectors of memory. A vector shrinks until every thread has one, if there are enough
 * elements. Source and destination must not share memory, because the order of threads is not defined.
 */
import { IndexError, StorageError, WriteError } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { copyElements } from "../../kernel/copy.ts";
import { copyRuns } from "../../kernel/program/contiguous-runs.ts";
import type { FlatLayout } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../../layout/swizzle.ts";
import { areBytesDisjoint } from "../../storage/byte-range.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import type { Storage } from "../../storage/storage.ts";
import { copyWithoutAxes, moveLists, type Scatter, upTo } from "../copy-all.ts";
import { indexReader } from "../elements.ts";
import { isComposedTensor, isStaticTensor } from "../geometry.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";
import { byteOffsetIn, wholeMemory } from "../whole-memory.ts";
import { addressOf, type CopyPath, copyPath, maxVectorBits } from "./copy-path.ts";
import { elementWriter, noteWrite } from "./destination.ts";
import { mayDisturb, undisturbedReader } from "./in-order.ts";

/** Copies all elements. The sizes must be equal; the shapes may differ. */
export function copy(source: Tensor, destination: Tensor): void {
  copyAlong(copyPath(source, destination, "copy"), source, destination, "copy");
}

/** Copies all elements of tensors that begin at a multiple of 128 bits, as CuTe's copy_aligned assumes. Throws for other tensors. */
export function copyAligned(source: Tensor, destination: Tensor): void {
  const path = copyPath(source, destination, "copyAligned");
  checkAligned(source, "source");
  checkAligned(destination, "destination");
  copyAlong(path, source, destination, "copyAligned");
}

function checkAligned(t: Tensor, role: string): void {
  if (computedEngine(t, "copyAligned") !== null) return;
  const address = addressOf(t, "copyAligned");
  if (address % (maxVectorBits / 8) === 0) return;
  throw new StorageError(
    `copyAligned: the ${role} ${describeBriefly(t)} begins at 0x${address.toString(16)}, which is not a multiple of ${maxVectorBits} bits. Use copy(source, destination)`,
  );
}

/** Copies along a path. */
export function copyAlong(path: CopyPath, source: Tensor, destination: Tensor, who: string): void {
  if (destination.size > 0) moveAll(path, source, destination, who);
  noteWrite(destination);
}

function moveAll(path: CopyPath, source: Tensor, destination: Tensor, who: string): void {
  const { kind, vector } = path;
  switch (kind) {
    case "block":
    case "strided":
      moveStrided(path, 1, source, source.dtype, destination, destination.dtype, who);
      break;
    case "vector": {
      const wide = vectorTypes[vector * dtypes[source.dtype].itemsize];
      if (isComposedTensor(source) || isComposedTensor(destination))
        moveVectors(source, destination, path, vector, 0, 1, who);
      else moveStrided(path, vector, source, wide, destination, wide, who);
      break;
    }
    case "elementwise":
      moveOneByOne(source, destination, who);
      break;
    default:
      kind satisfies never;
  }
}

/** A dtype by its number of bytes: elements of one dtype are moved as bits. */
const vectorTypes: Readonly<Record<number, DType>> = { 2: "int16", 4: "int32", 8: "complex64", 16: "complex128" };

/** Copies by the loop nest of the path: each `vector` elements are moved as one element of a wider dtype. */
function moveStrided(
  path: CopyPath,
  vector: number,
  source: Tensor,
  fromType: DType,
  destination: Tensor,
  toType: DType,
  who: string,
): void {
  const modes = path.modes as FlatLayout;
  const [read, written] = [wholeMemory(source, who), wholeMemory(destination, who)];
  if (fromType === toType && moveFew(source, read, destination, written, modes)) return;
  const { sizes, strides } = modes;
  const shape = sizes.with(0, path.run / vector);
  const [from, to] = strides.map((operandStrides) =>
    operandStrides.map((step, d) => (d === 0 ? step : step / vector)),
  ) as [number[], number[]];
  const isStatic = isStaticTensor(source) && isStaticTensor(destination);
  copyElements(
    { storage: read, dtype: fromType, offset: source.start / vector, shape, stride: from, isStatic },
    { storage: written, dtype: toType, offset: destination.start / vector, shape, stride: to, isStatic },
  );
}

/** Up to this many elements, a loop takes less time than building a program: a tile of 32 takes 4 us instead of 18. Only tests change it. */
export const few = { elements: 256 };

/** Copies few elements of one dtype. Copies nothing and returns false if there are many, if the storages share bytes, or if they are unaligned. */
function moveFew(source: Tensor, read: Storage, destination: Tensor, written: Storage, modes: FlatLayout): boolean {
  if (destination.size > few.elements) return false;
  const memory = written.writable();
  const { itemsize } = dtypes[source.dtype];
  const from = read.byteOffset / itemsize + source.start;
  const to = written.byteOffset / itemsize + destination.start;
  if (!areBytesDisjoint(written, read) || !Number.isInteger(from) || !Number.isInteger(to)) return false;
  const [[run, ...counts], [[, ...sourceSteps], [, ...targetSteps]]] = [modes.sizes, modes.strides];
  copyRuns(itemsize, run, counts, read.readable(), from, sourceSteps, memory, to, targetSteps);
  return true;
}

function moveOneByOne(source: Tensor, destination: Tensor, who: string): void {
  if (computedEngine(source, who) === null && computedEngine(destination, who) === null) {
    copyWithoutAxes(source, destination, who);
    return;
  }
  const isStored = computedEngine(destination, who) === null;
  const read = undisturbedReader(source, destination, who, isStored ? "bigint" : "number");
  const write = elementWriter(destination, who);
  for (let i = 0; i < destination.size; i++) write(i, read(i));
}

/** Moves the `vector`-element vectors with the numbers `first`, `first + step`, ... below the number of vectors. */
function moveVectors(
  source: Tensor,
  destination: Tensor,
  path: CopyPath,
  vector: number,
  first: number,
  step: number,
  who: string,
): void {
  const modes = path.modes as FlatLayout;
  const inside = (operand: number): Float64Array => offsetsOfVectors(modes, operand, vector, first, step);
  moveLists(listed(source, inside(0), vector, who), listed(destination, inside(1), vector, who));
}

/** Returns the offset of each vector in the strides of one side, before any swizzle. */
function offsetsOfVectors(
  { sizes, strides }: FlatLayout,
  operand: number,
  vector: number,
  first: number,
  step: number,
): Float64Array {
  const steps = strides[operand];
  const inRun = sizes[0] / vector;
  let count = inRun;
  for (let axis = 1; axis < sizes.length; axis++) count *= sizes[axis];
  const offsets = new Float64Array(Math.max(0, Math.ceil((count - first) / step)));
  for (let k = 0; k < offsets.length; k++) {
    const j = first + k * step;
    let rest = Math.floor(j / inRun);
    let offset = (j % inRun) * vector;
    for (let axis = 1; rest > 0; axis++) {
      const digit = rest % sizes[axis];
      offset += digit * steps[axis];
      rest = (rest - digit) / sizes[axis];
    }
    offsets[k] = offset;
  }
  return offsets;
}

/** Returns the offsets of the vectors of a tensor; throws if one reaches past the storage. */
function listed(t: Tensor, offsets: Float64Array, vector: number, who: string): Scatter {
  const storage = wholeMemory(t, who);
  const info = dtypes[t.dtype];
  const [swizzle, start] = swizzleOf(t);
  const outer =
    swizzle === null
      ? offsets
      : offsets.map((inside) => {
          const offset = applySwizzle(swizzle, start + inside);
          byteOffsetIn(t, storage, info, offset, who);
          byteOffsetIn(t, storage, info, offset + vector - 1, who);
          return offset;
        });
  return { storage, dtype: t.dtype, start: t.start, outer, inner: upTo(vector) };
}

function swizzleOf(t: Tensor): readonly [Swizzle | null, number] {
  if (!isComposedTensor(t)) return [null, 0];
  const { outer, offset } = t.layout as ComposedLayout;
  return [isSwizzle(outer) ? outer : null, knownValue(offset) ?? 0];
}

/** Copies the part of the source that belongs to one of `threadCount` threads. */
export function cooperativeCopy(threadCount: number, threadIndex: number, source: Tensor, destination: Tensor): void {
  const who = "cooperativeCopy";
  if (!Number.isInteger(threadCount) || threadCount < 1)
    throw new IndexError(`${who}: the number of threads must be a positive integer, got ${String(threadCount)}`);
  if (!Number.isInteger(threadIndex) || threadIndex < 0 || threadIndex >= threadCount)
    throw new IndexError(`${who}: there is no thread ${String(threadIndex)}, threads are 0 to ${threadCount - 1}`);
  const path = copyPath(source, destination, who);
  if (mayDisturb(destination, source, who))
    throw new WriteError(
      `${who}: source and destination share memory, so a thread may overwrite elements before another reads them. Copy from a clone()`,
    );
  if (path.modes !== null && destination.size > 0) {
    const vector = sharedVector(path.vector, destination.size, threadCount);
    moveVectors(source, destination, path, vector, threadIndex, threadCount, who);
  } else {
    const isStored = computedEngine(destination, who) === null;
    const read = indexReader(source, who, isStored ? "bigint" : "number");
    const write = elementWriter(destination, who);
    for (let i = threadIndex; i < destination.size; i += threadCount) write(i, read(i));
  }
  noteWrite(destination);
}

/** Returns the widest vector such that every thread has at least one. */
function sharedVector(vector: number, size: number, threads: number): number {
  if (size % threads === 0) return gcd(vector, size / threads);
  let shared = vector;
  while (shared > 1 && size / shared < threads) shared /= 2;
  return shared;
}
