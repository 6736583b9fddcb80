/**
 * Functions on the modes of layouts and shapes: take, select, group, flatten, append and so on. On a layout they act on
 * both shape and stride; on a composed layout, on its inner layout.
 */
import { shown } from "../base/arguments.ts";
import { named, ShapeError } from "../base/errors.ts";
import { isBasis, type StrideLeaf } from "./basis.ts";
import { crd2idx, isUnderscore, pickModes, type SliceCoord } from "./coord.ts";
import { _0, _1, isInt } from "./int.ts";
import { type AnyLayout, isLayout, type Layout, onInner, rawLayout } from "./layout.ts";
import {
  appendMode,
  flattenTuple,
  groupModes,
  type IntTuple,
  isTuple,
  type Nested,
  replaceMode,
  selectModes,
  takeModes,
  unflattenTuple,
  wrap,
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

/** Lifts an operation on tuples to layouts. */
function lift<Result>(who: string, layoutOrShape: Shaped, f: (t: Nested<Leaf>) => Nested<Leaf>): Result {
  if (isTuple(layoutOrShape) || isInt(layoutOrShape) || isBasis(layoutOrShape))
    return named(who, () => f(layoutOrShape as Nested<Leaf>)) as Result;
  return onInner(who, layoutOrShape as AnyLayout, (l) =>
    rawLayout(f(l.shape as Nested<Leaf>) as IntTuple, f(l.stride as Nested<Leaf>) as IntTuple),
  ) as Result;
}

/** Lifts an operation with a second operand of the same kind. */
function lift2<Result>(
  who: string,
  layoutOrShape: Layout | IntTuple,
  other: Layout | IntTuple,
  f: (t: Nested<Leaf>, x: Nested<Leaf>) => Nested<Leaf>,
): Result {
  if (isLayout(layoutOrShape) !== isLayout(other))
    throw new ShapeError(`${who}: needs two layouts or two shapes, got ${shown(layoutOrShape)} and ${shown(other)}`);
  if (isLayout(layoutOrShape))
    return rawLayout(
      f(layoutOrShape.shape as Nested<Leaf>, (other as Layout).shape as Nested<Leaf>) as IntTuple,
      f(layoutOrShape.stride as Nested<Leaf>, (other as Layout).stride as Nested<Leaf>) as IntTuple,
    ) as Result;
  return f(layoutOrShape as Nested<Leaf>, other as Nested<Leaf>) as Result;
}

/** Returns all leaves as top-level modes: depth at most 1. */
export const flatten = <const T extends Shaped>(layoutOrShape: T): Flattened<T> =>
  lift("flatten", layoutOrShape, flattenTuple);
/** Returns the leaves in the nesting of `profile`. */
export const unflatten = <T extends Shaped>(layoutOrShape: T, profile: IntTuple): Untracked<T> =>
  lift("unflatten", layoutOrShape, (t) => unflattenTuple(t, profile));
/** Returns modes begin to end (exclusive). */
export const take = <const T extends Shaped, const B extends number, const E extends number>(
  layoutOrShape: T,
  begin: Checked<B, RangeFault<"take", T, B, E>>,
  end: E,
): Taken<T, B, E> => lift("take", layoutOrShape, (t) => takeModes(t, begin as B, end));
/** Returns the modes with these numbers, in this order. */
export const select = <const T extends Shaped, const M extends readonly number[]>(
  layoutOrShape: T,
  ...modes: CheckedRest<M, SelectFault<T, M>>
): Selected<T, M> => lift("select", layoutOrShape, (t) => selectModes(t, modes as readonly number[]));
/** Groups modes begin to end (exclusive) into one mode. */
export const group = <const T extends Shaped, const B extends number, const E extends number>(
  layoutOrShape: T,
  begin: Checked<B, RangeFault<"group", T, B, E>>,
  end: E,
): Grouped<T, B, E> => lift("group", layoutOrShape, (t) => groupModes(t, begin as B, end));
/** Transposes a tuple of tuples: ((a,b),(x,y)) to ((a,x),(b,y)). */
export const zip = <T extends Shaped>(layoutOrShape: T): Untracked<T> => lift("zip", layoutOrShape, zipModes);

/** Adds a mode at the end. */
export const append = <const T extends Layout | IntTuple, const X extends NewMode<T>>(
  layoutOrShape: T,
  extra: X,
): Appended<T, X> => lift2("append", layoutOrShape, extra, (t, x) => appendMode(t, x));
/** Adds a mode at the front. */
export const prepend = <const T extends Layout | IntTuple, const X extends NewMode<T>>(
  layoutOrShape: T,
  extra: X,
): Prepended<T, X> => lift2("prepend", layoutOrShape, extra, (t, x) => [x, ...wrap(t)]);
/** Replaces mode `index`. */
export const replace = <T extends Layout | IntTuple>(layoutOrShape: T, index: number, mode: NewMode<T>): Untracked<T> =>
  lift2("replace", layoutOrShape, mode, (t, x) => replaceMode(t, index, x));

/** Returns the layout with `1:0` appended until it has `rank` modes. */
export const padToRank = (layout: Layout, rank: number): Layout =>
  lift2<Layout>("append", layout, rawLayout(_1, _0), (t, x) => appendMode(t, x, rank));

/** Returns the modes of a layout that are paired with `_`: the layout itself for a bare `_`, `():()` if there is no `_`. */
export function slice<const C extends SliceCoord, L extends Layout>(
  coord: Checked<C, SliceFault<C, L>>,
  layout: L,
): Sliced<C, L>;
export function slice(coord: SliceCoord, layout: Layout): Layout {
  return lift("slice", layout, (t) => (isUnderscore(coord) ? t : pickModes(coord, t)));
}

/** Returns the modes of a layout or shape that are paired with integers, which `slice` drops. */
export const dice = <T extends Layout | IntTuple>(coord: SliceCoord, layoutOrShape: T): Untracked<T> =>
  isInt(coord) ? (layoutOrShape as never) : lift("dice", layoutOrShape, (t) => pickModes(coord, t, false));

/** Returns the sliced layout and the offset of the fixed coordinates: layout(c) = offset + slice(c at `_`). */
export function slicePlain(coord: SliceCoord, layout: Layout): readonly [slice: Layout, offset: IntTuple] {
  return [slice(coord, layout), crd2idx(coord, layout.shape, layout.stride)];
}
