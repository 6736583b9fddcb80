/** Partitions: each element says which thread holds it, and the legend where that thread's elements lie. */
import { describe, expect, test } from "vitest";
import { sym } from "../expr/index.ts";
import {
  type AnyLayout,
  type Layout,
  makeIdentityLayout,
  makeLayout,
  offsetAt,
  shapeOf,
  size,
} from "../layout/index.ts";
import { parseLayout } from "../layout/notation.ts";
import type { Cell, Picture } from "./picture.ts";
import { toSvg } from "./svg.ts";
import { partitionPicture, threadValuePicture } from "./thread-value-picture.ts";

const cellsOf = (picture: Picture): readonly Cell[] =>
  picture.groups.flatMap((group) => group.panels).flatMap((panel) => panel.cells.flat());

const tv = parseLayout("((2,4),(2,2)):((8,1),(4,16))");
const matrix = makeLayout([4, 8], "right");

describe.each<[string, AnyLayout]>([
  ["a matrix", matrix],
  ["a nested tensor", parseLayout("((2,2),(2,4)):((1,4),(2,8))")],
  ["a swizzled tensor", parseLayout("Sw<2,0,2> o 0 o (4,8):(8,1)")],
])("%s", (_name, layout) => {
  test("the cell of index tv(t,v) says so, and its hint has the offset", () => {
    const picture = partitionPicture({ layout, offset: 5 }, tv);
    const rows = size(layout, 0);
    for (let t = 0; t < 8; t++)
      for (let v = 0; v < 4; v++) {
        const index = offsetAt(tv, [t, v]);
        const cell = picture.groups[0]?.panels[0]?.cells[index % rows]?.[Math.floor(index / rows)];
        expect(cell).toMatchObject({ label: `T${t}`, second: `V${v}`, color: t });
        expect(cell?.hint).toMatch(new RegExp(`^\\(.*\\) -> ${offsetAt(layout, index) + 5}: T${t} V${v}$`));
      }
  });

  test("apart from hints, title and legend it is the picture of the thread-value layout", () => {
    const plain = (picture: Picture) => cellsOf(picture).map(({ hint: _hint, ...cell }) => cell);
    expect(plain(partitionPicture({ layout }, tv, { highlight: 3 }))).toEqual(
      plain(threadValuePicture(tv, shapeOf(layout), { highlight: 3 })),
    );
  });
});

describe("the legend", () => {
  const first = (tensor: Parameters<typeof partitionPicture>[0], by: Layout, highlight?: number): unknown =>
    partitionPicture(tensor, by, highlight === undefined ? {} : { highlight }).legend[0]?.text;

  test("gives the layout from (thread, value) to offset, or that of the highlighted thread", () => {
    expect(first({ layout: matrix }, tv)).toBe("(thread, value) to offset: ((2,4),(2,2)):((2,8),(1,4))");
    expect(first({ layout: matrix, offset: 64 }, tv)).toBe(
      "(thread, value) to offset: ((2,4),(2,2)):((2,8),(1,4)) at offset 64",
    );
    expect(first({ layout: matrix, offset: 64 }, tv, 3)).toBe("T3 has ((2,2)):((1,4)) at offset 74");
    expect(first({ layout: makeIdentityLayout([4, 8]) }, tv, 3)).toBe("T3 has ((2,2)):((1@1,4@1)) at (1,2)");
    expect(first({ layout: makeIdentityLayout([4, 0]) }, makeLayout([4, 0]), 3)).toBe("T3 has no values");
  });

  test("lists the offsets of a thread where no layout gives them", () => {
    const layout = parseLayout("(6,2):(1,7)");
    const carrying = parseLayout("(3,2):(2,3)");
    expect(first({ layout, offset: 100 }, carrying, 2)).toBe("T2 has offsets 104, 108");
    expect(first({ layout }, carrying)).toContain("T: thread, V: its value");
  });
});

test("SVG is named by its title and described by its legend", () => {
  const svg = toSvg(partitionPicture({ layout: matrix, name: "A" }, tv));
  expect(svg).toContain("<title>A = (4,8):(8,_1) by ((2,4),(2,2)):((8,1),(4,16))</title>");
  expect(svg).toContain("<desc>(thread, value) to offset: ");
});

test("invalid arguments throw errors that name the function", () => {
  const layout = makeLayout([4, 4]);
  expect(() => partitionPicture({ layout }, tv)).toThrow(
    "partitionPicture: ((2,4),(2,2)):((8,1),(4,16)) maps thread 0, value 2 to 16, but (4,4) has the elements 0 to 15",
  );
  expect(() => partitionPicture({ layout }, makeLayout(4))).toThrow("partitionPicture: a layout of rank 2");
  expect(() => partitionPicture({ layout: matrix }, tv, { highlight: 8 })).toThrow(
    "partitionPicture: there is no thread 8",
  );
  expect(() => partitionPicture({ layout: makeLayout([sym("n", { min: 1 }), 4]) }, tv)).toThrow("n is symbolic");
  expect(() => partitionPicture({ layout: makeLayout([100, 100]) }, tv)).toThrow("more than maxCells = 4096");
  expect(() => partitionPicture({ layout: matrix }, makeLayout([1e9, 1], [0, 1]))).toThrow("has 1000000000 values");
});
