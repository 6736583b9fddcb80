/**
 * Arranges a picture as a scene: groups side by side, the panels of a group in lines, the legend below.
 * A panel has headers, cells with labels, heavy lines and a note. Headers have one line of labels per level, with brackets over the blocks
 * of outer levels. A small gap separates blocks of outer levels.
 */
import {
  type Axis,
  checkPicture,
  horizontalBorders,
  type LegendEntry,
  largest,
  type Panel,
  type PanelGroup,
  type Picture,
  type Span,
  verticalBorders,
} from "./picture.ts";
import { addShifted, fonts, type Item, type Scene, textAt, textWidth } from "./scene.ts";

const padding = 16;
const betweenPanels = 26;
const betweenGroups = 44;
const legendLine = 23;
const minLegendWidth = 340;

/** Arranges panels in lines of `across`. Panels in one column have the same width, in one line the same height. */
function arrangeGroup(group: PanelGroup): Scene {
  const size = cellSizeOf(group.panels);
  const scenes = group.panels.map((panel) => arrangePanel(panel, size));
  const items: Item[] = group.title ? [textAt("title", group.title, 0, 8, "start")] : [];
  const widths = Array.from({ length: group.across }, (_unused, j) =>
    largest(scenes.filter((_scene, i) => i % group.across === j).map((scene) => scene.width)),
  );
  let y = group.title ? 30 : 0;
  for (let start = 0; start < scenes.length; start += group.across) {
    const line = scenes.slice(start, start + group.across);
    let x = 0;
    line.forEach((scene, j) => {
      addShifted(items, scene.items, x, y);
      x += widths[j] + betweenPanels;
    });
    y += largest(line.map((scene) => scene.height)) + betweenPanels;
  }
  const width = widths.reduce((sum, w) => sum + w + betweenPanels, -betweenPanels);
  return { width: Math.max(width, textWidth(group.title, "title")), height: y - betweenPanels, items };
}

const swatchWidth = (label: string): number => Math.max(22, textWidth(label, "second") + 10);

/** The clauses of a sentence in lines of at most `width`; the last line leaves space for `after`, if possible. */
function sentenceLines(text: string, width: number, after: number): string[] {
  const lines: string[] = [];
  const clauses = text.split(/(?<=;) /);
  clauses.forEach((clause, i) => {
    const joined = lines.length > 0 ? `${lines.at(-1)} ${clause}` : clause;
    const needed = textWidth(joined, "note") + (i === clauses.length - 1 ? after : 0);
    if (lines.length > 0 && needed <= width) lines.splice(-1, 1, joined);
    else lines.push(clause);
  });
  return lines;
}

/** Arranges each entry as its sentence, followed by its swatches. */
function arrangeLegend(entries: readonly LegendEntry[], maxWidth: number): Scene {
  const items: Item[] = [];
  let y = legendLine / 2;
  let width = 0;
  for (const { text, swatches } of entries) {
    const lines = sentenceLines(
      text,
      maxWidth,
      swatches.reduce((sum, { label }) => sum + swatchWidth(label) + 3, 8),
    );
    lines.forEach((line, i) => {
      items.push(textAt("note", line, 0, y + i * legendLine, "start"));
      width = Math.max(width, textWidth(line, "note"));
    });
    y += (lines.length - 1) * legendLine;
    let x = textWidth(lines.at(-1) ?? "", "note") + 8;
    for (const { color, label } of swatches) {
      const swatch = swatchWidth(label);
      if (x + swatch > maxWidth) [x, y] = [0, y + legendLine];
      items.push({ kind: "cell", x, y: y - 9, width: swatch, height: 18, color });
      items.push(textAt("second", label, x + swatch / 2, y, "middle"));
      width = Math.max(width, x + swatch);
      x += swatch + 3;
    }
    y += legendLine;
  }
  return { width, height: entries.length === 0 ? 0 : y - legendLine / 2, items };
}

/** The scene of a picture. Throws unless it is one; the error names `who`. */
export function arrange(who: string, picture: Picture): Scene {
  checkPicture(who, picture);
  const items: Item[] = [];
  let x = padding;
  let height = 0;
  for (const group of picture.groups) {
    const scene = arrangeGroup(group);
    addShifted(items, scene.items, x, padding);
    x += scene.width + betweenGroups;
    height = Math.max(height, scene.height);
  }
  const body = Math.max(0, x - betweenGroups - padding);
  const legend = arrangeLegend(picture.legend, Math.max(body, minLegendWidth));
  const gap = legend.height > 0 ? 14 : 0;
  addShifted(items, legend.items, padding, padding + height + gap);
  return {
    width: Math.ceil(Math.max(body, legend.width) + 2 * padding),
    height: Math.ceil(height + gap + legend.height + 2 * padding),
    items,
  };
}

/** The size of the cells of all panels in a group. */
interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** The smallest size that fits every label of the panels. */
function cellSizeOf(panels: readonly Panel[]): CellSize {
  let width = 30;
  let height = 28;
  for (const cell of panels.flatMap((panel) => panel.cells.flat())) {
    width = Math.max(width, textWidth(cell.label, "label") + 12, textWidth(cell.second ?? "", "second") + 12);
    if (cell.second !== undefined) [width, height] = [Math.max(width, 34), 36];
  }
  for (const span of panels.flatMap((panel) => panel.columns.levels.flat()))
    width = Math.max(width, (textWidth(span.label, "header") + 8) / span.length);
  return { width: Math.ceil(width), height };
}

/** The middle between row or column `at` and the one before it. */
function boundary(starts: readonly number[], at: number, step: number): number {
  const before = at === 0 ? 0 : starts[at - 1] + step;
  return (before + starts[at]) / 2;
}

/** A closed path along the four sides of a cell, inside of its edges. */
function frame(x: number, y: number, width: number, height: number): readonly (readonly [number, number])[] {
  const [left, top, right, bottom] = [x + 2, y + 2, x + width - 2, y + height - 2];
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
    [left, top],
  ];
}

/** Arranges a panel with its top left corner at 0, 0. */
function arrangePanel(panel: Panel, { width, height }: CellSize): Scene {
  const xs = startsOf(panel.columns, width);
  const ys = startsOf(panel.rows, height);
  const titleHeight = panel.title ? 20 : 0;
  const left = rowHeaderWidth(panel.rows);
  const top = titleHeight + columnHeaderHeight(panel.columns);
  const items: Item[] = panel.title ? [textAt("panel", panel.title, left + inset, 8, "start")] : [];
  addShifted(items, header(panel.columns, xs, width, false), left, titleHeight);
  addShifted(items, header(panel.rows, ys, height, true), 0, top);

  panel.cells.forEach((row, i) => {
    row.forEach((cell, j) => {
      const x = left + xs[j];
      const y = top + ys[i];
      const color = cell.color === undefined || cell.faded ? {} : { color: cell.color };
      const hint = cell.hint === undefined ? {} : { hint: cell.hint };
      items.push({
        kind: "cell",
        x: x + inset,
        y: y + inset,
        width: width - 2 * inset,
        height: height - 2 * inset,
        ...color,
        ...hint,
      });
      const middle = y + height / 2;
      const gap = cell.second === undefined ? 0 : fonts.label.size / 2 + 0.5;
      items.push(textAt("label", cell.label, x + width / 2, middle - gap, "middle", cell.faded));
      if (cell.second !== undefined)
        items.push(textAt("second", cell.second, x + width / 2, middle + gap, "middle", cell.faded));
      if (cell.marked) items.push({ kind: "line", heavy: true, points: frame(x, y, width, height) });
    });
  });
  const line = (a: readonly [number, number], b: readonly [number, number]): void => {
    items.push({ kind: "line", heavy: true, points: [a, b] });
  };
  const xAt = (at: number): number => left + boundary(xs, at, width);
  const yAt = (at: number): number => top + boundary(ys, at, height);
  for (const { at, from, to } of verticalBorders(panel)) line([xAt(at), yAt(from)], [xAt(at), yAt(to)]);
  for (const { at, from, to } of horizontalBorders(panel)) line([xAt(from), yAt(at)], [xAt(to), yAt(at)]);
  const right = left + (xs.at(-1) as number);
  const bottom = top + (ys.at(-1) as number);
  if (panel.note !== undefined) items.push(textAt("note", panel.note, left + inset, bottom + 13, "start"));
  return {
    width: Math.max(right, left + textWidth(panel.title, "panel"), left + textWidth(panel.note ?? "", "note")),
    height: bottom + (panel.note === undefined ? 0 : 22),
    items,
  };
}

const bracket = 7;
const levelHeight = 17;
/** The margin around a cell. */
const inset = 1;

/** The start of each row or column, and the end of the last one. */
function startsOf(axis: Axis, step: number): number[] {
  let at = 0;
  const starts = axis.breaks.map((weight, i) => {
    at += i > 0 && weight > 0 ? 2 + 5 * weight : 0;
    at += step;
    return at - step;
  });
  return [...starts, at];
}

/** The size of the header of an axis, perpendicular to it. */
const columnHeaderHeight = (axis: Axis): number =>
  axis.levels.length * levelHeight + Math.max(0, axis.levels.length - 1) * bracket;
const levelWidth = (level: readonly Span[]): number =>
  largest(level.map((span) => textWidth(span.label, "header"))) + 8;
const rowHeaderWidth = (axis: Axis): number =>
  axis.levels.reduce((sum, level) => sum + levelWidth(level), 0) + Math.max(0, axis.levels.length - 1) * bracket;

/** The header above the columns, or, if `upright`, to the left of the rows. `depth` is the start of each level. */
function header(axis: Axis, starts: readonly number[], step: number, upright: boolean): Item[] {
  const items: Item[] = [];
  let depth = 0;
  axis.levels.forEach((level, n) => {
    const isInnermost = n === axis.levels.length - 1;
    const thickness = upright ? levelWidth(level) : levelHeight;
    for (const span of level) {
      const from = starts[span.from] + inset + 2;
      const to = starts[span.from + span.length - 1] + step - inset - 2;
      const middle = (from + to) / 2;
      items.push(
        upright
          ? textAt("header", span.label, depth + thickness - 6, middle, "end")
          : textAt("header", span.label, middle, depth + thickness / 2, "middle"),
      );
      if (isInnermost) continue;
      const [line, tip] = [depth + thickness + 1, depth + thickness + bracket - 2];
      const path: readonly (readonly [number, number])[] = [
        [from, tip],
        [from, line],
        [to, line],
        [to, tip],
      ];
      items.push({ kind: "line", heavy: false, points: upright ? path.map(([x, y]) => [y, x] as const) : path });
    }
    depth += thickness + bracket;
  });
  return items;
}
