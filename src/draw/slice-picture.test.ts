/** Slices: the colored cells are those that sliceAndOffset keeps, and the marked one is where it starts. */
import { describe, expect, test } from "vitest";
import { sym } from "../expr/index.ts";
import { _, makeIdentityLayout, makeLayout, offsets, type SliceCoord, sliceAndOffset } from "../layout/index.ts";
import { parseCoord, parseLayout } from "../layout/notation.ts";
import { toLatex } from "./latex.ts";
import { layoutPicture } from "./layout-picture.ts";
import type { Cell, Picture } from "./picture.ts";
import { slicePicture } from "./slice-picture.ts";
import { toSvg } from "./svg.ts";
import { toText } from "./text.ts";

const cellsOf = (picture: Picture): readonly Cell[] =>
  picture.groups.flatMap((group) => group.panels).flatMap((panel) => panel.cells.flat());
const numbersOf = (cells: readonly Cell[]): number[] => cells.map((cell) => Number(cell.label)).sort((a, b) => a - b);

const cute = "((_3,2),(2,_5,_2)):((4,1),(_2,13,100))";

describe.each([
  [cute, "(2,_)"],
  [cute, "(_,5)"],
  [cute, "((_,_),5)"],
  [cute, "((_,1),(0,_,1))"],
  [cute, "((2,_),(_,3,_))"],
  [cute, "(3,7)"],
  [cute, "_"],
  [cute, "17"],
  ["(4,8):(8,1)", "(_,3)"],
  ["(4,8):(-8,0)", "(1,_)"],
  ["(3,4,2):(4,1,12)", "(1,_,1)"],
  ["(2,3,2,3):(18,6,3,1)", "(_,2,_,1)"],
  ["(2,2,2,3,2)", "(1,_,_,2,_)"],
  ["Sw<2,0,2> o 0 o (4,4):(4,1)", "(1,_)"],
  ["Sw<2,0,2> o 0 o (4,(4,2)):(4,(1,16))", "(_,(3,_))"],
  ["12:5", "7"],
])("%s at %s", (text, at) => {
  const layout = parseLayout(text);
  const coord = parseCoord(at);
  const [part, start] = sliceAndOffset<SliceCoord, typeof layout>(coord, layout);
  const expected = offsets(part).map((offset) => offset + Number(start));

  test.each([0, 40])("from offset %i, exactly the cells of the slice are colored, the others faded", (offset) => {
    const cells = cellsOf(slicePicture({ layout, offset }, coord));
    const colored = cells.filter((cell) => cell.color !== undefined);
    expect(numbersOf(colored)).toEqual(expected.map((at) => at + offset).sort((a, b) => a - b));
    expect(cells.filter((cell) => cell.faded)).toHaveLength(cells.length - colored.length);
  });

  test("only the first element of the slice is marked", () => {
    const marked = cellsOf(slicePicture({ layout }, coord)).filter((cell) => cell.marked);
    expect(marked.map((cell) => [Number(cell.label), cell.color])).toEqual([[expected[0], 0]]);
  });
});

test("the grid is that of the layout, and the legend gives the slice as a layout with its offset", () => {
  const layout = parseLayout(cute);
  const picture = slicePicture({ layout, offset: 10, name: "A" }, [2, _]);
  const [panel, plain] = [picture, layoutPicture(layout)].map((each) => each.groups[0]?.panels[0]);
  expect([panel?.rows, panel?.columns]).toEqual([plain?.rows, plain?.columns]);
  expect(picture.groups[0]?.title).toBe("A = ((_3,2),(2,_5,_2)):((4,1),(_2,13,100)) at offset 10");
  expect(picture.legend[0]?.text).toBe("A(2,_) = ((2,_5,_2)):((_2,13,100)) at offset 18");
  expect(slicePicture({ layout: makeLayout(4) }, _).legend[0]?.text).toBe("the slice (_) = 4:_1 at offset 0");
});

test("a slice of coordinates shows coordinates", () => {
  const picture = slicePicture({ layout: makeIdentityLayout([2, 3]) }, [1, _]);
  expect(toText(picture)).toContain("1 │[(1,0)]│ (1,1) │ (1,2) │");
  expect(picture.legend[0]?.text).toBe("the slice (1,_) = (3):(_1@1) at (1,0)");
  expect(slicePicture({ layout: makeIdentityLayout([2, 3]) }, _).legend[0]?.text).toContain(" at (0,0)");
  expect(() => slicePicture({ layout: makeIdentityLayout([2, 3]), offset: 3 }, [1, _])).toThrow(
    "slicePicture: (2,3):(_1@0,_1@1) maps to coordinates, which have no offset in a storage, got 3; omit it",
  );
});

test("a marked cell has brackets in text and a heavy frame in SVG and LaTeX", () => {
  const picture = slicePicture({ layout: makeLayout([2, 2]) }, [1, _]);
  expect(toText(picture)).toContain("1 │[1]│ 3 │");
  expect(toText(picture, { ascii: true, color: true })).toContain("[1]\u001b[0m|");
  const unmarked = { ...picture, groups: layoutPicture(makeLayout([2, 2])).groups };
  const heavy = (text: string): number => text.match(/<path class="g"|\\draw\[heavy\]/g)?.length ?? 0;
  for (const render of [toSvg, toLatex]) expect(heavy(render(picture)) - heavy(render(unmarked))).toBe(1);
});

test("invalid slices throw, and empty slices have no cells", () => {
  const layout = makeLayout([4, 8]);
  expect(() => slicePicture({ layout }, [4, _])).toThrow(
    "slicePicture: (4,_) has 4 where the shape has 4; coordinates there are 0 to 3",
  );
  expect(() => slicePicture({ layout: makeLayout([4, [2, 4]]) }, [_, [_, -1]])).toThrow("has -1 where the shape has 4");
  expect(() => slicePicture({ layout }, [1, _, 2])).toThrow("the coordinate (1,_,2) has rank 3, but (4,8) has rank 2");
  expect(() => slicePicture({ layout }, [sym("i"), _])).toThrow("slicePicture: i is symbolic");
  expect(() => slicePicture({ layout: makeLayout([sym("n", { min: 1 }), 4]) }, [0, _])).toThrow("n is symbolic");
  expect(() => slicePicture({ layout, offset: 0.5 }, [0, _])).toThrow("the offset of a tensor must be an integer");
  expect(() => slicePicture({ layout: makeLayout([1e9, 4]) }, [0, _])).toThrow("more than maxCells = 4096");
  for (const empty of [makeLayout([4, 0]), makeIdentityLayout([0, 4])])
    for (const coord of [[1, _], [_, 1], _])
      expect(toText(slicePicture({ layout: empty }, coord))).toContain("no cells: a size is 0");
});
