/**
 * Pictures of a layout: the offset of each coordinate, or the value of a tensor there.
 * Works for plain, swizzled and coordinate layouts; the label is the offset, or the coordinate if the strides are basis elements. The legend
 * names the number that a color represents.
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
  /** The number that colors represent. Default: "offset". */
  readonly colorBy?: ColorBy;
  /** Replaces the text of the legend. */
  readonly legend?: string;
}

/** The picture of a layout with any labels. */
function labeledPicture(
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
  const text = legend ?? (meaning ? `${what}; color: ${meaning}` : what);
  return { groups: [group], legend: [colorLegend(text, group.panels, String)] };
}

/** The picture of a layout: each cell shows the offset of its coordinate. */
export function layoutPicture(layout: AnyLayout, options: LayoutPictureOptions = {}): Picture {
  checkLayout("layoutPicture", layout);
  const what = isCoordinateLayout(layout) ? "cell: coordinate" : "number: offset";
  return labeledPicture("layoutPicture", layout, options, what, (target) => target.label);
}

/** The values of a tensor: an array indexed by the offset, or a function of offset and index. */
export type Values = ArrayLike<unknown> | ((offset: number, index: number) => unknown);

/** The text of a value, with up to four significant digits for fractions. */
export function valueText(value: unknown): string {
  if (value === undefined) return "";
  const isFraction = typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value);
  return String(isFraction ? Number(value.toPrecision(4)) : value);
}

/** The picture of a tensor: each cell shows the value at the offset of its coordinate. By default without colors. */
export function valuesPicture(layout: AnyLayout, values: Values, options: LayoutPictureOptions = {}): Picture {
  if (values == null) throw wrongKind("valuesPicture", "an array of values or a function", values);
  const read = typeof values === "function" ? values : (offset: number) => values[offset];
  return labeledPicture("valuesPicture", layout, { colorBy: "none", ...options }, "cell: value", (target, index) =>
    valueText(read(target.offset, index)),
  );
}

/** The number of a cell; its color is the number modulo eight. `coord` has one index per mode. */
export type ColorFunction = (coord: readonly number[], offset: number) => number;

/**
 * "offset"; "row" and "column" of the panel; "mode": the block, that is, the coordinates of the outer leaves of nested modes and of the modes
 * that select the panel; "none"; or a function.
 */
export type ColorBy = "offset" | "row" | "column" | "mode" | "none" | ColorFunction;

export interface Coloring {
  /** The meaning of the color, for the legend; "" if there are no colors. */
  readonly meaning: string;
  readonly colorOf: (coord: readonly number[], offset: number) => number | undefined;
}

/** The block of each index of a mode. */
function blocksOf(mode: IntTuple, selectsPanel: boolean): readonly number[] {
  let block = 0;
  return modeAxis(mode).breaks.map((weight, i) => (selectsPanel ? i : weight > 0 ? ++block : block));
}

/** The blocks of a shape, numbered colexicographically; none if a mode is empty. */
function blockNumber(shape: IntTuple): { readonly count: number; readonly blockOf: ColorFunction } {
  const modes = size(shape) === 0 ? [] : modesOf(shape).map((mode, i) => blocksOf(mode, i >= 2));
  const counts = modes.map((blocks) => (blocks.at(-1) ?? 0) + 1);
  const blockOf: ColorFunction = (coord) => coord.reduceRight((sum, c, i) => sum * counts[i] + (modes[i]?.[c] ?? 0), 0);
  return { count: counts.reduce((a, b) => a * b, 1), blockOf };
}

/** The coloring of an option; `offsetName` describes the targets of the layout. */
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
      return make("block", blocks.count, blocks.blockOf);
    }
    case "none":
      return { meaning: "", colorOf: () => undefined };
    default:
      throw new LayoutError(
        `colorBy must be "offset", "row", "column", "mode", "none" or a function, got ${String(colorBy satisfies never)}`,
      );
  }
}
