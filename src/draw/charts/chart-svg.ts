/**
 * What charts share: the SVG document around the marks, with title and description for those who do not see it, and texts and lines as
 * elements. Fonts and colours are those of the other pictures (`svg.ts`, `scene.ts`, `palette.ts`); lines have colours of their own.
 */
import { decimal, fonts, type Role } from "../scene.ts";
import { escapeXml, type SvgOptions, style } from "../svg.ts";
import { darkLines, lightLines } from "./chart-colors.ts";

export type ChartSvgOptions = Pick<SvgOptions, "scheme" | "background">;

export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** What the chart shows, in words. */
  readonly description: string;
  readonly marks: readonly string[];
}

const lineRules = (root: string, colors: readonly string[]): string =>
  colors.map((color, k) => `${root} .s${k}{stroke:${color}}${root} .p${k}{fill:${color}}`).join("");

function chartStyle(scheme: "auto" | "light" | "dark"): string {
  const root = `.stridewise-${scheme}`;
  const first = lineRules(root, scheme === "dark" ? darkLines : lightLines);
  const other = scheme === "auto" ? `@media(prefers-color-scheme:dark){${lineRules(root, darkLines)}}` : "";
  return `<style>${root} .s{stroke-width:1.75;stroke-linejoin:round}${root} .a{stroke-opacity:.3}${first}${other}</style>`;
}

/** The chart as an SVG document of its own. */
export function chartSvg(chart: Chart, { scheme = "auto", background = true }: ChartSvgOptions): string {
  const [width, height] = [Math.ceil(chart.width), Math.ceil(chart.height)];
  const title = escapeXml(chart.title);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="stridewise-${scheme}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<desc>${escapeXml(chart.description)}</desc>`,
    style(scheme),
    chartStyle(scheme),
    ...(background ? [`<rect class="b" width="${width}" height="${height}" rx="6"/>`] : []),
    ...chart.marks,
    "</svg>",
    "",
  ].join("\n");
}

/** A text whose middle line is at y; turned, it reads upwards. */
export function chartText(
  role: Role,
  text: string,
  x: number,
  y: number,
  anchor: "start" | "middle" | "end" = "start",
  turned = false,
): string {
  const shift = fonts[role].size * 0.35;
  const place = turned
    ? `transform="translate(${decimal(x + shift)} ${decimal(y)}) rotate(-90)"`
    : `x="${decimal(x)}" y="${decimal(y + shift)}"`;
  const where = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  return `<text class="${fonts[role].dim ? `${role} d` : role}" ${place}${where}>${escapeXml(text)}</text>`;
}

export type Point = readonly [x: number, y: number];

/** The `d` of a path through the points. */
export const pathThrough = (points: readonly Point[]): string =>
  `M${points.map(([x, y]) => `${decimal(x)} ${decimal(y)}`).join("L")}`;
