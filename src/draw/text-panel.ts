/**
 * One panel as lines of text. Rows stand close; a line between two rows is drawn where some of it is heavy, or
 * everywhere if asked. Heavy lines separate the blocks of nested modes, and tiles.
 */
import { heavyAbove, heavyLeft } from "./borders.ts";
import type { LineSet, Weight } from "./box-lines.ts";
import { largest } from "./largest.ts";
import type { Axis, Cell, Panel } from "./picture.ts";

/** How text is drawn; `paint` wraps a cell's text in its colour. */
export interface Pen {
  readonly lines: LineSet;
  readonly rowLines: boolean;
  readonly paint: (text: string, cell: { readonly color?: number; readonly faded?: boolean }) => string;
}

/** Text and how many places it takes: colours take none. */
export interface Block {
  readonly lines: readonly string[];
  readonly width: number;
}

export const lengthOf = (text: string): number => [...text].length;
const padStart = (text: string, width: number): string => " ".repeat(Math.max(0, width - lengthOf(text))) + text;
const textOf = (cell: Cell): string => (cell.second === undefined ? cell.label : `${cell.label} ${cell.second}`);

/** `text` in the middle of `width` places, between two ends. */
function centred(text: string, width: number, start: string, fill: string, end: string): string {
  const room = width - lengthOf(text) - 2;
  if (room < 0) return padStart(text, width);
  return start + fill.repeat(Math.ceil(room / 2)) + text + fill.repeat(Math.floor(room / 2)) + end;
}

/** The levels over the columns, each of which takes `width` places and a line on its left. */
function columnHeader(axis: Axis, width: number, pen: Pen): string[] {
  return axis.levels.map((level, n) => {
    const isInnermost = n === axis.levels.length - 1;
    const line = level.map((span) => {
      const room = span.length * (width + 1) - 1;
      if (isInnermost) return ` ${padStart(span.label, room - 1)} `;
      const [start, fill, end] = pen.lines.lying;
      return ` ${centred(` ${span.label} `, room, start, fill, end)}`;
    });
    return line.join("");
  });
}

/** What stands left of row `row`, or, `between` rows, left of the line above it. */
function rowHeader(axis: Axis, widths: readonly number[], row: number, between: boolean, pen: Pen): string {
  const [start, middle, end] = pen.lines.standing;
  return axis.levels
    .map((level, n) => {
      const width = widths[n] as number;
      const span = level.find((s) => s.from <= row && row < s.from + s.length && !(between && s.from === row));
      const isInnermost = n === axis.levels.length - 1;
      if (!span) return " ".repeat(isInnermost ? width + 1 : width + 3);
      const last = span.from + span.length - 1;
      const label = !between && row === Math.floor((span.from + last) / 2) ? span.label : "";
      if (isInnermost) return `${padStart(label, width)} `;
      const bar =
        between || (row > span.from && row < last) ? middle : span.length === 1 ? " " : row === span.from ? start : end;
      return `${padStart(label, width)} ${bar} `;
    })
    .join("");
}

/** The panel as lines of equal width. */
export function textPanel(panel: Panel, pen: Pen): Block {
  const { rows, columns, cells } = panel;
  const labels = cells.flat().map((cell) => lengthOf(textOf(cell)));
  const heads = columns.levels
    .flat()
    .map((span) => Math.ceil((lengthOf(span.label) + (span.length > 1 ? 3 : 0)) / span.length));
  const width = largest(labels.concat(heads), 1) + 2;
  const levelWidths = rows.levels.map((level) =>
    largest(
      level.map((span) => lengthOf(span.label)),
      1,
    ),
  );
  const head = (row: number, between: boolean): string => rowHeader(rows, levelWidths, row, between, pen);
  const margin = " ".repeat(lengthOf(head(0, true)));

  const upright = (row: number, column: number): Weight => {
    if (row < 0 || row >= rows.length) return 0;
    return heavyLeft(panel, row, column) || (column > 0 && (columns.breaks[column] ?? 0) > 0) ? 2 : 1;
  };
  const level = (row: number, column: number): Weight => {
    if (column < 0 || column >= columns.length) return 0;
    return heavyAbove(panel, row, column) || (row > 0 && (rows.breaks[row] ?? 0) > 0) ? 2 : 1;
  };
  const places = Array.from({ length: columns.length + 1 }, (_unused, j) => j);
  const rule = (row: number): string =>
    places
      .map((j) => {
        const [left, right] = [level(row, j - 1), level(row, j)];
        const joint = pen.lines.joint(upright(row - 1, j), right, upright(row, j), left);
        return joint + pen.lines.joint(0, right, 0, right).repeat(j < columns.length ? width : 0);
      })
      .join("");
  const drawsRule = (row: number): boolean =>
    pen.rowLines || row === 0 || row === rows.length || places.some((j) => level(row, j) === 2);

  const lines = columnHeader(columns, width, pen).map((line) => margin + line);
  cells.forEach((row, i) => {
    if (drawsRule(i)) lines.push((i === 0 ? margin : head(i, true)) + rule(i));
    const line = row.map((cell, j) => {
      const bar = pen.lines.joint(upright(i, j), 0, upright(i, j), 0);
      const [open, close] = cell.marked ? ["[", "]"] : ["", " "];
      return bar + pen.paint(padStart(open + textOf(cell), width - 1) + close, cell);
    });
    const last = upright(i, columns.length);
    lines.push(head(i, false) + line.join("") + pen.lines.joint(last, 0, last, 0));
  });
  if (cells.length > 0) lines.push(margin + rule(rows.length));
  return { lines, width: cells.length === 0 ? 0 : margin.length + columns.length * (width + 1) + 1 };
}
