/**
 * A whole picture as a scene: groups side by side, the panels of a group in lines, the legend below.
 */
import { arrangePanel, cellSizeOf } from "./arrange-panel.ts";
import type { LegendEntry, PanelGroup, Picture } from "./picture.ts";
import { type Item, type Scene, shifted, textAt, textWidth } from "./scene.ts";

const padding = 16;
const betweenPanels = 26;
const betweenGroups = 44;
const legendLine = 24;
const leastLegendWidth = 340;

/** Panels in lines of `across`; those of one column share its width, those of one line its height. */
function arrangeGroup(group: PanelGroup): Scene {
  const size = cellSizeOf(group.panels);
  const scenes = group.panels.map((panel) => arrangePanel(panel, size));
  const items: Item[] = group.title ? [textAt("title", group.title, 0, 8, "start")] : [];
  const widths = Array.from({ length: group.across }, (_unused, j) =>
    Math.max(0, ...scenes.filter((_scene, i) => i % group.across === j).map((scene) => scene.width)),
  );
  let y = group.title ? 30 : 0;
  for (let start = 0; start < scenes.length; start += group.across) {
    const line = scenes.slice(start, start + group.across);
    let x = 0;
    line.forEach((scene, j) => {
      items.push(...shifted(scene.items, x, y));
      x += (widths[j] as number) + betweenPanels;
    });
    y += Math.max(...line.map((scene) => scene.height)) + betweenPanels;
  }
  const width = widths.reduce((sum, w) => sum + w + betweenPanels, -betweenPanels);
  return { width: Math.max(width, textWidth(group.title, "title")), height: y - betweenPanels, items };
}

/** Words and swatches from left to right, a new line where the width is used up. */
function arrangeLegend(entries: readonly LegendEntry[], room: number): Scene {
  const items: Item[] = [];
  let y = legendLine / 2;
  let width = 0;
  for (const entry of entries) {
    let x = 0;
    const make = (needed: number): void => {
      if (x > 0 && x + needed > room) [x, y] = [0, y + legendLine];
    };
    // Clauses stay whole where they fit, so that a line ends at a semicolon.
    const clauses = entry.text.split(/(?<=;) /);
    for (const clause of clauses) {
      make(textWidth(clause, "note"));
      items.push(textAt("note", clause, x, y, "start"));
      x += textWidth(clause, "note") + 5;
      width = Math.max(width, x);
    }
    x += 3;
    for (const { color, label } of entry.swatches) {
      const swatch = Math.max(22, textWidth(label, "second") + 10);
      make(swatch);
      items.push({ kind: "cell", x, y: y - 9, width: swatch, height: 18, color });
      items.push(textAt("second", label, x + swatch / 2, y, "middle"));
      x += swatch + 3;
      width = Math.max(width, x);
    }
    y += legendLine;
  }
  return { width, height: entries.length === 0 ? 0 : y - legendLine / 2, items };
}

/** The picture with every item in its place. */
export function arrange(picture: Picture): Scene {
  const items: Item[] = [];
  let x = padding;
  let height = 0;
  for (const group of picture.groups) {
    const scene = arrangeGroup(group);
    items.push(...shifted(scene.items, x, padding));
    x += scene.width + betweenGroups;
    height = Math.max(height, scene.height);
  }
  const body = Math.max(0, x - betweenGroups - padding);
  const legend = arrangeLegend(picture.legend, Math.max(body, leastLegendWidth));
  const gap = legend.height > 0 ? 14 : 0;
  items.push(...shifted(legend.items, padding, padding + height + gap));
  return {
    width: Math.ceil(Math.max(body, legend.width) + 2 * padding),
    height: Math.ceil(height + gap + legend.height + 2 * padding),
    items,
  };
}
