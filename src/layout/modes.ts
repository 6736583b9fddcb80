/**
 * Layouts (and shapes) as tuples of modes: take, select, group, flatten, append and so on work on both,
 * on the shape and the stride of a layout alike, and on the inner part of a composed layout.
 */
import { ShapeError } from "../base/errors.ts";
import type { StrideLeaf } from "./basis.ts";
import { crd2idx, diceTuple, hasUnderscore, isUnderscore, type SliceCoord, sliceTuple } from "./coord.ts";
import { formatLayout } from "./format.ts";
import { type Int, int } from "./int.ts";
import { type AnyLayout, isComposed, isLayout, type Layout, onInner, rawLayout } from "./layout.ts";
import {
  appendMode,
  flattenTuple,
  groupModes,
  type IntTuple,
  type Nested,
  prependMode,
  replaceMode,
  selectModes,
  takeModes,
  unflattenTuple,
  zipModes,
} from "./tuple.ts";

type Leaf = StrideLeaf;

/** Lifts an operation on tuples to layouts. */
function lift<T extends AnyLayout | IntTuple>(of: T, f: (t: Nested<Leaf>) => Nested<Leaf>): T {
  if (isLayout(of) || isComposed(of))
    return onInner(of as AnyLayout, (l) =>
      rawLayout(f(l.shape as Nested<Leaf>) as IntTuple, f(l.stride as Nested<Leaf>) as IntTuple),
    ) as T;
  return f(of as Nested<Leaf>) as T;
}

/** Lifts an operation with a second operand of the same kind. */
function lift2<T extends Layout | IntTuple>(of: T, other: T, f: (t: Nested<Leaf>, x: Nested<Leaf>) => Nested<Leaf>): T {
  if (isLayout(of) !== isLayout(other))
    throw new ShapeError("a layout takes a layout as its new mode, a shape takes a shape");
  if (isLayout(of) && isLayout(other))
    return rawLayout(
      f(of.shape as Nested<Leaf>, other.shape as Nested<Leaf>) as IntTuple,
      f(of.stride as Nested<Leaf>, other.stride as Nested<Leaf>) as IntTuple,
    ) as Layout as T;
  return f(of as Nested<Leaf>, other as Nested<Leaf>) as T;
}

/** All leaves side by side: depth at most 1. */
export const flatten = <T extends AnyLayout | IntTuple>(of: T): T => lift(of, flattenTuple);
/** A flat layout folded into the nesting of `profile`. */
export const unflatten = <T extends AnyLayout | IntTuple>(of: T, profile: IntTuple): T =>
  lift(of, (t) => unflattenTuple(t, profile as Nested<unknown>));
/** Modes begin to end (exclusive). */
export const take = <T extends AnyLayout | IntTuple>(of: T, begin: number, end: number): T =>
  lift(of, (t) => takeModes(t, begin, end));
/** The named modes in the order named. */
export const select = <T extends AnyLayout | IntTuple>(of: T, ...modes: number[]): T =>
  lift(of, (t) => selectModes(t, modes));
/** Modes begin to end (exclusive) grouped into one mode. */
export const group = <T extends AnyLayout | IntTuple>(of: T, begin: number, end: number): T =>
  lift(of, (t) => groupModes(t, begin, end));
/** ((a,b),(x,y)) to ((a,x),(b,y)). */
export const zip = <T extends AnyLayout | IntTuple>(of: T): T => lift(of, zipModes);

/** The layout `1:0`, which changes nothing when it is a mode. */
export const unitLayout = (): Layout => rawLayout(int(1), int(0));

/** One more mode at the end. */
export const append = <T extends Layout | IntTuple>(of: T, extra: T): T => lift2(of, extra, (t, x) => appendMode(t, x));
/** One more mode at the front. */
export const prepend = <T extends Layout | IntTuple>(of: T, extra: T): T =>
  lift2(of, extra, (t, x) => prependMode(t, x));
/** Mode `index` replaced. */
export const replace = <T extends Layout | IntTuple>(of: T, index: number, mode: T): T =>
  lift2(of, mode, (t, x) => replaceMode(t, index, x));

/** The layout with `1:0` appended until it has `rank` modes. */
export const padToRank = (layout: Layout, rank: number): Layout =>
  lift2<Layout>(layout, unitLayout(), (t, x) => appendMode(t, x, rank));

/** Zips two layouts of equal rank: mode i of the result is (a's mode i, b's mode i). */
export function zipLayouts(a: Layout, b: Layout): Layout {
  return rawLayout(
    zipModes([a.shape, b.shape] as Nested<Int>) as IntTuple,
    zipModes([a.stride, b.stride] as Nested<Leaf>) as IntTuple,
  );
}

/** The modes of a layout that stand under `_`; a bare `_` keeps the layout as it is. */
export function slice(coord: SliceCoord, layout: Layout): Layout {
  if (isUnderscore(coord)) return layout;
  if (!hasUnderscore(coord))
    throw new ShapeError(
      `slice: the coordinate has no _, so nothing of ${formatLayout(layout)} is kept; offsetAt gives the offset`,
    );
  return rawLayout(
    sliceTuple(coord, layout.shape as Nested<Int>) as IntTuple,
    sliceTuple(coord, layout.stride as Nested<Leaf>) as IntTuple,
  );
}

/** The modes of a layout that stand under integers: what `slice` drops. */
export function dice(coord: SliceCoord, layout: Layout): Layout {
  return rawLayout(
    diceTuple(coord, layout.shape as Nested<Int>) as IntTuple,
    diceTuple(coord, layout.stride as Nested<Leaf>) as IntTuple,
  );
}

/** The sliced layout and the offset of the fixed coordinates: layout(c) = offset + slice(c under `_`). */
export function slicePlain(coord: SliceCoord, layout: Layout): readonly [slice: Layout, offset: IntTuple] {
  const offset = crd2idx(coord, layout.shape, layout.stride);
  return [slice(coord, layout), offset];
}
