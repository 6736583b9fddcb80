/**
 * The eight color classes, for light and dark backgrounds, and legends, which list the classes in use. The hues are close to those of Okabe and
 * Ito; lightness and chroma were optimized so that every pair differs for all kinds of color vision. Text on every cell has a contrast of
 * at least 4.5:1. A test computes both. Colors repeat every eight classes; labels always carry the same information.
 */
import type { Cell, LegendEntry, Panel } from "./picture.ts";

export interface Scheme {
  readonly background: string;
  /** Labels on cells, and titles. */
  readonly text: string;
  /** Headers, brackets and legends. */
  readonly dim: string;
  /** Cells without a color class, and faded ones. */
  readonly neutral: string;
  /** Lines between groups. */
  readonly line: string;
  readonly cells: readonly string[];
}

export const light: Scheme = {
  background: "#ffffff",
  text: "#1b1f24",
  dim: "#57606a",
  neutral: "#eff1f4",
  line: "#1b1f24",
  cells: ["#89c2ff", "#ebc97c", "#c4ffee", "#c798c8", "#fef39f", "#dad8ff", "#ed9e7e", "#bfbfbf"],
};

export const dark: Scheme = {
  background: "#0d1117",
  text: "#f3f6f9",
  dim: "#9da7b3",
  neutral: "#1f252d",
  line: "#e6edf3",
  cells: ["#2c6eb2", "#744700", "#006551", "#9a4982", "#6f7112", "#383c8c", "#6d1405", "#383a41"],
};

export const colorCount = 8;

/** The color class of a number: the number modulo eight. */
export const colorClass = (value: number): number => ((Math.trunc(value) % colorCount) + colorCount) % colorCount || 0;

const cellsOf = (panels: readonly Panel[]): readonly Cell[] => panels.flatMap((panel) => panel.cells.flat());

/** A legend entry for the colors in the panels; without colors, only the sentence. */
export function colorLegend(text: string, panels: readonly Panel[], label: (color: number) => string): LegendEntry {
  const used = new Set(cellsOf(panels).map((cell) => cell.color));
  const colors = Array.from({ length: colorCount }, (_unused, i) => i).filter((color) => used.has(color));
  return { text, swatches: colors.map((color) => ({ color, label: label(color) })) };
}

/** `what`, followed by "mod 8" if there are more than eight values, so that colors repeat. */
export const cycled = (what: string, count: number): string =>
  count > colorCount ? `${what} mod ${colorCount}` : what;
