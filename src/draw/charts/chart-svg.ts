/**
 * Shared parts of charts: the SVG document around the marks, with a title and a description for screen readers, and texts and lines as
 * elements. Fonts and colors are those of the other pictures (`svg.ts`, `scene.ts`, `palette.ts`); lines have their own colors.
 *
 * The classes of `palette.ts` are pale backgrounds of text; a thin line needs more contrast, so lines are darker in the light scheme and
 * lighter in the dark one. A test computes that each has a contrast of at least 3:1. Color is never the only distinction: lines also have
 * different dashes and names.
 */
import { decimal, fonts, type Role } from "../scene.ts";
import { escapeXml, type SvgOptions, style } from "../svg.ts";

export type ChartSvgOptions = Pick<SvgOptions, "scheme" | "background">;

export interface Chart {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** A description of the chart in words. */
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

/** The chart as an SVG document. */
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

/** A text vertically centered at y; if `turned`, rotated to read upwards. */
export function chartText(
  role: Role,
  text: string,
  x: number,
  y: number,
  anchor: "start" | "middle" | "end" = "start",
  turned = false,
): string {
  const shift = fonts[role].size * 0.35;
  const position = turned
    ? `transform="translate(${decimal(x + shift)} ${decimal(y)}) rotate(-90)"`
    : `x="${decimal(x)}" y="${decimal(y + shift)}"`;
  const anchored = anchor === "start" ? "" : ` text-anchor="${anchor}"`;
  return `<text class="${fonts[role].dim ? `${role} d` : role}" ${position}${anchored}>${escapeXml(text)}</text>`;
}

export type Point = readonly [x: number, y: number];

/** The `d` of a path through the points. */
export const pathThrough = (points: readonly Point[]): string =>
  `M${points.map(([x, y]) => `${decimal(x)} ${decimal(y)}`).join("L")}`;

/** The colors of six lines; further lines repeat them. */
export const lightLines: readonly string[] = ["#0072b2", "#c4500a", "#008a64", "#a0407f", "#7a6a00", "#4b5560"];
export const darkLines: readonly string[] = ["#5cb3f0", "#f29049", "#3fd6a6", "#d988bd", "#e6d34a", "#c0c8d0"];

/** The dash patterns of lines; "" is solid. */
export const dashes: readonly string[] = ["", "6 3", "2 3", "10 3 2 3"];
