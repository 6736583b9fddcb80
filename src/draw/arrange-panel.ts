/**
 * One panel as a scene: headers, cells with their labels, heavy lines, the note.
 */
import { columnHeaderHeight, header, inset, placesOf, rowHeaderWidth } from "./arrange-header.ts";
import { levelBorders, uprightBorders } from "./borders.ts";
import type { Panel } from "./picture.ts";
import { addShifted, fonts, type Item, type Scene, textAt, textWidth } from "./scene.ts";

/** Cells of one size for all panels that stand together. */
interface CellSize {
  readonly width: number;
  readonly height: number;
}

/** The size that holds every label of the panels. */
export function cellSizeOf(panels: readonly Panel[]): CellSize {
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

/** The middle of the line before place `at`; the end of a place is its beginning plus the step. */
function boundary(places: readonly number[], at: number, step: number): number {
  const before = at === 0 ? 0 : (places[at - 1] as number) + step;
  return (before + (places[at] as number)) / 2;
}

/** The four sides of a cell, inside of its edges. */
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

/** The panel, its top left corner at 0, 0. */
export function arrangePanel(panel: Panel, { width, height }: CellSize): Scene {
  const xs = placesOf(panel.columns, width);
  const ys = placesOf(panel.rows, height);
  const titleHeight = panel.title ? 20 : 0;
  const left = rowHeaderWidth(panel.rows);
  const top = titleHeight + columnHeaderHeight(panel.columns);
  const items: Item[] = panel.title ? [textAt("panel", panel.title, left + inset, 8, "start")] : [];
  addShifted(items, header(panel.columns, xs, width, false), left, titleHeight);
  addShifted(items, header(panel.rows, ys, height, true), 0, top);

  panel.cells.forEach((row, i) => {
    row.forEach((cell, j) => {
      const x = left + (xs[j] as number);
      const y = top + (ys[i] as number);
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
      const apart = cell.second === undefined ? 0 : fonts.label.size / 2 + 0.5;
      items.push(textAt("label", cell.label, x + width / 2, middle - apart, "middle", cell.faded));
      if (cell.second !== undefined)
        items.push(textAt("second", cell.second, x + width / 2, middle + apart, "middle", cell.faded));
      if (cell.marked) items.push({ kind: "line", heavy: true, points: frame(x, y, width, height) });
    });
  });
  const line = (a: readonly [number, number], b: readonly [number, number]): void => {
    items.push({ kind: "line", heavy: true, points: [a, b] });
  };
  const xAt = (at: number): number => left + boundary(xs, at, width);
  const yAt = (at: number): number => top + boundary(ys, at, height);
  for (const { at, from, to } of uprightBorders(panel)) line([xAt(at), yAt(from)], [xAt(at), yAt(to)]);
  for (const { at, from, to } of levelBorders(panel)) line([xAt(from), yAt(at)], [xAt(to), yAt(at)]);
  const right = left + (xs.at(-1) as number);
  const bottom = top + (ys.at(-1) as number);
  if (panel.note !== undefined) items.push(textAt("note", panel.note, left + inset, bottom + 13, "start"));
  return {
    width: Math.max(right, left + textWidth(panel.title, "panel"), left + textWidth(panel.note ?? "", "note")),
    height: bottom + (panel.note === undefined ? 0 : 22),
    items,
  };
}
