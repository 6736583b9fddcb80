/**
 * Division: a layout cut into tiles.
 *
 * logicalDivide(A, T) = A o (T, T*) with T* the complement of T up to A: mode 0 is the tile, mode 1 runs over the tiles.
 * The others gather by-mode results: zipped ((tiles),(rests)), tiled ((tiles),rest,rest,...), flat (tile,...,rest,...).
 * Refused exactly when T has no complement or the composition has no answer.
 */
import { isUnderscore } from "../coord.ts";
import { int } from "../int.ts";
import {
  type AnyLayout,
  concatenate,
  isLayout,
  joinModes,
  type Layout,
  makeLayout,
  modesOf,
  onInner,
  rawLayout,
} from "../layout.ts";
import { isTilerTuple, makeTile, type Tiler } from "../tiler.ts";
import type { Trace } from "../trace.ts";
import type { IntTuple } from "../tuple.ts";
import type { TwoModes } from "../types/layout-types.ts";
import { flatModes, fromModes, mergeModes } from "./coalesce.ts";
import { complement } from "./complement.ts";
import { byMode, composition } from "./composition.ts";

/** A layout divided by a tiler, mode by mode if the tiler is an array; modes past the tiler stay as they are. */
export function logicalDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner("logicalDivide", layout, (l) => divideLayout(l, tiler, trace));
}

function divideLayout(layout: Layout, tiler: Tiler, trace?: Trace): Layout {
  if (tiler === null || isUnderscore(tiler)) return layout;
  if (isTilerTuple(tiler)) return byMode("divide", layout, tiler, trace, divideLayout);
  const tile = isLayout(tiler) ? tiler : makeTile(tiler);
  const target = fromModes(mergeModes(flatModes(layout))).shape;
  trace?.note("complement of tile", { tile, layout });
  trace?.enter();
  const rest = complement(tile, target, trace);
  trace?.leave();
  trace?.note("read through", { layout, tile, rest });
  trace?.enter();
  const result = composition(layout, concatenate(tile, rest), trace);
  trace?.leave();
  return result;
}

/** Gathers the (tile, rest) pairs at the leaves of a tiler into (tiles, rests); a mode under `_` is all rest. */
function gatherTiles(layout: Layout, tiler: Tiler): Layout {
  if (tiler == null || isUnderscore(tiler)) return concatenate(rawLayout(int(1), int(0)), layout);
  if (!isTilerTuple(tiler)) return layout;
  const modes = modesOf(layout);
  const pairs = tiler.map((part, i) => modesOf(gatherTiles(modes[i], part)));
  const side = (k: number): Layout[] => pairs.map((pair) => pair[k]);
  return joinModes([joinModes(side(0)), joinModes([...side(1), ...modes.slice(tiler.length)])]);
}

/** ((tile,...),(rest,...)) spread to ((tile,...),rest,...). */
export function unpackRest(zipped: Layout): Layout {
  const [tiles, rests] = modesOf(zipped) as [Layout, Layout];
  return joinModes([tiles, ...modesOf(rests)]);
}

/** ((tile,...),(rest,...)) spread to (tile,...,rest,...). */
export const unpackBoth = (zipped: Layout): Layout => joinModes(modesOf(zipped).flatMap(modesOf));

/** A divide or product with its (tile, rest) pairs gathered, then spread by `f`. */
export const arrange = (
  who: string,
  layout: AnyLayout,
  tiler: Tiler,
  trace: Trace | undefined,
  divide: (layout: Layout, tiler: Tiler, trace?: Trace) => Layout,
  f = (zipped: Layout): Layout => zipped,
): AnyLayout => onInner(who, layout, (l) => f(gatherTiles(divide(l, tiler, trace), tiler)));

/** ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export function zippedDivide(layout: Layout, tiler: Tiler, trace?: Trace): TwoModes;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("zippedDivide", layout, tiler, trace, divideLayout);
}

/** ((tiles),rest,rest,...) */
export function tiledDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("tiledDivide", layout, tiler, trace, divideLayout, unpackRest);
}

/** (tile,tile,...,rest,rest,...) */
export function flatDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return arrange("flatDivide", layout, tiler, trace, divideLayout, unpackBoth);
}

/** The same elements under another shape: composition with the compact layout of that shape. */
export function withShape(layout: Layout, shape: IntTuple): Layout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout {
  return onInner("withShape", layout, (l) => composition(l, makeLayout(shape)));
}
