/** The elements of pictures, errors of the builders, and escaped text in renderers. */
import { describe, expect, test } from "vitest";
import { sym } from "../expr/index.ts";
import { ScaledBasis } from "../layout/basis.ts";
import { E, flatDivide, makeLayout, offsetAt, size, zippedDivide } from "../layout/index.ts";
import { parseLayout } from "../layout/notation.ts";
import { escapeLatex, toLatex } from "./latex.ts";
import { layoutPicture, valuesPicture } from "./layout-picture.ts";
import { type Cell, type Picture, sideBySide } from "./picture.ts";
import { escapeXml, toSvg } from "./svg.ts";
import { swizzlePicture } from "./swizzle-picture.ts";
import { toText } from "./text.ts";
import { threadValuePicture } from "./thread-value-picture.ts";
import { tilingPicture } from "./tiling-picture.ts";

const cellsOf = (picture: Picture): readonly Cell[] =>
  picture.groups.flatMap((group) => group.panels).flatMap((panel) => panel.cells.flat());
const cellAt = (picture: Picture, row: number, column: number, panel = 0): Cell =>
  picture.groups[0]?.panels[panel]?.cells[row]?.[column] as Cell;

describe("layoutPicture", () => {
  test.each(["(4,8):(8,1)", "((2,2),(2,4)):((1,4),(2,8))", "Sw<2,0,2> o 0 o (4,4):(4,1)"])(
    "cell (i,j) of %s shows its offset",
    (text) => {
      const layout = parseLayout(text);
      const picture = layoutPicture(layout);
      for (let i = 0; i < size(layout, 0); i++)
        for (let j = 0; j < size(layout, 1); j++)
          expect(cellAt(picture, i, j).label).toBe(String(offsetAt(layout, [i, j])));
    },
  );

  test("every offset of rank 3, 4 and 5 appears in the panel of its outer coordinate", () => {
    for (const shape of [
      [2, 3, 4],
      [2, 3, 2, 3],
      [2, 2, 2, 3, 2],
    ]) {
      const layout = makeLayout(shape);
      const panels = layoutPicture(layout).groups[0]?.panels ?? [];
      expect(panels).toHaveLength(size(layout) / (shape[0] as number) / (shape[1] as number));
      for (const panel of panels) {
        const outer = panel.title.slice("(_,_,".length, -1).split(",").map(Number);
        panel.cells.forEach((row, i) => {
          const expected = row.map((_cell, j) => String(offsetAt(layout, [i, j, ...outer])));
          expect(row.map((cell) => cell.label)).toEqual(expected);
        });
      }
    }
  });

  test("the panels of a flat division stand as the tiles do", () => {
    const group = layoutPicture(flatDivide(makeLayout([6, 8], "right"), [3, 4])).groups[0];
    expect(group?.across).toBe(2);
    expect(group?.panels.map((panel) => panel.cells[0]?.[0]?.label)).toEqual(["0", "4", "24", "28"]);
  });

  test("colors follow colorBy", () => {
    const layout = parseLayout("(2,(2,2)):(1,(2,4))");
    const colors = (colorBy: Parameters<typeof layoutPicture>[1]): unknown =>
      cellsOf(layoutPicture(layout, colorBy)).map((cell) => cell.color);
    expect(colors({})).toEqual([0, 2, 4, 6, 1, 3, 5, 7]);
    expect(colors({ colorBy: "row" })).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    expect(colors({ colorBy: "column" })).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    expect(colors({ colorBy: "mode" })).toEqual([0, 0, 1, 1, 0, 0, 1, 1]);
    expect(colors({ colorBy: "none" })).toEqual(new Array(8).fill(undefined));
    expect(colors({ colorBy: ([i = 0, j = 0]) => i + j })).toEqual([0, 1, 2, 3, 1, 2, 3, 4]);
  });

  test("symbols and too many cells are refused, rank 0 and size 0 are drawn", () => {
    const n = sym("n", { min: 1 });
    expect(() => layoutPicture(makeLayout([n, 4]))).toThrow(
      "layoutPicture: n is symbolic, and a picture needs numbers",
    );
    expect(() => layoutPicture(makeLayout([4, 4], [1, n.mul(2)]))).toThrow("2*n is symbolic");
    expect(() => layoutPicture(makeLayout([4, 4], [new ScaledBasis(n, [0]), E(1)]))).toThrow("n is symbolic");
    expect(() => layoutPicture(makeLayout([128, 128]))).toThrow(
      "has 16384 cells, more than maxCells = 4096. Draw a part of it, or pass { maxCells: 16384 }",
    );
    expect(cellsOf(layoutPicture(makeLayout([128, 128]), { maxCells: 16384 }))).toHaveLength(16384);
    expect(cellsOf(layoutPicture(makeLayout([]))).map((cell) => cell.label)).toEqual(["0"]);
    expect(toText(layoutPicture(makeLayout([4, 0])))).toContain("no cells: a size is 0");
  });
});

test("valuesPicture reads arrays and functions at the offset", () => {
  const layout = makeLayout([2, 2], "right");
  expect(cellsOf(valuesPicture(layout, new Float32Array([1, 2, 0.1, 4]))).map((cell) => cell.label)).toEqual([
    "1",
    "2",
    "0.1",
    "4",
  ]);
  expect(cellsOf(valuesPicture(layout, (offset) => `v${offset}`)).map((cell) => cell.label)).toEqual([
    "v0",
    "v1",
    "v2",
    "v3",
  ]);
});

describe("threadValuePicture", () => {
  const tv = parseLayout("((4,8),(2,2)):((32,1),(16,8))");

  test("the element that thread t holds as its value v is marked so", () => {
    const picture = threadValuePicture(tv, [16, 8]);
    for (let t = 0; t < 32; t++)
      for (let v = 0; v < 4; v++) {
        const index = offsetAt(tv, [t, v]);
        expect(cellAt(picture, index % 16, Math.floor(index / 16))).toMatchObject({
          label: `T${t}`,
          second: `V${v}`,
          color: t % 8,
        });
      }
  });

  test("only the highlighted thread keeps its color", () => {
    const bright = cellsOf(threadValuePicture(tv, [16, 8], { highlight: 5 })).filter((cell) => !cell.faded);
    expect(bright.map((cell) => cell.label)).toEqual(["T5", "T5", "T5", "T5"]);
  });

  test("shared and unheld elements say so", () => {
    const labels = cellsOf(threadValuePicture(makeLayout([4, 2], [0, 1]), 3)).map((cell) => cell.label);
    expect(labels).toEqual(["T0+3", "T0+3", "-"]);
  });

  test("every renderer shows an unheld element as the legend names it", () => {
    const picture = threadValuePicture(makeLayout([2, 1]), 3, { highlight: 0 });
    expect(picture.legend[0]?.text).toContain("; -: no thread holds it");
    expect(toText(picture)).toContain("│ T0 V0 │     · │     - │");
    expect(toText(picture, { ascii: true })).toContain("| T0 V0 |     . |     - |");
    expect(toText(picture, { color: true })).toContain("│     - │");
    expect(toSvg(picture)).toContain(">-</text>");
    expect(toLatex(picture)).toContain("{-};");
  });

  test("invalid arguments throw", () => {
    expect(() => threadValuePicture(tv, [8, 8])).toThrow(
      "maps thread 2, value 0 to 64, but (8,8) has the elements 0 to 63",
    );
    expect(() => threadValuePicture(makeLayout(4), 4)).toThrow("a layout of rank 2, (thread, value), is needed");
    expect(() => threadValuePicture(tv, [16, 8], { highlight: 32 })).toThrow("there are threads 0 to 31");
  });
});

describe("swizzlePicture", () => {
  const swizzled = parseLayout("Sw<3,0,3> o 0 o (8,8):(8,1)");

  test("a number has one color before and after", () => {
    const colors = new Map<string, Set<unknown>>();
    for (const cell of cellsOf(swizzlePicture(swizzled)))
      colors.set(cell.label, (colors.get(cell.label) ?? new Set()).add(cell.color));
    expect(colors.size).toBe(64);
    for (const seen of colors.values()) expect(seen.size).toBe(1);
  });

  test("conflicts are counted", () => {
    const notes = (banks: number, elementsPerBank = 1): unknown =>
      swizzlePicture(swizzled, { banks, elementsPerBank }).groups[0]?.panels.map((panel) => panel.note);
    expect(notes(8)).toEqual(["reading a column: 8-way conflict", "reading a column: no conflict"]);
    expect(notes(4, 2)).toEqual(["reading a column: 8-way conflict", "reading a column: 2-way conflict"]);
    expect(() => notes(0)).toThrow("banks must be a positive integer");
  });

  test("a layout without a swizzle is refused", () => {
    expect(() => swizzlePicture(makeLayout([4, 4]))).toThrow("has no swizzle");
  });
});

describe("tilingPicture", () => {
  test.each([[[4, 2]], [[makeLayout(4, 2), 4]], [makeLayout(16)], [[8, null]], [[null, 4]], [[4]], [null]])(
    "tiles are those of zippedDivide, tiler %#",
    (tiler) => {
      const layout = makeLayout([8, 8]);
      const divided = zippedDivide(layout, tiler);
      const picture = tilingPicture(layout, tiler);
      for (let t = 0; t < size(divided, 1); t++)
        for (let p = 0; p < size(divided, 0); p++) {
          const index = offsetAt(divided, [p, t]);
          expect(cellAt(picture, index % 8, Math.floor(index / 8)).group).toBe(t);
        }
    },
  );

  test("a layout of rank 1 has its tiles in the header", () => {
    const header = tilingPicture(makeLayout(10), 4).groups[0]?.panels[0]?.columns.levels[0];
    expect(header?.map((span) => span.length)).toEqual([4, 4, 2]);
  });

  test("a mode that is not cut keeps its own header, and each of its indices is a tile", () => {
    const layout = parseLayout("(4,(2,3)):(6,(3,1))");
    for (const tiler of [[2, null], [2]]) {
      const picture = tilingPicture(layout, tiler);
      const panel = picture.groups[0]?.panels[0];
      expect(panel?.columns).toEqual(layoutPicture(layout).groups[0]?.panels[0]?.columns);
      expect(panel?.rows.levels[0]?.map((span) => span.length)).toEqual([2, 2]);
      expect(panel?.cells[3]?.map((cell) => cell.group)).toEqual([1, 3, 5, 7, 9, 11]);
      expect(picture.legend[0]?.text).toContain("a mode that is not cut: each index is a tile");
    }
  });

  test("ragged tiles end at the edge, and too many tilers are refused", () => {
    const picture = tilingPicture(makeLayout([3, 3]), [2, 2]);
    expect(cellsOf(picture).map((cell) => cell.group)).toEqual([0, 0, 2, 0, 0, 2, 1, 1, 3]);
    expect(() => tilingPicture(makeLayout([3, 3]), [2, 2, 2])).toThrow("the tiler has 3 modes, but (3,3) has 2");
  });
});

describe("sideBySide", () => {
  test("equal legends are shown once, others carry their picture's title", () => {
    const [a, b] = [layoutPicture(makeLayout([2, 4])), layoutPicture(makeLayout([2, 4], "right"))];
    expect(sideBySide(a, b).legend).toHaveLength(1);
    const mixed = sideBySide(a, layoutPicture(makeLayout([2, 4]), { title: "plain", colorBy: "none" }));
    expect(mixed.legend.map((entry) => entry.text)).toContain("plain | number: offset");
    expect(sideBySide()).toEqual({ groups: [], legend: [] });
  });
});

describe("text from outside", () => {
  const nasty = '<b a="1">&\u0000\ud800\\_{}$#%^~|';
  const picture = valuesPicture(makeLayout(1), [nasty], { title: nasty });

  test("is escaped in SVG", () => {
    expect(escapeXml(nasty)).toBe("&lt;b a=&quot;1&quot;&gt;&amp;\ufffd\ufffd\\_{}$#%^~|");
    expect(toSvg(picture, { tooltips: true })).not.toContain("<b");
  });

  test("is escaped in LaTeX", () => {
    expect(escapeLatex("a_b{c}$#%&")).toBe("a\\_b\\{c\\}\\$\\#\\%\\&");
    expect(escapeLatex("\\^~<|>\n")).toBe(
      "\\textbackslash{}\\textasciicircum{}\\textasciitilde{}\\textless{}\\textbar{}\\textgreater{} ",
    );
    expect(toLatex(picture)).not.toContain("<b");
  });

  test("does not break lines or color a terminal", () => {
    const text = toText(valuesPicture(makeLayout(1), ["a\u001b[31m\nb"]));
    expect(text).toContain("│ a [31m b │");
  });
});

describe("options of the renderers", () => {
  const picture = layoutPicture(makeLayout([2, 2]));

  test("SVG: one scheme, no background, tooltips", () => {
    const svg = toSvg(picture, { scheme: "dark", background: false, tooltips: true });
    expect(svg).not.toContain("prefers-color-scheme");
    expect(svg).not.toContain('class="b"');
    expect(svg).toContain("<title>(1,1) -&gt; 3</title>");
  });

  test("LaTeX: the picture alone", () => {
    expect(toLatex(picture, { standalone: false })).not.toContain("documentclass");
  });

  test("text: panels that do not fit the width go below", () => {
    const wide = toText(layoutPicture(makeLayout([2, 4, 4])), { width: 50 });
    expect(Math.max(...wide.split("\n").map((line) => line.length))).toBeLessThanOrEqual(50);
  });
});
