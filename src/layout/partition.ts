/**
 * Partitioning a layout: divide it by a tiler, then fix a coordinate. Each returns the layout and the offset.
 * Inner keeps the tile (what a block works on), outer keeps the rest (what one thread gets of every tile).
 */
import { _, type Coord, crd2crd, diceTuple, idx2crd, type SliceCoord } from "./coord.ts";
import { zippedDivide } from "./divide.ts";
import type { Int } from "./int.ts";
import type { AnyLayout, Layout } from "./layout.ts";
import { rank } from "./queries.ts";
import { sliceAndOffset } from "./swizzled.ts";
import type { Tiler } from "./tiler.ts";
import { appendMode, type IntTuple, isTuple, type Nested, productEach } from "./tuple.ts";

/** The part of a layout and where it starts. A part of a plain layout is plain. */
export type Partition<L extends AnyLayout = AnyLayout> = readonly [
  layout: L extends Layout ? Layout : AnyLayout,
  offset: IntTuple,
];

const all = (count: number): SliceCoord => new Array<SliceCoord>(count).fill(_);
/** A mode of rank 1 that is no tuple is kept whole by a bare `_`. */
const keep = (layout: AnyLayout, mode: number, shape: IntTuple): SliceCoord =>
  isTuple(shape) ? all(rank(layout, mode)) : _;
const fill = (layout: AnyLayout, mode: number, coord: SliceCoord): SliceCoord =>
  isTuple(coord) ? (appendMode(coord as Nested<SliceCoord>, _, rank(layout, mode)) as SliceCoord) : coord;

function modeShape(layout: AnyLayout, mode: number): IntTuple {
  const shape = "inner" in layout ? layout.inner.shape : layout.shape;
  return (shape as readonly IntTuple[])[mode] as IntTuple;
}

/** The tile at `coord`: the tiles' own modes stay, the coordinate chooses among the rests. */
export function innerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  const tiled = zippedDivide(layout, tiler);
  return sliceAndOffset(
    [keep(tiled, 0, modeShape(tiled, 0)), fill(tiled, 1, coord)],
    tiled,
  ) as Partition as Partition<L>;
}

/** The elements at `coord` of every tile: the coordinate chooses inside the tile, the rests stay. */
export function outerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  const tiled = zippedDivide(layout, tiler);
  return sliceAndOffset(
    [fill(tiled, 0, coord), keep(tiled, 1, modeShape(tiled, 1))],
    tiled,
  ) as Partition as Partition<L>;
}

/** The tile at `coord`; a projection such as [1, _, 1] keeps only the marked modes of tiler and coordinate. */
export function localTile<L extends AnyLayout>(
  layout: L,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
): Partition<L> {
  if (projection === undefined) return innerPartition(layout, tiler, coord);
  const project = <T>(of: T): T => diceTuple(projection, of as Nested<unknown>) as T;
  return innerPartition(layout, project(tiler), project(coord));
}

/** What the thread with this index gets: the index becomes a coordinate of the thread layout, whose shape is the tile. */
export function localPartition<L extends AnyLayout>(
  layout: L,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): Partition<L> {
  const project = <T>(of: T): T =>
    projection === undefined ? of : (diceTuple(projection, of as Nested<unknown>) as T);
  const shape = threads.shape;
  const nested = idx2crd(index, shape, threads.stride);
  const flat = isTuple(shape) ? crd2crd(nested as Coord, shape, productEach(shape)) : nested;
  return outerPartition(layout, project(productEach(shape)) as Tiler, project(flat) as SliceCoord);
}
