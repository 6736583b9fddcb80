/**
 * Recasting: the same memory seen as elements of another width.
 *
 * upcast(L, n): n old elements make one new one; the modes with strides below n shrink, other strides are divided by n.
 * downcast(L, n): one old element makes n new ones; the stride-1 mode grows, other strides are multiplied by n.
 */
import { LayoutError } from "../base/errors.ts";
import { isBasis } from "./basis.ts";
import { coalesce, flatModes } from "./coalesce.ts";
import { logicalDivide } from "./divide.ts";
import { formatLayout } from "./format.ts";
import {
  absInt,
  ceilDivInt,
  dividesInt,
  gcdInt,
  type Int,
  int,
  isOne,
  isZero,
  knownValue,
  lessEqualInt,
  mul,
  signOf,
  valueOf,
} from "./int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  isComposed,
  joinModes,
  type Layout,
  makeComposedLayout,
  modesOf,
  rawLayout,
} from "./layout.ts";
import { modeOf, offsets, sizeInt } from "./queries.ts";
import { rightInverse } from "./right-inverse.ts";
import { applySwizzle, isSwizzle, Swizzle, swizzleMasks } from "./swizzle.ts";
import { refuse } from "./trace.ts";
import { isTuple } from "./tuple.ts";

function checkRatio(who: string, n: number): void {
  if (!Number.isSafeInteger(n) || n < 1)
    throw new LayoutError(`${who}: the ratio must be a positive integer, got ${n}`);
}

/** Applies `f` to every leaf of a layout. */
function mapModes(layout: Layout, f: (size: Int, stride: Int) => readonly [Int, Int], who: string): Layout {
  const { shape, stride } = layout;
  if (isTuple(shape)) return joinModes(modesOf(layout).map((mode) => mapModes(mode, f, who)));
  if (isBasis(stride)) throw refuse(who, "integer strides", { stride }, `stride ${stride} is a coordinate step`);
  return rawLayout(...f(shape as Int, stride as Int));
}

/** n elements become one: sizes along strides below n shrink, other strides divide by n. */
export function upcast(layout: Layout, n: number): Layout;
export function upcast(layout: AnyLayout, n: number): AnyLayout;
export function upcast(layout: AnyLayout, n: number): AnyLayout {
  checkRatio("upcast", n);
  if (isComposed(layout))
    return recastComposed(
      "upcast",
      layout,
      n,
      (sw) => {
        const base = sw.base - Math.log2(n);
        refuseSplit(layout, sw, n);
        return base >= 0 ? new Swizzle(sw.bits, base, sw.shift) : new Swizzle(Math.max(sw.bits + base, 0), 0, sw.shift);
      },
      (offset) => {
        if (dividesInt(int(n), offset) !== true)
          throw refuse("upcast", "divisibility", { offset, n }, `the offset ${offset} is not a multiple of ${n}`);
        return ceilDivInt(offset, int(n));
      },
      upcast,
    );
  return mapModes(
    layout,
    (size, stride) => {
      if (isZero(stride)) return [size, stride];
      const apart = absInt(stride);
      const isEven = dividesInt(int(n), apart) || dividesInt(apart, int(n));
      if (!isEven && isOne(size)) return [size, stride];
      if (!isEven || lessEqualInt(0, stride) === undefined)
        throw refuse(
          "upcast",
          "divisibility",
          { size, stride, n },
          `mode ${size}:${stride} of ${formatLayout(layout)}: one of the stride ${apart} and the ratio ${n} must divide the other`,
        );
      return [ceilDivInt(size, ceilDivInt(int(n), apart)), scaleDown(stride, n)];
    },
    "upcast",
  );
}

/** Refuses a swizzle of negative shift that moves a part of n elements in a row: offsets with a bit below n set, which it copies to one above. */
function refuseSplit(layout: ComposedLayout, sw: Swizzle, n: number): void {
  const { low } = swizzleMasks(sw);
  for (let bit = 1, k = 0; k < sw.bits && low.y * bit < n; k++, bit *= 2) {
    if (low.z * bit < n) continue;
    const split = offsets(layout.inner).find((x) => Math.floor(x / (low.y * bit)) % 2 !== 0);
    if (split !== undefined)
      throw refuse(
        "upcast",
        "swizzle",
        { layout: formatLayout(layout), n, offset: split },
        `${sw} moves offset ${split} to ${applySwizzle(sw, split)}, apart from the ${n} elements that become one`,
      );
  }
}

const scaleDown = (stride: Int, n: number): Int => {
  const magnitude = ceilDivInt(absInt(stride), int(n));
  return signOf(stride) < 0 ? mul(int(-1), magnitude) : magnitude;
};

/** One element becomes n: the mode of stride 1 grows n times, other strides are multiplied by n. */
export function downcast(layout: Layout, n: number): Layout;
export function downcast(layout: AnyLayout, n: number): AnyLayout;
export function downcast(layout: AnyLayout, n: number): AnyLayout {
  checkRatio("downcast", n);
  if (isComposed(layout))
    return recastComposed(
      "downcast",
      layout,
      n,
      (sw) => new Swizzle(sw.bits, sw.base + Math.log2(n), sw.shift),
      (offset) => mul(offset, int(n)),
      downcast,
    );
  // The mode of adjacent elements grows; of modes of size 1 that could be it, only the first does.
  const adjacent = flatModes(layout).filter(({ stride }) => !isBasis(stride) && isOne(absInt(stride)));
  const several = adjacent.filter((mode) => !isOne(mode.size)).length;
  if (adjacent.length === 0)
    throw refuse(
      "downcast",
      "adjacent elements",
      { layout: formatLayout(layout) },
      `${formatLayout(layout)} has no mode of stride 1 that could grow`,
    );
  let grown = 0;
  return mapModes(
    layout,
    (size, stride) => {
      const grows = isOne(absInt(stride)) && (several > 0 ? !isOne(size) : grown++ === 0);
      return grows ? [mul(size, int(n)), stride] : [size, mul(stride, int(n))];
    },
    "downcast",
  );
}

function recastComposed(
  who: string,
  layout: Exclude<AnyLayout, Layout>,
  n: number,
  swizzle: (sw: Swizzle) => Swizzle,
  offset: (offset: Int) => Int,
  inner: (layout: Layout, n: number) => Layout,
): AnyLayout {
  if (!isSwizzle(layout.outer))
    throw refuse(
      who,
      "swizzle",
      { layout: formatLayout(layout) },
      `${formatLayout(layout)}: only a swizzle over a layout can be recast`,
    );
  if (!Number.isInteger(Math.log2(n)))
    throw refuse(who, "power of two", { n }, `a swizzle can be recast by a power of two only, not by ${n}`);
  return makeComposedLayout(swizzle(layout.outer), offset(layout.offset), inner(layout.inner, n));
}

/** The layout of the same memory when elements of `fromBits` are read as elements of `toBits`. */
export function recastLayout(layout: Layout, fromBits: number, toBits: number): Layout;
export function recastLayout(layout: AnyLayout, fromBits: number, toBits: number): AnyLayout;
export function recastLayout(layout: AnyLayout, fromBits: number, toBits: number): AnyLayout {
  checkRatio("recastLayout", fromBits);
  checkRatio("recastLayout", toBits);
  const common = valueOf(gcdInt(fromBits, toBits));
  const up = toBits / common;
  const down = fromBits / common;
  const wider = up === 1 ? layout : upcast(layout, up);
  return down === 1 ? wider : downcast(wider, down);
}

/** The largest n such that the offsets come in groups of n in a row, each from a multiple of n. Symbolic modes count as aligned. */
export function maxAlignment(layout: AnyLayout): Int {
  if (isComposed(layout)) {
    if (!isSwizzle(layout.outer)) return int(1);
    const withInner = gcdInt(int(2 ** layout.outer.base), maxAlignment(layout.inner));
    return isZero(layout.offset) ? withInner : gcdInt(withInner, layout.offset);
  }
  const flat = coalesce(layout);
  const known = mapModes(
    flat,
    (size, stride) =>
      knownValue(size) === undefined || knownValue(stride) === undefined ? [int(1), int(0)] : [size, stride],
    "maxAlignment",
  );
  const permuted = logicalDivide(known, rightInverse(known));
  return flatModes(modeOf(permuted, 1)).reduce<Int>(
    (all, { size, stride }) => (isOne(size) ? all : gcdInt(all, absInt(stride as Int))),
    sizeInt(modeOf(permuted, 0)),
  );
}
