/**
 * Several tensors as operands of one strided loop: their layouts cut into common axes, the fastest first.
 * Null where no such loop exists: an engine that computes, a swizzle, or cuts that do not divide each other. The
 * algorithms then go element by element.
 */
import type { Operand } from "../../kernel/loops.ts";
import { commonAxes } from "../copy-all.ts";
import { leafNumbers, nestedBit } from "../geometry.ts";
import { computedEngine, type Tensor } from "../tensor.ts";
import { wholeMemory } from "../whole-memory.ts";

type Leaves = readonly [sizes: readonly number[], strides: readonly number[]];

/** One shape, the fastest axis first, and the strides of each tensor over it. */
export interface StridedAxes {
  readonly shape: readonly number[];
  readonly strides: readonly (readonly number[])[];
}

/**
 * The same function from indices to offsets in as few leaves as possible: what `coalesce` does, on numbers.
 * A swizzled layout counts by the layout inside.
 */
export function mergedLeaves(t: Tensor): Leaves {
  const [sizes, strides] = leafNumbers(t);
  const mergedSizes: number[] = [];
  const mergedStrides: number[] = [];
  let last = -1;
  for (let i = 0; i < sizes.length; i++) {
    const size = sizes[i] as number;
    const stride = strides[i] as number;
    if (size === 1) continue;
    if (last >= 0 && stride === (mergedSizes[last] as number) * (mergedStrides[last] as number))
      mergedSizes[last] = (mergedSizes[last] as number) * size;
    else {
      mergedSizes.push(size);
      mergedStrides.push(stride);
      last++;
    }
  }
  return [mergedSizes, mergedStrides];
}

/** True if the layout is composed: a swizzle, or another function, over strides. Makes no layout where the numbers say all. */
export const isComposedTensor = (t: Tensor): boolean => (t.bits & nestedBit) !== 0 && "inner" in t.layout;

const hasStrides = (t: Tensor, who: string): boolean => computedEngine(t, who) === null && !isComposedTensor(t);

/**
 * The axes of one loop over all tensors, or null.
 *
 * Promises: for every index i, the offset of element i of tensor k is the dot product of i's digits with strides[k].
 */
export function stridedAxes(tensors: readonly Tensor[], who: string): StridedAxes | null {
  for (let k = 0; k < tensors.length; k++) if (!hasStrides(tensors[k] as Tensor, who)) return null;
  const first = mergedLeaves(tensors[0] as Tensor);
  let shape = first[0];
  let strides: (readonly number[])[] = [first[1]];
  for (let k = 1; k < tensors.length; k++) {
    const next = mergedLeaves(tensors[k] as Tensor);
    const refined: (readonly number[])[] = [];
    let cut: ReturnType<typeof commonAxes> = null;
    for (const stride of strides) {
      cut = commonAxes([shape, stride], next);
      if (cut === null) return null;
      refined.push(cut.first);
    }
    if (cut === null) return null;
    shape = cut.shape;
    strides = [...refined, cut.second];
  }
  return { shape, strides };
}

/** Tensor `k` as an operand whose row-major order is the order of 1-D indices. */
export function operandInOrder(t: Tensor, axes: StridedAxes, k: number, who: string): Operand {
  return {
    storage: wholeMemory(t, who),
    dtype: t.dtype,
    offset: t.start,
    shape: axes.shape.slice().reverse(),
    stride: (axes.strides[k] as readonly number[]).slice().reverse(),
  };
}
