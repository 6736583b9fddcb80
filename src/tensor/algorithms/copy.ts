/**
 * copy and copyAligned: element i of the source to element i of the destination, in any layouts, spaces and engines.
 *
 * Promise: destination(i) = source(i) for every 1-D index i, converted to the destination's dtype, as if the source had been
 * copied away first where both share memory. `copyPath` chooses the road and `copyPlan` tells it.
 *
 * The vectors of a copy path, numbered in the memory order of both tensors: vector 0 is the first part of the run.
 * Where each begins is listed, and one kernel moves them. This is how swizzled tensors are copied and how threads share a
 * copy; plain strides need no lists.
 *
 * cooperativeCopy: one thread's share of a copy that many threads do together.
 *
 * Promise: when every thread of 0 <= threadIndex < threadCount has made its call, each element was copied exactly once.
 * Neighbouring threads take neighbouring vectors of memory. Threads come before vectors: a vector shrinks until every thread
 * has one, if there are enough elements. Source and destination must not share memory, for the order of threads is open.
 */
import { IndexError, StorageError, WriteError } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { copyElements } from "../../kernel/copy.ts";
import type { FlatLayout } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../../layout/swizzle.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { copyWithoutAxes, moveLists, type Scatter, upTo } from "../copy-all.ts";
import { indexReader } from "../elements.ts";
import { isComposedTensor, isStaticTensor } from "../geometry.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";
import { placeIn, wholeMemory } from "../whole-memory.ts";
import { addressOf, type CopyPath, copyPath, maxVectorBits } from "./copy-path.ts";
import { elementWriter, noteWrite } from "./destination.ts";
import { mayDisturb, undisturbedReader } from "./in-order.ts";

/** Copies all elements; sizes must be equal, shapes need not be. */
export function copy(source: Tensor, destination: Tensor): void {
  copyAlong(copyPath(source, destination, "copy"), source, destination, "copy");
}

/**
 * The same, where both begin at a multiple of 128 bits, as CuTe's copy_aligned assumes. The assumption is checked, and a
 * tensor that breaks it is refused.
 */
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
    `copyAligned: the ${role} ${describeBriefly(t)} begins at 0x${address.toString(16)}, which is no multiple of ${maxVectorBits} bits. Use copy(source, destination)`,
  );
}

/** Does a copy by the path that was found for it. */
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

/** A dtype of so many bytes: elements of one dtype are moved as bits, whatever they are. */
const vectorTypes: Readonly<Record<number, DType>> = { 2: "int16", 4: "int32", 8: "complex64", 16: "complex128" };

/** The loop nest of the path, `vector` elements seen as one of a wider dtype. */
function moveStrided(
  path: CopyPath,
  vector: number,
  source: Tensor,
  fromType: DType,
  destination: Tensor,
  toType: DType,
  who: string,
): void {
  const { sizes, strides } = path.modes as FlatLayout;
  const shape = sizes.with(0, path.run / vector);
  const [from, to] = strides.map((of) => of.map((step, d) => (d === 0 ? step : step / vector))) as [number[], number[]];
  const isStatic = isStaticTensor(source) && isStaticTensor(destination);
  copyElements(
    {
      storage: wholeMemory(source, who),
      dtype: fromType,
      offset: source.start / vector,
      shape,
      stride: from,
      isStatic,
    },
    {
      storage: wholeMemory(destination, who),
      dtype: toType,
      offset: destination.start / vector,
      shape,
      stride: to,
      isStatic,
    },
  );
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
  moveLists(places(source, inside(0), vector, who), places(destination, inside(1), vector, who));
}

/** The offset of each vector in the strides of one side, before any swizzle. */
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

/** The vectors of a tensor as places; refused where one does not end inside the storage. */
function places(t: Tensor, offsets: Float64Array, vector: number, who: string): Scatter {
  const storage = wholeMemory(t, who);
  const info = dtypes[t.dtype];
  const [swizzle, start] = swizzleOf(t);
  const outer =
    swizzle === null
      ? offsets
      : offsets.map((inside) => {
          const offset = applySwizzle(swizzle, start + inside);
          placeIn(t, storage, info, offset, who);
          placeIn(t, storage, info, offset + vector - 1, who);
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
    throw new IndexError(`${who}: the number of threads is ${String(threadCount)} and must be an integer from 1 up`);
  if (!Number.isInteger(threadIndex) || threadIndex < 0 || threadIndex >= threadCount)
    throw new IndexError(
      `${who}: thread ${String(threadIndex)} does not exist, ${threadCount} threads have the numbers 0..${threadCount - 1}`,
    );
  const path = copyPath(source, destination, who);
  if (mayDisturb(destination, source, who))
    throw new WriteError(
      `${who}: source and destination share memory, and a thread may overwrite what another has still to read. Copy from a clone()`,
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

/** The widest vector that leaves one for every thread. */
function sharedVector(vector: number, size: number, threads: number): number {
  if (size % threads === 0) return gcd(vector, size / threads);
  let shared = vector;
  while (shared > 1 && size / shared < threads) shared /= 2;
  return shared;
}
