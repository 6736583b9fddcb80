/**
 * Pictures of a tiling: the layout's own grid, each tile bordered and coloured.
 * A tiler that goes mode by mode shows tile coordinates in the headers; one over the 1-D index of several modes, in the cells.
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
import { runs } from "./axis.ts";
import { coordText, type GridOptions, gridOf, modesOf, requireFew, requireNumbers } from "./grid.ts";
import { colorLegend, cycled } from "./legend.ts";
import { colorClass, colorCount } from "./palette.ts";
import type { Axis, Cell, Picture } from "./picture.ts";
import { targetsOf } from "./targets.ts";

/** For each index of a mode its tile and its place inside the tile; `tiles` and `places` are how many there are. */
interface Cut {
  readonly tile: readonly number[];
  readonly place: readonly number[];
  readonly tiles: number;
  readonly places: number;
}

/** Cuts the indices of a shape. Tuples of tilers go mode by mode; what a ragged last tile lacks is left out. */
function cut(shape: IntTuple, tiler: Tiler | undefined): Cut {
  const count = size(shape);
  const all = Array.from({ length: count }, (_unused, i) => i);
  if (tiler === undefined || tiler === null || isUnderscore(tiler))
    return { tile: all.map(() => 0), place: all, tiles: 1, places: count };
  if (Array.isArray(tiler)) {
    if (tiler.length > rank(shape))
      throw new ShapeError(
        `tilingPicture: a tiler of ${tiler.length} modes for ${formatTuple(shape)}, which has rank ${rank(shape)}`,
      );
    const modes = modesOf(shape).map((mode, i) => cut(mode, (tiler as readonly Tiler[])[i]));
    return modes.reduce((a, b) => ({
      tile: b.tile.flatMap((y) => a.tile.map((x) => x + a.tiles * y)),
      place: b.place.flatMap((y) => a.place.map((x) => x + a.places * y)),
      tiles: a.tiles * b.tiles,
      places: a.places * b.places,
    }));
  }
  const divided = zippedDivide(makeLayout(count), tiler);
  const [places, tiles] = [size(divided, 0), size(divided, 1)];
  const [tile, place] = [all.map(() => 0), [...all]];
  for (let t = 0; t < tiles; t++)
    for (let p = 0; p < places; p++) {
      const index = offsetAt(divided, [p, t]);
      if (index < count) [tile[index], place[index]] = [t, p];
    }
  return { tile, place, tiles, places };
}

/** The header of a cut mode: the tile over the place inside it; a tile that is the whole mode needs no level. */
function cutAxis({ tile, place, tiles }: Cut): Axis {
  const inner = place.map((p, i) => ({ from: i, length: 1, label: String(p) }));
  const outer = runs(tile);
  const breaks = tile.map(() => 0);
  return { length: tile.length, levels: tiles > 1 ? [outer, inner] : [inner], breaks };
}

const tilerText = (tiler: Tiler): string => {
  if (Array.isArray(tiler)) return `<${(tiler as readonly Tiler[]).map(tilerText).join(",")}>`;
  return tiler === null ? "_" : isLayout(tiler) ? formatLayout(tiler as Layout) : String(tiler);
};

/** The picture of a layout cut into tiles, as zippedDivide cuts it. */
export function tilingPicture(layout: AnyLayout, tiler: Tiler, options: GridOptions = {}): Picture {
  const who = "tilingPicture";
  requireNumbers(who, layout);
  const { title = `${formatLayout(layout)} in tiles of ${tilerText(tiler)}` } = options;
  const shape = shapeOf(layout);
  const tilers = Array.isArray(tiler) ? (tiler as readonly Tiler[]) : rank(shape) === 1 ? [tiler] : undefined;
  requireFew(who, shape, options);
  const whole = cut(shape, tiler);
  const cuts = tilers ? modesOf(shape).map((mode, i) => cut(mode, tilers[i])) : [];
  const target = targetsOf(layout);
  const counts = cuts.map(({ tiles }) => tiles);
  const nameOf = (tile: number): string => (tilers ? coordText(counts, tile) : String(tile));

  const grid = gridOf(
    who,
    shape,
    { ...options, title },
    (_coord, index): Cell => {
      const tile = whole.tile[index] as number;
      const { label } = target(index);
      const second = tilers ? {} : { second: `t${tile}` };
      const hint = `${coordText(shape, index)} -> ${label}, place ${whole.place[index]} of tile ${nameOf(tile)}`;
      return { label, ...second, color: colorClass(tile), group: tile, hint };
    },
    cuts.map(cutAxis),
  );
  const headers = tilers ? "headers: tile, then place in it" : "t: tile";
  const text = `number: offset; ${headers}; colour: ${cycled("tile", whole.tiles)}`;
  const label = whole.tiles > colorCount ? String : nameOf;
  return { groups: [grid], legend: [colorLegend(text, grid.panels, label)] };
}
