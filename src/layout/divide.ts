/**
 * Division: a layout cut into tiles.
 *
 * logicalDivide(A, T) = A o (T, T*) with T* the complement of T up to A: mode 0 is the tile, mode 1 runs over the tiles.
 * The others gather by-mode results: zipped ((tiles),(rests)), tiled ((tiles),rest,rest,...), flat (tile,...,rest,...).
 * Refused exactly when T has no complement or the composition has no answer.
 */
import { ShapeError } from "../base/errors.ts";
import type { StrideTuple } from "./basis.ts";
import { coalesce } from "./coalesce.ts";
import { compactColMajor as compactStrides } from "./compact.ts";
import { complement } from "./complement.ts";
import { composition } from "./composition.ts";
import { isUnderscore } from "./coord.ts";
import { formatLayout } from "./format.ts";
import { type Int, int } from "./int.ts";
import {
  type AnyLayout,
  concatenate,
  isComposed,
  isLayout,
  type Layout,
  modeOf,
  onInner,
  rank,
  rawLayout,
} from "./layout.ts";
import { isTilerTuple, makeTile, type Tiler } from "./tiler.ts";
import type { Trace } from "./trace.ts";
import { type IntTuple, wrap } from "./tuple.ts";
import type { TwoModes } from "./types.ts";

/** A layout divided by a tiler, mode by mode if the tiler is an array; modes past the tiler stay as they are. */
export function logicalDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function logicalDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner(layout, (l) => divideLayout(l, tiler, trace));
}

function divideLayout(layout: Layout, tiler: Tiler, trace?: Trace): Layout {
  if (tiler === null || isUnderscore(tiler)) return layout;
  if (isTilerTuple(tiler)) {
    return byMode("logicalDivide", layout, tiler, (mode, part, i) => {
      trace?.note("by mode", { mode: i, layout: mode, tiler: part });
      trace?.enter();
      const result = divideLayout(mode, part, trace);
      trace?.leave();
      return result;
    });
  }
  const tile = isLayout(tiler) ? tiler : makeTile(tiler as Int);
  const target = coalesce(layout).shape;
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

/** Applies `f` to each mode and its part of the tiler; modes past the tiler stay. */
export function byMode(
  who: string,
  layout: Layout,
  tiler: readonly Tiler[],
  f: (mode: Layout, tiler: Tiler, index: number) => Layout,
): Layout {
  if (tiler.length > rank(layout))
    throw new ShapeError(
      `${who}: a tiler of ${tiler.length} modes for ${formatLayout(layout)}, which has rank ${rank(layout)}`,
    );
  return concatenate(
    ...Array.from({ length: rank(layout) }, (_unused, i) => {
      const part = tiler[i];
      return part === undefined ? modeOf(layout, i) : f(modeOf(layout, i), part, i);
    }),
  );
}

/** Gathers the (tile, rest) pairs at the leaves of a tiler into (tiles, rests); a mode under `_` is all rest. */
export function gatherTiles(layout: Layout, tiler: Tiler): Layout {
  if (tiler === null || isUnderscore(tiler)) return concatenate(rawLayout(int(1), int(0)), layout);
  if (!isTilerTuple(tiler)) return layout;
  const pairs = tiler.map((part, i) => gatherTiles(modeOf(layout, i), part));
  const beyond = Array.from({ length: rank(layout) - tiler.length }, (_unused, i) => modeOf(layout, tiler.length + i));
  return concatenate(
    concatenate(...pairs.map((pair) => modeOf(pair, 0))),
    concatenate(...pairs.map((pair) => modeOf(pair, 1)), ...beyond),
  );
}

/** ((tile,...),(rest,...)) spread to ((tile,...),rest,...). */
export function unpackRest(zipped: Layout): Layout {
  return rawLayout(
    [modeOf(zipped, 0).shape, ...(wrap(modeOf(zipped, 1).shape as never) as IntTuple[])],
    [modeOf(zipped, 0).stride, ...(wrap(modeOf(zipped, 1).stride as never) as StrideTuple[])],
  );
}

/** ((tile,...),(rest,...)) spread to (tile,...,rest,...). */
export function unpackBoth(zipped: Layout): Layout {
  const spread = (of: "shape" | "stride") => [0, 1].flatMap((i) => wrap(modeOf(zipped, i)[of] as never) as IntTuple[]);
  return rawLayout(spread("shape"), spread("stride"));
}

/** ((tiles),(rests)): coordinate (i, j) is element i of tile j. */
export function zippedDivide(layout: Layout, tiler: Tiler, trace?: Trace): TwoModes;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function zippedDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner(layout, (l) => gatherTiles(divideLayout(l, tiler, trace), tiler));
}

/** ((tiles),rest,rest,...) */
export function tiledDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function tiledDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner(zippedDivide(layout, tiler, trace), unpackRest);
}

/** (tile,tile,...,rest,rest,...) */
export function flatDivide(layout: Layout, tiler: Tiler, trace?: Trace): Layout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout;
export function flatDivide(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  return onInner(zippedDivide(layout, tiler, trace), unpackBoth);
}

/** The same elements under another shape: composition with the compact layout of that shape. */
export function withShape(layout: Layout, shape: IntTuple): Layout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout;
export function withShape(layout: AnyLayout, shape: IntTuple): AnyLayout {
  const compact = (l: Layout) => composition(l, rawLayout(shape, compactStrides(shape)));
  return isComposed(layout) ? onInner(layout, compact) : compact(layout);
}
