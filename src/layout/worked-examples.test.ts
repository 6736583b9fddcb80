/**
 * Layouts printed in the documents that this project implements: the CuTe tensor chapter (slicing, tiling, thread-value
 * partitioning), the official documentation's matrix examples, and reported composition traps. Kept as they are printed.
 */
import { describe, expect, test } from "vitest";
import {
  _,
  type AnyLayout,
  complement,
  composition,
  formatLayout,
  innerPartition,
  int,
  type Layout,
  localPartition,
  logicalDivide,
  makeFragmentLike,
  makeLayout,
  makeLayoutLike,
  offsets,
  outerPartition,
  rightInverse,
  sliceAndOffset,
  zippedDivide,
} from "./index.ts";
import { parseLayout } from "./notation.ts";

const parse = (text: string): Layout => parseLayout(text) as Layout;
const show = (layout: AnyLayout): string => formatLayout(layout);
const bare = (layout: AnyLayout): string => show(layout).replaceAll("_", "");

describe("creating layouts", () => {
  test("owning layouts in registers", () => {
    expect(show(makeLayout([int(4), int(8)]))).toBe("(_4,_8):(_1,_4)");
    expect(show(makeLayout([int(4), int(8)], "right"))).toBe("(_4,_8):(_8,_1)");
    const padded = makeLayout([int(4), int(8)], [int(32), int(2)]);
    expect(show(padded)).toBe("(_4,_8):(_32,_2)");
    expect(show(makeLayoutLike(padded))).toBe("(_4,_8):(_8,_1)");
  });

  test("static and dynamic sizes in one layout", () => {
    expect(show(makeLayout(int(8)))).toBe("_8:_1");
    expect(show(makeLayout(8, 2))).toBe("8:2");
    expect(show(makeLayout(8))).toBe("8:_1");
    expect(show(makeLayout([int(8), 16]))).toBe("(_8,16):(_1,_8)");
    expect(show(makeLayout([8, int(16)], [int(16), int(1)]))).toBe("(8,_16):(_16,_1)");
    expect(show(makeLayout([int(2), 4], "right"))).toBe("(_2,4):(4,_1)");
    expect(show(makeLayout([2, [2, 2]]))).toBe("(2,(2,2)):(_1,(2,4))");
    expect(show(makeFragmentLike(sliceAndOffset([_, 0], makeLayout([int(8), 16]))[0] as Layout))).toBe("(_8):(_1)");
  });
});

describe("slicing ((_3,2),(2,_5,_2)):((4,1),(_2,13,100))", () => {
  const a = parse("((_3,2),(2,_5,_2)):((4,1),(_2,13,100))");
  test.each([
    // The chapter prints ((_3,_2)) for the second: a misprint, the 2 is dynamic.
    [[2, _], "((2,_5,_2)):((_2,13,100))", 8],
    [[_, 5], "((_3,2)):((4,1))", 28],
    [[[_, _], 5], "(_3,2):(4,1)", 28],
    [
      [
        [_, 1],
        [0, _, 1],
      ],
      "(_3,_5):(4,13)",
      101,
    ],
    [
      [
        [2, _],
        [_, 3, _],
      ],
      "(2,2,_2):(1,_2,100)",
      47,
    ],
  ] as const)("%o", (coord, layout, offset) => {
    const [slice, at] = sliceAndOffset(coord, a);
    expect(show(slice)).toBe(layout);
    expect(Number(at)).toBe(offset);
  });
});

describe("tiling (8,24)", () => {
  test("by <4,8>, column- and row-major, and by a layout", () => {
    const tile = [int(4), int(8)];
    expect(bare(zippedDivide(makeLayout([8, 24]), tile))).toBe("((4,8),(2,3)):((1,8),(4,64))");
    expect(show(zippedDivide(makeLayout([8, 24]), tile))).toBe("((_4,_8),(2,3)):((_1,8),(_4,64))");
    expect(bare(zippedDivide(makeLayout([8, 24], "right"), tile))).toBe("((4,8),(2,3)):((24,1),(96,8))");
    expect(bare(zippedDivide(makeLayout([8, 24]), parse("(4,8):(1,4)")))).toBe("((4,8),6):((1,4),32)");
  });

  test("inner and outer partition, one block and one thread", () => {
    const a = makeLayout([8, 24]);
    const [block, at] = innerPartition(a, [int(4), int(8)], [1, 2]);
    expect(show(block)).toBe("(_4,_8):(_1,8)");
    expect(Number(at)).toBe(132);
    const [thread, start] = outerPartition(a, [int(4), int(8)], [3, 1]);
    expect(bare(thread)).toBe("(2,3):(4,64)");
    expect(Number(start)).toBe(11);
    const [mine, first] = localPartition(a, parse("(4,8):(8,1)"), 3);
    expect(bare(mine)).toBe("(2,3):(4,64)");
    expect(Number(first)).toBe(24);
  });

  test("thread-value: 8 threads of 4 values over a row-major (4,8)", () => {
    const tv = composition(parse("(4,8):(8,1)"), parse("((2,4),(2,2)):((8,1),(4,16))"));
    expect(show(tv)).toBe("((2,4),(2,2)):((2,8),(1,4))");
    const [values, offset] = sliceAndOffset([3, _], tv);
    expect(show(values)).toBe("((2,2)):((1,4))");
    expect(offsets(values).map((o) => o + Number(offset))).toEqual([10, 11, 14, 15]);
  });
});

describe("compositions that other implementations get wrong", () => {
  test("a carry across modes throws", () => {
    expect(() => composition(parse("(6,2):(1,7)"), parse("(3,2):(2,3)"))).toThrow("the sum carries");
    expect(() => composition(parse("(4,4):(4,1)"), parse("(4,4):(1,1)"))).toThrow("the sum carries");
  });

  test("an uneven stride works if a layout has the values", () => {
    expect(bare(composition(parse("(8,3):(1,100)"), parse("6:3")))).toBe("(3,2):(3,101)");
    expect(bare(composition(parse("(8,8):(8,1)"), parse("3:3")))).toBe("3:24");
    expect(bare(composition(parse("(3,2,2):(0,1,1)"), parse("4:4")))).toBe("(2,2):(1,1)");
    expect(() => composition(parse("(4,6,8):(2,3,5)"), parse("6:3"))).toThrow("No layout fits");
    expect(() => composition(parse("(4,3):(1,100)"), parse("6:1"))).toThrow("not a multiple of 4");
  });

  test("beyond the domain the last mode continues", () => {
    expect(bare(composition(parse("1:5"), parse("4:1")))).toBe("4:5");
    expect(bare(composition(parse("(4,3,1):(3,1,0)"), parse("24:1")))).toBe("(4,3,2):(3,1,0)");
  });

  test("negative strides mirror", () => {
    expect(bare(composition(parse("(1,(2,4)):(0,(-1,512))"), parse("2:-1")))).toBe("2:1");
    expect(bare(composition(parse("(4,4):(-1,1)"), parse("(2,4,2):(1,2,8)")))).toBe("(2,(2,2),2):(-1,(-2,1),2)");
  });
});

describe("other worked results", () => {
  test("divides, complements and inverses of the documentation", () => {
    expect(bare(logicalDivide(parse("(4,2,3):(2,1,8)"), parse("4:2")))).toBe("((2,2),(2,3)):((4,1),(2,8))");
    expect(bare(complement(parse("(2,4):(1,6)"), 24))).toBe("3:2");
    expect(bare(complement(parse("6:4"), 24))).toBe("4:1");
    expect(bare(rightInverse(parse("(2,4):(0,1)")))).toBe("4:2");
    expect(bare(complement(parse("(2,2):(1,3)"), 24))).toBe("4:6");
    expect(() => complement(parse("(2,2):(2,3)"), 24)).toThrow("inside the 4 offsets");
  });
});
