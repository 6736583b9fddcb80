/**
 * Common axes of the tensors of a kernel: broadcasting by strides of 0, and a common refinement of nested modes.
 * Modes are aligned from the last one, as in PyTorch, and elements of a mode by their index in it.
 */
import { ShapeError } from "../base/errors.ts";
import { type FlatLayout, flatLayout, refineFlat } from "../layout/flat.ts";
import { knownValue } from "../layout/int.ts";
import type { Layout } from "../layout/layout.ts";
import { leaves, type Nested } from "../layout/tuple.ts";
import { formsOf, isComposedTensor, isFlat, sizeAt, strideAt } from "../tensor/geometry.ts";
import { describeBriefly, type Tensor } from "../tensor/tensor.ts";

/** Returns the shape that the tensors broadcast to; errors use `names`. */
export function commonShape(who: string, tensors: readonly Tensor[], names: readonly string[]): number[] {
  let rank = 0;
  for (let k = 0; k < tensors.length; k++) rank = Math.max(rank, tensors[k].rank);
  const shape: number[] = [];
  for (let axis = 0; axis < rank; axis++) {
    let size = 1;
    let first = 0;
    for (let k = 0; k < tensors.length; k++) {
      const t = tensors[k];
      const own = axis - rank + t.rank;
      const ownSize = own < 0 ? 1 : sizeAt(t, own);
      if (ownSize === 1 || ownSize === size) continue;
      if (size !== 1)
        throw new ShapeError(
          `${who}: the size of ${names[first]} (${size}) must match the size of ${names[k]} (${ownSize}) at axis ${axis}, ` +
            `got ${describeBriefly(tensors[first])} and ${describeBriefly(t)}`,
        );
      size = ownSize;
      first = k;
    }
    shape.push(size);
  }
  return shape;
}

/** Returns row-major axes in which each tensor has strides; null if a tensor is swizzled or nested modes have no common refinement. */
export function commonAxes(who: string, tensors: readonly Tensor[], shape: readonly number[]): FlatLayout | null {
  if (tensors.some((t) => !isFlat(t))) return nestedAxes(who, tensors, shape);
  return { sizes: shape, strides: tensors.map((t) => broadcastStrides(t, shape)), starts: startsOf(tensors) };
}

/** Returns the strides of a flat tensor in the axes of the shape; 0 where it is broadcast. */
export function broadcastStrides(t: Tensor, shape: readonly number[]): number[] {
  const missing = shape.length - t.rank;
  const strides = shape.slice();
  for (let axis = 0; axis < strides.length; axis++) {
    const own = axis - missing;
    strides[axis] = own < 0 || (sizeAt(t, own) === 1 && shape[axis] !== 1) ? 0 : strideAt(t, own);
  }
  return strides;
}

function nestedAxes(who: string, tensors: readonly Tensor[], shape: readonly number[]): FlatLayout | null {
  if (tensors.some((t) => isComposedTensor(t))) return null;
  const forms = tensors.map((t) => (isFlat(t) ? null : (formsOf(t, who) as Layout[])));
  const sizes: number[] = [];
  const strides: number[][] = tensors.map(() => []);
  for (let axis = 0; axis < shape.length; axis++) {
    if (shape[axis] === 0) return { sizes: [0], strides: tensors.map(() => [0]), starts: startsOf(tensors) };
    const refined = refineFlat(
      tensors.map((t, k): FlatLayout => {
        const own = axis - shape.length + t.rank;
        if (own < 0 || sizeAt(t, own) !== shape[axis]) return flatLayout([shape[axis]], [0]);
        const form = forms[k];
        if (form == null) return flatLayout([shape[axis]], [strideAt(t, own)]);
        return flatLayout(numbers(form[own]?.shape), numbers(form[own]?.stride));
      }),
    );
    if (refined === undefined) return null;
    for (let d = refined.sizes.length - 1; d >= 0; d--) {
      sizes.push(refined.sizes[d]);
      for (let k = 0; k < tensors.length; k++) strides[k].push(refined.strides[k][d]);
    }
  }
  return { sizes, strides, starts: startsOf(tensors) };
}

const startsOf = (tensors: readonly Tensor[]): number[] => tensors.map(({ start }) => start);

const numbers = (tuple: unknown): number[] =>
  leaves(tuple as Nested<unknown>).map((leaf) => knownValue(leaf as never) as number);
