/**
 * The memory of a compiled function as a chart: each value of the workspace is a rectangle, from the first task that uses it to the last one,
 * at its offset; or the same as text.
 */
import { type ChartSvgOptions, chartSvg, chartText } from "../charts/chart-svg.ts";
import { checkOptions } from "../check-options.ts";
import { colorClass } from "../palette.ts";
import { decimal, textWidth } from "../scene.ts";
import { escapeXml } from "../svg.ts";
import { bytesText } from "./bytes-text.ts";
import { requireProgram } from "./cards.ts";
import type { DrawnFunction } from "./draw-graph.ts";

export interface MemoryDrawingOptions extends ChartSvgOptions {
  /** The format. Default: "svg". */
  readonly format?: "svg" | "text";
}

const padding = 20;
const line = 18;
const height = 280;
/** The smallest width of a task. */
const minColumn = 22;
const maxWidth = 720;

/**
 * Draws the workspace of a compiled function: the offset of each value against the tasks during which it lives, and the tasks by their numbers
 * and names. Returns SVG, or text.
 */
export function drawMemory(target: DrawnFunction, options: MemoryDrawingOptions = {}): string {
  checkOptions("drawMemory", options, "format", "scheme", "background");
  const { data } = requireProgram("drawMemory", target);
  const { tasks, arenaBytes, arena, graph } = data;
  const blocks = [...arena].sort((a, b) => a.first - b.first || a.offset - b.offset);
  const live = tasks.map((_, k) =>
    blocks.reduce((sum, { first, last, bytes }) => (first <= k && k <= last ? sum + bytes : sum), 0),
  );
  const peak = Math.max(0, ...live);
  const title = `${graph.name}: ${bytesText(arenaBytes)} of workspace, at most ${bytesText(peak)} of values at a time`;
  if (options.format === "text") {
    const lines = blocks.map(
      ({ first, last, offset, bytes }) =>
        `  ${bytesText(offset).padStart(9)} + ${bytesText(bytes).padStart(9)}  tasks ${first} to ${last}  ${tasks[first].name}`,
    );
    return [title, ...lines, ""].join("\n");
  }
  const names = tasks.map(({ name }, k) => `${k} ${name.length > 56 ? `${name.slice(0, 55)}…` : name}`);
  const column = Math.max(minColumn, Math.min(64, maxWidth / Math.max(1, tasks.length)));
  const width = column * Math.max(1, tasks.length);
  const ticks = ticksOf(arenaBytes);
  const left = padding + Math.max(...ticks.map((bytes) => textWidth(bytesText(bytes), "header"))) + 8;
  const top = padding + line + 10;
  const bottom = top + height;
  const at = (bytes: number): number => bottom - (bytes / Math.max(1, arenaBytes)) * height;
  const marks = [
    chartText("title", title, padding, padding + line / 2),
    ...ticks.flatMap((bytes) => [
      `<path class="a" d="M${decimal(left)} ${decimal(at(bytes))}L${decimal(left + width)} ${decimal(at(bytes))}"/>`,
      chartText("header", bytesText(bytes), left - 6, at(bytes), "end"),
    ]),
    ...blocks.flatMap(({ first, last, offset, bytes }, k) => {
      const [x, y] = [left + first * column + 1, at(offset + bytes) + 1];
      const [w, h] = [(last - first + 1) * column - 2, Math.max(1, (bytes / arenaBytes) * height - 2)];
      const label = bytesText(bytes);
      const what = `${label} at ${offset.toLocaleString("en-US")}, written by task ${first} (${tasks[first].name}), used until task ${last}`;
      const box = `<rect class="c${colorClass(k)}" x="${decimal(x)}" y="${decimal(y)}" width="${decimal(w)}" height="${decimal(h)}" rx="2"><title>${escapeXml(what)}</title></rect>`;
      const fits = h >= 13 && w >= textWidth(label, "second") + 4;
      return fits ? [box, chartText("second", label, x + w / 2, y + h / 2, "middle")] : [box];
    }),
    ...tasks.map((_, k) => chartText("header", String(k), left + (k + 0.5) * column, bottom + 12, "middle")),
    chartText("note", "task", left + width + 8, bottom + 12),
    ...names.map((name, k) => chartText("second", name, left, bottom + 34 + k * 14)),
  ];
  const right = Math.max(
    left + width + 40,
    padding + textWidth(title, "title"),
    ...names.map((name) => left + textWidth(name, "second")),
  );
  return chartSvg(
    {
      width: right + padding,
      height: bottom + 34 + names.length * 14 + padding - 8,
      title,
      description: `${blocks.length} values in ${tasks.length} tasks`,
      marks,
    },
    options,
  );
}

/** About five round numbers of bytes from 0 to the size. */
function ticksOf(size: number): number[] {
  const rough = Math.max(1, size / 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) as number) * power;
  return Array.from({ length: Math.floor(size / step) + 1 }, (_, k) => k * step);
}
