/**
 * Pictures of memory: a storage as a strip of cells, wrapped into lines, and below it one band for each view, with the index of the element in
 * each cell. Two or more consecutive lines outside of all views are replaced by a sentence.
 *
 * Guarantee: a band shows index i of its view at exactly the cell offset + layout(i), and marks the cell of index 0.
 */
import { wrongKind } from "../base/arguments.ts";
import { LayoutError, ShapeError } from "../base/errors.ts";
import { type AnyLayout, formatLayout, makeLayout, offsetAt, shapeOf } from "../layout/index.ts";
import { bareAxis, coordText, countOf, type GridOptions, requireFew, requireNumbers } from "./grid.ts";
import { valueText } from "./layout-picture.ts";
import { colorClass } from "./palette.ts";
import type { Axis, Cell, Panel, Picture } from "./picture.ts";
import { type DrawnTensor, drawnTensor, isCoordinateLayout, positionsOf, tensorText } from "./targets.ts";

/** A storage and the views over it. */
export interface DrawnMemory {
  /** The number of elements of the storage. */
  readonly length: number;
  readonly views: readonly (DrawnTensor | AnyLayout)[];
  /** The values of the storage: an array, or a function of the offset. Without it, cells show their offset. */
  readonly values?: ArrayLike<unknown> | ((offset: number) => unknown);
}

export interface MemoryPictureOptions extends GridOptions {
  /** The number of cells in a line of the strip. Default: 16. */
  readonly columns?: number;
  /** The labels of bands: the colexicographic "index", the "row-major" index, or the "coord". Default: "index". */
  readonly labels?: "index" | "row-major" | "coord";
}

/** A view with its name, and the indices at each offset. */
interface Band {
  readonly name: string;
  readonly view: DrawnTensor;
  readonly indicesByOffset: ReadonlyMap<number, readonly number[]>;
  readonly labelOf: (index: number) => string;
}

const who = "memoryPicture";

function labelsOf({ layout }: DrawnTensor, labels: MemoryPictureOptions["labels"] = "index"): Band["labelOf"] {
  const shape = shapeOf(layout);
  switch (labels) {
    case "index":
      return String;
    case "row-major": {
      const rowMajor = makeLayout(shape, "right");
      return (index) => String(offsetAt(rowMajor, index));
    }
    case "coord":
      return (index) => coordText(shape, index);
    default:
      throw new ShapeError(
        `${who}: labels must be "index", "row-major" or "coord", got ${String(labels satisfies never)}`,
      );
  }
}

function bandOf(view: DrawnTensor, i: number, length: number, options: MemoryPictureOptions): Band {
  const { layout, name = `view ${i}` } = view;
  requireNumbers(who, layout);
  if (isCoordinateLayout(layout))
    throw new LayoutError(`${who}: ${name}, ${formatLayout(layout)}, maps to coordinates, which are not in memory`);
  const count = requireFew(who, shapeOf(layout), options, formatLayout(layout), "elements");
  const positionOf = positionsOf(who, view);
  const indicesByOffset = new Map<number, number[]>();
  for (let index = 0; index < count; index++) {
    const { offset } = positionOf(index);
    if (!(offset >= 0 && offset < length))
      throw new LayoutError(
        `${who}: ${tensorText({ ...view, name })} has index ${index} at ${offset}, outside of a storage of ${length} elements; a larger ${offset < 0 ? "offset" : "length"} holds it`,
      );
    const indices = indicesByOffset.get(offset);
    if (indices) indices.push(index);
    else indicesByOffset.set(offset, [index]);
  }
  return { name, view, indicesByOffset, labelOf: labelsOf(view, options.labels) };
}

/** The lines of the strip from `from` to `to` (exclusive), drawn or skipped. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly drawn: boolean;
}

/** All lines in order. Lines with an element of a view, and single lines between them, are drawn. */
function runsOf(lines: number, bands: readonly Band[], columns: number): Run[] {
  const touched = new Set(
    bands.flatMap(({ indicesByOffset }) => [...indicesByOffset.keys()].map((offset) => Math.floor(offset / columns))),
  );
  if (touched.size === 0) return [{ from: 0, to: lines, drawn: true }];
  const runs: Run[] = [];
  let end = 0;
  for (const line of [...[...touched].sort((a, b) => a - b), lines]) {
    if (line > end) runs.push({ from: end, to: line, drawn: line - end === 1 });
    if (line < lines) runs.push({ from: line, to: line + 1, drawn: true });
    end = line + 1;
  }
  return runs;
}

/** One row of a band or of the strip itself. */
type Row = (offset: number) => Cell;

const bandRow =
  ({ indicesByOffset, labelOf, view, name }: Band, i: number): Row =>
  (offset) => {
    const indices = indicesByOffset.get(offset);
    if (!indices) return { label: "" };
    const more = indices.length > 1 ? `+${indices.length - 1}` : "";
    const coords = indices.map((index) => coordText(shapeOf(view.layout), index)).join(", ");
    const hint = `${offset}: ${name} at ${coords}`;
    const label = labelOf(indices[0]) + more;
    return { label, color: colorClass(i), hint, ...(indices[0] === 0 ? { marked: true } : {}) };
  };

const named = (labels: readonly string[]): Axis["levels"] => [
  labels.map((label, from) => ({ from, length: 1, label })),
];

const noCells = (note: string): Panel => ({ title: "", rows: bareAxis(0), columns: bareAxis(0), cells: [], note });

/** One line of the strip with its bands; offsets are the header unless the cells show them. */
function linePanel(from: number, to: number, names: readonly string[], rows: readonly Row[], header: boolean): Panel {
  const offsets = Array.from({ length: to - from }, (_unused, j) => from + j);
  const columns = bareAxis(offsets.length);
  return {
    title: "",
    rows: { length: rows.length, levels: named(names), breaks: rows.map((_row, i) => (i === 1 ? 1 : 0)) },
    columns: header ? { ...columns, levels: named(offsets.map(String)) } : columns,
    cells: rows.map((row) => offsets.map(row)),
  };
}

/**
 * The picture of a storage and its views. `maxCells` bounds the total number of cells of strip and bands, and the elements of each view.
 */
export function memoryPicture(memory: DrawnMemory, options: MemoryPictureOptions = {}): Picture {
  if (!Array.isArray(memory?.views)) throw wrongKind(who, "{ length, views }", memory);
  const { length, views, values } = memory;
  const { columns = 16, labels = "index", title = `memory of ${length} elements` } = options;
  countOf(who, [length]);
  if (!(Number.isInteger(columns) && columns >= 1))
    throw new ShapeError(`${who}: columns must be a positive integer, got ${columns}`);
  const bands = views.map((view, i) => bandOf(drawnTensor(who, view), i, length, options));
  const runs = runsOf(Math.ceil(length / columns), bands, columns);
  const end = (line: number): number => Math.min(length, line * columns);
  const shown = runs.reduce((sum, { from, to, drawn }) => sum + (drawn ? end(to) - from * columns : 0), 0);
  requireFew(who, [shown, views.length + 1], options, `memory of ${length} elements under ${views.length} views`);

  const read = typeof values === "function" ? values : values && ((offset: number) => values[offset]);
  const strip: Row = (offset) => ({ label: read ? valueText(read(offset)) : String(offset) });
  const rows = [strip, ...bands.map(bandRow)];
  const names = ["memory", ...bands.map(({ name }) => name)];
  const panels = runs.flatMap(({ from, to, drawn }): Panel[] => {
    if (!drawn) return [noCells(`${from * columns} to ${end(to) - 1}: in no view`)];
    const lines = Array.from({ length: to - from }, (_unused, i) => from + i);
    return lines.map((line) => linePanel(line * columns, end(line + 1), names, rows, read !== undefined));
  });

  const isShared = bands.some(({ indicesByOffset }) =>
    [...indicesByOffset.values()].some((indices) => indices.length > 1),
  );
  const what = { index: "colexicographic index", "row-major": "row-major index", coord: "coordinate" }[labels];
  const bandText = `; rows below: the element of each view in the cell, by its ${what}; framed or in brackets: the first element`;
  const shared = isShared ? "; +3: three more elements share the cell" : "";
  return {
    groups: [{ title, panels: panels.length > 0 ? panels : [noCells("no elements")], across: 1 }],
    legend: [
      ...bands.map(({ name, view }, i) => ({
        text: tensorText({ ...view, name }),
        swatches: [{ color: colorClass(i), label: name }],
      })),
      { text: `memory: ${read ? "values" : "offsets"}${bands.length > 0 ? bandText : ""}${shared}`, swatches: [] },
    ],
  };
}
