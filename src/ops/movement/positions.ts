/**
 * Indices of nonzero elements, read from memory and returned as tensors of integers.
 */
import { contiguous, to } from "../../tensor/clone.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Tensor } from "../../tensor/tensor.ts";
import { unbind } from "../../tensor/views/views-parts.ts";
import { elementsIn, indexTensor } from "../routine/dense-elements.ts";
import { nonzeroIndices, unravelIndices } from "../routine/nonzero.ts";

/** The indices of nonzero elements in row-major order. */
export const nonzeroIn = (t: Tensor): Int32Array =>
  nonzeroIndices(elementsIn(contiguous(to(t, "bool")), "nonzero") as Uint8Array);

/** The indices of nonzero elements in row-major order as a tensor. */
export function nonzeroTensor(t: Tensor): Tensor {
  const indices = nonzeroIn(t);
  return indexTensor(indices, [indices.length]);
}

/** One tensor of indices for each axis. */
export function nonzeroColumns(t: Tensor): Tensor[] {
  const indices = nonzeroIn(t);
  return unbind(indexTensor(unravelIndices(indices, sizesOf(t), true), [t.rank, indices.length]), 0);
}
