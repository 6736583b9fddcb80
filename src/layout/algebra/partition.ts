/**
 * Partitioning a layout: divide it by a tiler, then fix a coordinate. Each function returns a layout and an offset.
 * Inner keeps the tile (the work of a block), outer keeps the rest (the share of one thread in every tile).
 *
 * Thread-value partition: a layout read through a TV layout, which maps (thread, value) to a 1-D coordinate of it; then one
 * thread's values.
 *
 * Postcondition: threadValuePartition(A, TV, t) = (L, o) with o + L(v) = A(TV(t, v)) for every value v.
 */
import { LayoutError, named } from "../../base/errors.ts";
import { _, type Coord, crd2crd, crd2idx, idx2crd, pickModes, type SliceCoord } from "../coord.ts";
import { formatLayout } from "../format.ts";
import { equalInt, type Int } from "../int.ts";
import { type AnyLayout, checkLayout, type Layout, type Tiler } from "../layout.ts";
import { appendMode, type IntTuple, isTuple, type Nested, productEach, rankOf } from "../tuple.ts";
import { composition } from "./composition.ts";
import { zippedDivide } from "./divide.ts";
import { sliceAndOffset } from "./swizzled.ts";

/** The part of a layout and its offset. A part of a plain layout is plain. */
export type Partition<L extends AnyLayout = AnyLayout> = readonly [
  layout: L extends Layout ? Layout : AnyLayout,
  offset: IntTuple,
];

/** Returns the part of a zipped divide at `coord`, which selects a tile (`fixed` = 1) or an element of every tile (0). The other side stays. */
export function partAt(tiled: AnyLayout, fixed: 0 | 1, coord: SliceCoord): Partition {
  const { shape } = "inner" in tiled ? tiled.inner : tiled;
  const sides = (shape as readonly IntTuple[]).map((mode, i): SliceCoord => {
    // Modes that the coordinate does not mention stay; `_` keeps a mode that is an integer.
    const at = i === fixed ? coord : isTuple(mode) ? [] : _;
    // If the coordinate has too many modes, the slice throws.
    return isTuple(at) ? appendMode(at, _, rankOf(mode)) : at;
  });
  return sliceAndOffset(sides, tiled);
}

/** Partitions by the modes of tiler and coordinate that a projection marks. */
function part<L extends AnyLayout>(
  who: string,
  layout: L,
  tiler: Tiler,
  fixed: 0 | 1,
  coord: SliceCoord,
  projection?: SliceCoord,
): Partition<L> {
  return named(who, () =>
    partAt(zippedDivide(layout, projected(projection, tiler)), fixed, projected(projection, coord)),
  ) as Partition<L>;
}

/** Returns the tile at `coord`: the modes of the tile stay, the coordinate selects among the tiles. */
export function innerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  return part("innerPartition", layout, tiler, 1, coord);
}

/** Returns the elements at `coord` of every tile: the coordinate selects inside the tile, the rest modes stay. */
export function outerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): Partition<L> {
  return part("outerPartition", layout, tiler, 0, coord);
}

/** Returns the modes of a tuple that a projection such as [1, _, 1] marks; all of it without a projection. */
export const projected = <T>(projection: SliceCoord | undefined, values: T): T =>
  projection === undefined ? values : (pickModes(projection, values as Nested<unknown>, false) as T);

/** Returns the tile at `coord`; a projection such as [1, _, 1] keeps only the marked modes of tiler and coordinate. */
export function localTile<L extends AnyLayout>(
  layout: L,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
): Partition<L> {
  return part("localTile", layout, tiler, 1, coord, projection);
}

/** Returns the coordinate of a thread in its layout, one integer for each top-level mode. Throws if no thread has the index. */
export function threadCoord(threads: Layout, index: Int): IntTuple {
  checkLayout("localPartition", threads);
  return named("localPartition", () => {
    const { shape, stride } = threads;
    const nested = idx2crd(index, shape, stride);
    if (equalInt(crd2idx(nested as Coord, shape, stride) as Int, index) === false)
      throw new LayoutError(`there is no thread ${index} in ${formatLayout(threads)}`);
    return isTuple(shape) ? crd2crd(nested, shape, productEach(shape)) : nested;
  });
}

/** Returns the share of one thread: the element at its coordinate in every tile of the thread layout's shape. */
export function localPartition<L extends AnyLayout>(
  layout: L,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): Partition<L> {
  const coord = threadCoord(threads, index);
  return part("localPartition", layout, productEach(threads.shape), 0, coord, projection);
}

/** Returns the values of one thread by a TV layout, in the shape and order of the TV layout. */
export function threadValuePartition<L extends AnyLayout>(
  layout: L,
  threadValues: Layout,
  thread: SliceCoord,
): Partition<L> {
  return named("threadValuePartition", () =>
    sliceAndOffset([thread, _] as never, composition(layout, threadValues)),
  ) as Partition as Partition<L>;
}
