/**
 * Pictures of a swizzled layout, before and after. Equal offsets have equal colors.
 * Colors are the chunks that the swizzle moves, or memory banks. For banks the note counts conflicts: the largest number of distinct words in
 * one bank, over all columns (one thread reads each row of a column).
 */
import { LayoutError } from "../base/errors.ts";
import {
  type AnyLayout,
  formatLayout,
  isComposed,
  isSwizzle,
  offsetAt,
  shapeOf,
  swizzleMasks,
  valueOf,
} from "../layout/index.ts";
import { coordText, type GridOptions, gridOf, requireNumbers } from "./grid.ts";
import { colorClass, colorCount, colorLegend } from "./palette.ts";
import type { Panel, Picture } from "./picture.ts";

export interface SwizzlePictureOptions extends GridOptions {
  /** Colors by this many memory banks (32 on NVIDIA GPUs) and counts conflicts. */
  readonly banks?: number;
  /** The number of adjacent elements in a bank's word: 2 for 16-bit elements in 32-bit words. Default: 1. */
  readonly elementsPerBank?: number;
}

/** The largest number of columns of panels placed side by side. */
const maxColumns = 20;

/** The color of each offset, and the meaning of the colors. */
interface Coloring {
  readonly text: string;
  readonly colorOf: (offset: number) => number;
  readonly labelOf: (color: number) => string;
}

function chunkColoring(mask: number): Coloring {
  const chunk = mask & -mask || 1;
  const count = mask / chunk + 1;
  const what = chunk === 1 ? "offset" : `offset / ${chunk}`;
  return {
    text: `number: offset; color: ${what} mod ${Math.min(count, colorCount)}`,
    colorOf: (offset) => colorClass(Math.floor(offset / chunk) % count),
    labelOf: String,
  };
}

function bankColoring(banks: number, perBank: number): Coloring {
  const width = Math.ceil(banks / colorCount);
  const words = perBank === 1 ? "" : ` (${perBank} elements to a word)`;
  return {
    text: `number: offset; color: bank of ${banks}${words}`,
    colorOf: (offset) => colorClass(Math.floor((Math.floor(offset / perBank) % banks) / width)),
    labelOf: (color) => (width === 1 ? String(color) : `${color * width}-${Math.min(banks, (color + 1) * width) - 1}`),
  };
}

/** The largest number of distinct words in one bank that one column accesses. */
function conflictsOf(panel: Panel, banks: number, perBank: number): number {
  let worst = 0;
  for (let j = 0; j < panel.columns.length; j++) {
    const wordsOf = new Map<number, Set<number>>();
    for (const row of panel.cells) {
      const word = Math.floor(Number(row[j]?.label) / perBank);
      const bank = word % banks;
      wordsOf.set(bank, (wordsOf.get(bank) ?? new Set()).add(word));
    }
    for (const words of wordsOf.values()) worst = Math.max(worst, words.size);
  }
  return worst;
}

/** The picture of a swizzled layout: the offsets before and after the swizzle. */
export function swizzlePicture(layout: AnyLayout, options: SwizzlePictureOptions = {}): Picture {
  const who = "swizzlePicture";
  requireNumbers(who, layout);
  if (!isComposed(layout) || !isSwizzle(layout.outer))
    throw new LayoutError(
      `${who}: ${formatLayout(layout)} has no swizzle; create one with makeComposedLayout(swizzle(2, 0, 2), 0, layout)`,
    );
  const { banks, elementsPerBank = 1 } = options;
  for (const [name, value] of [
    ["banks", banks],
    ["elementsPerBank", elementsPerBank],
  ] as const)
    if (value !== undefined && !(Number.isInteger(value) && value > 0))
      throw new LayoutError(`${who}: ${name} must be a positive integer, got ${value}`);

  const coloring =
    banks === undefined ? chunkColoring(swizzleMasks(layout.outer).z) : bankColoring(banks, elementsPerBank);
  const shape = shapeOf(layout);
  const start = valueOf(layout.offset);
  const before = (index: number): number => start + offsetAt(layout.inner, index);
  const panelsOf = (name: string, offset: (index: number) => number): readonly Panel[] =>
    gridOf(who, shape, options, (_coord, index) => {
      const at = offset(index);
      return { label: String(at), color: coloring.colorOf(at), hint: `${coordText(shape, index)} -> ${at}` };
    }).panels.map((panel) => {
      const title = panel.title ? `${name} ${panel.title}` : name;
      if (banks === undefined || panel.cells.length === 0) return { ...panel, title };
      const ways = conflictsOf(panel, banks, elementsPerBank);
      return { ...panel, title, note: `reading a column: ${ways === 1 ? "no conflict" : `${ways}-way conflict`}` };
    });

  const first = panelsOf("before", before);
  const panels = [...first, ...panelsOf("after", (index) => offsetAt(layout, index))];
  // Wide panels are stacked, which makes a moved chunk easy to follow.
  const across = first.length === 1 && (first[0]?.columns.length ?? 0) <= maxColumns ? 2 : first.length;
  const title = options.title ?? formatLayout(layout);
  return {
    groups: [{ title, panels, across }],
    legend: [colorLegend(coloring.text, panels, coloring.labelOf)],
  };
}
