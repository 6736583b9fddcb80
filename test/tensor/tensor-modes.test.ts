/**
 * CuTe's functions on the modes of tensors, and the errors of layout functions for tensors, strings and other values.
 */
import { describe, expect, test } from "vitest";
import {
  coalesce,
  domainOffset,
  filter,
  flatten,
  groupModes,
  makeTiledCopy,
  recast,
  universalCopy,
} from "../../src/cute.ts";
import * as api from "../../src/index.ts";
import * as layouts from "../../src/layout/index.ts";
import { _, int } from "../../src/layout/index.ts";
import { parseLayout } from "../../src/layout/notation.ts";

const data = Float32Array.from({ length: 32 }, (_unused, i) => i);
const over = (text: string) => api.makeTensor(data, parseLayout(text));
const elements = (t: api.Tensor): number[] => Array.from({ length: t.size }, (_unused, i) => Number(t.getColMajor(i)));

describe("functions on the modes of a tensor", () => {
  test("coalesce, filter, flatten and groupModes change the layout, not the elements", () => {
    const t = over("(2,(4,3)):(1,(2,8))");
    expect(String(coalesce(t).layout)).toBe("24:1");
    expect(String(coalesce(t, [1, 1]).layout)).toBe("(2,12):(1,2)");
    expect(String(flatten(t).layout)).toBe("(2,4,3):(1,2,8)");
    expect(String(groupModes(flatten(t), 0, 2).layout)).toBe("((2,4),3):((1,2),8)");
    for (const other of [coalesce(t), flatten(t), groupModes(t, 0, 2)]) expect(elements(other)).toEqual(elements(t));
    expect(String(filter(over("(2,4,8):(8,0,1)")).layout)).toBe("(2,8):(8,1)");
  });

  test("they are views: writes through them change the tensor", () => {
    const t = api.makeTensor(new Float32Array(8), parseLayout("(2,(2,2)):(1,(2,4))"));
    coalesce(t).set(5, 7);
    expect(t.get([1, [0, 1]])).toBe(7);
  });

  test("recast reads the same memory as a different dtype", () => {
    const t = over("(_4,_2):(_1,_8)");
    const bytes = recast(t, "uint8");
    expect([String(bytes.layout), bytes.dtype]).toEqual(["(_16,_2):(_1,_32)", "uint8"]);
    expect(elements(recast(bytes, "float32"))).toEqual(elements(t));
    expect(() => recast(over("(3,2):(1,8)").at(_, 1), "float64")).not.toThrow();
    expect(() => recast(over("(4,2):(3,12)"), "float64")).toThrow("neither of 3 and 2 divides the other");
    expect(() => recast(t, "float33" as never)).toThrow("float33");
    expect(() => recast(parseLayout("4:1") as never, "uint8")).toThrow("recastLayout");
  });

  test("domainOffset moves element 0", () => {
    const t = over("(4,8):(1,4)");
    const moved = domainOffset([1, 2], t);
    expect([String(moved.layout), moved.get(0, 0), moved.get(1, 1)]).toEqual(["(4,8):(1,4)", 9, 14]);
    expect(domainOffset([1, 2], parseLayout("(4,8):(1,4)")).map(String)).toEqual(["(4,8):(1,4)", "9"]);
    const swizzled = over("Sw<1,0,2> o 0 o (4,4):(4,1)");
    expect(domainOffset([1, 1], swizzled).get(1, 0)).toBe(swizzled.get(2, 1));
  });

  test("size, rank and depth of a tensor are those of its layout; size of a tiled copy is its threads", () => {
    const t = over("(2,(4,3)):(1,(2,8))");
    expect([
      layouts.size(t),
      layouts.rank(t as never),
      layouts.depth(t as never),
      layouts.size(t as never, 1, 0),
    ]).toEqual([24, 2, 2, 4]);
    const copy = makeTiledCopy(
      universalCopy("float32"),
      layouts.makeLayout([int(8), int(4)]),
      layouts.makeLayout([int(2), int(1)]),
    );
    expect(layouts.size(copy)).toBe(32);
  });
});

/**
 * The functions of `stridewise/layout` whose first argument is a layout; those of coordinates and tuples take other
 * arguments.
 */
const takesLayout = Object.entries(layouts).filter(
  ([name, value]) =>
    typeof value === "function" &&
    !/^(is|make|int$|valueOf|E$|Static$|.*Error$|swizzle|applySwizzle|crd2|idx2|compact|ceilDiv|compatible|congruent|weakly|format|leaves|evenly|domain|slice|dice|coordAt|append|prepend|replace|asPlain|coprofile|concatenate|equalLayouts|local|inner|outer|sizeInt|shapeOf|size|rank|depth)/.test(
      name,
    ),
) as [string, (...args: unknown[]) => unknown][];

test.each(takesLayout)("%s throws a helpful error for a tensor, a string and anything else", (name, run) => {
  for (const argument of [over("(2,4):(1,2)"), "(2,4):(1,2)", undefined, null, true, {}]) {
    let message = "no error";
    try {
      run(argument, 2);
    } catch (error) {
      message = `${(error as Error).name}: ${(error as Error).message}`;
    }
    expect(message, `${name}(${typeof argument})`).toMatch(/^LayoutError: \w+: needs a layout/);
  }
});
