/**
 * Heavy lines: a line lies between two neighbours if and only if their groups differ, the outside having none.
 * Lines are given as runs, so that a straight border is one line.
 */
import type { Panel } from "./picture.ts";

/** A line before column (or row) `at`, along the rows (or columns) from `from` to `to` (exclusive). */
interface Border {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

const groupAt = (panel: Panel, row: number, column: number): number | undefined => panel.cells[row]?.[column]?.group;

/** True if a heavy line lies on the left of the cell (or of the place right after the last column). */
export const heavyLeft = (panel: Panel, row: number, column: number): boolean =>
  groupAt(panel, row, column - 1) !== groupAt(panel, row, column);

/** True if a heavy line lies above the cell (or above the place right after the last row). */
export const heavyAbove = (panel: Panel, row: number, column: number): boolean =>
  groupAt(panel, row - 1, column) !== groupAt(panel, row, column);

function collect(lines: number, length: number, isHeavy: (at: number, along: number) => boolean): Border[] {
  const found: Border[] = [];
  for (let at = 0; at <= lines; at++)
    for (let from = 0; from < length; from++) {
      if (!isHeavy(at, from)) continue;
      let to = from + 1;
      while (to < length && isHeavy(at, to)) to++;
      found.push({ at, from, to });
      from = to;
    }
  return found;
}

/** All upright heavy lines. */
export const uprightBorders = (panel: Panel): Border[] =>
  collect(panel.columns.length, panel.rows.length, (at, row) => heavyLeft(panel, row, at));

/** All level heavy lines. */
export const levelBorders = (panel: Panel): Border[] =>
  collect(panel.rows.length, panel.columns.length, (at, column) => heavyAbove(panel, at, column));
