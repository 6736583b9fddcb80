/**
 * The right inverse of a layout, and functions based on it.
 *
 * R = rightInverse(L): L(R(i)) = i for every 0 <= i < size(R). It never throws for a layout; R is the largest possible one
 * if filter(L) is injective with non-negative strides.
 *
 * Both inverses map offsets to the coalesced modes of a layout, each with its step in the 1-D index.
 */
import { isBasis } from "../basis.ts";
import { formatLayout } from "../format.ts";
import {
  _0,
  _1,
  div,
  equalInt,
  gcdInt,
  type Int,
  int,
  isOne,
  isStaticInt,
  isZero,
  knownValue,
  minInt,
  mul,
} from "../int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  checkLayout,
  isComposed,
  type Layout,
  rawLayout,
  type Shaped,
} from "../layout.ts";
import { modeOf, offsetAt, offsets, rank, shapeOf, size, sizeInt } from "../queries.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../swizzle.ts";
import { isRefused, refuse, type Trace } from "../trace.ts";
import { leaves } from "../tuple.ts";
import { coalesce, flatModes, fromModes, type Mode, mergeModes, unboundedModes } from "./coalesce.ts";
import { composeWithSwizzle, composition } from "./composition.ts";

/** Returns R with L(R(i)) = i for every 0 <= i < size(R), from the modes of L whose strides continue each other from 1 on. */
export function rightInverse(layout: Layout, trace?: Trace): Layout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout {
  checkLayout("rightInverse", layout);
  if (isComposed(layout)) return inverseOfSwizzled(layout, trace);
  const modes = steppedModes(layout);
  trace?.note("filter", layout, modes);
  const result: Mode[] = [];
  let reached: Int = _1;
  const pending = modes.filter((mode) => !isBasis(mode.stride));
  for (;;) {
    const next = pending.findIndex((mode) => equalInt(mode.stride as Int, reached) === true);
    if (next < 0) break;
    const [{ size, step }] = pending.splice(next, 1) as [SteppedMode];
    trace?.note("continue", size, reached, step);
    result.push({ size, stride: step });
    reached = mul(size, reached);
  }
  trace?.note("stop", reached, pending);
  const answer = fromModes(mergeModes(result));
  trace?.note("result", answer);
  return answer;
}

/** Returns R o S, up to the first index that S moves out of the domain of R. */
function inverseOfSwizzled(layout: ComposedLayout, trace?: Trace): AnyLayout {
  const sw = swizzleToInvert("rightInverse", layout);
  const inverse = rightInverse(layout.inner, trace);
  const full = sizeInt(inverse);
  const count = swizzledPrefix(sw, size(inverse));
  const domain = count === size(inverse) ? inverse : prefix(inverse, isStaticInt(full) ? int(count) : count);
  return composeWithSwizzle(inverse, sw, offsets(rawLayout(sizeInt(domain), 1)), domain);
}

/**
 * Returns the coordinates that a layout maps to 0 by its stride-0 modes.
 *
 * Postconditions: layout(result(i)) = 0, and size(result) = size(layout) / size(filter(layout)).
 */
export function nullspace(layout: Layout): Layout {
  checkLayout("nullspace", layout);
  const result: Mode[] = [];
  let start: Int = _1;
  for (const mode of flatModes(layout)) {
    if (isZero(mode.stride as Int))
      result.push({ size: mode.size, stride: isOne(mode.size) && isStaticInt(mode.size) ? _0 : start });
    start = mul(start, mode.size);
  }
  return fromModes(result);
}

/**
 * Returns the number of consecutive elements that two layouts share: the largest n such that, with R = rightInverse(b),
 * a(R(i)) = i (and b(R(i)) = i) for every 0 <= i < n. Beyond its domain, an index of a continues in its last mode.
 * Swizzled layouts share at most the elements below the base of the swizzle, or all if both have the same swizzle and it
 * permutes the elements among themselves.
 */
export function maxCommonVector(a: AnyLayout, b: AnyLayout): Int {
  checkLayout("maxCommonVector", a);
  checkLayout("maxCommonVector", b);
  if (!isComposed(a) && !isComposed(b)) return sizeInt(maxCommonLayout(a, b));
  const inner = maxCommonVector(isComposed(a) ? a.inner : a, isComposed(b) ? b.inner : b);
  const swizzled = [a, b].filter(isComposed);
  const sw = swizzled[0].outer;
  const isSame = swizzled[1] && String(sw) === String(swizzled[1].outer) && swizzled.every((l) => isZero(l.offset));
  const count = knownValue(inner);
  if (isSame && isSwizzle(sw) && count !== undefined && swizzledPrefix(sw, count) === count) return inner;
  return swizzled.reduce<Int>((n, { outer, offset }) => {
    const base = int(isSwizzle(outer) ? 2 ** outer.base : 1);
    return minInt(n, isZero(offset) ? base : gcdInt(base, offset));
  }, inner);
}

/** Returns the largest n <= limit such that the swizzle maps 0 to n - 1 below the limit. */
function swizzledPrefix(sw: Swizzle, limit: number): number {
  let n = 0;
  while (n < limit && applySwizzle(sw, n) < limit) n++;
  return n;
}

/**
 * Returns the layout R of maxCommonVector: the indices of the consecutive elements that both layouts share, from offset 0 on.
 * If both have the same swizzle, they share them in the order of the swizzle.
 */
export function maxCommonLayout(a: AnyLayout, b: AnyLayout): Layout {
  checkLayout("maxCommonLayout", a);
  checkLayout("maxCommonLayout", b);
  if (isComposed(a) || isComposed(b))
    return prefix(maxCommonLayout(isComposed(a) ? a.inner : a, isComposed(b) ? b.inner : b), maxCommonVector(a, b));
  const inverse = rightInverse(b);
  return prefix(inverse, identityPrefix(a, inverse));
}

/** Returns the first `count` elements of a layout. If these are not a layout, returns the largest prefix that is one and divides `count`. */
function prefix(layout: Layout, count: Int): Layout {
  const known = knownValue(count);
  if (known === undefined) return composition(layout, count);
  for (let n = known; n > 1; n--) {
    if (known % n !== 0 && n !== known) continue;
    try {
      return composition(layout, n === known ? count : isStaticInt(count) ? int(n) : n);
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
  return rawLayout(_1, _0);
}

/** Returns the largest n with a(inverse(i)) = i for every i < n. */
function identityPrefix(a: Layout, inverse: Layout): Int {
  try {
    const common = coalesce(composition(a, inverse));
    const first = rank(common) === 1 ? common : modeOf(common, 0);
    return isOne(first.stride as Int) ? (first.shape as Int) : _1;
  } catch (error) {
    if (!isRefused(error)) throw error;
    const limit = size(inverse);
    let n = 1;
    while (n < limit && offsetAt(a, offsetAt(inverse, n)) === n) n++;
    return n;
  }
}

/**
 * Returns a layout of up to `count` elements of a shape, with the largest divisor of the rest in each mode.
 *
 * Postconditions: size(result) divides count, composition of any layout of this shape with the result is admissible,
 * and the result is increasing.
 */
export function domainDistribute(shape: Shaped, count: Int): Layout {
  let rest: Int = count;
  let start: Int = _1;
  const modes: Mode[] = leaves<Int>(shapeOf(shape)).map((size) => {
    const share = gcdInt(size, rest);
    const mode = { size: share, stride: start };
    rest = div(rest, share);
    start = mul(start, size);
    return mode;
  });
  return fromModes(mergeModes(modes));
}

/** A mode, and the step of the 1-D index that moves it by one. */
export interface SteppedMode extends Mode {
  readonly step: Int;
}

/** Returns the coalesced modes with their steps. `open` keeps a last mode of size 1, in which an index beyond the domain continues. */
export function steppedModes(layout: Layout, open = false): SteppedMode[] {
  let next: Int = _1;
  return (open ? unboundedModes(layout) : mergeModes(flatModes(layout))).map((mode) => {
    const step = next;
    next = mul(next, mode.size);
    return { ...mode, step };
  });
}

/** Returns the modes whose stride is a number, in ascending order of stride. */
export function sortByStride(modes: readonly SteppedMode[]): SteppedMode[] {
  const key = (mode: SteppedMode): number | undefined => (isBasis(mode.stride) ? undefined : knownValue(mode.stride));
  return modes.filter((mode) => key(mode) !== undefined).sort((a, b) => (key(a) as number) - (key(b) as number));
}

/** Returns the swizzle of S o L. Its inverse is (L inverted) o S because a swizzle is its own inverse. Throws for other composed layouts. */
export function swizzleToInvert(who: string, layout: ComposedLayout): Swizzle {
  if (!isSwizzle(layout.outer) || !isZero(layout.offset))
    throw refuse(
      who,
      "swizzle",
      {},
      `only swizzled layouts with offset 0 can be inverted, got ${formatLayout(layout)}`,
    );
  return layout.outer;
}
