/**
 * Line charts as one SVG string: loss curves, or measured points with a curve through them.
 * The output is deterministic. `chart-svg.ts` has the document around it, `ticks.ts` the axes.
 *
 * The data are series of y, over x or over 0, 1, 2, ... Values that cannot be drawn (not finite, or not above 0 on a logarithmic axis) leave a
 * gap. Long series are thinned to the resolution of the chart, and keep their lowest and highest values.
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
  /** The series by name, in the order of the legend. */
  readonly series: Readonly<Record<string, ChartSeries>>;
  readonly title?: string;
  readonly xLabel?: string;
  readonly yLabel?: string;
  /** Uses a logarithmic y axis; values that are not above 0 are omitted. */
  readonly log?: boolean;
  /** The size of the plot without its labels, in pixels. Default: 560 and 280. */
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

/** The x axis; from 0 to 1 without values. If all values are integers, such as epochs, so are the ticks. */
function scaleAcross(values: readonly number[]): Scale {
  const [low, high] = values.length > 0 ? extent(values) : [0, 1];
  return linearScale(low, high, low < high && values.every(Number.isInteger) ? 1 : 0);
}

/** The y axis; without values from 0 to 1, or from 1 to 10 if logarithmic. */
function scaleUp(values: readonly number[], log: boolean): Scale {
  const [low, high] = values.length > 0 ? extent(values) : log ? [1, 10] : [0, 1];
  return log ? logScale(low, high) : linearScale(low, high);
}

/** A series in words: its first, last, lowest and highest value. */
function inWords({ name, values }: ReadSeries): string {
  const ys = values.map(([, y]) => y).filter(Number.isFinite);
  if (ys.length === 0) return `${name}: nothing to draw`;
  const ends = `from ${numberText(ys[0])} to ${numberText(ys.at(-1) as number)}`;
  return `${name}: ${ys.length} values ${ends}, lowest ${numberText(extent(ys)[0])}, highest ${numberText(extent(ys)[1])}`;
}

/** Dots, or a line with gaps; a single value between two gaps is a dot. */
function marksOf(
  series: ReadSeries,
  k: number,
  drawable: (p: Point) => boolean,
  toPixel: (p: Point) => Point,
  width: number,
): string[] {
  const color = colorOf(k);
  const dot = ([x, y]: Point): string => `<circle class="p${color}" cx="${decimal(x)}" cy="${decimal(y)}" r="2.5"/>`;
  if (series.points) return series.values.filter(drawable).map((point) => dot(toPixel(point)));
  const dash = dashes[series.line % dashes.length];
  return segments(series.values, drawable).map((segment) => {
    if (segment.length === 1) return dot(toPixel(segment[0]));
    const path = pathThrough(thinned(segment.map(toPixel), width));
    return `<path class="s s${color}"${dash ? ` stroke-dasharray="${dash}"` : ""} d="${path}"/>`;
  });
}

/** The legend in rows of at most `maxWidth` pixels, and the number of rows. */
function legendOf(
  all: readonly ReadSeries[],
  left: number,
  top: number,
  maxWidth: number,
): { marks: string[]; rows: number } {
  const marks: string[] = [];
  let [x, row] = [0, 0];
  all.forEach((series, k) => {
    const width = 34 + textWidth(series.name, "note") + 16;
    if (x > 0 && x + width > maxWidth) [x, row] = [0, row + 1];
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
  const toPixel = ([x, y]: Point): Point => [left + across.at(x) * width, top + (1 - up.at(y)) * height];
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
    ...all.flatMap((series, k) => marksOf(series, k, drawable, toPixel, width)),
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

/** Numbers over 0, 1, 2, ..., or over x; `points` draws dots instead of a line. */
export type ChartSeries =
  | ArrayLike<number>
  | { readonly x: ArrayLike<number>; readonly y: ArrayLike<number>; readonly points?: boolean };

/** A checked series. */
interface ReadSeries {
  readonly name: string;
  readonly points: boolean;
  readonly values: readonly Point[];
  /** The number of lines before it. */
  readonly line: number;
}

/** Checks the series. */
function readSeries(who: string, series: Readonly<Record<string, ChartSeries>>): ReadSeries[] {
  const names = Object.keys(series);
  if (names.length === 0)
    throw new ShapeError(`${who}: needs at least one series, got none. Pass { series: { loss: [...] } }.`);
  let lines = 0;
  return names.map((name) => {
    const data = series[name];
    if (!("y" in data))
      return { name, points: false, line: lines++, values: Array.from(data, (y, i): Point => [i, y]) };
    const { x, y, points = false } = data;
    if (x.length !== y.length)
      throw new ShapeError(
        `${who}: series "${name}" has ${x.length} x and ${y.length} y; each point needs an x and a y.`,
      );
    return {
      name,
      points,
      line: points ? lines : lines++,
      values: Array.from(y, (value, i): Point => [x[i], value]),
    };
  });
}

/** The parts of a series between values that cannot be drawn. */
function segments(values: readonly Point[], drawable: (point: Point) => boolean): Point[][] {
  const parts: Point[][] = [[]];
  for (const point of values) {
    const last = parts.at(-1) as Point[];
    if (drawable(point)) last.push(point);
    else if (last.length > 0) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

/** The line with at most four points per pixel column: the first, lowest, highest and last. */
function thinned(line: readonly Point[], width: number): readonly Point[] {
  if (line.length <= 4 * width) return line;
  const points: Point[] = [];
  for (let from = 0, to = 0; from < line.length; from = to) {
    const column = Math.floor(line[from][0]);
    let [low, high] = [from, from];
    for (to = from + 1; to < line.length && Math.floor(line[to][0]) === column; to++) {
      const y = line[to][1];
      if (y < line[low][1]) low = to;
      if (y > line[high][1]) high = to;
    }
    const picked = [...new Set([from, low, high, to - 1])].sort((a, b) => a - b);
    for (const k of picked) points.push(line[k]);
  }
  return points;
}
