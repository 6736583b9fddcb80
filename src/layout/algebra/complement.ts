/**
 * Complement: the layout that places copies of another one side by side.
 *
 * Promise: with F = filter(L) and R = complement(L, M),
 *   disjoint: all sums F(i) + R(j) are different;
 *   ordered: R(j) < R(j + 1);
 *   dense: below each stride d, where smaller strides fill f offsets, as many copies are placed as fit: floor(d / f);
 *   reaching: all that is repeated ceil(M / P) times, P apart, where P = s * d for the mode s:d of the largest stride.
 * If each f divides its d, the sums are all numbers below P * ceil(M / P). Elsewhere L has gaps that no copy fits into, and they stay
 * gaps, as the padding of (128,8):(1,129) does. (A shape as M is divided mode by mode, which may leave more.)
 * Refused exactly when, in ascending order of stride, some s(i) * d(i) > d(i+1), so that modes interleave, or a stride is negative.
 */
import type { LayoutError } from "../../base/errors.ts";
import { isBasis } from "../basis.ts";
import { isUnderscore } from "../coord.ts";
import { formatLayout } from "../format.ts";
import { div, dividesInt, equalInt, type Int, int, isOne, isStaticInt, isZero, lessEqualInt, mul } from "../int.ts";
import { type AnyLayout, checkLayout, checkSizes, isComposed, isLayout, type Layout, type Shaped } from "../layout.ts";
import { cosizeInt, shapeOf, sizeInt } from "../queries.ts";
import { ceilDiv } from "../shape.ts";
import { isTilerTuple, type Tiler } from "../tiler.ts";
import { refuse, refuseEmpty, type Trace } from "../trace.ts";
import { type IntTuple, type Nested, product, wrap } from "../tuple.ts";
import { flatModes, fromModes, type Mode, mergeModes } from "./coalesce.ts";

/** The complement of a layout up to `cotarget` (a size, a shape or a layout's shape); by default its own cosize. */
export function complement(layout: AnyLayout, cotarget?: Shaped, trace?: Trace): Layout {
  checkLayout("complement", layout);
  if (isComposed(layout)) return complement(layout.inner, cotarget, trace);
  // The modes of filter(layout).
  const flat = flatModes(layout).filter(({ stride }) => isBasis(stride) || !isZero(stride));
  const modes = mergeModes(flat);
  trace?.note("filter", { layout, modes });
  const target = cotarget === undefined ? cosizeInt(fromModes(modes)) : shapeOf(cotarget);
  checkSizes(target);
  refuseEmpty("complement", layout, modes);
  const sorted = sortByStride(modes);
  if (sorted.length > 1) trace?.note("sort", { modes: sorted });
  const result: Mode[] = [];
  let filled: Int = int(1);
  for (const { size, stride } of sorted) {
    const d = stride as Int;
    // Of positive integers, one that divides the other is not the larger.
    if (!dividesInt(filled, d) && !lessEqualInt(filled, d)) throw refuseGap(layout, size, d, filled);
    const gap = div(d, filled);
    trace?.note("gap", { size, stride: d, filled, gap });
    result.push({ size: gap, stride: filled });
    filled = mul(d, size);
  }
  // A size of 1 moves nothing, but if it is dynamic, so is what is computed from it.
  for (const { size } of flat) if (isOne(size)) filled = mul(filled, size);
  const copies = product(ceilDiv(target, filled));
  trace?.note("copies", { filled, copies, target });
  result.push({ size: copies, stride: filled });
  const merged = mergeModes(result);
  const answer = fromModes(merged.length > 0 || isStaticInt(copies) ? merged : result.slice(-1));
  trace?.note("result", { result: answer });
  return answer;
}

/** The refusal of a mode that starts inside the `filled` offsets of smaller strides, or may do so. */
function refuseGap(layout: Layout, size: Int, d: Int, filled: Int): LayoutError {
  const name = formatLayout(layout);
  const isKnown = lessEqualInt(filled, d) === false;
  return refuse(
    "complement",
    isKnown ? "injectivity" : "missing fact",
    { size, stride: d, filled },
    isKnown
      ? `mode ${size}:${d} of ${name} steps inside the ${filled} offsets of smaller strides`
      : `mode ${size}:${d} of ${name} starts behind ${filled} offsets; it must be known that ${filled} <= ${d}`,
  );
}

/** The modes in ascending order of stride; refused for negative and coordinate strides. */
function sortByStride(modes: readonly Mode[]): Mode[] {
  for (const { size, stride } of modes) {
    const isPositive = isBasis(stride) ? false : lessEqualInt(1, stride);
    if (!isPositive)
      throw refuse(
        "complement",
        isBasis(stride) ? "integer strides" : isPositive === false ? "negative stride" : "missing fact",
        { stride },
        `mode ${size}:${stride} must have a positive integer stride`,
      );
  }
  // Of two positive strides, one that divides the other is not the larger. Where nothing is known, the gap between them is refused.
  return [...modes].sort(({ stride: a }, { stride: b }) =>
    lessEqualInt(a as Int, b as Int) || dividesInt(a as Int, b as Int) ? -1 : 1,
  );
}

/** The rest mode of dividing `target` by a layout: the shape of its complement. ceilDiv for layout tilers. */
export function ceilDivLayout(target: IntTuple, tiler: Layout | Int): IntTuple {
  return isLayout(tiler) ? complement(tiler, target).shape : ceilDiv(target, tiler);
}

/** True if and only if a shape is cut by the tiler without remainder: size(shape) = size(tile) * number of tiles. */
export function evenlyDivides(shape: IntTuple, tiler: Tiler): boolean {
  if (tiler === null || isUnderscore(tiler)) return true;
  if (!isTilerTuple(tiler))
    return equalInt(product(shape), mul(sizeInt(tiler), product(ceilDivLayout(shape, tiler)))) === true;
  const modes = wrap(shape as Nested<Int>) as readonly IntTuple[];
  return tiler.length <= modes.length && tiler.every((part, i) => evenlyDivides(modes[i], part));
}
