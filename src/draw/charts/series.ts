/**
 * The data of a line chart: series of y, with x or counted from 0. Values that cannot be drawn (not finite, or not above 0 on a logarithmic
 * axis) leave a gap. Long series are thinned to what a screen can show, and keep their lowest and highest values.
 */
import { ShapeError } from "../../base/errors.ts";
import type { Point } from "./chart-svg.ts";

/** Numbers over 0, 1, 2, ..., or over x of their own; `points` draws dots in place of a line. */
export type ChartSeries =
  | ArrayLike<number>
  | { readonly x: ArrayLike<number>; readonly y: ArrayLike<number>; readonly points?: boolean };

/** A series whose numbers are known to fit. */
export interface ReadSeries {
  readonly name: string;
  readonly points: boolean;
  readonly values: readonly Point[];
  /** How many lines stand before it. */
  readonly line: number;
}

/** The series with their names; lengths are checked. */
export function readSeries(who: string, series: Readonly<Record<string, ChartSeries>>): ReadSeries[] {
  const names = Object.keys(series);
  if (names.length === 0)
    throw new ShapeError(`${who}: needs at least one series, got none. Pass { series: { loss: [...] } }.`);
  let lines = 0;
  return names.map((name) => {
    const given = series[name] as ChartSeries;
    if (!("y" in given))
      return { name, points: false, line: lines++, values: Array.from(given, (y, i): Point => [i, y]) };
    const { x, y, points = false } = given;
    if (x.length !== y.length)
      throw new ShapeError(
        `${who}: series "${name}" has ${x.length} x and ${y.length} y; each point needs one of both.`,
      );
    return {
      name,
      points,
      line: points ? lines : lines++,
      values: Array.from(y, (value, i): Point => [x[i] as number, value]),
    };
  });
}

/** The stretches of a series between the values that cannot be drawn. */
export function stretches(values: readonly Point[], drawable: (point: Point) => boolean): Point[][] {
  const found: Point[][] = [[]];
  for (const point of values) {
    const last = found.at(-1) as Point[];
    if (drawable(point)) last.push(point);
    else if (last.length > 0) found.push([]);
  }
  return found.filter((stretch) => stretch.length > 0);
}

/** The line with at most four points for each pixel across: the first, lowest, highest and last there. */
export function thinned(line: readonly Point[], width: number): readonly Point[] {
  if (line.length <= 4 * width) return line;
  const kept: Point[] = [];
  for (let from = 0, to = 0; from < line.length; from = to) {
    const column = Math.floor((line[from] as Point)[0]);
    let [low, high] = [from, from];
    for (to = from + 1; to < line.length && Math.floor((line[to] as Point)[0]) === column; to++) {
      const y = (line[to] as Point)[1];
      if (y < (line[low] as Point)[1]) low = to;
      if (y > (line[high] as Point)[1]) high = to;
    }
    const picked = [...new Set([from, low, high, to - 1])].sort((a, b) => a - b);
    for (const k of picked) kept.push(line[k] as Point);
  }
  return kept;
}
