/**
 * Division: a layout cut into tiles.
 *
 * logicalDivide(A, T) = A o (T, T*) with T* the complement of T up to A: mode 0 is the tile, mode 1 runs over the tiles.
 * The others gather by-mode results: zipped ((tiles),(rest modes)), tiled ((tiles),rest,rest,...), flat (tile,...,rest,...).
 * Throws if and only if T has no complement or the composition does not exist.
 */
import { type StrideLeaf, scale } from "../basis.ts";
import { isUnderscore } from "../coord.ts";
import { _0, _1, ceilDivInt, type Int, isOne, isStaticInt, knownValue } from "../int.ts";
import {
  type AnyLayout,
  isLayout,
  joinModes,
  type Layout,
  makeLayout,
  modesOf,
  onInner,
  rawLayout,
  type Tiler,
} from "../layout.ts";
import type { Trace } from "../trace.ts";
import { type IntTuple, isTuple } from "../tuple.ts";
import type { TwoModes } from "../types/layout-types.ts";
import { coalesce } from "./coalesce.ts";
import { complement } from "./complement.ts";
import { byMode, composition } from "./composition.ts";

/** The two modes of a division (tile and rest) or of a product (block and copies). */
export type Pair = readonly [tile: Layout, rest: Layout];
/** Divides or multiplies a layout by one tile. */
export type PairBy = (layout: Layout, tile: Layout | Int, trace?: Trace) => Pair;

/** Divides a layout by one tile. */
export function divideByTile(layout: Layout, tiler: Layout | Int, trace?: Trace): Pair {
  const direct = divideLeaf(layout, tiler);
  if (direct && !trace) return direct;
  const tile: Layout = isLayout(tiler) ? tiler : makeLayout(tiler);
  trace?.enter("complement of tile", tile, layout);
  const rest = complement(tile, coalesce(layout).shape, trace);
  trace?.leave();
  trace?.enter("read through", layout, tile, rest);
  const result = composition(layout, joinModes([tile, rest]), trace);
  trace?.leave();
  return modesOf(result) as readonly Layout[] as Pair;
}

/**
 * Divides one leaf by an integer, the common case, as a formula: s:d by n is (n:d, ceil(s/n):n*d). Returns undefined unless s and n
 * are numbers above 1, because smaller sizes have other rules.
 */
function divideLeaf({ shape, stride }: Layout, tile: Layout | Int): Pair | undefined {
  const [size, n] = [Number(knownValue(shape as Int)), Number(knownValue(tile as Int))];
  if (!(size > 1 && n > 1 && Number.isSafeInteger(n))) return undefined;
  const count = ceilDivInt(shape as Int, tile as Int);
  return [
    { shape: tile as Int, stride },
    { shape: count, stride: isStaticInt(count) && isOne(count) ? _0 : scale(tile as Int, stride as StrideLeaf) },
  ];
}

/** Replaces each mode by its pair; modes past the tiler stay unchanged. */
export function pairModes(layout: Layout, tiler: Tiler, trace: Trace | undefined, pairBy: PairBy): Layout {
  if (tiler === null || isUnderscore(tiler)) return layout;
  if (!isTuple(tiler)) return joinModes(pairBy(layout, tiler, trace));
  return joinModes(byMode(layout, tiler, trace, (mode, part) => pairModes(mode, part, trace, pairBy)).flat());
}

/** Gathers the pairs at the leaves of a tiler into (tiles) and (rest modes); a mode under `_` is a rest mode. */
function gatherPairs(layout: Layout, tiler: Tiler, trace: Trace | undefined, pairBy: PairBy): Pair {
  if (tiler === null || isUnderscore(tiler)) return [rawLayout(_1, _0), layout];
  if (!isTuple(tiler)) return pairBy(layout, tiler, trace);
  const [pairs, others] = byMode(layout, tiler, trace, (mode, part) => gatherPairs(mode, part, trace, pairBy));
  return [joinModes(pairs.map(([tile]) => tile)), joinModes([...pairs.map(([, rest]) => rest), ...others])];
}

/** Converts (tiles, rest modes) to (tiles,rest,rest,...). */
export const unpackRestModes = ([tiles, rest]: Pair): Layout => joinModes([tiles, ...modesOf(rest)]);

/** Converts (tiles, rest modes) to (tile,tile,...,rest,rest,...). */
export const unpackBoth = (pair: Pair): Layout => joinModes(pair.flatMap(modesOf));

/** Gathers the pairs of a divide or product, then arranges them by `f`. */
export const arrange = (
  who: string,
  layout: AnyLayout,
  tiler: Tiler,
  trace: Trace | undefined,
  pairBy: PairBy,
  f: (pair: Pair) => Layout = joinModes,
): AnyLayout => onInner(who, layout, (l) => f(gatherPairs(l, tiler, trace, pairBy)));

/** Divides a layout by a tiler, mode by mode if the tiler is an array; modes past the tiler stay unchanged. */
export function logicalDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner("logicalDivide", layout, (l) => pairModes(l, tiler, trace, divideByTile));
}

/** Divides into ((tiles),(rest modes)): coordinate (i, j) is element i of tile j. */
export function zippedDivide(layout: Layout, tiler: Tiler, trace?: Trace): TwoModes;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("zippedDivide", layout, tiler, trace, divideByTile);
}

/** Divides into ((tiles),rest,rest,...). */
export function tiledDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("tiledDivide", layout, tiler, trace, divideByTile, unpackRestModes);
}

/** Divides into (tile,tile,...,rest,rest,...). */
export function flatDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("flatDivide", layout, tiler, trace, divideByTile, unpackBoth);
}

/** Returns the same elements under a different shape: the composition with the compact layout of that shape. */
export function withShape(layout: Layout, shape: IntTuple): Layout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout {
  return onInner("withShape", layout, (l) => composition(l, makeLayout(shape)));
}
