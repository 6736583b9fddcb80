/**
 * The tiles of a tensor as a sequence of views that share its memory, created on demand.
 *
 * The tiler is that of `zippedDivide`. If an integer tiler does not divide a mode, the last tiles are cut to the part inside, so that all tiles
 * together cover each element once. A tiler layout that does not divide cannot be cut, and throws.
 */
import { ShapeError } from "../../base/errors.ts";
import { isUnderscore } from "../../layout/coord.ts";
import { formatLayout } from "../../layout/format.ts";
import { type Int, isInt, knownValue } from "../../layout/int.ts";
import { isLayout, type Layout, type Tiler } from "../../layout/layout.ts";
import { shapeOf, size } from "../../layout/queries.ts";
import { type IntTuple, isTuple, productEach } from "../../layout/tuple.ts";
import type { DType } from "../../storage/dtype.ts";
import { innerPartition } from "../../tensor/cute/partition.ts";
import { zippedDivide } from "../../tensor/cute/tensor-modes.ts";
import { describeValue } from "../../tensor/describe-value.ts";
import { sizesOf } from "../../tensor/geometry.ts";
import type { Space } from "../../tensor/identity.ts";
import { describeBriefly, type Tensor } from "../../tensor/tensor.ts";
import type { Shape } from "../../tensor/types/types.ts";
import { narrow } from "../../tensor/views/views-parts.ts";
import { nextTuple } from "./loop-indices.ts";

/** One tile and its coordinate among the tiles. */
export interface Tile<D extends DType = DType, P extends Space = Space> {
  readonly tile: Tensor<Shape, D, P>;
  readonly coord: readonly number[];
}

/** A mode that the tiles do not divide: the lengths of a tile and of the mode. */
interface Cut {
  readonly tile: number;
  readonly mode: number;
}

/** Returns the tiles in row-major order of their coordinates. */
export function tilesOf<D extends DType, P extends Space>(
  t: Tensor<Shape, D, P>,
  tiler: Tiler,
): Generator<Tile<D, P>, void, undefined> {
  return eachTile(t as Tensor, tiler, cutsOf(t as Tensor, tiler)) as Generator<Tile<D, P>, void, undefined>;
}

function* eachTile(t: Tensor, tiler: Tiler, cuts: readonly (Cut | null)[]): Generator<Tile, void, undefined> {
  if (t.size === 0) return;
  const rests = (shapeOf(zippedDivide(t.layout, tiler)) as readonly IntTuple[])[1];
  const isList = isTuple(rests);
  const sizes = isList ? (productEach(rests) as readonly Int[]) : [rests];
  const counts = sizes.map((rest) => knownValue(rest) as number);
  const coord = counts.map(() => 0);
  do {
    let tile = innerPartition(t, tiler, isList ? coord.slice() : coord[0]);
    for (let mode = 0; mode < cuts.length; mode++) {
      const cut = cuts[mode];
      if (cut == null) continue;
      const left = cut.mode - coord[mode] * cut.tile;
      if (left < cut.tile) tile = narrow(tile, mode, 0, left);
    }
    yield { tile, coord: coord.slice() };
  } while (nextTuple(coord, counts));
}

/** The cut of each mode of the tile; null where all tiles are whole. */
function cutsOf(t: Tensor, tiler: Tiler): (Cut | null)[] {
  if (!isTuple(tiler)) return [cutOf(t, tiler, t.size)];
  const shape = sizesOf(t);
  return tiler.map((part, mode) => (mode < shape.length ? cutOf(t, part, shape[mode]) : null));
}

function cutOf(t: Tensor, part: Tiler, mode: number): Cut | null {
  if (part === null || isUnderscore(part)) return null;
  if (!isTuple(part) && !isLayout(part)) checkLength(part);
  const tile = isTuple(part) ? undefined : isLayout(part) ? sizeOfPlain(part) : knownValue(part);
  if (tile !== undefined) return mode % tile === 0 ? null : { tile, mode };
  const length = isTuple(part) ? part.reduce((count: number, each) => count * tileSize(each), 1) : tileSize(part);
  if (mode % length === 0) return null;
  throw new ShapeError(
    `tiles: the tiler ${isLayout(part) ? formatLayout(part) : "of a nested mode"} of ${length} elements does not divide a mode of ${mode} elements of ${describeBriefly(t)}. ` +
      "Use an integer, a tiler that divides, or zippedDivide with copyIf",
  );
}

/** Throws unless `part` is the length of a tile. */
function checkLength(part: unknown): void {
  const length = isInt(part) ? knownValue(part) : undefined;
  if (length === undefined || length < 1 || !Number.isSafeInteger(length))
    throw new ShapeError(
      `tiles: a tiler has an integer of 1 or more, a layout or _ for each mode, got ${describeValue(part)}. Example: tiles([4, 3])`,
    );
}

const tileSize = (part: Tiler): number => {
  if (part === null || isUnderscore(part)) return 1;
  if (isTuple(part)) return part.reduce((count: number, each) => count * tileSize(each), 1);
  return isLayout(part) ? size(part) : (knownValue(part) as number);
};

/** The size of a layout n:1, which is equivalent to an integer tiler; undefined for others. */
function sizeOfPlain(layout: Layout): number | undefined {
  const { shape, stride } = layout;
  return isInt(shape) && isInt(stride) && knownValue(stride) === 1 ? knownValue(shape) : undefined;
}
