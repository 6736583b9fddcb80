/**
 * Partitioning a layout: divide it by a tiler, then fix a coordinate. Each returns the layout and the offset.
 * Inner keeps the tile (what a block works on), outer keeps the rest (what one thread gets of every tile).
 *
 * Thread-value partition: a layout read through a TV layout, which maps (thread, value) to a 1-D coordinate of it; then one
 * thread's values.
 *
 * Promise: threadValuePartition(A, TV, t) = (L, o) with o + L(v) = A(TV(t, v)) for every value v.
 */
import { _, type Coord, crd2crd, crd2idx, diceTuple, idx2crd, type SliceCoord } from "../coord.ts";
import { formatLayout } from "../format.ts";
import { equalInt, type Int, wrongKind } from "../int.ts";
import { type AnyLayout, checkLayout, type Layout } from "../layout.ts";
import type { Tiler } from "../tiler.ts";
import { appendMode, type IntTuple, isTuple, type Nested, productEach, rankOf } from "../tuple.ts";
import { composition } from "./composition.ts";
import { zippedDivide } from "./divide.ts";
import { sliceAndOffset } from "./swizzled.ts";

/** The part of a layout and where it starts. A part of a plain layout is plain. */
export type Partition<L extends AnyLayout = AnyLayout> = readonly [
  layout: L extends Layout ? Layout : AnyLayout,
  offset: IntTuple,
];

/** Of a zipped divide, the part at `coord`: of mode 1 it chooses a tile, of mode 0 a place in every tile. The other mode stays. */
export function partAt(tiled: AnyLayout, fixed: 0 | 1, coord: SliceCoord): Partition {
  const { shape } = "inner" in tiled ? tiled.inner : tiled;
  const sides = (shape as readonly IntTuple[]).map((mode, i): SliceCoord => {
    // A mode of rank 1 that is no tuple is kept whole by a bare `_`.
    const isWhole = i === fixed ? !isTuple(coord) : !isTuple(mode);
    const start = i === fixed ? coord : isWhole ? _ : [];
    return isWhole ? start : appendMode(start, _, rankOf(mode));
  });
  return sliceAndOffset(sides, tiled);
}

/** The tile at `coord`: the tiles' own modes stay, the coordinate chooses among the rests. */
export function innerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  return partAt(zippedDivide(layout, tiler), 1, coord) as Partition<L>;
}

/** The elements at `coord` of every tile: the coordinate chooses inside the tile, the rests stay. */
export function outerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  return partAt(zippedDivide(layout, tiler), 0, coord) as Partition<L>;
}

/** What a projection such as [1, _, 1] marks of a tuple; without one, all of it. */
export const projected = <T>(projection: SliceCoord | undefined, of: T): T =>
  projection === undefined ? of : (diceTuple(projection, of as Nested<unknown>) as T);

/** The tile at `coord`; a projection such as [1, _, 1] keeps only the marked modes of tiler and coordinate. */
export function localTile<L extends AnyLayout>(
  layout: L,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
): Partition<L> {
  return innerPartition(layout, projected(projection, tiler), projected(projection, coord));
}

/** The coordinate of a thread in its layout, one integer for each top-level mode. Throws if no thread has the index. */
export function threadCoord(threads: Layout, index: Int): IntTuple {
  checkLayout("localPartition", threads);
  const { shape, stride } = threads;
  const nested = idx2crd(index, shape, stride);
  if (equalInt(crd2idx(nested as Coord, shape, stride) as Int, index) === false)
    throw wrongKind("localPartition", `a thread of ${formatLayout(threads)}`, index);
  return isTuple(shape) ? crd2crd(nested, shape, productEach(shape)) : nested;
}

/** What the thread with this index gets: the index becomes a coordinate of the thread layout, whose shape is the tile. */
export function localPartition<L extends AnyLayout>(
  layout: L,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): Partition<L> {
  const coord = projected(projection, threadCoord(threads, index));
  return outerPartition(layout, projected(projection, productEach(threads.shape)), coord);
}

/** What one thread gets of a layout by a TV layout: its values, in the shape and order that the TV layout gives them. */
export function threadValuePartition<L extends AnyLayout>(
  layout: L,
  threadValues: Layout,
  thread: SliceCoord,
): Partition<L> {
  const read = composition(layout, threadValues);
  return sliceAndOffset([thread, _] as never, read) as Partition as Partition<L>;
}
