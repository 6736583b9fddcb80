/**
 * Several tensors as operands of one strided loop: their layouts cut into common axes, the fastest first.
 * Null where no such loop exists: an engine that computes, a swizzle, or cuts that do not divide each other. The
 * algorithms then go element by element.
 */
import type { Operand } from "../../kernel/operand.ts";
import { type FlatLayout, refineFlat } from "../../layout/flat.ts";
import { flatLayoutOf, isStaticTensor, nestedBit } from "../geometry.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";

/** True if the layout is composed: a swizzle, or another function, over strides. Makes no layout where the numbers say all. */
export const isComposedTensor = (t: Tensor): boolean => (t.bits & nestedBit) !== 0 && "inner" in t.layout;

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && !isComposedTensor(t);

/**
 * The axes of one loop over all tensors, or null.
 *
 * Promises: for every index i, the offset of element i of tensor k is the dot product of i's digits with strides[k].
 */
export function stridedAxes(tensors: readonly Tensor[], who: string): FlatLayout | null {
  for (let k = 0; k < tensors.length; k++) if (!hasStrides(tensors[k] as Tensor, who)) return null;
  return refineFlat(tensors.map(flatLayoutOf)) ?? null;
}

/** Tensor `k` as an operand whose row-major order is the order of 1-D indices. */
export function operandInOrder(t: Tensor, axes: FlatLayout, k: number, who: string): Operand {
  return {
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: axes.starts[k] as number,
    shape: axes.sizes.toReversed(),
    stride: (axes.strides[k] as readonly number[]).toReversed(),
    isStatic: isStaticTensor(t),
  };
}
