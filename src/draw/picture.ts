/**
 * The picture: plain data between the builders (layout, memory, slice, thread-value, ...) and the renderers (SVG, text, LaTeX). A picture is
 * groups of panels side by side; a panel is a grid of cells with two axes whose headers nest. Nothing here measures or draws.
 *
 * A heavy line separates two neighbors if and only if their groups differ; outside the panel there is no group. Lines are merged, so a
 * straight border is one line.
 */
import { wrongKind } from "../base/arguments.ts";

/** One cell of a grid. */
export interface Cell {
  readonly label: string;
  /** Shown below the label, or after it in text. */
  readonly second?: string;
  /** A color class from 0 to 7. Default: neutral. */
  readonly color?: number;
  /** Drawn in muted colors. */
  readonly faded?: boolean;
  /** Drawn with a frame, or with brackets in text: the first element of a view. */
  readonly marked?: boolean;
  /** A heavy line separates neighbors of different groups. */
  readonly group?: number;
  /** The tooltip of the cell. */
  readonly hint?: string;
}

/** A label over a run of rows or columns. */
export interface Span {
  readonly from: number;
  readonly length: number;
  readonly label: string;
}

/** The rows or the columns of a panel. */
export interface Axis {
  readonly length: number;
  /** The levels of the header, outermost first; empty for no header. */
  readonly levels: readonly (readonly Span[])[];
  /** For each row or column, the number of nesting levels with a block boundary before it; 0 inside a block. */
  readonly breaks: readonly number[];
}

/** One grid; `cells[row][column]`. */
export interface Panel {
  readonly title: string;
  readonly rows: Axis;
  readonly columns: Axis;
  readonly cells: readonly (readonly Cell[])[];
  /** A sentence below the grid. */
  readonly note?: string;
}

/** Panels that belong together, `across` of them per line. */
export interface PanelGroup {
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly across: number;
}

/** A sentence about the picture, and the colors it mentions. */
export interface LegendEntry {
  readonly text: string;
  readonly swatches: readonly { readonly color: number; readonly label: string }[];
}

export interface Picture {
  readonly groups: readonly PanelGroup[];
  readonly legend: readonly LegendEntry[];
}

/** Throws unless `value` is a picture; the error names `who`. */
export function checkPicture(who: string, value: unknown): void {
  if (!Array.isArray(Object(value).groups)) throw wrongKind(who, "a picture such as layoutPicture(layout)", value);
}

/** Combines pictures from left to right. Identical legends are shown once. */
export function sideBySide(...pictures: readonly Picture[]): Picture {
  for (const picture of pictures) checkPicture("sideBySide", picture);
  const same = new Set(pictures.map((picture) => JSON.stringify(picture.legend))).size < 2;
  const named = (picture: Picture): readonly LegendEntry[] => {
    const title = picture.groups.map((group) => group.title).join(", ");
    return picture.legend.map((entry) => ({ ...entry, text: `${title} | ${entry.text}` }));
  };
  return {
    groups: pictures.flatMap((picture) => picture.groups),
    legend: same ? (pictures[0]?.legend ?? []) : pictures.flatMap(named),
  };
}

/** A line before column (or row) `at`, along the rows (or columns) from `from` to `to` (exclusive). */
interface Border {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

const groupAt = (panel: Panel, row: number, column: number): number | undefined => panel.cells[row]?.[column]?.group;

/** True if there is a heavy line to the left of the cell; `column` can be one past the last. */
export const heavyLeft = (panel: Panel, row: number, column: number): boolean =>
  groupAt(panel, row, column - 1) !== groupAt(panel, row, column);

/** True if there is a heavy line above the cell; `row` can be one past the last. */
export const heavyAbove = (panel: Panel, row: number, column: number): boolean =>
  groupAt(panel, row - 1, column) !== groupAt(panel, row, column);

function collect(lines: number, length: number, isHeavy: (at: number, along: number) => boolean): Border[] {
  const borders: Border[] = [];
  for (let at = 0; at <= lines; at++)
    for (let from = 0; from < length; from++) {
      if (!isHeavy(at, from)) continue;
      let to = from + 1;
      while (to < length && isHeavy(at, to)) to++;
      borders.push({ at, from, to });
      from = to;
    }
  return borders;
}

/** All vertical heavy lines. */
export const verticalBorders = (panel: Panel): Border[] =>
  collect(panel.columns.length, panel.rows.length, (at, row) => heavyLeft(panel, row, at));

/** All horizontal heavy lines. */
export const horizontalBorders = (panel: Panel): Border[] =>
  collect(panel.rows.length, panel.columns.length, (at, column) => heavyAbove(panel, at, column));

/** The largest of many numbers, or `least`. `Math.max(...values)` is limited by the stack. */
export const largest = (values: readonly number[], min = 0): number => values.reduce((a, b) => Math.max(a, b), min);
