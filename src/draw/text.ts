/**
 * Pictures as text for terminals: Unicode lines unless ASCII is asked for, no colour unless asked for.
 */

import { asciiLines, unicodeLines } from "./box-lines.ts";
import { largest } from "./largest.ts";
import { light } from "./palette.ts";
import type { PanelGroup, Picture } from "./picture.ts";
import { checkPicture } from "./picture.ts";
import { type Block, lengthOf, type Pen, textPanel } from "./text-panel.ts";

export interface TextOptions {
  /** Only ASCII characters: `|`, `-` and `+`, heavy lines as `#` and `=`. */
  readonly ascii?: boolean;
  /** ANSI colours (24 bit); off unless true. Without them a faded cell is a dot. */
  readonly color?: boolean;
  /** A line between all rows; off unless true. */
  readonly rowLines?: boolean;
  /** Panels that would reach past this many places go below; 120 unless given. */
  readonly width?: number;
}

const channels = (hex: string): string => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(";");

const paintCell: Pen["paint"] = (text, { color, faded }) => {
  if (color === undefined || faded) return faded ? `\u001b[2m${text}\u001b[0m` : text;
  return `\u001b[48;2;${channels(light.cells[color] as string)};38;2;${channels(light.text)}m${text}\u001b[0m`;
};

/** Text of one line, without control characters. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, " ");

const untitled = (text: string): Block => ({ lines: text ? [clean(text)] : [], width: lengthOf(text) });

/** One under the other. */
const stack = (...blocks: readonly Block[]): Block => ({
  lines: blocks.flatMap((block) => block.lines),
  width: largest(blocks.map((block) => block.width)),
});

/** Side by side, tops aligned. Lines hold colours, so the width of each is computed without them. */
function beside(blocks: readonly Block[], gap: number): Block {
  const height = largest(blocks.map((block) => block.lines.length));
  const plain = (line: string): number => lengthOf(line.replace(/\p{Cc}\[[\d;]*m/gu, ""));
  const lines = Array.from({ length: height }, (_unused, i) =>
    blocks
      .map((block) => (block.lines[i] ?? "") + " ".repeat(Math.max(0, block.width + gap - plain(block.lines[i] ?? ""))))
      .join(""),
  );
  return { lines, width: blocks.reduce((sum, block) => sum + block.width + gap, -gap) };
}

/** Side by side in lines of at most `across` blocks and `room` places. */
function inLines(blocks: readonly Block[], across: number, gap: number, room: number): Block {
  const lines: Block[][] = [];
  for (const block of blocks) {
    const line = lines.at(-1);
    const fits = line && line.length < across && beside([...line, block], gap).width <= room;
    if (fits) line.push(block);
    else lines.push([block]);
  }
  return stack(...lines.map((line) => beside(line, gap)));
}

function textGroup(group: PanelGroup, pen: Pen, room: number): Block {
  const blocks = group.panels.map((panel) =>
    stack(untitled(panel.title), textPanel(panel, pen), untitled(panel.note ?? "")),
  );
  return stack(untitled(group.title), inLines(blocks, group.across, 3, room));
}

/** The picture as lines of text, each ended by a newline. Without colours the legend does not speak of them. */
export function toText(picture: Picture, options: TextOptions = {}): string {
  checkPicture(picture);
  const { ascii = false, color = false, rowLines = false, width = 120 } = options;
  const plain: Pen["paint"] = (text, { faded }) => (faded ? (ascii ? ". " : "· ").padStart(text.length) : clean(text));
  const paint: Pen["paint"] = color ? (text, cell) => paintCell(clean(text), cell) : plain;
  const pen: Pen = { lines: ascii ? asciiLines : unicodeLines, rowLines, paint };
  const groups = picture.groups.map((group) => textGroup(group, pen, width));
  const body = inLines(groups, groups.length, 6, width);
  const legend = picture.legend.map(({ text, swatches }) => {
    if (color)
      return [clean(text), ...swatches.map((swatch) => paintCell(` ${clean(swatch.label)} `, swatch))].join(" ");
    const clauses = clean(text).split("; ");
    // A view may be named color: color = 4:1 says nothing of colours.
    return clauses.filter((clause) => !/^colou?r\w*\b(?! = )/.test(clause)).join("; ");
  });
  return [...body.lines, ...legend.filter(Boolean)].map((line) => `${line.trimEnd()}\n`).join("");
}
