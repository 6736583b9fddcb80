/**
 * Pictures of graphs: the arguments, the tasks of the program with the ops that are fused in each and the bytes that each moves, and the
 * outputs, from top to bottom; or the same as text.
 */
import type { Graph } from "../../graph/ir.ts";
import { type ChartSvgOptions, chartSvg, chartText, pathThrough } from "../charts/chart-svg.ts";
import { checkOptions } from "../check-options.ts";
import { decimal, textWidth } from "../scene.ts";
import { escapeXml } from "../svg.ts";
import { type Card, type CardGraph, cardsOf } from "./cards.ts";
import { layOut } from "./layers.ts";

export interface GraphDrawingOptions extends ChartSvgOptions {
  /** The format. Default: "svg". */
  readonly format?: "svg" | "text";
}

/** A compiled function. */
export type DrawnFunction = (...args: never[]) => unknown;

const padding = 20;
const inset = 10;
const line = 18;
const header = 26;
/** The largest number of characters of the title of a card. */
const maxTitle = 48;

/** The color class of each kind of card. */
const colors: Readonly<Record<Card["kind"], number | null>> = {
  argument: null,
  outputs: null,
  kernel: 5,
  fused: 2,
  steps: 4,
};

const labels: Readonly<Record<Card["kind"], string>> = {
  argument: "argument",
  outputs: "outputs",
  kernel: "kernel",
  fused: "kernel of several ops",
  steps: "op with kernels of its own",
};

/**
 * Draws a graph, or the program of a compiled function: its tasks, the ops that are fused in each of them, shapes, dtypes and the bytes that
 * each task reads and writes. Returns SVG, or text.
 */
export function drawGraph(target: Graph | DrawnFunction, options: GraphDrawingOptions = {}): string {
  checkOptions("drawGraph", options, "format", "scheme", "background");
  const graph = cardsOf("drawGraph", target);
  return options.format === "text" ? graphText(graph) : graphSvg(graph, options);
}

const shortTitle = ({ title }: Card): string => (title.length > maxTitle ? `${title.slice(0, maxTitle - 1)}…` : title);

function sizeOf(card: Card): { readonly width: number; readonly height: number } {
  const titleWidth =
    textWidth(shortTitle(card), "title") + (card.note === "" ? 0 : 20 + textWidth(card.note, "header"));
  const rows = card.rows.map(({ text, type }) => textWidth(text, "label") + 24 + textWidth(type, "label"));
  return {
    width: Math.ceil(Math.max(120, titleWidth, ...rows) + 2 * inset),
    height: header + card.rows.length * line + (card.rows.length > 0 ? 6 : 0),
  };
}

function graphSvg({ title, cards, edges }: CardGraph, options: ChartSvgOptions): string {
  const boxes = cards.map(sizeOf);
  const laid = layOut(boxes, edges);
  const legend = legendOf(cards);
  const content = Math.max(laid.width, textWidth(title, "title"), legend.width);
  const left = padding + (content - laid.width) / 2;
  const top = padding + line + 14;
  const below = top + laid.height + 16;
  const marks = [
    chartText("title", title, padding, padding + line / 2),
    ...laid.paths.map((points) => edgeMark(points.map(([x, y]) => [x + left, y + top]))),
    ...cards.flatMap((card, k) => {
      const [x, y] = laid.positions[k];
      return cardMarks(card, boxes[k], x + left, y + top);
    }),
    ...legend.marks(padding, below),
  ];
  const tasks = cards.filter(({ kind }) => kind !== "argument" && kind !== "outputs");
  return chartSvg(
    {
      width: content + 2 * padding,
      height: below + (legend.width === 0 ? 0 : line) + padding - 10,
      title,
      description: tasks.map((card) => `${card.title}: ${card.rows.map(({ text }) => text).join(", ")}`).join(". "),
      marks,
    },
    options,
  );
}

/** An edge with an arrow at its end. */
function edgeMark(points: readonly (readonly [x: number, y: number])[]): string {
  const [x, y] = points[points.length - 1];
  const arrow = [
    [x - 4, y - 6],
    [x, y],
    [x + 4, y - 6],
  ] as const;
  return `<path d="${pathThrough(points)}${pathThrough(arrow)}"/>`;
}

function cardMarks(
  card: Card,
  { width, height }: { readonly width: number; readonly height: number },
  x: number,
  y: number,
): string[] {
  const color = colors[card.kind];
  const box = `x="${decimal(x)}" y="${decimal(y)}" width="${width}" height="${height}" rx="5"`;
  const right = x + width - inset;
  return [
    `<rect${color === null ? "" : ` class="c${color}"`} ${box}><title>${escapeXml(card.title)}</title></rect>`,
    chartText("title", shortTitle(card), x + inset, y + header / 2),
    ...(card.note === "" ? [] : [plainText("header", card.note, right, y + header / 2)]),
    ...card.rows.flatMap(({ text, type, faded }, k) => {
      const at = y + header + (k + 0.5) * line - 2;
      const role = faded ? "second" : "label";
      return [chartText(role, text, x + inset, at), chartText(role, type, right, at, "end")];
    }),
  ];
}

/** A text in the color of labels, at the end of a line. */
const plainText = (role: "header", text: string, x: number, y: number): string =>
  chartText(role, text, x, y, "end").replace(`class="${role} d"`, `class="${role}"`);

function legendOf(cards: readonly Card[]): { readonly width: number; marks(x: number, y: number): string[] } {
  const kinds = (["kernel", "fused", "steps"] as const).filter((kind) => cards.some((card) => card.kind === kind));
  const widths = kinds.map((kind) => 20 + textWidth(labels[kind], "note") + 18);
  return {
    width: widths.reduce((a, b) => a + b, 0),
    marks: (x, y) => {
      let at = x;
      return kinds.flatMap((kind, k) => {
        const mark = [
          `<rect class="c${colors[kind]}" x="${decimal(at)}" y="${decimal(y)}" width="14" height="14" rx="3"/>`,
          chartText("note", labels[kind], at + 20, y + 7),
        ];
        at += widths[k];
        return mark;
      });
    },
  };
}

/** The cards in order, each with its rows, and the cards that it reads. */
function graphText({ title, cards, edges }: CardGraph): string {
  const nameOf = (k: number): string => (cards[k].kind === "argument" ? cards[k].title : `#${k}`);
  const lines = cards.flatMap((card, k) => {
    const from = edges.filter(([, to]) => to === k).map(([each]) => nameOf(each));
    const width = Math.max(0, ...card.rows.map(({ text }) => text.length));
    const rows = card.rows.map(({ text, type, faded }) => `  ${faded ? "·" : "│"} ${text.padEnd(width)}  ${type}`);
    const name = card.kind === "argument" || card.kind === "outputs" ? card.title : `${nameOf(k)} ${card.title}`;
    const note = card.note === "" ? "" : card.kind === "argument" ? `: ${card.note}` : `, ${card.note}`;
    return [`${name}${note}${from.length === 0 ? "" : ` <- ${from.join(", ")}`}`, ...rows];
  });
  return [title, ...lines, ""].join("\n");
}
