/**
 * Composition: the layout that reads A through B.
 *
 * Promise: compatible(B, R), and R(c) = A(B(c)) for every coordinate c of B, where A goes on counting in its last mode
 * beyond its domain. Refused exactly when no such layout exists.
 *
 * How: A is brought to modes that no longer merge; every leaf of B is composed with them (compose-leaf.ts); the leaves
 * may be answered one by one only if their sums never carry (carries.ts).
 */
import { isBasis, type StrideLeaf, type StrideTuple } from "./basis.ts";
import { byMode } from "./by-mode.ts";
import { checkCarries } from "./carries.ts";
import { fromModes, type Mode, openModes } from "./coalesce.ts";
import { composeLeaf, type Leaf, type LeafResult, leafName } from "./compose-leaf.ts";
import { isUnderscore } from "./coord.ts";
import { encodeModes, offsetOfIndex, pathOf, valueOfStride } from "./encode.ts";
import { formatLayout } from "./format.ts";
import { type Int, int, isZero, valueOf } from "./int.ts";
import {
  type AnyLayout,
  type ComposedLayout,
  isComposed,
  isLayout,
  joinModes,
  type Layout,
  makeComposedLayout,
  rawLayout,
} from "./layout.ts";
import { modeOf, sizeInt } from "./queries.ts";
import { applySwizzle, isSwizzle, type Swizzle, swizzleFromMasks, swizzleMasks } from "./swizzle.ts";
import { isTilerTuple, makeTile, type Tiler } from "./tiler.ts";
import { isRefused, refuse, refuseEmpty, type Trace } from "./trace.ts";
import { type IntTuple, isTuple, leaves, mapLeaves, type Nested } from "./tuple.ts";

/** A composed with B: a layout, a by-mode tiler, an integer n (meaning n:1) or `_`. */
export function composition(a: Layout, b: Tiler, trace?: Trace): Layout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout;
export function composition(a: AnyLayout | Swizzle, b: Tiler | AnyLayout | Swizzle, trace?: Trace): AnyLayout {
  if (isSwizzle(a)) return composeSwizzle(a, b);
  if (isComposed(a)) return makeComposedLayout(a.outer, a.offset, composition(a.inner, b as Tiler, trace));
  if (isLayout(b)) return compose(a, b, trace);
  if (isComposed(b)) return throughComposed(a, b, trace);
  if (isSwizzle(b)) return composeWithSwizzle(a, b);
  if (isUnderscore(b) || b === null) return a;
  if (isTilerTuple(b)) return byMode("composition", a, b, trace, composition);
  return compose(a, makeTile(b as Int), trace);
}

function composeSwizzle(a: Swizzle, b: Tiler | AnyLayout | Swizzle): AnyLayout {
  if (isLayout(b)) return makeComposedLayout(a, int(0), b);
  throw refuse("composition", "swizzle", { a, b }, `${a} composes with a plain layout only`);
}

/** A o (S o 0 o L): the swizzle moves through A when A keeps its two bit fields apart. */
function throughComposed(a: Layout, b: ComposedLayout, trace?: Trace): AnyLayout {
  if (!isZero(b.offset))
    throw refuse(
      "composition",
      "offset",
      { offset: b.offset },
      `the right side has offset ${b.offset}; only 0 can be moved through a layout`,
    );
  if (!isSwizzle(b.outer)) return composition(composition(a, b.outer, trace), b.inner, trace);
  return composition(composeWithSwizzle(a, b.outer), b.inner, trace);
}

/** A o S = S' o A, where S' has the images of the bits of S; checked, and refused where A does not keep the fields apart. */
export function composeWithSwizzle(a: Layout, sw: Swizzle): AnyLayout {
  const encoding = encodeModes(openModes(a), "composition");
  const at = (index: number): number => offsetOfIndex(encoding, index);
  const count = valueOf(sizeInt(a));
  // Bits that no index of A has set are never read: they would only widen the field.
  const { low } = swizzleMasks(sw);
  let bits = sw.bits;
  while (bits > 0 && low.y * 2 ** (bits - 1) >= count) bits--;
  const field = 2 ** bits - 1;
  const moved = swizzleFromMasks(at(low.y * field), at(low.z * field));
  for (let i = 0; i < count; i++)
    if (!moved || applySwizzle(moved, at(i)) !== at(applySwizzle(sw, i)))
      throw refuse(
        "composition",
        "swizzle",
        { layout: formatLayout(a), swizzle: String(sw), index: i },
        `${formatLayout(a)} after ${sw} is no swizzle over a layout: it spreads the bits that ${sw} mixes`,
      );
  return makeComposedLayout(moved as Swizzle, int(0), a);
}

/** What a shape without coordinates composes to. */
const zeroStrides = (shape: IntTuple): Layout =>
  rawLayout(shape, mapLeaves(shape as Nested<Int>, () => int(0)) as IntTuple);

/** The part of A that leaves with one kind of stride address: all of A, or the mode that a basis stride names. */
interface Target {
  readonly modes: readonly Mode[];
  readonly leaves: Leaf[];
  readonly results: LeafResult[];
}

/** Composes one plain layout with another, leaf by leaf. */
function compose(a: Layout, b: Layout, trace: Trace | undefined): Layout {
  if (leaves<Int>(b.shape as Nested<Int>).some(isZero)) return zeroStrides(b.shape);
  const targets = new Map<string, Target>();
  let index = 0;

  const targetOf = (stride: StrideLeaf): Target => {
    const path = pathOf(stride);
    let target = targets.get(path);
    if (target === undefined) {
      const part = isBasis(stride) ? modeOf(a, ...stride.path) : a;
      const modes = openModes(part);
      refuseEmpty("composition", part, modes);
      trace?.note("open modes", { part: isBasis(stride) ? `mode ${path} of A` : "A", layout: part, modes });
      target = { modes, leaves: [], results: [] };
      targets.set(path, target);
    }
    return target;
  };

  const walk = (shape: IntTuple, stride: StrideTuple): Layout => {
    if (isTuple(shape))
      return joinModes(shape.map((mode, i) => walk(mode, (stride as readonly StrideTuple[])[i] as Int)));
    const target = targetOf(stride as StrideLeaf);
    const leaf: Leaf = { of: b.shape, index: index++, size: shape as Int, stride: valueOfStride(stride as StrideLeaf) };
    trace?.note("leaf", { leaf: leafName(leaf), size: leaf.size, stride: leaf.stride });
    trace?.enter();
    const result = composeLeaf(target.modes, leaf, trace);
    trace?.leave();
    target.leaves.push(leaf);
    target.results.push(result);
    return fromModes(result.modes);
  };

  const result = walk(b.shape, b.stride);
  for (const target of targets.values()) checkCarries(target.modes, target.leaves, target.results, trace);
  trace?.note("result", { result });
  return result;
}

/** True if and only if composition(a, b) has an answer. */
export function isAdmissible(a: Layout, b: Tiler): boolean {
  try {
    composition(a, b);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}
