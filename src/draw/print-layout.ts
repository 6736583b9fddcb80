/**
 * Prints a layout of rank 2 as CuTe does: the text of `print_layout` and the TikZ document of `print_latex`, line for line, so that outputs can
 * be compared. `layoutPicture` supports every rank.
 */
import { LayoutError } from "../base/errors.ts";
import {
  type AnyLayout,
  cosize,
  formatLayout,
  isComposed,
  makeComposedLayout,
  offsetAt,
  rank,
  shapeOf,
  size,
} from "../layout/index.ts";
import { padToRank } from "../layout/modes.ts";
import { requireFew, requireNumbers } from "./grid.ts";

export interface PrintOptions {
  /** The largest number of cells to print. Default: 65,536. */
  readonly maxCells?: number;
}

/** The offsets, `[row][column]`. */
function rowsOf(who: string, layout: AnyLayout, options: PrintOptions): number[][] {
  requireNumbers(who, layout);
  requireFew(who, shapeOf(layout), { maxCells: 2 ** 16, ...options });
  if (rank(layout) !== 2)
    throw new LayoutError(
      `${who}: needs a layout of rank 2, got ${formatLayout(layout)} of rank ${rank(layout)}; toText(layoutPicture(layout)) draws any rank`,
    );
  return Array.from({ length: size(layout, 0) }, (_r, i) =>
    Array.from({ length: size(layout, 1) }, (_c, j) => offsetAt(layout, [i, j])),
  );
}

/** The text of CuTe's print_layout. As in CuTe, cells fit the digits of the cosize, without a minus sign. */
export function printLayout(layout: AnyLayout, options: PrintOptions = {}): string {
  const rows = rowsOf("printLayout", layout, options);
  const width = String(cosize(layout)).length;
  const columns = Array.from({ length: size(layout, 1) }, (_unused, j) => j);
  const line = `    ${columns.map(() => `+${"-".repeat(width + 2)}`).join("")}+`;
  return [
    formatLayout(layout),
    `    ${columns.map((j) => `  ${String(j).padStart(width)} `).join("")}`,
    ...rows.flatMap((row, i) => [
      line,
      `${String(i).padStart(2)}  ${row.map((offset) => `| ${String(offset).padStart(width)} `).join("")}|`,
    ]),
    line,
    "",
  ].join("\n");
}

const grays = ["00", "40", "20", "60", "10", "50", "30", "70"];
const grayOf = (offset: number): string => `black!${grays[((offset % 8) + 8) % 8]}`;

/** A layout of rank 1 as one column. */
const withColumn = (layout: AnyLayout): AnyLayout =>
  isComposed(layout)
    ? makeComposedLayout(layout.outer, layout.offset, padToRank(layout.inner, 2))
    : padToRank(layout, 2);

/** The TikZ document of CuTe's print_latex. As in CuTe, rank 1 is one column. */
export function printLatex(layout: AnyLayout, options: PrintOptions = {}): string {
  const twoModes = rank(layout) < 2 ? withColumn(layout) : layout;
  const rows = rowsOf("printLatex", twoModes, options);
  const [height, width] = [rows.length, size(twoModes, 1)];
  const mark = (row: number, column: number, value: number): string =>
    `\\node at (${row},${column}) {\\Large{\\texttt{${value}}}};`;
  return [
    `% Layout: ${formatLayout(twoModes)}`,
    "\\documentclass[convert]{standalone}",
    "\\usepackage{tikz}",
    "",
    "\\begin{document}",
    "\\begin{tikzpicture}[x={(0cm,-1cm)},y={(1cm,0cm)},every node/.style={minimum size=1cm, outer sep=0pt}]",
    "",
    ...rows.flatMap((row, i) => row.map((offset, j) => `\\node[fill=${grayOf(offset)}] at (${i},${j}) {${offset}};`)),
    `\\draw[color=black,thick,shift={(-0.5,-0.5)}] (0,0) grid (${height},${width});`,
    "",
    ...rows.map((_row, i) => mark(i, -1, i)),
    ...Array.from({ length: width }, (_unused, j) => mark(-1, j, j)),
    "\\end{tikzpicture}",
    "\\end{document}",
    "",
  ].join("\n");
}
