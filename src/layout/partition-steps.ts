/**
 * The partitions with their steps: the same divides, coordinates and slices as in partition.ts and thread-value.ts, each told to a
 * trace. Only explain.ts loads this.
 */
import { composition } from "./composition.ts";
import { _, type SliceCoord } from "./coord.ts";
import { zippedDivide } from "./divide.ts";
import type { Int } from "./int.ts";
import type { AnyLayout, Layout } from "./layout.ts";
import { type Partition, partAt, projected, threadCoord } from "./partition.ts";
import { modeOf } from "./queries.ts";
import { sliceAndOffset } from "./swizzled.ts";
import type { Tiler } from "./tiler.ts";
import type { Trace } from "./trace.ts";
import { productEach } from "./tuple.ts";

/** A layout as steps name it; a swizzle prints itself, so any kind will do. */
const named = (layout: AnyLayout): Layout => layout as Layout;

function divided(layout: AnyLayout, tiler: Tiler, trace?: Trace): AnyLayout {
  trace?.note("into tiles", { layout: named(layout), tiler });
  trace?.enter();
  const tiled = zippedDivide(layout, tiler, trace);
  trace?.note("result", { result: named(tiled) });
  trace?.leave();
  return tiled;
}

/** innerPartition, told. */
export function innerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  const tiled = divided(layout, tiler, trace);
  trace?.note("keep the tile", { coord, rests: named(modeOf(tiled, 1)) });
  return partAt(tiled, 1, coord);
}

/** outerPartition, told. */
export function outerPartition(layout: AnyLayout, tiler: Tiler, coord: SliceCoord, trace?: Trace): Partition {
  const tiled = divided(layout, tiler, trace);
  trace?.note("keep the rests", { coord, tiles: named(modeOf(tiled, 0)) });
  return partAt(tiled, 0, coord);
}

/** localTile, told, and how it differs from localPartition. */
export function localTile(
  layout: AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  const [tile, place] = [projected(projection, tiler), projected(projection, coord)];
  if (projection !== undefined) trace?.note("projected", { projection, tiler: tile, coord: place });
  const part = innerPartition(layout, tile, place, trace);
  trace?.note("not a local partition", {});
  return part;
}

/** localPartition, told: the thread's coordinate, the tile it makes, and how it differs from localTile. */
export function localPartition(
  layout: AnyLayout,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
  trace?: Trace,
): Partition {
  const place = threadCoord(threads, index);
  const sizes = productEach(threads.shape);
  trace?.note("thread coordinate", { index, threads, coord: place });
  trace?.note("thread tile", { threads, tile: sizes });
  const [tile, coord] = [projected(projection, sizes) as Tiler, projected(projection, place) as SliceCoord];
  if (projection !== undefined) trace?.note("projected", { projection, tiler: tile, coord });
  const part = outerPartition(layout, tile, coord, trace);
  trace?.note("not a local tile", {});
  return part;
}

/** threadValuePartition, told. */
export function threadValuePartition(
  layout: AnyLayout,
  threadValues: Layout,
  thread: SliceCoord,
  trace?: Trace,
): Partition {
  trace?.note("by threads and values", { layout: named(layout), threadValues });
  trace?.enter();
  const read = composition(layout, threadValues, trace);
  trace?.leave();
  trace?.note("keep the values", { thread, threads: named(modeOf(read, 0)) });
  return sliceAndOffset([thread, _] as never, read);
}
