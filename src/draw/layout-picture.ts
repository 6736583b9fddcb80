/**
 * Pictures of a layout: the offset of each coordinate, and what a tensor holds there.
 * Works for plain, swizzled and coordinate layouts; the label is the offset, or the coordinate that basis strides give. Colors stand for a
 * number of each cell, which the legend names.
 */
import { wrongKind } from "../base/arguments.ts";
import { LayoutError } from "../base/errors.ts";
import { type AnyLayout, cosize, formatLayout, type IntTuple, shapeOf, size } from "../layout/index.ts";
import { checkLayout } from "../layout/layout.ts";
import { coordText, type GridOptions, gridOf, modeAxis, modesOf, requireFew, requireNumbers } from "./grid.ts";
import { colorClass, colorLegend, cycled } from "./palette.ts";
import type { Cell, Picture } from "./picture.ts";
import { isCoordinateLayout, type Target, targetsOf } from "./targets.ts";

export interface LayoutPictureOptions extends GridOptions {
  /** "offset" unless given. */
  readonly colorBy?: ColorBy;
  /** What the legend says, in place of its own words. */
  readonly legend?: string;
}

/** The picture of any labelling of a layout's cells. */
function labelled(
  who: string,
  layout: AnyLayout,
  { colorBy = "offset", title = formatLayout(layout), legend, ...options }: LayoutPictureOptions,
  what: string,
  labelOf: (target: Target, index: number) => string,
): Picture {
  requireNumbers(who, layout);
  const shape = shapeOf(layout);
  requireFew(who, shape, options);
  const targetOf = targetsOf(layout);
  const { meaning, colorOf } = coloringOf(
    layout,
    colorBy,
    isCoordinateLayout(layout) ? "index of the coordinate" : "offset",
  );
  const group = gridOf(who, shape, { ...options, title }, (coord, index): Cell => {
    const target = targetOf(index);
    const color = colorOf(coord, target.offset);
    const hint = `${coordText(shape, index)} -> ${target.label}`;
    return { label: labelOf(target, index), hint, ...(color === undefined ? {} : { color }) };
  });
  const text = legend ?? (meaning ? `${what}; colour: ${meaning}` : what);
  return { groups: [group], legend: [colorLegend(text, group.panels, String)] };
}

/** The picture of a layout: at each coordinate the offset it maps to. */
export function layoutPicture(layout: AnyLayout, options: LayoutPictureOptions = {}): Picture {
  checkLayout("layoutPicture", layout);
  const what = isCoordinateLayout(layout) ? "in each cell: the coordinate it maps to" : "number: offset";
  return labelled("layoutPicture", layout, options, what, (target) => target.label);
}

/** What a tensor holds: an array that is read at the offset, or a function of offset and index. */
export type Values = ArrayLike<unknown> | ((offset: number, index: number) => unknown);

/** Up to four significant digits for fractions; integers as they are. */
export function valueText(value: unknown): string {
  if (value === undefined) return "";
  const isFraction = typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value);
  return String(isFraction ? Number(value.toPrecision(4)) : value);
}

/** The picture of a tensor: at each coordinate the value at its offset. Colours are off unless asked for. */
export function valuesPicture(layout: AnyLayout, values: Values, options: LayoutPictureOptions = {}): Picture {
  if (values == null) throw wrongKind("valuesPicture", "an array of values or a function", values);
  const read = typeof values === "function" ? values : (offset: number) => values[offset];
  return labelled(
    "valuesPicture",
    layout,
    { colorBy: "none", ...options },
    "in each cell: its value",
    (target, index) => valueText(read(target.offset, index)),
  );
}

/** A number for a cell, which repeats its colour modulo eight. `coord` has one index per mode. */
export type ColorFunction = (coord: readonly number[], offset: number) => number;

/**
 * "offset"; "row" and "column": the place in a panel; "mode": the block, that is, the coordinates of the outer leaves of
 * nested modes and of the modes that choose the panel; "none"; or a function.
 */
export type ColorBy = "offset" | "row" | "column" | "mode" | "none" | ColorFunction;

export interface Coloring {
  /** What the colour is, for the legend; empty: there are no colours. */
  readonly meaning: string;
  readonly colorOf: (coord: readonly number[], offset: number) => number | undefined;
}

/** Over the indices of one mode, the block each is in. */
function blocksOf(mode: IntTuple, choosesPanel: boolean): readonly number[] {
  let block = 0;
  return modeAxis(mode).breaks.map((weight, i) => (choosesPanel ? i : weight > 0 ? ++block : block));
}

/** All blocks of a shape, numbered colexicographically; none if it has no cells, however large its other modes. */
function blockNumber(shape: IntTuple): { readonly count: number; readonly of: ColorFunction } {
  const modes = size(shape) === 0 ? [] : modesOf(shape).map((mode, i) => blocksOf(mode, i >= 2));
  const counts = modes.map((blocks) => (blocks.at(-1) ?? 0) + 1);
  const of: ColorFunction = (coord) => coord.reduceRight((sum, c, i) => sum * counts[i] + (modes[i]?.[c] ?? 0), 0);
  return { count: counts.reduce((a, b) => a * b, 1), of };
}

/** The colouring that an option names; `offsetName` is what the layout maps to. */
function coloringOf(layout: AnyLayout, colorBy: ColorBy, offsetName: string): Coloring {
  const shape = shapeOf(layout);
  const modes = modesOf(shape);
  const make = (name: string, count: number, number: ColorFunction): Coloring => ({
    meaning: cycled(name, count),
    colorOf: (coord, offset) => colorClass(number(coord, offset)),
  });
  if (typeof colorBy === "function") return make("colorBy", Infinity, colorBy);
  const column = modes.length > 1 ? 1 : 0;
  switch (colorBy) {
    case "offset":
      return make(offsetName, cosize(layout), (_coord, offset) => offset);
    case "row":
      return make("row", column === 0 ? 1 : size(modes[0]), (coord) => (column === 0 ? 0 : coord[0]));
    case "column":
      return make("column", size(modes[column]), (coord) => coord[column]);
    case "mode": {
      const blocks = blockNumber(shape);
      return make("block", blocks.count, blocks.of);
    }
    case "none":
      return { meaning: "", colorOf: () => undefined };
    default:
      throw new LayoutError(
        `colorBy is "offset", "row", "column", "mode", "none" or a function, got ${String(colorBy satisfies never)}`,
      );
  }
}
