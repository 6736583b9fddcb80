/** What builders and renderers do with sizes that are huge, zero, or no sizes at all. */
import { describe, expect, test } from "vitest";
import { ShapeError } from "../base/errors.ts";
import { sym } from "../expr/index.ts";
import { type IntTuple, makeLayout } from "../layout/index.ts";
import { parseLayout } from "../layout/notation.ts";
import { layoutPicture } from "./layout-picture.ts";
import type { Cell, Picture } from "./picture.ts";
import { printLatex, printLayout } from "./print-layout.ts";
import { toSvg } from "./svg.ts";
import { toText } from "./text.ts";
import { threadValuePicture } from "./thread-value-picture.ts";
import { tilingPicture } from "./tiling-picture.ts";

const cellsOf = (picture: Picture): readonly Cell[] =>
  picture.groups.flatMap((group) => group.panels).flatMap((panel) => panel.cells.flat());

describe("pictures larger than maxCells throw before cells are listed", () => {
  const max = Number.MAX_SAFE_INTEGER;
  const swizzled = parseLayout("Sw<2,0,2> o 0 o (100000,100000):(4,1)");
  test.each<[string, () => Picture, string]>([
    ["a tile", () => tilingPicture(makeLayout([6, 4]), max), `a tiling of (6,4) by ${max} has ${max} cells`],
    ["a tile of one mode", () => tilingPicture(makeLayout([6, 4]), [5000, 2]), "by <5000,2> has 20000 cells"],
    ["a tile in a tile", () => tilingPicture(makeLayout([[6, 2], 4]), [[max]]), "has 72057594037927930 cells"],
    ["a tile of zeros", () => tilingPicture(makeLayout(24), makeLayout(1e9, 0)), "has 24000000000 cells"],
    ["threads", () => threadValuePicture(makeLayout([max, 1], [0, 1]), 4), `(${max},1):(0,1) has ${max} values`],
    ["values", () => threadValuePicture(makeLayout([2, 1e9], [1, 0]), 4), "has 2000000000 values"],
    ["elements", () => threadValuePicture(makeLayout([2, 2]), [2 ** 30, 2 ** 30]), "has 1152921504606847000 cells"],
    ["a swizzled layout", () => layoutPicture(swizzled), "has 10000000000 cells"],
    ["blocks", () => layoutPicture(makeLayout(1e10), { colorBy: "mode" }), "has 10000000000 cells"],
    ["by NaN", () => layoutPicture(makeLayout(4), { maxCells: NaN }), "has 4 cells, more than maxCells = NaN"],
  ])("%s", (_what, draw, message) => {
    expect(draw).toThrow(ShapeError);
    expect(draw).toThrow(message);
    expect(draw).toThrow(/, more than maxCells = (4096|NaN)\. Draw a part of it, or pass { maxCells: \d+ }$/);
  });

  test("a symbolic tiler is refused as such", () => {
    const n = sym("n", { min: 1 });
    expect(() => tilingPicture(makeLayout([6, 4]), [n])).toThrow("n is symbolic, and a picture needs numbers");
  });

  test("a raised maxCells allows it", () => {
    expect(cellsOf(tilingPicture(makeLayout([6, 4]), 5000, { maxCells: 5000 }))).toHaveLength(24);
    expect(
      cellsOf(threadValuePicture(makeLayout([5000, 1], [0, 1]), 1, { maxCells: 5000 })).map((cell) => cell.label),
    ).toEqual(["T0+4999"]);
  });

  test("a layout without cells is drawn without cells, however large its other modes are", () => {
    const layout = makeLayout([0, 1e12]);
    for (const picture of [
      layoutPicture(layout, { colorBy: "mode" }),
      tilingPicture(layout, [2, 2]),
      threadValuePicture(makeLayout([0, 4]), [1e12, 0]),
    ])
      expect(toText(picture)).toContain("no cells: a size is 0");
  });

  test("many cells, once allowed, do not overflow the stack of a renderer", () => {
    const picture = tilingPicture(makeLayout(2 ** 17), 2, { maxCells: 2 ** 17 });
    for (const render of [toText, toSvg]) expect(render(picture)).toContain("131071");
  }, 60_000);
});

test.each([[-2], [2.5], [NaN], [Number.POSITIVE_INFINITY], ["x"]])("%s is not a size", (odd) => {
  const shape = [odd, 4] as IntTuple;
  expect(() => threadValuePicture(makeLayout([4, 2]), shape)).toThrow(
    `threadValuePicture: ${odd} is not a size; sizes are non-negative integers`,
  );
});

test("printLayout and printLatex throw if the text would be too long to read", () => {
  const wide = makeLayout([100000, 100000]);
  expect(() => printLayout(wide)).toThrow("maxCells");
  expect(() => printLatex(wide)).toThrow("maxCells");
  expect(printLayout(makeLayout([2, 2]), { maxCells: 4 })).toContain("| 3 |");
});
