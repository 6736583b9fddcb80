/**
 * Composition: the layout R that reads A through B.
 *
 * Postcondition: compatible(B, R), and R(c) = A(B(c)) for every coordinate c of B, where indices beyond the domain of A continue in
 * its last mode. Throws if and only if no such layout exists.
 *
 * A is coalesced; every leaf of B is composed with its modes (compose-leaf.ts); composing the leaves one by one is correct
 * only if their sums never carry. With an array as tiler, composition, division and products work mode by mode.
 */
import { named, renamed, ShapeError } from "../../base/errors.ts";
import { isBasis, type StrideTuple } from "../basis.ts";
import { isUnderscore } from "../coord.ts";
import { formatLayout } from "../format.ts";
import { _0, _1, type Int, isZero } from "../int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  checkLayout,
  isComposed,
  isLayout,
  joinModes,
  type Layout,
  makeComposedLayout,
  makeLayout,
  modesOf,
  rawLayout,
  type Tiler,
} from "../layout.ts";
import { modeOf, offsetAt, offsets, sizeInt } from "../queries.ts";
import { applySwizzle, isSwizzle, type Swizzle, swizzleFromMasks, swizzleMasks } from "../swizzle.ts";
import { isRefused, refuse, refuseEmpty, type Trace } from "../trace.ts";
import { type IntTuple, isTuple, mapLeaves } from "../tuple.ts";
import { fromModes, type Mode, unboundedModes } from "./coalesce.ts";
import { checkCarries, composeLeaf, type Leaf, type LeafResult, leafName } from "./compose-leaf.ts";

/** Composes A with B: a layout, a by-mode tiler, an integer n (meaning n:1) or `_`. */
export function composition(a: Layout, b: Tiler, trace?: Trace): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout {
  return named("composition", () => {
    if (isSwizzle(a)) return composeSwizzle(a, b);
    checkLayout("composition", a);
    return isComposed(a)
      ? makeComposedLayout(a.outer, a.offset, composition(a.inner, b as Tiler, trace))
      : composePlain(a, b, trace);
  });
}

function composePlain(a: Layout, b: Tiler | AnyLayout | Swizzle, trace: Trace | undefined): AnyLayout {
  if (isLayout(b)) return composeLayouts(a, b, trace);
  if (isComposed(b)) return throughComposed(a, b, trace);
  if (isSwizzle(b)) return composeWithSwizzle(a, b);
  if (isUnderscore(b) || b === null) return a;
  if (isTuple(b)) return joinModes(byMode(a, b, trace, (mode, part) => composition(mode, part, trace)).flat());
  // n:1, even for a static 1: a mode of size 1 keeps its stride.
  return composeLayouts(a, makeLayout(b, _1), trace);
}

function composeSwizzle(a: Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout {
  if (isLayout(b)) return makeComposedLayout(a, _0, b);
  throw refuse("composition", "swizzle", {}, `${a} needs a plain layout`);
}

/** Returns A o (S o 0 o L) = S' o (A o L), if A maps the two bit fields of S to bit fields. */
function throughComposed(a: Layout, b: ComposedLayout, trace?: Trace): AnyLayout {
  if (!isZero(b.offset))
    throw refuse("composition", "offset", { offset: b.offset }, `B = ${formatLayout(b)} must have offset 0`);
  if (!isSwizzle(b.outer)) return composition(composition(a, b.outer, trace), b.inner, trace);
  return composeWithSwizzle(a, b.outer, offsets(b.inner), composition(a, b.inner, trace));
}

/**
 * Returns S' o A, which equals A o S at the given indices (by default the domain of A), where S' has the images of the bits of S.
 * Throws if these are not bit fields. The result has the inner layout `domain`, which agrees with A at these indices.
 */
export function composeWithSwizzle(
  a: Layout,
  sw: Swizzle,
  indices: readonly number[] = offsets(rawLayout(sizeInt(a), 1)),
  domain = a,
): AnyLayout {
  const at = (index: number): number => offsetAt(a, index);
  // Bits that no index has set are never read: they would only widen the field.
  const { low } = swizzleMasks(sw);
  const largest = indices.reduce((x, y) => Math.max(x, y), 0);
  let bits = sw.bits;
  while (bits > 0 && low.y * 2 ** (bits - 1) > largest) bits--;
  const field = 2 ** bits - 1;
  const moved = swizzleFromMasks(at(low.y * field), at(low.z * field));
  for (const i of indices)
    if (!moved || applySwizzle(moved, at(i)) !== at(applySwizzle(sw, i)))
      throw refuse("composition", "swizzle", { index: i }, `${formatLayout(a)} after ${sw} is not a swizzled layout`);
  return makeComposedLayout(moved as Swizzle, _0, domain);
}

const hasZero = (shape: IntTuple): boolean => (isTuple(shape) ? shape.some(hasZero) : isZero(shape));

/** Returns the composition with a shape that has a size of 0. */
const zeroStrides = (shape: IntTuple): Layout =>
  rawLayout(
    shape,
    mapLeaves(shape, () => _0),
  );

/** The part of A that leaves with one kind of stride address: all of A, or the mode that a basis stride names. */
interface Target {
  readonly modes: readonly Mode[];
  readonly leaves: Leaf[];
  readonly results: LeafResult[];
}

/** Composes one plain layout with another, leaf by leaf. */
function composeLayouts(a: Layout, b: Layout, trace: Trace | undefined): Layout {
  if (hasZero(b.shape)) return zeroStrides(b.shape);
  const targets = new Map<string, Target>();
  let index = 0;
  const targetOf = (path: readonly number[]): Target => {
    const key = path.join();
    let target = targets.get(key);
    if (!target) {
      const part = key === "" ? a : modeOf(a, ...path);
      const modes = unboundedModes(part);
      refuseEmpty("composition", part, modes);
      trace?.note("open modes", key === "" ? "A" : `mode ${key} of A`, part, modes);
      target = { modes, leaves: [], results: [] };
      targets.set(key, target);
    }
    return target;
  };
  const walk = (shape: IntTuple, stride: StrideTuple): Layout => {
    if (isTuple(shape)) return joinModes(shape.map((mode, i) => walk(mode, (stride as readonly StrideTuple[])[i])));
    const target = targetOf(isBasis(stride) ? stride.path : []);
    const step = isBasis(stride) ? stride.value : (stride as Int);
    const leaf: Leaf = { a, b, index: index++, size: shape, stride: step };
    trace?.enter("leaf", leafName(leaf), leaf.size, step);
    const result = composeLeaf(target.modes, leaf, trace);
    trace?.leave();
    target.leaves.push(leaf);
    target.results.push(result);
    return fromModes(result.modes);
  };
  const result = walk(b.shape, b.stride);
  for (const target of targets.values()) checkCarries(target.modes, target.leaves, target.results, trace);
  trace?.note("result", result);
  return result;
}

/** True if and only if composition(a, b) has an answer. */
export function isAdmissible(a: Layout, b: Tiler): boolean {
  try {
    composition(a, b);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw renamed("isAdmissible", error);
  }
}

/** Applies `f` to each mode of a layout and its part of a tiler. Returns the results and the modes past the tiler. */
export function byMode<R>(
  layout: Layout,
  tiler: readonly Tiler[],
  trace: Trace | undefined,
  f: (mode: Layout, tiler: Tiler) => R,
): [results: R[], others: Layout[]] {
  const modes = modesOf(layout);
  if (tiler.length > modes.length)
    throw new ShapeError(`the tiler has ${tiler.length} modes, more than ${formatLayout(layout)}`);
  const results: R[] = [];
  for (let i = 0; i < tiler.length; i++) {
    const part = tiler[i] ?? null;
    trace?.enter("by mode", i, modes[i], part);
    results.push(f(modes[i], part));
    trace?.leave();
  }
  return [results, modes.slice(tiler.length)];
}
