/**
 * The right inverse of a layout, and what follows from it.
 *
 * R = rightInverse(L): L(R(i)) = i for every 0 <= i < size(R). Never refused; R is the largest possible one whenever
 * filter(L) is injective with strides from 0 up.
 *
 * Both inverses send offsets back to the coalesced modes of a layout, each with its stride in the 1-D index.
 */
import { isBasis } from "../basis.ts";
import { formatLayout } from "../format.ts";
import {
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
  valueOf,
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
import { modeOf, offsetAt, offsets, rank, shapeOf, sizeInt } from "../queries.ts";
import { applySwizzle, isSwizzle, type Swizzle } from "../swizzle.ts";
import { isRefused, refuse, type Trace } from "../trace.ts";
import { leaves } from "../tuple.ts";
import { coalesce, flatModes, fromModes, type Mode, mergeModes, openModes } from "./coalesce.ts";
import { composeWithSwizzle, composition } from "./composition.ts";

/** L(R(i)) = i for every 0 <= i < size(R), from the modes of L whose strides continue each other from 1 on. */
export function rightInverse(layout: Layout, trace?: Trace): Layout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout;
export function rightInverse(layout: AnyLayout, trace?: Trace): AnyLayout {
  checkLayout("rightInverse", layout);
  if (isComposed(layout)) return inverseOfSwizzled(layout, trace);
  const modes = placedModes(layout);
  trace?.note("filter", { layout, modes });
  const result: Mode[] = [];
  let reached: Int = int(1);
  const symbolic = modes.filter((mode) => !isBasis(mode.stride) && knownValue(mode.stride) === undefined);
  const pending = [...sortByStride(modes), ...symbolic];
  for (;;) {
    const next = pending.findIndex((mode) => equalInt(mode.stride as Int, reached) === true);
    if (next < 0) break;
    const [{ size, start }] = pending.splice(next, 1) as [PlacedMode];
    trace?.note("continue", { size, stride: reached, place: start });
    result.push({ size, stride: start });
    reached = mul(size, reached);
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
  const count = swizzledPrefix(sw, valueOf(full));
  const domain = count === valueOf(full) ? inverse : beginning(inverse, isStaticInt(full) ? int(count) : count);
  return composeWithSwizzle(inverse, sw, offsets(rawLayout(sizeInt(domain), 1)), domain);
}

/**
 * The coordinates that a layout sends to 0 through its stride-0 modes.
 *
 * Promises: layout(result(i)) = 0, and size(result) = size(layout) / size(filter(layout)).
 */
export function nullspace(layout: Layout): Layout {
  checkLayout("nullspace", layout);
  const result: Mode[] = [];
  let start: Int = int(1);
  for (const mode of flatModes(layout)) {
    if (isZero(mode.stride as Int))
      result.push({ size: mode.size, stride: isOne(mode.size) && isStaticInt(mode.size) ? int(0) : start });
    start = mul(start, mode.size);
  }
  return fromModes(result);
}

/**
 * How many elements in a row two layouts share: the largest n such that, with R = rightInverse(b),
 * a(R(i)) = i (and b(R(i)) = i) for every 0 <= i < n. Beyond its domain, a goes on counting in its last mode.
 * Swizzles share at most the elements below their base. If both are the same and permute the
 * elements among themselves, they share all.
 */
export function maxCommonVector(a: AnyLayout, b: AnyLayout): Int {
  checkLayout("maxCommonVector", a, b);
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

/** The largest n <= limit such that the swizzle sends 0 to n - 1 below the limit. */
function swizzledPrefix(sw: Swizzle, limit: number): number {
  let n = 0;
  while (n < limit && applySwizzle(sw, n) < limit) n++;
  return n;
}

/**
 * The layout R of maxCommonVector: it points to the elements that both layouts hold in a row, from offset 0 on. Under one swizzle
 * both hold them in the order of the swizzle.
 */
export function maxCommonLayout(a: AnyLayout, b: AnyLayout): Layout {
  checkLayout("maxCommonLayout", a, b);
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
    return isOne(first.stride as Int) ? (first.shape as Int) : int(1);
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
  const modes: Mode[] = leaves<Int>(shapeOf(shape)).map((size) => {
    const share = gcdInt(size, rest);
    const mode = { size: share, stride: start };
    rest = div(rest, share);
    start = mul(start, size);
    return mode;
  });
  return fromModes(mergeModes(modes));
}

/** A mode and the index step that moves it by one. */
export interface PlacedMode extends Mode {
  readonly start: Int;
}

/** The modes with their places. `open` keeps a last mode of size 1: beyond the domain, an index goes on counting there. */
export function placedModes(layout: Layout, open = false): PlacedMode[] {
  let start: Int = int(1);
  return (open ? openModes(layout) : mergeModes(flatModes(layout))).map((mode) => {
    const placed = { ...mode, start };
    start = mul(start, mode.size);
    return placed;
  });
}

/** Ascending by stride, among the modes whose stride is a number. */
export function sortByStride(modes: readonly PlacedMode[]): PlacedMode[] {
  const key = (mode: PlacedMode): number | undefined => (isBasis(mode.stride) ? undefined : knownValue(mode.stride));
  return modes.filter((mode) => key(mode) !== undefined).sort((a, b) => (key(a) as number) - (key(b) as number));
}

/** The swizzle of S o L, whose inverse is (L inverted) o S because a swizzle is its own inverse; refused unless the layout has that form. */
export function swizzleToInvert(who: string, layout: ComposedLayout): Swizzle {
  if (!isSwizzle(layout.outer) || !isZero(layout.offset))
    throw refuse(
      who,
      "swizzle",
      {},
      `${formatLayout(layout)}: only a swizzle over a layout with offset 0 can be inverted`,
    );
  return layout.outer;
}
