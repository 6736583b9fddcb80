/**
 * Groups of horizontal bars as SVG: a label, a bar and a note in each row. All bars have one scale, so groups can be compared; the classes of
 * colors change from group to group.
 */
import { checkObject, wrongKind } from "../../base/arguments.ts";
import { ShapeError } from "../../base/errors.ts";
import { checkOptions } from "../check-options.ts";
import { decimal, textWidth } from "../scene.ts";
import { escapeXml } from "../svg.ts";
import { type ChartSvgOptions, chartSvg, chartText } from "./chart-svg.ts";
import { numberText } from "./ticks.ts";

export interface Bar {
  readonly label: string;
  /** Its length: 0 or more. */
  readonly value: number;
  /** The text after the bar. Default: the value. */
  readonly note?: string;
}

export interface BarGroup {
  readonly title?: string;
  readonly bars: readonly Bar[];
}

export interface BarChartOptions extends ChartSvgOptions {
  readonly groups: readonly BarGroup[];
  readonly title?: string;
}

const padding = 16;
const row = 22;
const barHeight = 14;
const longestBar = 320;
/** The largest number of characters of a label; longer ones keep their end, which distinguishes names with a common path. */
const maxLabel = 48;

const shortLabel = (label: string): string => (label.length > maxLabel ? `…${label.slice(1 - maxLabel)}` : label);

/** The bars of all groups; throws unless they can be drawn. */
function barsOf(groups: readonly BarGroup[]): readonly Bar[] {
  if (!Array.isArray(groups)) throw wrongKind("barChart", "an array of groups { title, bars }", groups);
  const bars = groups.flatMap((group) => {
    checkObject("barChart", "groups that are objects { title, bars }", group);
    if (!Array.isArray(group.bars))
      throw wrongKind("barChart", "an array of bars { label, value } in each group", group.bars);
    return group.bars as readonly Bar[];
  });
  for (const bar of bars) {
    checkObject("barChart", "bars that are objects { label, value }", bar);
    if (typeof bar.label !== "string") throw wrongKind("barChart", "a string as the label of each bar", bar.label);
    if (!(bar.value >= 0 && Number.isFinite(bar.value)))
      throw new ShapeError(`barChart: values must be finite and 0 or more, got ${bar.value} for "${bar.label}".`);
  }
  return bars;
}

/** Draws groups of horizontal bars. */
export function barChart(options: BarChartOptions): string {
  checkObject("barChart", "an object with groups: { groups: [{ bars: [{ label, value }] }] }", options);
  checkOptions("barChart", options, "groups", "title", "scheme", "background");
  const { groups, title = "" } = options;
  const bars = barsOf(groups);
  const largest = Math.max(0, ...bars.map(({ value }) => value)) || 1;
  const noteOf = ({ value, note = numberText(value) }: Bar): string => note;
  const left = padding + Math.max(0, ...bars.map(({ label }) => textWidth(shortLabel(label), "label"))) + 8;
  const marks = title === "" ? [] : [chartText("title", title, padding, padding + row / 2)];
  let y = padding + (title === "" ? 0 : row + 6);
  for (const [k, group] of groups.entries()) {
    if (group.title !== undefined) {
      marks.push(chartText("header", group.title, padding, y + row / 2));
      y += row;
    }
    for (const bar of group.bars) {
      const length = (longestBar * bar.value) / largest;
      const shape = `x="${decimal(left)}" y="${decimal(y + (row - barHeight) / 2)}" width="${decimal(Math.max(length, 1))}" height="${barHeight}" rx="2"`;
      const hint = `<title>${escapeXml(`${bar.label}: ${noteOf(bar)}`)}</title>`;
      marks.push(
        `<g>${chartText("label", shortLabel(bar.label), left - 8, y + row / 2, "end")}<rect class="p${k % 6}" ${shape}/>${chartText("label", noteOf(bar), left + length + 6, y + row / 2)}${hint}</g>`,
      );
      y += row;
    }
    y += row / 2;
  }
  const notes = Math.max(
    0,
    ...bars.map((bar) => (longestBar * bar.value) / largest + 6 + textWidth(noteOf(bar), "label")),
  );
  const width = Math.max(left + notes, padding + textWidth(title, "title")) + padding;
  const description = groups.map((group) => descriptionOf(group, noteOf)).join(" ");
  return chartSvg({ width, height: y - row / 2 + padding, title: title || "bar chart", description, marks }, options);
}

/** The three longest bars of a group in words. */
function descriptionOf({ title, bars }: BarGroup, noteOf: (bar: Bar) => string): string {
  const longest = [...bars].sort((a, b) => b.value - a.value).slice(0, 3);
  const words = longest.map((bar) => `${bar.label} ${noteOf(bar)}`).join(", ");
  return `${title === undefined ? "" : `${title}: `}${bars.length} bars; the longest: ${words || "none"}.`;
}
