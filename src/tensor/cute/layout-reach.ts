/**
 * How far a layout reaches: its smallest and largest offset. What must be known before it is laid over memory.
 */
import { LayoutError } from "../../base/errors.ts";
import { isBasis } from "../../layout/basis.ts";
import { formatLayout } from "../../layout/format.ts";
import { type Int, knownValue } from "../../layout/int.ts";
import type { AnyLayout } from "../../layout/layout.ts";
import { offsetAt, size } from "../../layout/queries.ts";
import { leaves, type Nested } from "../../layout/tuple.ts";

/** The smallest and largest offset; high < low if the layout has no coordinates. */
export interface Reach {
  readonly low: number;
  readonly high: number;
}

/**
 * The reach of a layout whose offsets are numbers.
 *
 * Promises: low <= offsetAt(layout, i) <= high for every 0 <= i < size(layout), and both are attained.
 */
export function reachOf(who: string, layout: AnyLayout): Reach {
  if ("inner" in layout) return reachByOffsets(layout);
  const sizes = leaves(layout.shape as Nested<Int>);
  const strides = leaves(layout.stride as Nested<unknown>);
  let low = 0;
  let high = 0;
  let isEmpty = false;
  for (let i = 0; i < sizes.length; i++) {
    const stride = strides[i];
    if (isBasis(stride))
      throw new LayoutError(
        `${who}: the strides of ${formatLayout(layout)} are coordinates, and memory is addressed by numbers. Use makeCoordTensor(layout)`,
      );
    const extent = knownValue(sizes[i] as Int);
    const step = knownValue(stride as Int);
    if (extent === undefined || step === undefined)
      throw new LayoutError(
        `${who}: ${formatLayout(layout)} has the symbol ${extent === undefined ? sizes[i] : stride}, and memory needs numbers. Put numbers in its place first`,
      );
    if (extent === 0) isEmpty = true;
    else if (step > 0) high += (extent - 1) * step;
    else low += (extent - 1) * step;
  }
  return isEmpty ? { low: 0, high: -1 } : { low, high };
}

/** A swizzle moves offsets around, so each one is looked at. */
function reachByOffsets(layout: AnyLayout): Reach {
  const count = size(layout as never) as number;
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < count; i++) {
    const offset = offsetAt(layout, i);
    if (offset < low) low = offset;
    if (offset > high) high = offset;
  }
  return count === 0 ? { low: 0, high: -1 } : { low, high };
}
