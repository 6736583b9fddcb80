/**
 * Pictures as LaTeX: a standalone TikZ document with the light colors. Draws the same scene as SVG, at 0.75pt per pixel.
 */
import { arrange } from "./arrange.ts";
import { light } from "./palette.ts";
import type { Picture } from "./picture.ts";
import { decimal, fonts, type Item } from "./scene.ts";

export interface LatexOptions {
  /** Whether to create a whole document, or only the tikzpicture, which needs the package tikz. Default: true. */
  readonly standalone?: boolean;
}

const commands: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
};

/** Escapes text for LaTeX's text mode. Control characters become spaces. */
export const escapeLatex = (text: string): string =>
  text.replace(/\p{Cc}|\p{Cs}/gu, " ").replace(/[\\~^<>|"]|[{}$&#%_]/g, (c) => commands[c] ?? `\\${c}`);

const anchors = { start: "base west", middle: "base", end: "base east" } as const;

function command(item: Item): string {
  switch (item.kind) {
    case "cell": {
      const color = item.color === undefined ? "neutral" : `cell${item.color}`;
      const corner = `(${decimal(item.x)},${decimal(item.y)})`;
      return `\\fill[${color}] ${corner} rectangle ++(${decimal(item.width)},${decimal(item.height)});`;
    }
    case "text": {
      const anchor = item.anchor === "middle" ? "" : `,anchor=${anchors[item.anchor]}`;
      const text = escapeLatex(item.text);
      return `\\node[${item.role}${anchor}${item.faded ? ",text=dim" : ""}] at (${decimal(item.x)},${decimal(item.y)}) {${text}};`;
    }
    case "line":
      return `\\draw[${item.heavy ? "heavy" : "thin"}] ${item.points.map(([x, y]) => `(${decimal(x)},${decimal(y)})`).join(" -- ")};`;
    default:
      return item satisfies never;
  }
}

const hex = (color: string): string => color.slice(1).toUpperCase();

function colors(): string[] {
  const named = {
    ink: light.text,
    dim: light.dim,
    neutral: light.neutral,
    ...Object.fromEntries(light.cells.map((c, i) => [`cell${i}`, c])),
  };
  return Object.entries(named).map(([name, color]) => `\\definecolor{${name}}{HTML}{${hex(color)}}`);
}

function styles(): string[] {
  const texts = Object.entries(fonts).map(([role, { size, mono, bold, dim }]) => {
    const points = decimal(size * 0.75);
    const face = `${mono ? "\\ttfamily" : "\\sffamily"}${bold ? "\\bfseries" : ""}`;
    return `  ${role}/.style={anchor=base,inner sep=0pt,text=${dim ? "dim" : "ink"},font=${face}\\fontsize{${points}}{${points}}\\selectfont},`;
  });
  return [
    ...texts,
    "  thin/.style={draw=dim,line width=0.6pt},",
    "  heavy/.style={draw=ink,line width=1.8pt,line cap=rect},",
  ];
}

/** The picture as a LaTeX document, or as a tikzpicture to include in one. */
export function toLatex(picture: Picture, options: LatexOptions = {}): string {
  const { width, height, items } = arrange("toLatex", picture);
  const drawing = [
    ...colors(),
    "\\begin{tikzpicture}[x=0.75pt,y=-0.75pt,",
    ...styles(),
    "]",
    `\\useasboundingbox (0,0) rectangle (${width},${height});`,
    ...items.map(command),
    "\\end{tikzpicture}",
  ];
  if (options.standalone === false) return [...drawing, ""].join("\n");
  const before = [
    "\\documentclass{standalone}",
    "\\usepackage[T1]{fontenc}",
    "\\usepackage{tikz}",
    "\\begin{document}",
  ];
  return [...before, ...drawing, "\\end{document}", ""].join("\n");
}
