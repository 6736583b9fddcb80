/**
 * A whole picture as a scene: groups side by side, the panels of a group in lines, the legend below.
 */

import { arrangePanel, cellSizeOf } from "./arrange-panel.ts";
import { largest } from "./largest.ts";
import type { LegendEntry, PanelGroup, Picture } from "./picture.ts";
import { checkPicture } from "./picture.ts";
import { addShifted, type Item, type Scene, textAt, textWidth } from "./scene.ts";

const padding = 16;
const betweenPanels = 26;
const betweenGroups = 44;
const legendLine = 23;
const leastLegendWidth = 340;

/** Panels in lines of `across`; those of one column share its width, those of one line its height. */
function arrangeGroup(group: PanelGroup): Scene {
  const size = cellSizeOf(group.panels);
  const scenes = group.panels.map((panel) => arrangePanel(panel, size));
  const items: Item[] = group.title ? [textAt("title", group.title, 0, 8, "start")] : [];
  const widths = Array.from({ length: group.across }, (_unused, j) =>
    largest(scenes.filter((_scene, i) => i % group.across === j).map((scene) => scene.width)),
  );
  let y = group.title ? 30 : 0;
  for (let start = 0; start < scenes.length; start += group.across) {
    const line = scenes.slice(start, start + group.across);
    let x = 0;
    line.forEach((scene, j) => {
      addShifted(items, scene.items, x, y);
      x += (widths[j] as number) + betweenPanels;
    });
    y += largest(line.map((scene) => scene.height)) + betweenPanels;
  }
  const width = widths.reduce((sum, w) => sum + w + betweenPanels, -betweenPanels);
  return { width: Math.max(width, textWidth(group.title, "title")), height: y - betweenPanels, items };
}

const swatchWidth = (label: string): number => Math.max(22, textWidth(label, "second") + 10);

/** The clauses of a sentence in lines that fit the room; the last line also holds `after`, if it can. */
function sentenceLines(text: string, room: number, after: number): string[] {
  const lines: string[] = [];
  const clauses = text.split(/(?<=;) /);
  clauses.forEach((clause, i) => {
    const joined = lines.length > 0 ? `${lines.at(-1)} ${clause}` : clause;
    const needed = textWidth(joined, "note") + (i === clauses.length - 1 ? after : 0);
    if (lines.length > 0 && needed <= room) lines.splice(-1, 1, joined);
    else lines.push(clause);
  });
  return lines;
}

/** Each entry as its sentence, followed by its swatches. */
function arrangeLegend(entries: readonly LegendEntry[], room: number): Scene {
  const items: Item[] = [];
  let y = legendLine / 2;
  let width = 0;
  for (const { text, swatches } of entries) {
    const lines = sentenceLines(
      text,
      room,
      swatches.reduce((sum, { label }) => sum + swatchWidth(label) + 3, 8),
    );
    lines.forEach((line, i) => {
      items.push(textAt("note", line, 0, y + i * legendLine, "start"));
      width = Math.max(width, textWidth(line, "note"));
    });
    y += (lines.length - 1) * legendLine;
    let x = textWidth(lines.at(-1) ?? "", "note") + 8;
    for (const { color, label } of swatches) {
      const swatch = swatchWidth(label);
      if (x + swatch > room) [x, y] = [0, y + legendLine];
      items.push({ kind: "cell", x, y: y - 9, width: swatch, height: 18, color });
      items.push(textAt("second", label, x + swatch / 2, y, "middle"));
      width = Math.max(width, x + swatch);
      x += swatch + 3;
    }
    y += legendLine;
  }
  return { width, height: entries.length === 0 ? 0 : y - legendLine / 2, items };
}

/** The picture with every item in its place. */
export function arrange(picture: Picture): Scene {
  checkPicture(picture);
  const items: Item[] = [];
  let x = padding;
  let height = 0;
  for (const group of picture.groups) {
    const scene = arrangeGroup(group);
    addShifted(items, scene.items, x, padding);
    x += scene.width + betweenGroups;
    height = Math.max(height, scene.height);
  }
  const body = Math.max(0, x - betweenGroups - padding);
  const legend = arrangeLegend(picture.legend, Math.max(body, leastLegendWidth));
  const gap = legend.height > 0 ? 14 : 0;
  addShifted(items, legend.items, padding, padding + height + gap);
  return {
    width: Math.ceil(Math.max(body, legend.width) + 2 * padding),
    height: Math.ceil(height + gap + legend.height + 2 * padding),
    items,
  };
}
