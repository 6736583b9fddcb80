/**
 * Slicing any layout, swizzled ones included. Where the swizzle acts on the slice as plain strides would, the slice is
 * a plain layout; elsewhere the swizzle stays and the fixed coordinates become its offset.
 *
 * Promise: layout(c) = offset + slice(the coordinates of c under `_`) for every coordinate c.
 */
import { type Coord, isUnderscore, type SliceCoord } from "./coord.ts";
import type { Checked, SliceFault } from "./faults.ts";
import { fitLayout, isMisfit } from "./fit.ts";
import { add, type Int, int, isStaticInt, knownValue } from "./int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  isComposed,
  joinModes,
  type Layout,
  makeComposedLayout,
  rawLayout,
} from "./layout.ts";
import { slicePlain } from "./modes.ts";
import { isStatic, offsetAt, size } from "./queries.ts";
import { type IntTuple, isTuple, leaves, type Nested } from "./tuple.ts";
import type { Sliced } from "./types.ts";

/** The slice of any layout, and the offset of the fixed coordinates. */
export function sliceAndOffset<const C extends SliceCoord, L extends AnyLayout>(
  coord: Checked<C, SliceFault<C, L>>,
  layout: L,
): readonly [slice: Sliced<C, L>, offset: IntTuple];
export function sliceAndOffset(coord: SliceCoord, layout: AnyLayout): readonly [slice: AnyLayout, offset: IntTuple] {
  if (!isComposed(layout)) return slicePlain(coord, layout);
  if (isUnderscore(coord)) return [layout, int(0)];
  const [kept, fixed] = slicePlain(coord, layout.inner);
  const composed = makeComposedLayout(layout.outer, add(layout.offset, fixed as Int), kept);
  return (isComposed(composed) && asPlain(composed)) || [composed, int(0)];
}

/** The plain layout and the offset that have the values of a composed layout, if there are such. */
export function asPlain(layout: ComposedLayout): readonly [layout: Layout, offset: Int] | undefined {
  const integers = [
    layout.offset,
    ...leaves<Int>(layout.inner.shape as Nested<Int>),
    ...(leaves(layout.inner.stride as Nested<unknown>) as Int[]),
  ];
  if (integers.some((n) => knownValue(n) === undefined)) return undefined;
  const mark = (n: number): Int => (isStatic(layout) ? int(n) : n);
  const start = offsetAt(layout, 0);
  const plain = fitModes(layout.inner.shape, (coord) => offsetAt(layout, coord) - start, mark);
  if (!plain) return undefined;
  const count = size(layout.inner.shape);
  for (let i = 0; i < count; i++) if (offsetAt(plain, i) + start !== offsetAt(layout, i)) return undefined;
  return [plain, mark(start)];
}

/** The layout that follows f along every leaf of the shape, the other coordinates at 0; undefined if there is none. */
function fitModes(shape: IntTuple, f: (coord: Coord) => number, mark: (n: number) => Int): Layout | undefined {
  if (isTuple(shape)) {
    const modes: Layout[] = [];
    for (const [i, mode] of shape.entries()) {
      const at = (c: Coord): Coord => shape.map((_size, k) => (k === i ? c : 0));
      const part = fitModes(mode as IntTuple, (c) => f(at(c)), mark);
      if (!part) return undefined;
      modes.push(part);
    }
    return joinModes(modes);
  }
  const fit = fitLayout(knownValue(shape as Int) as number, f);
  if (isMisfit(fit)) return undefined;
  const sizes = fit.sizes.map((s): Int => (isStaticInt(shape) ? int(s) : s));
  if (sizes.length < 2) return rawLayout(shape, mark(fit.strides[0] ?? 0));
  return rawLayout(sizes, fit.strides.map(mark));
}
