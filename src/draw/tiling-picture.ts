/**
 * Pictures of a tiling: the grid of the layout, with each tile bordered and colored.
 * A tiler by mode shows tile coordinates in the headers; a tiler over the 1-D index of several modes, in the cells.
 */
import { ShapeError } from "../base/errors.ts";
import {
  type AnyLayout,
  formatLayout,
  formatTuple,
  type IntTuple,
  isLayout,
  isUnderscore,
  type Layout,
  makeLayout,
  offsetAt,
  rank,
  shapeOf,
  size,
  type Tiler,
  zippedDivide,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, modesOf, requireFew, requireNumbers, runs } from "./grid.ts";
import { colorClass, colorCount, colorLegend, cycled } from "./palette.ts";
import type { Axis, Cell, Picture } from "./picture.ts";
import { targetsOf } from "./targets.ts";

/** The tile of each index of a mode and its position inside the tile; `tiles` and `tileSize` are their counts. */
interface Cut {
  readonly tile: readonly number[];
  readonly indexInTile: readonly number[];
  readonly tiles: number;
  readonly tileSize: number;
}

/** A mode, tiled or not: `division` maps (index in the tile, tile) to the index; indices from `count` do not exist. */
interface Part {
  readonly count: number;
  readonly division: Layout;
}

const isUncut = (tiler: Tiler | undefined): boolean => tiler === undefined || tiler === null || isUnderscore(tiler);

/** The parts of each mode. */
function partsByMode(shape: IntTuple, tilers: readonly Tiler[]): readonly (readonly Part[])[] {
  if (tilers.length > rank(shape))
    throw new ShapeError(
      `tilingPicture: the tiler has ${tilers.length} modes, but ${formatTuple(shape)} has ${rank(shape)}`,
    );
  return modesOf(shape).map((mode, i) => partsOf(mode, tilers[i]));
}

/** The parts that a tiler acts on. Nothing is enumerated, so tiles can have any size. */
function partsOf(shape: IntTuple, tiler: Tiler | undefined): readonly Part[] {
  if (Array.isArray(tiler)) return partsByMode(shape, tiler).flat();
  const count = size(shape);
  const division = isUncut(tiler) ? makeLayout([1, count]) : zippedDivide(makeLayout(count), tiler as Tiler);
  return [{ count, division }];
}

/** Tiles the indices of all parts, without the missing indices of a ragged last tile. */
function cut(parts: readonly Part[]): Cut {
  let whole: Cut = { tile: [0], indexInTile: [0], tiles: 1, tileSize: 1 };
  for (const { count, division } of parts) {
    const { tile, indexInTile, tiles, tileSize } = whole;
    const [inTile, ofTiles] = [size(division, 0), size(division, 1)];
    const [t, p] = [new Array<number>(count).fill(0), new Array<number>(count).fill(0)];
    for (let i = 0; i < inTile * ofTiles; i++) {
      const index = offsetAt(division, i);
      if (index < count) [p[index], t[index]] = [i % inTile, Math.floor(i / inTile)];
    }
    whole = {
      tile: t.flatMap((y) => tile.map((x) => x + tiles * y)),
      indexInTile: p.flatMap((y) => indexInTile.map((x) => x + tileSize * y)),
      tiles: tiles * ofTiles,
      tileSize: tileSize * inTile,
    };
  }
  return whole;
}

/** The header of a tiled mode: the tile above the position inside it. A single tile has no level. */
function cutAxis({ tile, indexInTile, tiles }: Cut): Axis {
  const inner = indexInTile.map((p, i) => ({ from: i, length: 1, label: String(p) }));
  const outer = runs(tile);
  const breaks = tile.map(() => 0);
  return { length: tile.length, levels: tiles > 1 ? [outer, inner] : [inner], breaks };
}

const tilerText = (tiler: Tiler): string => {
  if (Array.isArray(tiler)) return `<${tiler.map(tilerText).join(",")}>`;
  return isUncut(tiler) ? "_" : isLayout(tiler) ? formatLayout(tiler) : String(tiler);
};

/**
 * The picture of a layout divided into tiles, as by zippedDivide. A mode with `_`, or without a tiler, is not divided: each of its indices is
 * a tile, and it keeps its header. `maxCells` bounds the cells, and also the total size of all tiles, which can reach past the layout.
 */
export function tilingPicture(layout: AnyLayout, tiler: Tiler, options: GridOptions = {}): Picture {
  const who = "tilingPicture";
  requireNumbers(who, layout);
  const by = tilerText(tiler);
  const { title = `${formatLayout(layout)} in tiles of ${by}` } = options;
  const shape = shapeOf(layout);
  const list = isUncut(tiler) || rank(shape) === 1 ? [tiler] : undefined;
  const tilers = Array.isArray(tiler) ? tiler : list;
  const count = requireFew(who, shape, options);
  const modes = tilers ? partsByMode(shape, tilers) : [partsOf(shape, tiler)];
  const divisions = modes.flat().map(({ division }) => division.shape);
  requireNumbers(who, divisions);
  requireFew(who, divisions, options, `a tiling of ${formatTuple(shape)} by ${by}`);
  const whole = cut(count === 0 ? [] : modes.flat());
  const cuts = tilers && count > 0 ? modes.map(cut) : [];
  const target = targetsOf(layout);
  const counts = cuts.map(({ tiles }) => tiles);
  const nameOf = (tile: number): string => (tilers ? coordText(counts, tile) : String(tile));

  const grid = gridOf(
    who,
    shape,
    { ...options, title },
    (_coord, index): Cell => {
      const tile = whole.tile[index];
      const { label } = target(index);
      const second = tilers ? {} : { second: `t${tile}` };
      const hint = `${coordText(shape, index)} -> ${label}, index ${whole.indexInTile[index]} of tile ${nameOf(tile)}`;
      return { label, ...second, color: colorClass(tile), group: tile, hint };
    },
    cuts.map((mode, i) => (isUncut(tilers?.[i]) ? undefined : cutAxis(mode))),
  );
  const uncut = cuts.some((_cut, i) => isUncut(tilers?.[i])) ? "; a mode that is not cut: each index is a tile" : "";
  const headers = tilers ? `headers: tile, then index within the tile${uncut}` : "t: tile";
  const text = `number: offset; ${headers}; color: ${cycled("tile", whole.tiles)}`;
  const label = whole.tiles > colorCount ? String : nameOf;
  return { groups: [grid], legend: [colorLegend(text, grid.panels, label)] };
}
