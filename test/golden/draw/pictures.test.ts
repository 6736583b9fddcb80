/**
 * Every kind of picture as text, SVG and LaTeX, compared with the files in this folder. After an intended change: `npx
 * vitest run test/golden/draw -u`, then look at the pictures.
 */
import { describe, expect, test } from "vitest";
import {
  layoutPicture,
  memoryPicture,
  type Picture,
  partitionPicture,
  sideBySide,
  slicePicture,
  swizzlePicture,
  threadValuePicture,
  tilingPicture,
  toLatex,
  toSvg,
  toText,
  valuesPicture,
} from "../../../src/draw/index.ts";
import { _, flatDivide, makeIdentityLayout, makeLayout } from "../../../src/layout/index.ts";
import { parseLayout } from "../../../src/layout/notation.ts";
import { wellFormed } from "./well-formed.ts";

/** The upper half of the accumulator of a 16x8 MMA. */
const accumulator = parseLayout("((4,8),2):((16,1),8)");

/** The tensor that CuTe's documentation slices. */
const sliced = { name: "A", layout: parseLayout("((_3,2),(2,_5,_2)):((4,1),(_2,13,100))") };
/** 8 threads with 4 values each. */
const shares = parseLayout("((2,4),(2,2)):((8,1),(4,16))");
const matrix = { name: "A", layout: makeLayout([4, 6], "right") };
const transposed = { name: "A.T", layout: makeLayout([6, 4]) };
const everySecond = { name: "A[1:3,1::2]", layout: makeLayout([2, 3], [6, 2]), offset: 7 };
const backwards = { name: "backwards", layout: parseLayout("6:-1"), offset: 5 };

const pictures: Readonly<Record<string, Picture>> = {
  "rank-1": layoutPicture(parseLayout("((2,4)):((1,8))")),
  nested: layoutPicture(parseLayout("((2,2),(2,4)):((1,4),(2,8))")),
  "deeply-nested": layoutPicture(parseLayout("(2,((2,2),3)):(1,((2,12),4))"), { colorBy: "mode" }),
  "rank-3": layoutPicture(parseLayout("(3,4,2):(4,1,12)"), { colorBy: "row" }),
  "rank-4": layoutPicture(flatDivide(makeLayout([6, 8], "right"), [3, 4]), { colorBy: "mode" }),
  coordinates: layoutPicture(makeIdentityLayout([3, 4]), { colorBy: "column" }),
  values: valuesPicture(makeLayout([2, 3], "right"), [1, 0.5, -1 / 3, Number.NaN, 2e-7, "<&>"]),
  "thread-values": threadValuePicture(accumulator, [8, 8]),
  "one-thread": threadValuePicture(accumulator, [8, 8], { highlight: 5 }),
  swizzle: swizzlePicture(parseLayout("Sw<2,0,2> o _0 o (_4,_4):(_4,_1)")),
  banks: swizzlePicture(parseLayout("Sw<2,2,2> o _0 o (_4,_16):(_16,_1)"), { banks: 16 }),
  tiling: tilingPicture(makeLayout([7, 9], "right"), [3, 4]),
  "tiling-by-index": tilingPicture(makeLayout([4, 6]), makeLayout(3)),
  "tiling-not-cut": tilingPicture(makeLayout([4, [2, 3]]), [2, null]),
  memory: memoryPicture({ length: 24, views: [matrix, transposed, everySecond] }),
  "memory-values": memoryPicture(
    { length: 6, views: [{ layout: makeLayout([2, 3], "right") }, backwards], values: [1, 0.5, -1 / 3, 4, "<&>", 6] },
    { labels: "coord" },
  ),
  "memory-far-apart": memoryPicture({
    length: 200,
    views: [
      { layout: makeLayout(8), offset: 100 },
      { layout: makeLayout([2, 3], [0, 1]), offset: 150 },
    ],
  }),
  "slice-of-one-mode": slicePicture(sliced, [2, _]),
  "slice-nested": slicePicture(sliced, [
    [2, _],
    [_, 3, _],
  ]),
  partition: partitionPicture({ ...matrix, layout: makeLayout([4, 8], "right") }, shares),
  "partition-one-thread": partitionPicture({ layout: makeLayout([4, 8], "right"), offset: 64 }, shares, {
    highlight: 3,
  }),
  "side-by-side": sideBySide(
    layoutPicture(makeLayout([4, 4])),
    layoutPicture(makeLayout([4, 4], "right"), { title: "row-major" }),
  ),
  empty: layoutPicture(makeLayout([0, 4])),
};

describe.each(Object.entries(pictures))("%s", (name, picture) => {
  test("as text", async () => {
    await expect(toText(picture)).toMatchFileSnapshot(`${name}.txt`);
  });

  test("as SVG, which is well formed and hides nothing past its edges", async () => {
    const svg = toSvg(picture);
    wellFormed(svg);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    for (const [, x, y] of svg.matchAll(/<(?:rect|text)[^>]* x="([\d.]+)" y="([\d.]+)"/g)) {
      expect(Number(x)).toBeLessThan(Number(width));
      expect(Number(y)).toBeLessThan(Number(height));
    }
    await expect(svg).toMatchFileSnapshot(`${name}.svg`);
  });

  test("as LaTeX, with balanced braces", async () => {
    const latex = toLatex(picture);
    const depth = [...latex.replace(/\\[{}]/g, "")].reduce((d, c) => (c === "{" ? d + 1 : c === "}" ? d - 1 : d), 0);
    expect(depth).toBe(0);
    await expect(latex).toMatchFileSnapshot(`${name}.tex`);
  });
});

test("a nested layout as ASCII with all lines", async () => {
  const text = toText(pictures.nested as Picture, { ascii: true, rowLines: true });
  expect(text).toMatch(/^[\n -~]*$/);
  await expect(text).toMatchFileSnapshot("nested.ascii.txt");
});

test("a layout in color", async () => {
  const text = toText(pictures["rank-1"] as Picture, { color: true });
  await expect(text).toMatchFileSnapshot("rank-1.ansi.txt");
});
