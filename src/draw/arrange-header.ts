/**
 * Headers as items of a scene: one line of labels per level, with brackets over the blocks of outer levels.
 * Rows and columns stand a little apart where an outer level begins anew.
 */
import { largest } from "./largest.ts";
import type { Axis, Span } from "./picture.ts";
import { type Item, textAt, textWidth } from "./scene.ts";

const bracket = 7;
const levelHeight = 17;
/** How far a cell stays from the edges of its place. */
export const inset = 1;

/** Where each row or column begins, and where the last one ends. */
export function placesOf(axis: Axis, step: number): number[] {
  let at = 0;
  const places = axis.breaks.map((weight, i) => {
    at += i > 0 && weight > 0 ? 2 + 5 * weight : 0;
    at += step;
    return at - step;
  });
  return [...places, at];
}

/** How much room the header of an axis takes, across its direction. */
export const columnHeaderHeight = (axis: Axis): number =>
  axis.levels.length * levelHeight + Math.max(0, axis.levels.length - 1) * bracket;
const levelWidth = (level: readonly Span[]): number =>
  largest(level.map((span) => textWidth(span.label, "header"))) + 8;
export const rowHeaderWidth = (axis: Axis): number =>
  axis.levels.reduce((sum, level) => sum + levelWidth(level), 0) + Math.max(0, axis.levels.length - 1) * bracket;

/** The header over the columns (or, turned, beside the rows): `depth` is where each level begins. */
export function header(axis: Axis, places: readonly number[], step: number, upright: boolean): Item[] {
  const items: Item[] = [];
  let depth = 0;
  axis.levels.forEach((level, n) => {
    const isInnermost = n === axis.levels.length - 1;
    const room = upright ? levelWidth(level) : levelHeight;
    for (const span of level) {
      const from = (places[span.from] as number) + inset + 2;
      const to = (places[span.from + span.length - 1] as number) + step - inset - 2;
      const middle = (from + to) / 2;
      items.push(
        upright
          ? textAt("header", span.label, depth + room - 6, middle, "end")
          : textAt("header", span.label, middle, depth + room / 2, "middle"),
      );
      if (isInnermost) continue;
      const [line, tip] = [depth + room + 1, depth + room + bracket - 2];
      const path: readonly (readonly [number, number])[] = [
        [from, tip],
        [from, line],
        [to, line],
        [to, tip],
      ];
      items.push({ kind: "line", heavy: false, points: upright ? path.map(([x, y]) => [y, x] as const) : path });
    }
    depth += room + bracket;
  });
  return items;
}
