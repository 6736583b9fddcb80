/**
 * The eight colour classes, for light and dark surroundings: tints and shades of the Okabe-Ito colours, which people
 * with any colour vision tell apart; neighbours differ in lightness too. Text on every cell has a contrast of at
 * least 4.5:1 (a test computes it). Colours repeat every eight classes; labels always say what colours say.
 */

export interface Scheme {
  readonly background: string;
  /** Labels on cells, and titles. */
  readonly text: string;
  /** Headers, brackets and legends. */
  readonly dim: string;
  /** Cells without a colour class, and faded ones. */
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
  cells: ["#a6d8f5", "#ffd28a", "#8fd9bd", "#f0c2dc", "#f6ef96", "#a9b9f0", "#f7b08c", "#d3d7dd"],
};

export const dark: Scheme = {
  background: "#0d1117",
  text: "#f3f6f9",
  dim: "#9da7b3",
  neutral: "#1f252d",
  line: "#e6edf3",
  cells: ["#17618c", "#8f5d00", "#006b50", "#8a4470", "#6e6900", "#3b4ba3", "#9c3f0b", "#535b66"],
};

export const colorCount = 8;

/** The colour class of a number: it, modulo eight. */
export const colorClass = (value: number): number => ((Math.trunc(value) % colorCount) + colorCount) % colorCount || 0;
