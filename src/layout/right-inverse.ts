/**
 * The right inverse of a layout, and what follows from it.
 *
 * R = rightInverse(L): L(R(i)) = i for every 0 <= i < size(R). Never refused; R is the largest possible one whenever
 * filter(L) is injective with strides from 0 up.
 */
import { isBasis } from "./basis.ts";
import { coalesce, flatModes, fromModes, type Mode, mergeModes } from "./coalesce.ts";
import { composeWithSwizzle, composition } from "./composition.ts";
import {
  div,
  dividesInt,
  equalInt,
  gcdInt,
  type Int,
  int,
  isOne,
  isStaticInt,
  isZero,
  knownValue,
  lessEqualInt,
  minInt,
  mul,
  valueOf,
} from "./int.ts";
import { type AnyLayout, type ComposedLayout, isComposed, type Layout, rawLayout, type Shaped } from "./layout.ts";
import { type PlacedMode, placedModes, sortByStride, swizzleToInvert } from "./placed-modes.ts";
import { modeOf, offsetAt, rank, shapeOf, sizeInt } from "./queries.ts";
import { applySwizzle, isSwizzle, swizzleMasks } from "./swizzle.ts";
import { isRefused, type Trace } from "./trace.ts";
import { leaves, type Nested } from "./tuple.ts";

/** L(R(i)) = i for every 0 <= i < size(R), from the modes of L whose strides continue each other from 1 on. */
export function rightInverse(layout: Layout, trace?: Trace): Layout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout {
  if (isComposed(layout)) return inverseOfSwizzled(layout, trace);
  const modes = placedModes(layout);
  trace?.note("filter", { layout, modes });
  const result: Mode[] = [];
  let reached: Int = int(1);
  const symbolic = modes.filter((mode) => !isBasis(mode.stride) && knownValue(mode.stride) === undefined);
  const pending = [...sortByStride(modes), ...symbolic];
  for (let found = true; found; ) {
    found = false;
    for (let i = 0; i < pending.length; i++) {
      const mode = pending[i] as PlacedMode;
      if (equalInt(mode.stride as Int, reached) !== true) continue;
      trace?.note("continue", { size: mode.size, stride: reached, place: mode.start });
      result.push({ size: mode.size, stride: mode.start });
      reached = mul(mode.size, mode.stride as Int);
      pending.splice(i, 1);
      found = true;
      break;
    }
  }
  trace?.note("stop", { reached, left: pending });
  const answer = fromModes(mergeModes(result));
  trace?.note("result", { result: answer });
  return answer;
}

/** R o S as far as S stays inside the domain of R: beyond it R inverts nothing. */
function inverseOfSwizzled(layout: ComposedLayout, trace?: Trace): AnyLayout {
  const sw = swizzleToInvert("rightInverse", layout);
  const inverse = rightInverse(layout.inner, trace);
  const full = sizeInt(inverse);
  const limit = valueOf(full);
  const indices: number[] = [];
  while (indices.length < limit && applySwizzle(sw, indices.length) < limit) indices.push(indices.length);
  const count = indices.length;
  const domain = count === limit ? inverse : beginning(inverse, isStaticInt(full) ? int(count) : count);
  return composeWithSwizzle(inverse, sw, indices.slice(0, valueOf(sizeInt(domain))), domain);
}

/**
 * The coordinates that a layout sends to 0 through its stride-0 modes.
 *
 * Promises: layout(result(i)) = 0, and size(result) = size(layout) / size(filter(layout)).
 */
export function nullspace(layout: Layout): Layout {
  const result: Mode[] = [];
  let start: Int = int(1);
  for (const mode of flatModes(layout)) {
    if (!isBasis(mode.stride) && isZero(mode.stride))
      result.push({ size: mode.size, stride: isOne(mode.size) && isStaticInt(mode.size) ? int(0) : start });
    start = mul(start, mode.size);
  }
  return fromModes(result);
}

/**
 * How many elements in a row two layouts share: the largest n such that, with R = rightInverse(b),
 * a(R(i)) = i (and b(R(i)) = i) for every 0 <= i < n. Beyond its domain, a goes on counting in its last mode.
 * Swizzles share at most the elements below their base. If both are the same, they share all that it permutes among themselves.
 */
export function maxCommonVector(a: AnyLayout, b: AnyLayout): Int {
  if (!isComposed(a) && !isComposed(b)) return sizeInt(maxCommonLayout(a, b));
  const inner = maxCommonVector(isComposed(a) ? a.inner : a, isComposed(b) ? b.inner : b);
  const isSame =
    isComposed(a) && isComposed(b) && String(a.outer) === String(b.outer) && equalInt(a.offset, b.offset) === true;
  if (isSame && isSwizzle(a.outer)) {
    const { y, z, low } = swizzleMasks(a.outer);
    // Below the field that is read nothing moves; from there on whole blocks of the field that is changed do.
    const block = z + low.z;
    const isAligned = dividesInt(Math.max(block, y + low.y), a.offset) === true;
    if (isAligned && (lessEqualInt(inner, low.y) || dividesInt(block, inner))) return inner;
    if (isAligned) return minInt(inner, int(Math.max(low.y, block * Math.floor((knownValue(inner) ?? 0) / block))));
  }
  return [a, b].filter(isComposed).reduce<Int>((n, { outer, offset }) => {
    const base = isSwizzle(outer) ? int(2 ** outer.base) : int(1);
    return minInt(n, isZero(offset) ? base : gcdInt(base, offset));
  }, inner);
}

/**
 * The layout R of maxCommonVector: it points to the elements that both layouts hold in a row, from offset 0 on. Under one swizzle
 * both hold them in the order of the swizzle.
 */
export function maxCommonLayout(a: AnyLayout, b: AnyLayout): Layout {
  if (isComposed(a) || isComposed(b))
    return beginning(maxCommonLayout(isComposed(a) ? a.inner : a, isComposed(b) ? b.inner : b), maxCommonVector(a, b));
  const inverse = rightInverse(b);
  return beginning(inverse, identityPrefix(a, inverse));
}

/** The first `common` places of a layout; where no layout gives so many, as many as divide that. */
function beginning(layout: Layout, common: Int): Layout {
  const count = knownValue(common);
  if (count === undefined) return composition(layout, common);
  for (let n = count; n > 1; n--) {
    if (count % n !== 0 && n !== count) continue;
    try {
      return composition(layout, n === count ? common : isStaticInt(common) ? int(n) : n);
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  }
  return rawLayout(int(1), int(0));
}

/** The largest n with a(inverse(i)) = i for every i < n. */
function identityPrefix(a: Layout, inverse: Layout): Int {
  try {
    const common = coalesce(composition(a, inverse));
    const first = rank(common) === 1 ? common : modeOf(common, 0);
    return !isBasis(first.stride) && isOne(first.stride as Int) ? (first.shape as Int) : int(1);
  } catch (error) {
    if (!isRefused(error)) throw error;
    const limit = valueOf(sizeInt(inverse));
    let n = 1;
    while (n < limit && offsetAt(a, offsetAt(inverse, n)) === n) n++;
    return n;
  }
}

/**
 * A layout of up to `count` elements spread over a shape, taking from each mode what divides it.
 *
 * Promises: size(result) divides count, composition of any layout of this shape with the result is admissible,
 * and the result is increasing.
 */
export function domainDistribute(shape: Shaped, count: Int): Layout {
  let rest: Int = count;
  let start: Int = int(1);
  const modes: Mode[] = leaves<Int>(shapeOf(shape) as Nested<Int>).map((size) => {
    const share = gcdInt(size, rest);
    const mode = { size: share, stride: start };
    rest = div(rest, share);
    start = mul(start, size);
    return mode;
  });
  return fromModes(mergeModes(modes));
}
