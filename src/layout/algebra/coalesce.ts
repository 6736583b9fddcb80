/**
 * Coalesce: the same function of the 1-D index in as few modes as possible.
 * Filter: the same with the modes that repeat offsets (stride 0) removed.
 *
 * Modes merge by their values, static or not: (2,3):(1,2) is 6:1. A merged size is static only if both sizes were.
 */
import { equalStride, type StrideLeaf, type StrideTuple, scale } from "../basis.ts";
import { _0, _1, _2, type Int, isOne, mul } from "../int.ts";
import {
  type AnyLayout,
  checkLayout,
  filterZeroSizes,
  joinModes,
  type Layout,
  modesOf,
  onInner,
  rawLayout,
} from "../layout.ts";
import { rank } from "../queries.ts";
import { differingRanks, type IntTuple, isTuple } from "../tuple.ts";

/** One flat mode. */
export interface Mode {
  readonly size: Int;
  readonly stride: StrideLeaf;
}

/** Returns the leaves of a layout as flat modes. */
export function flatModes({ shape, stride }: Layout, into: Mode[] = []): Mode[] {
  if (!isTuple(shape)) into.push({ size: shape, stride: stride as StrideLeaf });
  else
    for (let i = 0; i < shape.length; i++)
      flatModes({ shape: shape[i], stride: (stride as readonly StrideTuple[])[i] }, into);
  return into;
}

/** Returns a flat layout of the modes: `1:0` for none, an integer shape for one. */
export function fromModes(modes: readonly Mode[]): Layout {
  if (modes.length === 0) return rawLayout(_1, _0);
  if (modes.length === 1) return rawLayout(modes[0].size, modes[0].stride);
  return rawLayout(
    modes.map((mode) => mode.size),
    modes.map((mode) => mode.stride),
  );
}

/** Drops modes of size 1 and merges adjacent modes where size * stride of the left one is the stride of the right one. */
export function mergeModes(modes: readonly Mode[]): Mode[] {
  const merged: Mode[] = [];
  for (const mode of modes) {
    if (isOne(mode.size)) continue;
    const last = merged[merged.length - 1];
    if (last && equalStride(scale(last.size, last.stride), mode.stride))
      merged[merged.length - 1] = { size: mul(last.size, mode.size), stride: last.stride };
    else merged.push(mode);
  }
  return merged;
}

/**
 * Returns coalesced modes that also preserve the function beyond its domain, where an index continues in the last mode:
 * a last mode of size 1 stays, because such an index multiplies its stride. The last size is not meaningful.
 */
export function unboundedModes(layout: Layout): Mode[] {
  const modes = flatModes(layout);
  const last = modes.at(-1);
  if (last === undefined) return [{ size: _1, stride: _0 }];
  if (isOne(last.size)) modes[modes.length - 1] = { size: _2, stride: last.stride };
  return mergeModes(modes);
}

function byProfile(layout: Layout, profile: IntTuple | undefined, f: (layout: Layout) => Layout): Layout {
  if (profile === undefined || !isTuple(profile)) return f(layout);
  if (profile.length > rank(layout)) throw differingRanks("profile", profile, layout.shape);
  const part = (i: number): IntTuple => profile[i];
  return joinModes(modesOf(layout).map((mode, i) => (i < profile.length ? byProfile(mode, part(i), f) : mode)));
}

/**
 * Returns the same function from indices to offsets in as few modes as possible, at the leaves of `profile` if passed.
 *
 * Postconditions: size(result) = size(layout), depth(result) <= 1, and
 * result(i) = layout(i) for every 0 <= i < size(layout).
 */
export function coalesce(layout: Layout, profile?: IntTuple): Layout;
export function coalesce(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function coalesce(layout: AnyLayout, profile?: IntTuple): AnyLayout {
  return onInner("coalesce", layout, (l) => byProfile(l, profile, (part) => fromModes(mergeModes(flatModes(part)))));
}

/** Shrinks every mode of stride 0 to size 1: the offsets without repetitions. */
export function filterZeros(layout: Layout, profile?: StrideTuple): Layout {
  checkLayout("filterZeros", layout);
  return rawLayout(filterZeroSizes(profile ?? layout.stride, layout.shape), layout.stride);
}

/**
 * Returns the layout without stride-0 and size-1 modes, at the leaves of `profile` if passed.
 *
 * Postconditions: image(result) = image(layout), and no mode of stride 0 is left (except `1:0` for an empty result).
 */
export function filter(layout: Layout, profile?: IntTuple): Layout;
export function filter(layout: AnyLayout, profile?: IntTuple): AnyLayout;
export function filter(layout: AnyLayout, profile?: IntTuple): AnyLayout {
  const filterFlat = (part: Layout) => fromModes(mergeModes(flatModes(filterZeros(part))));
  return onInner("filter", layout, (l) => byProfile(l, profile, filterFlat));
}
