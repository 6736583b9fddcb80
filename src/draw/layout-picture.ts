/**
 * Pictures of a layout: where each coordinate goes, and what a tensor holds there.
 * Works for plain, swizzled and coordinate layouts; the label is the offset, or the coordinate that basis strides give.
 */

import { wrongKind } from "../base/arguments.ts";
import { type AnyLayout, formatLayout, shapeOf } from "../layout/index.ts";
import { checkLayout } from "../layout/layout.ts";
import { type ColorBy, coloringOf } from "./color-by.ts";
import { coordText, type GridOptions, gridOf, requireFew, requireNumbers } from "./grid.ts";
import { colorLegend } from "./legend.ts";
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
