/**
 * Pictures as SVG: one self-contained string for a file or a page.
 * Colors follow `prefers-color-scheme` or the `scheme` option. Styles are scoped by a class, so that several pictures can share a page. No
 * scripts, no fonts, no links.
 */
import { arrange } from "./arrange.ts";
import { dark, light, type Scheme } from "./palette.ts";
import type { Picture } from "./picture.ts";
import { decimal, fonts, type Item, type Role } from "./scene.ts";

export interface SvgOptions {
  /** The colors; "auto" follows the reader's setting. Default: "auto". */
  readonly scheme?: "auto" | "light" | "dark";
  /** Whether the background is filled. Default: true. */
  readonly background?: boolean;
  /** Whether cells have tooltips with their coordinate. Default: false. */
  readonly tooltips?: boolean;
}

/** Escapes text for XML. Characters that XML forbids become U+FFFD. */
export const escapeXml = (text: string): string =>
  text
    .replace(/(?![\t\n\r])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]/gu, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

function colorRules(root: string, scheme: Scheme): string {
  const rules = [
    `rect{fill:${scheme.neutral}}`,
    `.b{fill:${scheme.background}}`,
    ...scheme.cells.map((color, i) => `.c${i}{fill:${color}}`),
    `text{fill:${scheme.text}}`,
    `.d{fill:${scheme.dim}}`,
    `path{stroke:${scheme.dim}}`,
    `.g{stroke:${scheme.line}}`,
  ];
  return rules.map((rule) => `${root} ${rule}`).join("");
}

const fontRules = (root: string): string =>
  Object.entries(fonts)
    .map(([role, { size, mono, bold }]) => {
      const family = mono
        ? 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace'
        : "system-ui,-apple-system,sans-serif";
      return `${root} .${role}{font:${bold ? "600 " : ""}${size}px ${family}}`;
    })
    .join("");

/** The style rules of a scheme; the same text in each drawing, so that one page can hold many. */
export function style(scheme: "auto" | "light" | "dark"): string {
  const root = `.stridewise-${scheme}`;
  const first = colorRules(root, scheme === "dark" ? dark : light);
  const other = scheme === "auto" ? `@media(prefers-color-scheme:dark){${colorRules(root, dark)}}` : "";
  const shapes = `${root} path{fill:none;stroke-width:1}${root} .g{stroke-width:2;stroke-linecap:square}${root} text{pointer-events:none;white-space:pre}`;
  return `<style>${fontRules(root)}${shapes}${first}${other}</style>`;
}

const classOf = (role: Role, faded: boolean | undefined): string => (fonts[role].dim || faded ? `${role} d` : role);

function element(item: Item, tooltips: boolean): string {
  switch (item.kind) {
    case "cell": {
      const color = item.color === undefined ? "" : ` class="c${item.color}"`;
      const box = `x="${decimal(item.x)}" y="${decimal(item.y)}" width="${decimal(item.width)}" height="${decimal(item.height)}" rx="3"`;
      return tooltips && item.hint
        ? `<rect${color} ${box}><title>${escapeXml(item.hint)}</title></rect>`
        : `<rect${color} ${box}/>`;
    }
    case "text": {
      const anchor = item.anchor === "start" ? "" : ` text-anchor="${item.anchor}"`;
      return `<text class="${classOf(item.role, item.faded)}" x="${decimal(item.x)}" y="${decimal(item.y)}"${anchor}>${escapeXml(item.text)}</text>`;
    }
    case "line":
      return `<path${item.heavy ? ' class="g"' : ""} d="M${item.points.map(([x, y]) => `${decimal(x)} ${decimal(y)}`).join("L")}"/>`;
    default:
      return item satisfies never;
  }
}

/** The picture as an SVG document. */
export function toSvg(picture: Picture, options: SvgOptions = {}): string {
  const { scheme = "auto", background = true, tooltips = false } = options;
  const { width, height, items } = arrange("toSvg", picture);
  const title = escapeXml(picture.groups.map((group) => group.title).join(" | "));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="stridewise-${scheme}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<desc>${escapeXml(picture.legend.map((entry) => entry.text).join(". "))}</desc>`,
    style(scheme),
    ...(background ? [`<rect class="b" width="${width}" height="${height}" rx="6"/>`] : []),
    ...items.map((item) => element(item, tooltips)),
    "</svg>",
    "",
  ].join("\n");
}
