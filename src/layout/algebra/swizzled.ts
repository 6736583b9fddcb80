/**
 * Slicing any layout, swizzled ones included. If the swizzle acts on the slice as plain strides would, the slice is a
 * plain layout; otherwise the swizzle stays and the fixed coordinates become its offset.
 *
 * Postcondition: layout(c) = offset + slice(the coordinates of c under `_`) for every coordinate c.
 */
import { named } from "../../base/errors.ts";
import { isUnderscore, type SliceCoord } from "../coord.ts";
import { _0, add, type Int, int, isStaticInt, knownValue, mul } from "../int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  checkLayout,
  isComposed,
  joinModes,
  type Layout,
  makeComposedLayout,
  modesOf,
  rawLayout,
} from "../layout.ts";
import { slicePlain } from "../modes.ts";
import { isStatic, offsetAt } from "../queries.ts";
import { type IntTuple, isTuple } from "../tuple.ts";
import type { Checked, SliceFault } from "../types/faults.ts";
import type { Sliced } from "../types/layout-types.ts";
import { flatModes } from "./coalesce.ts";
import { areNumbers, fitLayout, isMisfit } from "./encode.ts";

/** Returns the slice of a layout and the offset of the fixed coordinates. */
export function sliceAndOffset<const C extends SliceCoord, L extends AnyLayout>(
  coord: Checked<C, SliceFault<C, L>>,
  layout: L,
): readonly [slice: Sliced<C, L>, offset: IntTuple];
export function sliceAndOffset(coord: SliceCoord, layout: AnyLayout): readonly [slice: AnyLayout, offset: IntTuple] {
  return named("sliceAndOffset", () => {
    if (!isComposed(layout)) return slicePlain(coord, layout);
    if (isUnderscore(coord)) return [layout, _0];
    const [rest, fixed] = slicePlain(coord, layout.inner);
    const composed = makeComposedLayout(layout.outer, add(layout.offset, fixed as Int), rest);
    return (isComposed(composed) && asPlain(composed)) || [composed, _0];
  });
}

/** Returns the plain layout and the offset with the values of a composed layout, if they exist. Unchanged strides stay static. */
export function asPlain(layout: ComposedLayout): readonly [layout: Layout, offset: Int] | undefined {
  checkLayout("asPlain", layout);
  if (!isComposed(layout)) return [layout, _0];
  const { offset, inner } = layout;
  if (!areNumbers([...flatModes(inner), { size: offset, stride: offset }])) return undefined;
  const toInt = (n: number): Int => (isStatic(layout) ? int(n) : n);
  const start = offsetAt(layout, 0);
  let unit = 1;
  /** Returns the layout that follows the offsets along every leaf, the other coordinates at 0; undefined if there is none. */
  const fitModes = (mode: Layout): Layout | undefined => {
    if (isTuple(mode.shape)) {
      const modes = modesOf(mode).map(fitModes);
      return modes.every((part) => part !== undefined) ? joinModes(modes) : undefined;
    }
    const step = unit;
    const count = knownValue(mode.shape) as number;
    unit *= count;
    const fit = fitLayout(count, (i) => offsetAt(layout, i * step) - start);
    if (isMisfit(fit)) return undefined;
    const own = mode.stride as Int;
    let used = 1;
    const strides = fit.strides.map((stride, k): Int => {
      const scaled = mul(own, int(used));
      used *= fit.sizes[k];
      return stride === knownValue(scaled) ? scaled : toInt(stride);
    });
    return strides.length > 1
      ? rawLayout(
          fit.sizes.map((s): Int => (isStaticInt(mode.shape) ? int(s) : s)),
          strides,
        )
      : rawLayout(mode.shape, strides[0] ?? own);
  };
  const plain = fitModes(inner);
  if (!plain) return undefined;
  for (let i = 0; i < unit; i++) if (offsetAt(plain, i) + start !== offsetAt(layout, i)) return undefined;
  return [plain, toInt(start)];
}
