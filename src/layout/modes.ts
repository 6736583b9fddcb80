/**
 * Layouts (and shapes) as tuples of modes: take, select, group, flatten, append and so on work on both,
 * on the shape and the stride of a layout alike, and on the inner part of a composed layout.
 */
import { ShapeError } from "../base/errors.ts";
import { isBasis, type StrideLeaf } from "./basis.ts";
import { crd2idx, diceTuple, isUnderscore, type SliceCoord, sliceTuple } from "./coord.ts";
import { int, isInt } from "./int.ts";
import { type AnyLayout, isLayout, type Layout, onInner, rawLayout } from "./layout.ts";
import {
  appendMode,
  flattenTuple,
  groupModes,
  type IntTuple,
  isTuple,
  type Nested,
  prependMode,
  replaceMode,
  selectModes,
  takeModes,
  unflattenTuple,
  zipModes,
} from "./tuple.ts";
import type { Checked, CheckedRest, RangeFault, SelectFault, SliceFault } from "./types/faults.ts";
import type {
  Appended,
  Flattened,
  Grouped,
  NewMode,
  Prepended,
  Selected,
  Shaped,
  Sliced,
  Taken,
  Untracked,
} from "./types/layout-types.ts";

type Leaf = StrideLeaf;

/** Lifts an operation on tuples to layouts. Result is what the operation makes of the type of `of`. */
function lift<Result>(who: string, of: Shaped, f: (t: Nested<Leaf>) => Nested<Leaf>): Result {
  if (isTuple(of) || isInt(of) || isBasis(of)) return f(of as Nested<Leaf>) as Result;
  return onInner(who, of as AnyLayout, (l) =>
    rawLayout(f(l.shape as Nested<Leaf>) as IntTuple, f(l.stride as Nested<Leaf>) as IntTuple),
  ) as Result;
}

/** Lifts an operation with a second operand of the same kind. */
function lift2<Result>(
  of: Layout | IntTuple,
  other: Layout | IntTuple,
  f: (t: Nested<Leaf>, x: Nested<Leaf>) => Nested<Leaf>,
): Result {
  if (isLayout(of) !== isLayout(other)) throw new ShapeError("a layout takes layouts, a shape shapes");
  if (isLayout(of))
    return rawLayout(
      f(of.shape as Nested<Leaf>, (other as Layout).shape as Nested<Leaf>) as IntTuple,
      f(of.stride as Nested<Leaf>, (other as Layout).stride as Nested<Leaf>) as IntTuple,
    ) as Result;
  return f(of as Nested<Leaf>, other as Nested<Leaf>) as Result;
}

/** All leaves side by side: depth at most 1. */
export const flatten = <const T extends Shaped>(of: T): Flattened<T> => lift("flatten", of, flattenTuple);
/** A flat layout folded into the nesting of `profile`. */
export const unflatten = <T extends Shaped>(of: T, profile: IntTuple): Untracked<T> =>
  lift("unflatten", of, (t) => unflattenTuple(t, profile));
/** Modes begin to end (exclusive). */
export const take = <const T extends Shaped, const B extends number, const E extends number>(
  of: T,
  begin: Checked<B, RangeFault<"take", T, B, E>>,
  end: E,
): Taken<T, B, E> => lift("take", of, (t) => takeModes(t, begin as B, end));
/** The named modes in the order named. */
export const select = <const T extends Shaped, const M extends readonly number[]>(
  of: T,
  ...modes: CheckedRest<M, SelectFault<T, M>>
): Selected<T, M> => lift("select", of, (t) => selectModes(t, modes as readonly number[]));
/** Modes begin to end (exclusive) grouped into one mode. */
export const group = <const T extends Shaped, const B extends number, const E extends number>(
  of: T,
  begin: Checked<B, RangeFault<"group", T, B, E>>,
  end: E,
): Grouped<T, B, E> => lift("group", of, (t) => groupModes(t, begin as B, end));
/** ((a,b),(x,y)) to ((a,x),(b,y)). */
export const zip = <T extends Shaped>(of: T): Untracked<T> => lift("zip", of, zipModes);

/** The layout `1:0`, which changes nothing when it is a mode. */
export const unitLayout = (): Layout => rawLayout(int(1), int(0));

/** One more mode at the end. */
export const append = <const T extends Layout | IntTuple, const X extends NewMode<T>>(
  of: T,
  extra: X,
): Appended<T, X> => lift2(of, extra, (t, x) => appendMode(t, x));
/** One more mode at the front. */
export const prepend = <const T extends Layout | IntTuple, const X extends NewMode<T>>(
  of: T,
  extra: X,
): Prepended<T, X> => lift2(of, extra, (t, x) => prependMode(t, x));
/** Mode `index` replaced. */
export const replace = <T extends Layout | IntTuple>(of: T, index: number, mode: NewMode<T>): Untracked<T> =>
  lift2(of, mode, (t, x) => replaceMode(t, index, x));

/** The layout with `1:0` appended until it has `rank` modes. */
export const padToRank = (layout: Layout, rank: number): Layout =>
  lift2<Layout>(layout, unitLayout(), (t, x) => appendMode(t, x, rank));

/** The modes of a layout that stand under `_`: all of it for a bare `_`, `():()` if there is no `_`. */
export function slice<const C extends SliceCoord, L extends Layout>(
  coord: Checked<C, SliceFault<C, L>>,
  layout: L,
): Sliced<C, L>;
export function slice(coord: SliceCoord, layout: Layout): Layout {
  return lift("slice", layout, (t) => (isUnderscore(coord) ? t : sliceTuple(coord, t)));
}

/** The modes of a layout or shape that stand under integers: what `slice` drops. */
export const dice = <T extends Layout | IntTuple>(coord: SliceCoord, of: T): Untracked<T> =>
  isInt(coord) ? (of as never) : lift("dice", of, (t) => diceTuple(coord, t));

/** The sliced layout and the offset of the fixed coordinates: layout(c) = offset + slice(c under `_`). */
export function slicePlain(coord: SliceCoord, layout: Layout): readonly [slice: Layout, offset: IntTuple] {
  const kept = slice(coord, layout);
  return [kept, crd2idx(coord, layout.shape, layout.stride)];
}
