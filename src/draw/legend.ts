/**
 * What legends say about colours: only the classes that occur, each with its label.
 */
import { colorCount } from "./palette.ts";
import type { Cell, LegendEntry, Panel } from "./picture.ts";

const cellsOf = (panels: readonly Panel[]): readonly Cell[] => panels.flatMap((panel) => panel.cells.flat());

/** An entry for the colours used in the panels; without colours, the sentence alone. */
export function colorLegend(text: string, panels: readonly Panel[], label: (color: number) => string): LegendEntry {
  const used = new Set(cellsOf(panels).map((cell) => cell.color));
  const colors = Array.from({ length: colorCount }, (_unused, i) => i).filter((color) => used.has(color));
  return { text, swatches: colors.map((color) => ({ color, label: label(color) })) };
}

/** `what`, followed by "mod 8" if colours repeat, that is, if there are more than eight values. */
export const cycled = (what: string, count: number): string =>
  count > colorCount ? `${what} mod ${colorCount}` : what;
