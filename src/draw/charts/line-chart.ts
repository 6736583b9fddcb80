/**
 * Line charts: how numbers go, as one SVG string. Loss curves, measured points with the curve through them.
 * The same data give the same text. `chart-svg.ts` has the document around it, `ticks.ts` the axes.
 *
 * The data are series of y, with x or counted from 0. Values that cannot be drawn (not finite, or not above 0 on a logarithmic axis) leave a
 * gap. Long series are thinned to what a screen can show, and keep their lowest and highest values.
 */
import { checkObject } from "../../base/arguments.ts";
import { ShapeError } from "../../base/errors.ts";
import { decimal, textWidth } from "../scene.ts";
import {
  type Chart,
  type ChartSvgOptions,
  chartSvg,
  chartText,
  dashes,
  lightLines,
  type Point,
  pathThrough,
} from "./chart-svg.ts";
import { linearScale, logScale, numberText, type Scale } from "./ticks.ts";

export interface LineChartOptions extends ChartSvgOptions {
  /** Name and numbers of each line, in the order of the legend. */
  readonly series: Readonly<Record<string, ChartSeries>>;
  readonly title?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
  /** Equal steps up are equal factors; values that are not above 0 are left out. */
  readonly log?: boolean;
  /** Of the plot without its labels, in pixels: 560 and 280 unless given. */
  readonly width?: number;
  readonly height?: number;
}

const padding = 16;
const line = 20;

const colorOf = (k: number): number => k % lightLines.length;

function extent(values: Iterable<number>): readonly [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

/** The axis for places across; without any, it runs from 0 to 1. Between whole numbers, such as epochs, there is nothing to mark. */
function scaleAcross(values: readonly number[]): Scale {
  const [low, high] = values.length > 0 ? extent(values) : [0, 1];
  return linearScale(low, high, low < high && values.every(Number.isInteger) ? 1 : 0);
}

/** The axis for values; without any, it runs from 0 to 1, or from 1 to 10. */
function scaleUp(values: readonly number[], log: boolean): Scale {
  const [low, high] = values.length > 0 ? extent(values) : log ? [1, 10] : [0, 1];
  return log ? logScale(low, high) : linearScale(low, high);
}

/** A series in words: its first and last value, and its lowest. */
function inWords({ name, values }: ReadSeries): string {
  const ys = values.map(([, y]) => y).filter(Number.isFinite);
  if (ys.length === 0) return `${name}: nothing to draw`;
  const ends = `from ${numberText(ys[0])} to ${numberText(ys.at(-1) as number)}`;
  return `${name}: ${ys.length} values ${ends}, lowest ${numberText(extent(ys)[0])}, highest ${numberText(extent(ys)[1])}`;
}

/** Dots, or a line that breaks at gaps; a lone value between two gaps is a dot. */
function marksOf(
  series: ReadSeries,
  k: number,
  drawable: (p: Point) => boolean,
  place: (p: Point) => Point,
  width: number,
): string[] {
  const color = colorOf(k);
  const dot = ([x, y]: Point): string => `<circle class="p${color}" cx="${decimal(x)}" cy="${decimal(y)}" r="2.5"/>`;
  if (series.points) return series.values.filter(drawable).map((point) => dot(place(point)));
  const dash = dashes[series.line % dashes.length];
  return stretches(series.values, drawable).map((stretch) => {
    if (stretch.length === 1) return dot(place(stretch[0]));
    const path = pathThrough(thinned(stretch.map(place), width));
    return `<path class="s s${color}"${dash ? ` stroke-dasharray="${dash}"` : ""} d="${path}"/>`;
  });
}

/** The legend in rows of at most `room` pixels, and how many rows it took. */
function legendOf(
  all: readonly ReadSeries[],
  left: number,
  top: number,
  room: number,
): { marks: string[]; rows: number } {
  const marks: string[] = [];
  let [x, row] = [0, 0];
  all.forEach((series, k) => {
    const width = 34 + textWidth(series.name, "note") + 16;
    if (x > 0 && x + width > room) [x, row] = [0, row + 1];
    const y = top + row * line + line / 2;
    const color = colorOf(k);
    const dash = dashes[series.line % dashes.length];
    marks.push(
      series.points
        ? `<circle class="p${color}" cx="${decimal(left + x + 14)}" cy="${decimal(y)}" r="2.5"/>`
        : `<path class="s s${color}"${dash ? ` stroke-dasharray="${dash}"` : ""} d="${pathThrough([
            [left + x, y],
            [left + x + 28, y],
          ])}"/>`,
      chartText("note", series.name, left + x + 34, y),
    );
    x += width;
  });
  return { marks, rows: row + 1 };
}

/** A chart of one or more series over the same axes, as SVG. */
export function lineChart(options: LineChartOptions): string {
  checkObject("lineChart", "{ series }", options?.series);
  const { title = "", xLabel = "", yLabel = "", log = false, width = 560, height = 280 } = options;
  const all = readSeries("lineChart", options.series);
  const drawable = ([x, y]: Point): boolean => Number.isFinite(x) && Number.isFinite(y) && (!log || y > 0);
  const drawn = all.flatMap((series) => series.values.filter(drawable));
  const across = scaleAcross(drawn.map(([x]) => x));
  const up = scaleUp(
    drawn.map(([, y]) => y),
    log,
  );

  const labels = Math.max(...up.ticks.map(({ label }) => textWidth(label, "header")));
  const left = padding + (yLabel ? line : 0) + labels + 8;
  const legend = legendOf(all, left, padding + (title ? line + 4 : 0), width);
  const top = padding + (title ? line + 4 : 0) + legend.rows * line + 8;
  const place = ([x, y]: Point): Point => [left + across.at(x) * width, top + (1 - up.at(y)) * height];
  const [right, bottom] = [left + width, top + height];

  const marks = [
    ...(title ? [chartText("title", title, left, padding + line / 2)] : []),
    ...legend.marks,
    ...up.ticks.flatMap(({ value, label }) => {
      const y = top + (1 - up.at(value)) * height;
      return [
        `<path class="a" d="${pathThrough([
          [left, y],
          [right, y],
        ])}"/>`,
        chartText("header", label, left - 6, y, "end"),
      ];
    }),
    ...across.ticks.flatMap(({ value, label }) => {
      const x = left + across.at(value) * width;
      return [
        `<path d="${pathThrough([
          [x, bottom],
          [x, bottom + 4],
        ])}"/>`,
        chartText("header", label, x, bottom + 14, "middle"),
      ];
    }),
    `<path d="${pathThrough([
      [left, top],
      [left, bottom],
      [right, bottom],
    ])}"/>`,
    ...(xLabel ? [chartText("note", xLabel, left + width / 2, bottom + 34, "middle")] : []),
    ...(yLabel ? [chartText("note", yLabel, padding + 6, top + height / 2, "middle", true)] : []),
    ...all.flatMap((series, k) => marksOf(series, k, drawable, place, width)),
  ];
  const chart: Chart = {
    width: right + padding + 12,
    height: bottom + 24 + (xLabel ? line : 0) + padding / 2,
    title: title || all.map(({ name }) => name).join(", "),
    description: all.map(inWords).join(". "),
    marks,
  };
  return chartSvg(chart, options);
}

/** Numbers over 0, 1, 2, ..., or over x of their own; `points` draws dots in place of a line. */
export type ChartSeries =
  | ArrayLike<number>
  | { readonly x: ArrayLike<number>; readonly y: ArrayLike<number>; readonly points?: boolean };

/** A series whose numbers are known to fit. */
interface ReadSeries {
  readonly name: string;
  readonly points: boolean;
  readonly values: readonly Point[];
  /** How many lines stand before it. */
  readonly line: number;
}

/** The series with their names; lengths are checked. */
function readSeries(who: string, series: Readonly<Record<string, ChartSeries>>): ReadSeries[] {
  const names = Object.keys(series);
  if (names.length === 0)
    throw new ShapeError(`${who}: needs at least one series, got none. Pass { series: { loss: [...] } }.`);
  let lines = 0;
  return names.map((name) => {
    const given = series[name];
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
      values: Array.from(y, (value, i): Point => [x[i], value]),
    };
  });
}

/** The stretches of a series between the values that cannot be drawn. */
function stretches(values: readonly Point[], drawable: (point: Point) => boolean): Point[][] {
  const found: Point[][] = [[]];
  for (const point of values) {
    const last = found.at(-1) as Point[];
    if (drawable(point)) last.push(point);
    else if (last.length > 0) found.push([]);
  }
  return found.filter((stretch) => stretch.length > 0);
}

/** The line with at most four points for each pixel across: the first, lowest, highest and last there. */
function thinned(line: readonly Point[], width: number): readonly Point[] {
  if (line.length <= 4 * width) return line;
  const kept: Point[] = [];
  for (let from = 0, to = 0; from < line.length; from = to) {
    const column = Math.floor(line[from][0]);
    let [low, high] = [from, from];
    for (to = from + 1; to < line.length && Math.floor(line[to][0]) === column; to++) {
      const y = line[to][1];
      if (y < line[low][1]) low = to;
      if (y > line[high][1]) high = to;
    }
    const picked = [...new Set([from, low, high, to - 1])].sort((a, b) => a - b);
    for (const k of picked) kept.push(line[k]);
  }
  return kept;
}
