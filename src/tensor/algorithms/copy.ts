/**
 * copy and copyAligned: element i of the source to element i of the destination, in any layouts, spaces and engines.
 *
 * Promise: destination(i) = source(i) for every 1-D index i, converted to the destination's dtype, as if the source had been
 * copied away first where both share memory. `copyPath` chooses the road and `copyPlan` tells it.
 */

import { StorageError } from "../../base/errors.ts";
import { copyElements } from "../../kernel/copy.ts";
import { type DType, dtypes } from "../../storage/dtype.ts";
import { copyWithoutAxes } from "../copy-all.ts";
import { isStaticTensor } from "../geometry.ts";
import { computedEngine, describeBriefly, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";
import { addressOf, type CopyPath, copyPath, maxVectorBits } from "./copy-path.ts";
import { elementWriter, noteWrite } from "./destination.ts";
import { undisturbedReader } from "./in-order.ts";
import { isComposedTensor } from "./strided-axes.ts";
import { moveVectors } from "./vectors.ts";

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
      const wide = vectorTypes[vector * dtypes[source.dtype].itemsize] as DType;
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
  const sizes = path.shape as readonly number[];
  const shape = sizes.slice();
  const from = path.from.slice();
  const to = path.to.slice();
  shape[0] = path.run / vector;
  for (let axis = 1; axis < shape.length; axis++) {
    from[axis] = (from[axis] as number) / vector;
    to[axis] = (to[axis] as number) / vector;
  }
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
