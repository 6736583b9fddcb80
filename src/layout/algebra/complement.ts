/**
 * Complement: the layout R whose values are the offsets of the copies of L that fill the gaps of L.
 *
 * Postcondition: with F = filter(L) and R = complement(L, M),
 *   disjoint: all sums F(i) + R(j) are different;
 *   ordered: R(j) < R(j + 1);
 *   dense: below each stride d, where smaller strides fill f offsets, there are as many copies as fit: floor(d / f);
 *   reaching: the whole is repeated ceil(M / P) times, P apart, where P = s * d for the mode s:d of the largest stride.
 * If each f divides its d, the sums are all numbers below P * ceil(M / P). Otherwise L has gaps that no copy fits into, such as
 * the padding of (128,8):(1,129). (A shape as M is divided mode by mode, which may leave more.)
 * Throws if and only if, in ascending order of stride, some s(i) * d(i) > d(i+1), so that modes interleave, or a stride is negative.
 */
import { type LayoutError, named } from "../../base/errors.ts";
import { isBasis } from "../basis.ts";
import { isUnderscore } from "../coord.ts";
import { formatLayout } from "../format.ts";
import {
  _1,
  div,
  dividesInt,
  equalInt,
  type Int,
  isOne,
  isStaticInt,
  isZero,
  lessEqualInt,
  mul,
  unproved,
} from "../int.ts";
import {
  type AnyLayout,
  checkLayout,
  checkSizes,
  isComposed,
  isLayout,
  type Layout,
  type Shaped,
  type Tiler,
} from "../layout.ts";
import { cosizeInt, shapeOf, sizeInt } from "../queries.ts";
import { ceilDiv } from "../shape.ts";
import { refuse, refuseEmpty, type Trace } from "../trace.ts";
import { type IntTuple, isTuple, type Nested, product, wrap } from "../tuple.ts";
import { flatModes, fromModes, type Mode, mergeModes } from "./coalesce.ts";

/** Returns the complement of a layout up to `cotarget` (a size, a shape or a layout's shape), by default its own cosize. */
export function complement(layout: AnyLayout, cotarget?: Shaped, trace?: Trace): Layout {
  checkLayout("complement", layout);
  return named("complement", () => complementOf(isComposed(layout) ? layout.inner : layout, cotarget, trace));
}

function complementOf(layout: Layout, cotarget: Shaped | undefined, trace: Trace | undefined): Layout {
  // The modes of filter(layout).
  const flat = flatModes(layout).filter(({ stride }) => isBasis(stride) || !isZero(stride));
  const modes = mergeModes(flat);
  trace?.note("filter", layout, modes);
  const target = cotarget === undefined ? cosizeInt(fromModes(modes)) : shapeOf(cotarget);
  checkSizes(target);
  refuseEmpty("complement", layout, modes);
  const sorted = sortByStride(layout, modes);
  if (sorted.length > 1) trace?.note("sort", sorted);
  const result: Mode[] = [];
  let filled: Int = _1;
  for (const { size, stride } of sorted) {
    const d = stride as Int;
    // A positive divisor is never larger than the number that it divides.
    if (!dividesInt(filled, d) && !lessEqualInt(filled, d)) throw refuseGap(layout, size, d, filled);
    const gap = div(d, filled);
    trace?.note("gap", size, d, filled, gap);
    result.push({ size: gap, stride: filled });
    filled = mul(d, size);
  }
  // A size of 1 changes no value, but a dynamic one makes the results dynamic.
  for (const { size } of flat) if (isOne(size)) filled = mul(filled, size);
  const copies = product(ceilDiv(target, filled));
  trace?.note("copies", filled, copies, target);
  result.push({ size: copies, stride: filled });
  const merged = mergeModes(result);
  const answer = fromModes(merged.length > 0 || isStaticInt(copies) ? merged : result.slice(-1));
  trace?.note("result", answer);
  return answer;
}

/** Returns the error of a mode that starts, or may start, inside the `filled` offsets of smaller strides. */
function refuseGap(layout: Layout, size: Int, d: Int, filled: Int): LayoutError {
  const name = formatLayout(layout);
  const isKnown = lessEqualInt(filled, d) === false;
  return refuse(
    "complement",
    isKnown ? "injectivity" : "missing fact",
    { size, stride: d, filled },
    isKnown
      ? `${name} has no complement: mode ${size}:${d} starts inside the ${filled} offsets of smaller strides. Use a stride of at least ${filled}`
      : `mode ${size}:${d} of ${name}: ${unproved(`${filled} <= ${d}`)}`,
  );
}

/** Returns the modes in ascending order of stride; throws for negative and coordinate strides. */
function sortByStride(layout: Layout, modes: readonly Mode[]): Mode[] {
  for (const { size, stride } of modes) {
    const isPositive = isBasis(stride) ? false : lessEqualInt(1, stride);
    if (!isPositive)
      throw refuse(
        "complement",
        isBasis(stride) ? "integer strides" : isPositive === false ? "negative stride" : "missing fact",
        { stride },
        `mode ${size}:${stride} of ${formatLayout(layout)}: ${isPositive === undefined ? unproved(`${stride} >= 1`) : "the stride must be a positive integer"}`,
      );
  }
  // A positive divisor is never larger than the number that it divides. If nothing is known, the gap between them throws later.
  return [...modes].sort(({ stride: a }, { stride: b }) =>
    lessEqualInt(a as Int, b as Int) || dividesInt(a as Int, b as Int) ? -1 : 1,
  );
}

/** Returns the shape of the rest mode of dividing `target` by a layout, which is its complement: ceilDiv for layout tilers. */
export function ceilDivLayout(target: IntTuple, tiler: Layout | Int): IntTuple {
  return named("ceilDivLayout", () => (isLayout(tiler) ? complement(tiler, target).shape : ceilDiv(target, tiler)));
}

/** True if and only if the tiler divides a shape without remainder: size(shape) = size(tile) * number of tiles. */
export function evenlyDivides(shape: IntTuple, tiler: Tiler): boolean {
  if (tiler === null || isUnderscore(tiler)) return true;
  if (!isTuple(tiler))
    return equalInt(product(shape), mul(sizeInt(tiler), product(ceilDivLayout(shape, tiler)))) === true;
  const modes = wrap(shape as Nested<Int>) as readonly IntTuple[];
  return tiler.length <= modes.length && tiler.every((part, i) => evenlyDivides(modes[i], part));
}
