/** The errors of the layout algebra. Read the text file in this folder as a user would; `-u` updates it. */
import { expect, test } from "vitest";
import { sym } from "../../src/expr/expr.ts";
import {
  _,
  append,
  applySwizzle,
  areDisjoint,
  blockedProduct,
  ceilDiv,
  compactColMajor,
  complement,
  composition,
  crd2idx,
  downcast,
  E,
  group,
  idx2crd,
  int,
  isBijective,
  isInjective,
  type Layout,
  leftInverse,
  localPartition,
  localTile,
  logicalDivide,
  logicalProduct,
  makeFragmentLike,
  makeIdentityLayout,
  makeLayout,
  makeOrderedLayout,
  modeOf,
  offsetAt,
  outerPartition,
  recastLayout,
  rightInverse,
  type Swizzle,
  size,
  sliceAndOffset,
  swizzle,
  take,
  tileToShape,
  unflatten,
  upcast,
  withShape,
  zippedDivide,
} from "../../src/layout/index.ts";
import { innerProduct, lexLess, roundUp, shapeDiv } from "../../src/layout/int-tuple.ts";
import { parseCoord, parseLayout, parseTiler } from "../../src/layout/notation.ts";

const parse = (text: string): Layout => parseLayout(text) as Layout;
/** Input that the types reject: users of plain JavaScript can still pass it. */
const wrong = <T>(value: unknown): T => value as T;

/** Wrong calls. A test reads the name of the called function from their source text. */
const mistakes: Readonly<Record<string, () => unknown>> = {
  "a size below 0": () => makeLayout(-4),
  "a fractional size": () => makeLayout([4, 2.5]),
  "a size that is a string": () => makeLayout(wrong<number>("8")),
  "a stride that is an unknown order": () => makeLayout([2, 3], wrong<"left">("rowmajor")),
  "a stride of a different nesting": () => makeLayout(wrong<number[]>([4, [2, 3]]), [1, 2]),
  "a fractional stride": () => makeLayout(4, 0.5),
  "a size past 2^53": () => makeLayout([2 ** 30, 2 ** 30]),
  "a fractional static integer": () => int(0.5),
  "a coordinate of the wrong rank": () => offsetAt(parse("(4,8)"), [1, 2, 3]),
  "a tuple for an integer mode": () => offsetAt(parse("(4,8)"), [[1, 2], 3]),
  "an offset in symbols": () => offsetAt(parse("(n,4):(4,1)"), [n(), 2] as never),
  "an offset of coordinate strides": () => offsetAt(makeIdentityLayout([4, 5]), 3),
  "a slice of the wrong rank": () => sliceAndOffset(wrong<[typeof _]>([_, 1, 2]), parse("(4,8)")),
  "a missing mode": () => modeOf(parse("(4,8)"), wrong<0>(2)),
  "an empty range": () => take(parse("(4,8,2)"), wrong<0>(2), 1),
  "a group past the end": () => group(parse("(4,8,2)"), wrong<0>(1), 5),
  "a profile with other leaves": () => unflatten(parse("(4,8)"), [[1, 1], 1]),
  "a coordinate of a mode with stride 0": () => idx2crd(3, 4, 0),
  "strides of a different rank": () => crd2idx([1, 2], [4, 8], [1]),
  "shapes that do not divide": () => shapeDiv([6, 4], 4),
  "tuples of different ranks": () => innerProduct([1, 2], [1, 2, 3]),
  "a multiple of a different rank": () => roundUp([1, 2], 3),
  "an order of a tuple and an integer": () => lexLess([1, 2], 3),
  "composition: uneven stride": () => composition(parse("(4,6,8):(2,3,5)"), parse("6:3")),
  "composition: uneven size": () => composition(parse("(4,3):(1,100)"), parse("6:1")),
  "composition: carry": () => composition(parse("(6,2):(1,7)"), parse("(3,2):(2,3)")),
  "composition: carry of uneven modes": () => composition(parse("(4,3):(1,10)"), parse("(2,2):(4,-1)")),
  "composition: missing fact": () => composition(parse("(n,4):(4,1)"), parse("6:1")),
  "composition: missing fact at a stride": () => composition(parse("(n,4):(4,1)"), parse("6:3")),
  "composition: tiler too long": () => composition(parse("(4,8)"), [2, 2, 2]),
  "composition: after a swizzle with an offset": () => composition(parse("8:1"), parseLayout("Sw<1,0,1> o 2 o 4:1")),
  "composition: a negative tile": () => composition(parse("8:1"), -2),
  "complement: interleaved": () => complement(parse("(2,2):(2,3)"), 24),
  "complement: overlap": () => complement(parse("(3,3):(1,2)"), 24),
  "complement: negative": () => complement(parse("4:-1"), 24),
  "complement: empty": () => complement(parse("(0,4):(1,2)"), 24),
  "divide: empty tile": () => logicalDivide(parse("24"), 0),
  "product: empty block": () => logicalProduct(parse("0:1"), 4),
  "complement: coordinates": () => complement(makeIdentityLayout([4, 5]), 24),
  "complement: which stride is larger": () => complement(parse("(2,2):(n,m)"), 24),
  "divide: tiler too long": () => logicalDivide(parse("(4,8)"), [2, 2, 2]),
  "divide: no complement": () => logicalDivide(parse("24"), parse("(2,2):(2,3)")),
  "product: no complement": () => logicalProduct(parse("(2,2):(2,3)"), 4),
  "divide: no composition": () => zippedDivide(parse("(4,6,8):(2,3,5)"), parse("6:3")),
  "product: no composition": () => blockedProduct(parse("(2,2):(1,6)"), parse("3:2")),
  "tileToShape: no complement": () => tileToShape(parse("(2,2):(2,3)"), [4, 4]),
  "withShape: uneven": () => withShape(parse("(4,3):(1,100)"), [6, 2]),
  "localTile: coordinate": () => localTile(parse("(8,8)"), [4, 4], [0, 1, 2]),
  "localTile: tiler too long": () => localTile(parse("(8,8)"), [2, 2, 2], [0, 1, 2]),
  "localPartition: no such thread": () => localPartition(parse("(8,8)"), parse("(4,8):(8,1)"), 99),
  "localPartition: threads with stride 0": () => localPartition(parse("8:1"), parse("4:0"), 1),
  "outerPartition: coordinate": () => outerPartition(parse("(8,8)"), [4, 4], [0, 1, 2]),
  "recastLayout: uneven": () => recastLayout(parse("(4,3):(3,1)"), 16, 32),
  "append: a shape to a layout": () => append(parse("(4,8)"), wrong<Layout>(2)),
  "makeFragmentLike: symbols": () => makeFragmentLike(parse("(4,8):(1,n)")),
  "makeOrderedLayout: an order of a different rank": () => makeOrderedLayout([4, 8], [0, 1, 2]),
  "isBijective: symbols": () => isBijective(parse("(n,4):(4,1)")),
  "areDisjoint: too many offsets": () => areDisjoint(parse("(30000,30000):(2,60000)"), parse("4")),
  "size: symbols": () => size(parse("(n,4)")),
  "crd2idx: a symbol without a sign": () => crd2idx(sym("k"), [4, 8], [1, 4]),
  "ceilDiv: by 0": () => ceilDiv(4, 0),
  "compactColMajor: starts of a different rank": () => compactColMajor([4, 8], [1]),
  "applySwizzle: not a swizzle": () => applySwizzle(wrong<Swizzle>({}), 1),
  "left inverse: no radix": () => leftInverse(parse("(3,3):(4,6)")),
  "left inverse: too wide to search": () => leftInverse(parse("(3,3):(400,600)")),
  "left inverse: not injective": () => leftInverse(parse("(5,4,2):(16,3,6)")),
  "right inverse: an offset": () => rightInverse(parseLayout("Sw<1,0,1> o 2 o 4:1")),
  "upcast: uneven": () => upcast(parse("(4,3):(3,1)"), 2),
  "downcast: nothing adjacent": () => downcast(parse("4:2"), 2),
  "recast: no ratio": () => upcast(parse("4:1"), 0),
  "tileToShape: uneven": () => tileToShape(parse("(4,8)"), [6, 8]),
  "tileToShape: rank": () => tileToShape(parse("(4,8,2)"), [8, 8]),
  "swizzle: overlapping fields": () => swizzle(3, 0, 1),
  "basis: no path": () => E(),
  "predicate: symbols": () => isInjective(parse("(n,4):(4,1)")),
  "notation: unbalanced": () => parseLayout("(4,8:(1,4)"),
  "notation: junk": () => parseLayout("(4,8):(1,4)x"),
  "notation: an empty text": () => parseLayout(""),
  "notation: nesting": () => parseLayout("(4,8):(1)"),
  "notation: a size": () => parseLayout("(4,-8):(1,4)"),
  "notation: an expression": () => parseLayout("(4,n+):(1,4)"),
  "notation: a fraction": () => parseLayout("(4,2.5)"),
  "notation: past 2^53": () => parseLayout("9007199254740993:1"),
  "notation: a swizzle": () => parseLayout("Sw<3,0> o 0 o (8,8)"),
  "notation: a swizzle without its layout": () => parseLayout("Sw<3,0,3>"),
  "notation: a tiler": () => parseTiler("<4,8"),
  "notation: not a text": () => parseCoord(wrong<string>(4)),
};

function n(): unknown {
  return parse("n:1").shape;
}

const errorOf = (run: () => unknown): Error => {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error(`no error: ${run}`);
};

test("the messages of layout errors", async () => {
  const texts = Object.entries(mistakes).map(([name, run]) => {
    const { name: kind, message } = errorOf(run);
    return `${name}\n  ${kind}: ${message.replaceAll("\n", "\n  ")}`;
  });
  await expect(`${texts.join("\n\n")}\n`).toMatchFileSnapshot("layout-errors.txt");
});

test("every message starts with the function that was called", () => {
  for (const run of Object.values(mistakes)) {
    const [, called] = /=>\s*(?:\(0,\s*)?(?:\w+\.)?(\w+)\)?\(/.exec(`${run}`) ?? [];
    expect(errorOf(run).message.split(": ")[0], `${run}`).toBe(called);
  }
});

test("every one of them is an error of this library, and none a bug", () => {
  for (const [name, run] of Object.entries(mistakes))
    expect(run, name).toThrow(
      expect.objectContaining({ name: expect.stringMatching(/^(Layout|Shape|Parse|Overflow|Expr)Error$/) }),
    );
});
