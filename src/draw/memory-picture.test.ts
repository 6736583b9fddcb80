/** Memory: every element of every view is at its cell, and what lies outside of the storage is refused. */
import { describe, expect, test } from "vitest";
import { LayoutError, ShapeError } from "../base/errors.ts";
import { sym } from "../expr/index.ts";
import { coordAt, makeIdentityLayout, makeLayout, offsetAt, size } from "../layout/index.ts";
import { parseLayout } from "../layout/notation.ts";
import { type DrawnMemory, type MemoryPictureOptions, memoryPicture } from "./memory-picture.ts";
import type { Cell } from "./picture.ts";
import { toText } from "./text.ts";

/** Rows of all panels joined: the strip first, then the bands. Lines that were left out are not in it. */
function rowsOf(memory: DrawnMemory, options: MemoryPictureOptions = {}): readonly (readonly Cell[])[] {
  const panels = memoryPicture(memory, options).groups[0]?.panels ?? [];
  const shown = panels.filter((panel) => panel.cells.length > 0);
  return [undefined, ...memory.views].map((_row, i) => shown.flatMap((panel) => panel.cells[i] ?? []));
}
const labelsOf = (row: readonly Cell[] | undefined): string[] => (row ?? []).map((cell) => cell.label);
const notesOf = (memory: DrawnMemory, options: MemoryPictureOptions = {}): unknown[] =>
  (memoryPicture(memory, options).groups[0]?.panels ?? []).map((panel) => panel.note ?? panel.cells[0]?.[0]?.label);

describe("bands", () => {
  test.each([
    ["(4,6):(6,1)", 0],
    ["(6,4):(1,6)", 0],
    ["(2,3):(6,2)", 7],
    ["((2,2),(2,4)):((1,4),(2,8))", 1],
    ["Sw<2,0,2> o 0 o (4,4):(4,1)", 3],
    ["6:-1", 11],
  ] as const)("%s at offset %i has index i at offset + layout(i), and nothing elsewhere", (text, offset) => {
    const layout = parseLayout(text);
    const expected = new Map<number, string>();
    for (let i = 0; i < size(layout); i++) expected.set(offset + offsetAt(layout, i), String(i));
    for (const columns of [5, 36]) {
      const [strip, band] = rowsOf({ length: 36, views: [{ layout, offset }] }, { columns });
      const at = labelsOf(strip).map(Number);
      expect(at).toEqual(expect.arrayContaining([...expected.keys()]));
      expect(labelsOf(band)).toEqual(at.map((cell) => expected.get(cell) ?? ""));
      expect(band?.map((cell) => cell.color)).toEqual(at.map((cell) => (expected.has(cell) ? 0 : undefined)));
      expect(band?.flatMap((cell, j) => (cell.marked ? [at[j]] : []))).toEqual([offset + offsetAt(layout, 0)]);
    }
  });

  test("a cell of several elements counts the others", () => {
    const views = [{ layout: makeLayout([4, 3], [0, 1]) }, { layout: makeLayout([2, 2], [1, 1]) }];
    const [, broadcast, overlapping] = rowsOf({ length: 3, views });
    expect(labelsOf(broadcast)).toEqual(["0+3", "4+3", "8+3"]);
    expect(labelsOf(overlapping)).toEqual(["0", "1+1", "3"]);
    expect(broadcast?.map((cell) => cell.marked)).toEqual([true, undefined, undefined]);
    expect(overlapping?.[1]?.hint).toBe("1: view 1 at (1,0), (0,1)");
    expect(memoryPicture({ length: 3, views }).legend.at(-1)?.text).toContain("+3: three more elements share the cell");
  });

  test("labels are the index in either order, or the coordinate", () => {
    const views = [{ layout: makeLayout([2, 3], "right") }];
    const labels = (of: "index" | "row-major" | "coord") => labelsOf(rowsOf({ length: 6, views }, { labels: of })[1]);
    expect(labels("index")).toEqual(["0", "2", "4", "1", "3", "5"]);
    expect(labels("row-major")).toEqual(["0", "1", "2", "3", "4", "5"]);
    const identity = makeIdentityLayout([2, 3]);
    expect(labels("coord")).toEqual([0, 2, 4, 1, 3, 5].map((i) => `(${coordAt(identity, i)})`));
  });

  test("names and layouts are in the legend, each with its color", () => {
    const { legend } = memoryPicture({
      length: 12,
      views: [
        { layout: makeLayout(4), name: "x" },
        { layout: makeLayout(2, 3), offset: 5 },
      ],
    });
    expect(legend.slice(0, 2)).toEqual([
      { text: "x = 4:_1", swatches: [{ color: 0, label: "x" }] },
      { text: "view 1 = 2:3 at offset 5", swatches: [{ color: 1, label: "view 1" }] },
    ]);
  });
});

test("a view named color stays in the legend of a text", () => {
  for (const name of ["color", "colors"])
    expect(toText(memoryPicture({ length: 4, views: [{ layout: makeLayout(4), name }] }))).toContain(
      `\n${name} = 4:_1\n`,
    );
});

describe("the strip", () => {
  test("shows offsets, or values under a header of offsets", () => {
    expect(labelsOf(rowsOf({ length: 5, views: [] }, { columns: 2 })[0])).toEqual(["0", "1", "2", "3", "4"]);
    for (const values of [new Float32Array([5, 0.5, 2]), (i: number) => [5, 0.5, 2][i]])
      expect(labelsOf(rowsOf({ length: 3, views: [], values })[0])).toEqual(["5", "0.5", "2"]);
    const { columns } = memoryPicture({ length: 3, views: [], values: "abc" }).groups[0]?.panels[0] ?? {};
    expect(columns?.levels[0]?.map((span) => span.label)).toEqual(["0", "1", "2"]);
  });

  test("two or more lines that no view touches are a sentence, one is drawn", () => {
    const at = (offset: number) => ({ layout: makeLayout(1), offset });
    expect(notesOf({ length: 20, views: [at(0), at(8)] }, { columns: 4 })).toEqual([
      "0",
      "4",
      "8",
      "12 to 19: in no view",
    ]);
    expect(notesOf({ length: 22, views: [at(13)] }, { columns: 4 })).toEqual([
      "0 to 11: in no view",
      "12",
      "16 to 21: in no view",
    ]);
    expect(notesOf({ length: 9, views: [] }, { columns: 4 })).toEqual(["0", "4", "8"]);
  });

  test("a huge storage is drawn where views touch it", () => {
    const length = 2 ** 50;
    expect(notesOf({ length, views: [{ layout: makeLayout(2, 2 ** 49) }] })).toEqual([
      "0",
      `16 to ${2 ** 49 - 1}: in no view`,
      String(2 ** 49),
      `${2 ** 49 + 16} to ${length - 1}: in no view`,
    ]);
  });

  test("without elements it says so", () => {
    expect(toText(memoryPicture({ length: 0, views: [{ layout: makeLayout([4, 0]) }] }))).toContain("no elements");
  });
});

describe("refusals", () => {
  const wide = makeLayout([100, 100]);
  test.each<[string, DrawnMemory, MemoryPictureOptions, new (message: string) => Error, string]>([
    [
      "past the end",
      { length: 10, views: [{ layout: makeLayout([2, 3], [6, 2]), offset: 1, name: "B" }] },
      {},
      LayoutError,
      "memoryPicture: B = (2,3):(6,2) at offset 1 has index 5 at 11, outside of a storage of 10 elements; a larger length holds it",
    ],
    [
      "before the start",
      { length: 10, views: [{ layout: parseLayout("4:-1"), offset: 2 }] },
      {},
      LayoutError,
      "view 0 = 4:-1 at offset 2 has index 3 at -1, outside of a storage of 10 elements; a larger offset holds it",
    ],
    [
      "coordinates",
      { length: 10, views: [{ layout: makeIdentityLayout([2, 2]) }] },
      {},
      LayoutError,
      "view 0, (2,2):(_1@0,_1@1), maps to coordinates, which are not in memory",
    ],
    ["symbols", { length: 9, views: [{ layout: makeLayout(sym("n", { min: 1 })) }] }, {}, ShapeError, "n is symbolic"],
    ["no length", { length: 2.5, views: [] }, {}, ShapeError, "memoryPicture: 2.5 is not a size"],
    ["no columns", { length: 4, views: [] }, { columns: 0 }, ShapeError, "columns must be a positive integer, got 0"],
    ["an odd offset", { length: 4, views: [{ layout: wide, offset: 0.5 }] }, { maxCells: 1e5 }, ShapeError, "got 0.5"],
    [
      "odd labels",
      { length: 4, views: [{ layout: makeLayout(4) }] },
      { labels: "x" as "index" },
      ShapeError,
      `labels must be "index", "row-major" or "coord", got x`,
    ],
    [
      "too many elements",
      { length: 10000, views: [{ layout: wide }] },
      {},
      ShapeError,
      "has 10000 elements, more than maxCells = 4096",
    ],
    [
      "too many cells",
      { length: 4000, views: [{ layout: makeLayout(4000) }] },
      {},
      ShapeError,
      "memory of 4000 elements under 1 views has 8000 cells, more than maxCells = 4096",
    ],
    ["a huge strip", { length: 2 ** 50, views: [] }, {}, ShapeError, "has 1125899906842624 cells"],
  ])("%s", (_what, memory, options, kind, message) => {
    expect(() => memoryPicture(memory, options)).toThrow(kind);
    expect(() => memoryPicture(memory, options)).toThrow(message);
  });
});
