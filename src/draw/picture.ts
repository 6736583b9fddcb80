/**
 * The picture: plain data between the builders (layout, memory, slice, thread-value, ...) and the renderers (SVG, text,
 * LaTeX). A picture is groups of panels side by side; a panel is a grid of cells under two axes whose headers nest.
 * Nothing here measures or draws.
 */
import { wrongKind } from "../base/arguments.ts";

/** One cell of a grid. */
export interface Cell {
  readonly label: string;
  /** Shown below the label, or after it in text. */
  readonly second?: string;
  /** A colour class from 0 to 7; none: neutral. */
  readonly color?: number;
  /** Shown but pushed into the background. */
  readonly faded?: boolean;
  /** Stands out by a frame, or by brackets in text: the first element of a view. */
  readonly marked?: boolean;
  /** A heavy line separates neighbours of different groups. */
  readonly group?: number;
  /** What a reader learns when pointing at the cell. */
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
  /** The header, outermost level first; empty: no header. */
  readonly levels: readonly (readonly Span[])[];
  /** For each row or column, how many levels of nesting begin anew before it: 0 is inside a block. */
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

/** Panels that belong together, `across` of them in a line. */
export interface PanelGroup {
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly across: number;
}

/** A sentence about the picture, and the colours it speaks of. */
export interface LegendEntry {
  readonly text: string;
  readonly swatches: readonly { readonly color: number; readonly label: string }[];
}

export interface Picture {
  readonly groups: readonly PanelGroup[];
  readonly legend: readonly LegendEntry[];
}

/** Throws unless `value` is a picture. */
export function checkPicture(value: unknown): void {
  if (!Array.isArray(Object(value).groups))
    throw wrongKind("picture", "a picture such as layoutPicture(layout)", value);
}

/** The pictures as one, from left to right; legends that say the same are shown once. */
export function sideBySide(...pictures: readonly Picture[]): Picture {
  pictures.forEach(checkPicture);
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
