/**
 * Pictures as text for terminals: Unicode or ASCII lines, optionally with colors.
 * A line between two rows of a panel is drawn only if a part of it is heavy, unless `rowLines` is set. Heavy lines separate the blocks of
 * nested modes, and tiles.
 */
import { light } from "./palette.ts";
import {
  type Axis,
  type Cell,
  checkPicture,
  heavyAbove,
  heavyLeft,
  largest,
  type Panel,
  type PanelGroup,
  type Picture,
} from "./picture.ts";

export interface TextOptions {
  /** Draws with ASCII characters only: `|`, `-` and `+`, heavy lines as `#` and `=`. Default: false. */
  readonly ascii?: boolean;
  /** Uses ANSI colors (24 bit). Without them a faded cell is a dot. Default: false. */
  readonly color?: boolean;
  /** Draws a line between all rows. Default: false. */
  readonly rowLines?: boolean;
  /** The width in characters at which panels wrap. Default: 120. */
  readonly width?: number;
}

const channels = (hex: string): string => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(";");

const paintCell: Pen["paint"] = (text, { color, faded }) => {
  if (color === undefined || faded) return faded ? `\u001b[2m${text}\u001b[0m` : text;
  return `\u001b[48;2;${channels(light.cells[color])};38;2;${channels(light.text)}m${text}\u001b[0m`;
};

/** Text of one line, without control characters. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, " ");

const untitled = (text: string): Block => ({ lines: text ? [clean(text)] : [], width: lengthOf(text) });

/** Stacks blocks vertically. */
const stack = (...blocks: readonly Block[]): Block => ({
  lines: blocks.flatMap((block) => block.lines),
  width: largest(blocks.map((block) => block.width)),
});

/** Places blocks side by side, aligned at the top. The width of a line does not count its color codes. */
function sideBySide(blocks: readonly Block[], gap: number): Block {
  const height = largest(blocks.map((block) => block.lines.length));
  const plain = (line: string): number => lengthOf(line.replace(/\p{Cc}\[[\d;]*m/gu, ""));
  const lines = Array.from({ length: height }, (_unused, i) =>
    blocks
      .map((block) => (block.lines[i] ?? "") + " ".repeat(Math.max(0, block.width + gap - plain(block.lines[i] ?? ""))))
      .join(""),
  );
  return { lines, width: blocks.reduce((sum, block) => sum + block.width + gap, -gap) };
}

/** Places blocks side by side, in lines of at most `across` blocks and `maxWidth` characters. */
function inLines(blocks: readonly Block[], across: number, gap: number, maxWidth: number): Block {
  const lines: Block[][] = [];
  for (const block of blocks) {
    const line = lines.at(-1);
    const fits = line && line.length < across && sideBySide([...line, block], gap).width <= maxWidth;
    if (fits) line.push(block);
    else lines.push([block]);
  }
  return stack(...lines.map((line) => sideBySide(line, gap)));
}

function textGroup(group: PanelGroup, pen: Pen, maxWidth: number): Block {
  const blocks = group.panels.map((panel) =>
    stack(untitled(panel.title), textPanel(panel, pen), untitled(panel.note ?? "")),
  );
  return stack(untitled(group.title), inLines(blocks, group.across, 3, maxWidth));
}

/** The picture as lines of text, each ended by a newline. Without colors the legend does not mention them. */
export function toText(picture: Picture, options: TextOptions = {}): string {
  checkPicture("toText", picture);
  const { ascii = false, color = false, rowLines = false, width = 120 } = options;
  const plain: Pen["paint"] = (text, { faded }) => (faded ? (ascii ? ". " : "· ").padStart(text.length) : clean(text));
  const paint: Pen["paint"] = color ? (text, cell) => paintCell(clean(text), cell) : plain;
  const pen: Pen = { lines: ascii ? asciiLines : unicodeLines, rowLines, paint };
  const groups = picture.groups.map((group) => textGroup(group, pen, width));
  const body = inLines(groups, groups.length, 6, width);
  const legend = picture.legend.map(({ text, swatches }) => {
    if (color)
      return [clean(text), ...swatches.map((swatch) => paintCell(` ${clean(swatch.label)} `, swatch))].join(" ");
    const clauses = clean(text).split("; ");
    // A view can be named color: "color = 4:1" is not about colors.
    return clauses.filter((clause) => !/^color\w*\b(?! = )/.test(clause)).join("; ");
  });
  return [...body.lines, ...legend.filter(Boolean)].map((line) => `${line.trimEnd()}\n`).join("");
}

/** The style of drawing; `paint` wraps a cell's text in its color. */
interface Pen {
  readonly lines: LineSet;
  readonly rowLines: boolean;
  readonly paint: (text: string, cell: { readonly color?: number; readonly faded?: boolean }) => string;
}

/** Lines of text and their width in characters, without color codes. */
interface Block {
  readonly lines: readonly string[];
  readonly width: number;
}

const lengthOf = (text: string): number => [...text].length;
const padStart = (text: string, width: number): string => " ".repeat(Math.max(0, width - lengthOf(text))) + text;
const textOf = (cell: Cell): string => (cell.second === undefined ? cell.label : `${cell.label} ${cell.second}`);

/** `text` centered in `width` characters, between two ends. */
function centered(text: string, width: number, start: string, fill: string, end: string): string {
  const rest = width - lengthOf(text) - 2;
  if (rest < 0) return padStart(text, width);
  return start + fill.repeat(Math.ceil(rest / 2)) + text + fill.repeat(Math.floor(rest / 2)) + end;
}

/** The levels above the columns, each of `width` characters and a line on its left. */
function columnHeader(axis: Axis, width: number, pen: Pen): string[] {
  return axis.levels.map((level, n) => {
    const isInnermost = n === axis.levels.length - 1;
    const line = level.map((span) => {
      const spanWidth = span.length * (width + 1) - 1;
      if (isInnermost) return ` ${padStart(span.label, spanWidth - 1)} `;
      const [start, fill, end] = pen.lines.horizontal;
      return ` ${centered(` ${span.label} `, spanWidth, start, fill, end)}`;
    });
    return line.join("");
  });
}

/** The text left of row `row`, or, with `between`, left of the line above it. */
function rowHeader(axis: Axis, widths: readonly number[], row: number, between: boolean, pen: Pen): string {
  const [start, middle, end] = pen.lines.vertical;
  return axis.levels
    .map((level, n) => {
      const width = widths[n];
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
function textPanel(panel: Panel, pen: Pen): Block {
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
  const boundaries = Array.from({ length: columns.length + 1 }, (_unused, j) => j);
  const rule = (row: number): string =>
    boundaries
      .map((j) => {
        const [left, right] = [level(row, j - 1), level(row, j)];
        const joint = pen.lines.joint(upright(row - 1, j), right, upright(row, j), left);
        return joint + pen.lines.joint(0, right, 0, right).repeat(j < columns.length ? width : 0);
      })
      .join("");
  const drawsRule = (row: number): boolean =>
    pen.rowLines || row === 0 || row === rows.length || boundaries.some((j) => level(row, j) === 2);

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

/** The weight of a line: none, thin or heavy. */
type Weight = 0 | 1 | 2;

/** Unicode box-drawing characters, indexed by the base-3 digits up, right, down, left. */
const unicodeJoints = " ╴╸╷┐┑╻┒┓╶─╾┌┬┭┎┰┱╺╼━┍┮┯┏┲┳╵┘┙│┤┥╽┧┪└┴┵├┼┽┟╁╅┕┶┷┝┾┿┢╆╈╹┚┛╿┦┩┃┨┫┖┸┹┞╀╃┠╂╉┗┺┻┡╄╇┣╊╋";

/** The line characters of Unicode or ASCII. */
interface LineSet {
  readonly joint: (up: Weight, right: Weight, down: Weight, left: Weight) => string;
  /** Brackets of headers: start, middle and end. */
  readonly horizontal: readonly [string, string, string];
  readonly vertical: readonly [string, string, string];
}

const unicodeLines: LineSet = {
  joint: (up, right, down, left) => unicodeJoints[up * 27 + right * 9 + down * 3 + left],
  horizontal: ["╭", "─", "╮"],
  vertical: ["╭", "│", "╰"],
};

const asciiLines: LineSet = {
  joint: (up, right, down, left) => {
    const heavy = Math.max(up, right, down, left) === 2;
    if (up + down === 0) return right + left === 0 ? " " : heavy ? "=" : "-";
    if (right + left === 0) return heavy ? "#" : "|";
    return heavy ? "#" : "+";
  },
  horizontal: ["/", "-", "\\"],
  vertical: ["/", "|", "\\"],
};
