/**
 * The vectors of a copy path, numbered in the memory order of both tensors: vector 0 is the first part of the run.
 * Where each begins is listed, and one kernel moves them. This is how swizzled tensors are copied and how threads share a
 * copy; plain strides need no lists.
 */
import type { FlatLayout } from "../../layout/flat.ts";
import { knownValue } from "../../layout/int.ts";
import type { ComposedLayout } from "../../layout/layout.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../../layout/swizzle.ts";
import { dtypes } from "../../storage/dtype.ts";
import { moveLists, type Places, upTo } from "../move-lists.ts";
import type { Tensor } from "../tensor.ts";
import { placeIn, wholeMemory } from "../whole-memory.ts";
import type { CopyPath } from "./copy-path.ts";
import { isComposedTensor } from "./strided-axes.ts";

/** Moves the `vector`-element vectors with the numbers `first`, `first + step`, ... below the number of vectors. */
export function moveVectors(
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
  const steps = strides[operand] as readonly number[];
  const inRun = (sizes[0] as number) / vector;
  let count = inRun;
  for (let axis = 1; axis < sizes.length; axis++) count *= sizes[axis] as number;
  const offsets = new Float64Array(Math.max(0, Math.ceil((count - first) / step)));
  for (let k = 0; k < offsets.length; k++) {
    const j = first + k * step;
    let rest = Math.floor(j / inRun);
    let offset = (j % inRun) * vector;
    for (let axis = 1; rest > 0; axis++) {
      const digit = rest % (sizes[axis] as number);
      offset += digit * (steps[axis] as number);
      rest = (rest - digit) / (sizes[axis] as number);
    }
    offsets[k] = offset;
  }
  return offsets;
}

/** The vectors of a tensor as places; refused where one does not end inside the storage. */
function places(t: Tensor, offsets: Float64Array, vector: number, who: string): Places {
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
