/**
 * Partitions of tensors and layouts: divide by a tiler, then fix a coordinate. The part of a tensor is a view; the part of a
 * layout is a layout and an offset. For a tensor, coordinates of tiles, elements and threads outside of it throw.
 */
import { IndexError, named } from "../../base/errors.ts";
import { composition } from "../../layout/algebra/composition.ts";
import { zippedDivide } from "../../layout/algebra/divide.ts";
import * as parts from "../../layout/algebra/partition.ts";
import { threadValuePartition as partitionLayout } from "../../layout/algebra/partition.ts";
import { sliceAndOffset } from "../../layout/algebra/swizzled.ts";
import { _, type SliceCoord } from "../../layout/coord.ts";
import { formatLayout, formatTuple } from "../../layout/format.ts";
import { type Int, knownValue } from "../../layout/int.ts";
import type { AnyLayout, Layout, Tiler } from "../../layout/layout.ts";
import { shapeOf, size } from "../../layout/queries.ts";
import { type IntTuple, isTuple, product, productEach } from "../../layout/tuple.ts";
import type { DType } from "../../storage/dtype.ts";
import { moveTo } from "../access/indexing.ts";
import type { Space } from "../identity.ts";
import { Tensor } from "../tensor.ts";
import type { TileShape } from "../types/shape-layouts.ts";
import type { Shape } from "../types/types.ts";

type Part<D extends DType, P extends Space> = Tensor<Shape, D, P>;

/** Returns the tile at `coord`: the modes of the tile stay, the coordinate selects among the tiles. */
export function innerPartition<
  S extends Shape,
  D extends DType,
  P extends Space,
  const T extends Tiler,
  const C extends SliceCoord,
>(tensor: Tensor<S, D, P>, tiler: T, coord: C): Tensor<TileShape<S, T, C>, D, P>;
export function innerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): parts.Partition<L>;
export function innerPartition(
  source: Tensor | AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
): Tensor | parts.Partition<AnyLayout> {
  if (source instanceof Tensor) return partOf(source, "innerPartition", tiler, 1, coord);
  return parts.innerPartition(source, tiler, coord);
}

/** Returns the elements at `coord` of every tile: the coordinate selects inside the tile, all tiles stay. */
export function outerPartition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
  coord: SliceCoord,
): Part<D, P>;
export function outerPartition<L extends AnyLayout>(layout: L, tiler: Tiler, coord: SliceCoord): parts.Partition<L>;
export function outerPartition(
  source: Tensor | AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
): Tensor | parts.Partition<AnyLayout> {
  if (source instanceof Tensor) return partOf(source, "outerPartition", tiler, 0, coord);
  return parts.outerPartition(source, tiler, coord);
}

/** Returns the tile at `coord`, for a block of threads; a projection such as [1, _, 1] keeps only the marked modes of tiler and coordinate. */
export function localTile<
  S extends Shape,
  D extends DType,
  P extends Space,
  const T extends Tiler,
  const C extends SliceCoord,
>(tensor: Tensor<S, D, P>, tiler: T, coord: C): Tensor<TileShape<S, T, C>, D, P>;
export function localTile<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  tiler: Tiler,
  coord: SliceCoord,
  projection: SliceCoord | undefined,
): Part<D, P>;
export function localTile<L extends AnyLayout>(
  layout: L,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
): parts.Partition<L>;
export function localTile(
  source: Tensor | AnyLayout,
  tiler: Tiler,
  coord: SliceCoord,
  projection?: SliceCoord,
): Tensor | parts.Partition<AnyLayout> {
  if (!(source instanceof Tensor)) return parts.localTile(source, tiler, coord, projection);
  return partOf(source, "localTile", parts.projected(projection, tiler), 1, parts.projected(projection, coord));
}

/** Returns the elements of one thread: one of every tile, where the tile has one element for each thread of the thread layout. */
export function localPartition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): Part<D, P>;
export function localPartition<L extends AnyLayout>(
  layout: L,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): parts.Partition<L>;
export function localPartition(
  source: Tensor | AnyLayout,
  threads: Layout,
  index: Int,
  projection?: SliceCoord,
): Tensor | parts.Partition<AnyLayout> {
  if (!(source instanceof Tensor)) return parts.localPartition(source, threads, index, projection);
  const coord = parts.projected(projection, parts.threadCoord(threads, index));
  const tiler = parts.projected(projection, productEach(threads.shape));
  return partOf(source, "localPartition", tiler, 0, coord);
}

/** Returns one thread's values: the tensor read through a TV layout, (thread, value) to 1-D coordinate, and sliced at the thread. */
export function threadValuePartition<D extends DType, P extends Space>(
  tensor: Tensor<Shape, D, P>,
  threadValues: Layout,
  thread: SliceCoord,
): Part<D, P>;
export function threadValuePartition<L extends AnyLayout>(
  layout: L,
  threadValues: Layout,
  thread: SliceCoord,
): parts.Partition<L>;
export function threadValuePartition(
  source: Tensor | AnyLayout,
  threadValues: Layout,
  thread: SliceCoord,
): Tensor | parts.Partition<AnyLayout> {
  if (!(source instanceof Tensor)) return partitionLayout(source, threadValues, thread);
  return named("threadValuePartition", () => {
    const read = composition(source.layout, threadValues);
    const outside = outsideOf(thread, (shapeOf(read) as readonly IntTuple[])[0]);
    if (outside !== null) throw noSuchPart("threadValuePartition", "thread", outside, read);
    const [layout, offset] = sliceAndOffset([thread, _] as SliceCoord, read);
    return moveTo(source, layout, offset);
  });
}

/** Returns the part of a tensor with one side of its division fixed. */
function partOf(t: Tensor, who: string, tiler: Tiler, fixed: 0 | 1, coord: SliceCoord): Tensor {
  return named(who, () => {
    const tiled = zippedDivide(t.layout, tiler);
    const { shape } = "inner" in tiled ? tiled.inner : tiled;
    const outside = outsideOf(coord, (shape as readonly IntTuple[])[fixed]);
    if (outside !== null) throw noSuchPart(who, fixed === 1 ? "tile" : "element", outside, tiled);
    const [layout, offset] = parts.partAt(tiled, fixed, coord);
    return moveTo(t, layout, offset);
  });
}

/** A coordinate outside a shape. */
interface Outside {
  readonly at: number;
  readonly shape: IntTuple;
}

/** Returns the first integer of a coordinate that is outside its mode, or null. Missing modes are taken whole. */
function outsideOf(coord: SliceCoord, shape: IntTuple): Outside | null {
  if (isTuple(coord)) {
    const modes = isTuple(shape) ? shape : [shape];
    if (coord.length > modes.length) return null;
    for (let i = 0; i < coord.length; i++) {
      const outside = outsideOf(coord[i], modes[i]);
      if (outside !== null) return outside;
    }
    return null;
  }
  const at = knownValue(coord as Int);
  const count = at === undefined ? undefined : knownValue(isTuple(shape) ? product(shape) : shape);
  return at === undefined || count === undefined || (at >= 0 && at < count) ? null : { at, shape };
}

function noSuchPart(who: string, what: string, { at, shape }: Outside, divided: AnyLayout): IndexError {
  return new IndexError(
    `${who}: there is no ${what} ${at}: the mode of size ${formatTuple(shape)} in ${formatLayout(divided)} has ${what}s 0 to ${size(shape) - 1}`,
  );
}
