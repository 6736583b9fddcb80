/**
 * Pictures of a layout: where each coordinate goes, and what a tensor holds there.
 * Works for plain, swizzled and coordinate layouts; the label is the offset, or the coordinate that basis strides give.
 */
import { LayoutError } from "../base/errors.ts";
import {
  type AnyLayout,
  coordAt,
  coshape,
  cosize,
  crd2idx,
  formatLayout,
  formatTuple,
  isBasis,
  isComposed,
  type Layout,
  leaves,
  type Nested,
  offsetAt,
  shapeOf,
  valueOf,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, modeAxis, modesOf, requireNumbers } from "./grid.ts";
import { colorLegend, cycled } from "./legend.ts";
import { colorClass } from "./palette.ts";
import type { Cell, LegendEntry, Panel, Picture } from "./picture.ts";

/** What a colour stands for; numbers repeat their colour modulo eight. `coord` has one index per mode. */
export type ColorBy =
  | "offset"
  | "row"
  | "column"
  | "mode"
  | "none"
  | ((coord: readonly number[], offset: number) => number);

export interface LayoutPictureOptions extends GridOptions {
  /** "offset" unless given; "mode" colours by the blocks of the outermost leaves. */
  readonly colorBy?: ColorBy;
  /** What the legend says, in place of its own words. */
  readonly legend?: string;
}

/** What a coordinate maps to, as a label and as a number. */
interface Target {
  readonly label: string;
  readonly offset: number;
}

/** The function of a layout with labels, for plain, composed and coordinate layouts. */
export function targets(layout: AnyLayout): (index: number) => Target {
  const isCoordinate = !isComposed(layout) && leaves(layout.stride as Nested<unknown>).some(isBasis);
  if (!isCoordinate)
    return (index) => {
      const offset = offsetAt(layout, index);
      return { label: String(offset), offset };
    };
  const within = coshape(layout);
  return (index) => {
    const coord = coordAt(layout as Layout, index);
    return {
      label: formatTuple(coord as Nested<unknown>).replaceAll("_", ""),
      offset: valueOf(crd2idx(coord, within) as never),
    };
  };
}

/** The block of a place along one axis: the coordinates of all leaves but the innermost. */
const blocksOf = (mode: Parameters<typeof modeAxis>[0]): number[] => {
  let block = 0;
  return modeAxis(mode).breaks.map((weight) => (weight > 0 ? ++block : block));
};

function colorOf(
  layout: AnyLayout,
  colorBy: ColorBy,
): (coord: readonly number[], offset: number) => number | undefined {
  if (typeof colorBy === "function") return (coord, offset) => colorClass(colorBy(coord, offset));
  switch (colorBy) {
    case "offset":
      return (_coord, offset) => colorClass(offset);
    case "row":
      return (coord) => colorClass(coord.length > 1 ? (coord[0] as number) : 0);
    case "column":
      return (coord) => colorClass((coord.length > 1 ? coord[1] : coord[0]) as number);
    case "mode": {
      // Modes past the second choose the panel, so all of their coordinate counts.
      const blocks = modesOf(shapeOf(layout)).map((mode, i) =>
        i < 2 ? blocksOf(mode) : modeAxis(mode).breaks.map((_w, c) => c),
      );
      return (coord) => {
        let step = 1;
        let total = 0;
        coord.forEach((c, i) => {
          total += step * (blocks[i]?.[c] ?? 0);
          step *= (blocks[i]?.at(-1) ?? 0) + 1;
        });
        return colorClass(total);
      };
    }
    case "none":
      return () => undefined;
    default:
      throw new LayoutError(
        `layoutPicture: colorBy is offset, row, column, mode, none or a function, got ${String(colorBy satisfies never)}`,
      );
  }
}

/** The sentence of the legend, and the entry with its colours. */
function legendOf(
  what: string,
  layout: AnyLayout,
  colorBy: ColorBy,
  panels: readonly Panel[],
  text?: string,
): LegendEntry {
  const meaning = {
    offset: () => cycled("offset", cosize(layout)),
    row: () => "row (mode 0), mod 8",
    column: () => "column, mod 8",
    mode: () => "block of the outer modes, mod 8",
    none: () => "",
  };
  const colors = typeof colorBy === "function" ? "colorBy, mod 8" : meaning[colorBy]();
  const sentence = text ?? (colors ? `${what}; colour: ${colors}` : what);
  return colorLegend(sentence, panels, String);
}

/** The picture of any labelling of a layout's cells. */
function labelled(
  who: string,
  layout: AnyLayout,
  options: LayoutPictureOptions,
  what: string,
  labelOf: (target: Target, index: number) => string,
): Picture {
  requireNumbers(who, layout);
  const { colorBy = "offset", title = formatLayout(layout) } = options;
  const shape = shapeOf(layout);
  const target = targets(layout);
  const color = colorOf(layout, colorBy);
  const group = gridOf(who, shape, { ...options, title }, (coord, index): Cell => {
    const found = target(index);
    const chosen = color(coord, found.offset);
    const hint = `${coordText(shape, index)} -> ${found.label}`;
    return { label: labelOf(found, index), hint, ...(chosen === undefined ? {} : { color: chosen }) };
  });
  return { groups: [group], legend: [legendOf(what, layout, colorBy, group.panels, options.legend)] };
}

/** The picture of a layout: at each coordinate the offset it maps to. */
export function layoutPicture(layout: AnyLayout, options: LayoutPictureOptions = {}): Picture {
  const isOffset = isComposed(layout) || !leaves(layout.stride as Nested<unknown>).some(isBasis);
  return labelled(
    "layoutPicture",
    layout,
    options,
    isOffset ? "number: offset" : "pair: the coordinate mapped to",
    (target) => target.label,
  );
}

/** What a tensor holds: an array read at the offset, or a function of it. */
export type Values = ArrayLike<unknown> | ((offset: number, index: number) => unknown);

/** Up to four significant digits for fractions; integers as they are. */
function valueText(value: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value) || !Number.isFinite(value))
    return value === undefined ? "" : String(value);
  return String(Number(value.toPrecision(4)));
}

/** The picture of a tensor: at each coordinate the value at its offset. Colours are off unless asked for. */
export function valuesPicture(layout: AnyLayout, values: Values, options: LayoutPictureOptions = {}): Picture {
  const read = typeof values === "function" ? values : (offset: number) => values[offset];
  return labelled(
    "valuesPicture",
    layout,
    { colorBy: "none", ...options },
    "the value at each coordinate",
    (target, index) => valueText(read(target.offset, index)),
  );
}
