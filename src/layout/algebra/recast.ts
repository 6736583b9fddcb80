/**
 * Recasting: the same memory as elements of a different width.
 *
 * upcast(L, n): n old elements make one new one; the modes with strides below n shrink, other strides are divided by n.
 * downcast(L, n): one old element makes n new ones; the stride-1 mode grows, other strides are multiplied by n.
 */
import { LayoutError, named } from "../../base/errors.ts";
import { gcd } from "../../base/ints.ts";
import { isBasis } from "../basis.ts";
import { formatLayout } from "../format.ts";
import {
  _0,
  _1,
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
  wrongKind,
} from "../int.ts";
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
import { modeOf, offsets, sizeInt } from "../queries.ts";
import { applySwizzle, isSwizzle, Swizzle } from "../swizzle.ts";
import { isTuple } from "../tuple.ts";
import { coalesce, flatModes } from "./coalesce.ts";
import { logicalDivide } from "./divide.ts";
import { rightInverse } from "./right-inverse.ts";

function checkRatio(who: string, layout: AnyLayout, n: number): void {
  checkLayout(who, layout);
  if (!Number.isSafeInteger(n) || n < 1) throw wrongKind(who, "a positive integer", n);
}

/** Applies `f` to every leaf of a layout. */
function mapModes(layout: Layout, f: (size: Int, stride: Int) => readonly [Int, Int], who: string): Layout {
  const { shape, stride } = layout;
  if (isTuple(shape)) return joinModes(modesOf(layout).map((mode) => mapModes(mode, f, who)));
  if (isBasis(stride)) throw new LayoutError(`${who}: the stride ${stride} must be an integer`);
  return rawLayout(...f(shape, stride as Int));
}

/** Merges n elements into one: sizes along strides below n shrink, other strides are divided by n. */
export function upcast(layout: Layout, n: number): Layout;
export function upcast(layout: AnyLayout, n: number): AnyLayout;
export function upcast(layout: AnyLayout, n: number): AnyLayout {
  checkRatio("upcast", layout, n);
  if (n === 1) return layout;
  if (isComposed(layout)) {
    const { outer, offset, inner } = checkSwizzled("upcast", layout, n);
    if (dividesInt(n, offset) !== true)
      throw new LayoutError(`upcast: the offset ${offset} of ${formatLayout(layout)} is not a multiple of ${n}`);
    return makeComposedLayout(wideSwizzle(inner, outer, n), ceilDivInt(offset, int(n)), upcast(inner, n));
  }
  const ratio = int(n);
  return mapModes(
    layout,
    (size, stride) => {
      if (isZero(stride)) return [size, stride];
      const distance = absInt(stride);
      const isEven = dividesInt(ratio, distance) || dividesInt(distance, ratio);
      if (!isEven && isOne(size)) return [size, stride];
      if (!isEven || lessEqualInt(0, stride) === undefined)
        throw new LayoutError(
          `upcast: mode ${size}:${stride} of ${formatLayout(layout)}: neither of ${distance} and ${n} divides the other`,
        );
      return [ceilDivInt(size, ceilDivInt(ratio, distance)), mul(int(signOf(stride)), ceilDivInt(distance, ratio))];
    },
    "upcast",
  );
}

/** Returns the swizzle of wide elements. Throws if a negative shift separates n adjacent elements. */
function wideSwizzle(inner: Layout, sw: Swizzle, n: number): Swizzle {
  const base = sw.base - Math.log2(n);
  const wide = new Swizzle(Math.max(sw.bits + Math.min(base, 0), 0), Math.max(base, 0), sw.shift);
  if (base >= 0 || sw.shift > 0) return wide;
  for (const x of offsets(inner))
    if (Math.floor(applySwizzle(sw, x) / n) !== applySwizzle(wide, Math.floor(x / n)))
      throw new LayoutError(
        `upcast: ${sw} moves offset ${x} to ${applySwizzle(sw, x)}, out of its ${n} adjacent elements`,
      );
  return wide;
}

/** Splits each element into n: the mode of stride 1 grows n times, other strides are multiplied by n. */
export function downcast(layout: Layout, n: number): Layout;
export function downcast(layout: AnyLayout, n: number): AnyLayout;
export function downcast(layout: AnyLayout, n: number): AnyLayout {
  checkRatio("downcast", layout, n);
  if (n === 1) return layout;
  if (isComposed(layout)) {
    const { outer, offset, inner } = checkSwizzled("downcast", layout, n);
    const sw = new Swizzle(outer.bits, outer.base + Math.log2(n), outer.shift);
    return makeComposedLayout(sw, mul(offset, int(n)), downcast(inner, n));
  }
  // The mode of adjacent elements grows; of several such modes of size 1, only the first does.
  const adjacent = flatModes(layout).filter(({ stride }) => !isBasis(stride) && isOne(absInt(stride)));
  const several = adjacent.filter((mode) => !isOne(mode.size)).length;
  if (adjacent.length === 0) throw new LayoutError(`downcast: ${formatLayout(layout)} has no mode of stride 1`);
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

function checkSwizzled(who: string, layout: ComposedLayout, n: number): ComposedLayout & { readonly outer: Swizzle } {
  if (!isSwizzle(layout.outer) || !Number.isInteger(Math.log2(n)))
    throw new LayoutError(`${who}: needs a swizzled layout and a power of 2, got ${formatLayout(layout)} and ${n}`);
  return layout as ComposedLayout & { readonly outer: Swizzle };
}

/** Returns the layout of the same memory with elements of `toBits` instead of `fromBits`. */
export function recastLayout(layout: Layout, fromBits: number, toBits: number): Layout;
export function recastLayout(layout: AnyLayout, fromBits: number, toBits: number): AnyLayout;
export function recastLayout(layout: AnyLayout, fromBits: number, toBits: number): AnyLayout {
  checkRatio("recastLayout", layout, fromBits);
  checkRatio("recastLayout", layout, toBits);
  const common = gcd(fromBits, toBits);
  const up = toBits / common;
  const down = fromBits / common;
  return named("recastLayout", () => downcast(upcast(layout, up), down));
}

/** Returns the largest n such that offsets form contiguous groups of n, each starting at a multiple of n. Symbolic modes count as aligned. */
export function maxAlignment(layout: AnyLayout): Int {
  checkLayout("maxAlignment", layout);
  if (isComposed(layout)) {
    if (!isSwizzle(layout.outer)) return _1;
    const withInner = gcdInt(int(2 ** layout.outer.base), maxAlignment(layout.inner));
    return isZero(layout.offset) ? withInner : gcdInt(withInner, layout.offset);
  }
  const flat = coalesce(layout);
  const known = mapModes(
    flat,
    (size, stride) => (knownValue(size) === undefined || knownValue(stride) === undefined ? [_1, _0] : [size, stride]),
    "maxAlignment",
  );
  const permuted = logicalDivide(known, rightInverse(known));
  return flatModes(modeOf(permuted, 1)).reduce<Int>(
    (all, { size, stride }) => (isOne(size) ? all : gcdInt(all, absInt(stride as Int))),
    sizeInt(modeOf(permuted, 0)),
  );
}
