/** Layouts as values: they own their data, print in the notation, and are plain objects. */
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { sym } from "../expr/index.ts";
import {
  _,
  _4,
  _8,
  areDisjoint,
  blockedProduct,
  composition,
  cosize,
  downcast,
  E,
  equalLayouts,
  formatLayout,
  int,
  isBijective,
  isCompact,
  isInjective,
  isStatic,
  type Layout,
  leftInverse,
  makeIdentityLayout,
  makeLayout,
  makeLayoutLike,
  offsetAt,
  offsets,
  sliceAndOffset,
  swizzle,
  tileToShape,
  upcast,
} from "./index.ts";
import { parseCoord, parseLayout, parseTiler } from "./notation.ts";

test("a layout keeps its own shape when the caller's array changes", () => {
  const shape = [4, [2, 4]];
  const layout = makeLayout(shape);
  expect(offsetAt(layout, 7)).toBe(7);
  shape[0] = 5;
  (shape[1] as number[])[0] = 3;
  expect(String(layout)).toBe("(4,(2,4)):(_1,(4,8))");
  expect(offsetAt(layout, 7)).toBe(7);
});

test("it prints in the notation, in templates and in consoles", () => {
  const layout = makeLayout([_4, 8]);
  expect(`${layout}`).toBe("(_4,8):(_1,_4)");
  expect(inspect(layout)).toBe("(_4,8):(_1,_4)");
  expect(`${makeIdentityLayout([4, [2, 3]])}`).toBe("(4,(2,3)):(_1@0,(_1@0@1,_1@1@1))");
});

test("plain data of the same form is a layout too", () => {
  const layout: Layout = { shape: [[2, 2], 2], stride: [[4, 1], 2] };
  expect(offsets(layout)).toEqual(offsets(makeLayout([[2, 2], 2], [[4, 1], 2])));
  expect(formatLayout(layout)).toBe("((2,2),2):((4,1),2)");
});

test("layouts with static and dynamic integers of the same value are equal but differ in kind", () => {
  expect(equalLayouts(makeLayout([_4, _8]), makeLayout([4, 8]))).toBe(true);
  expect(isStatic(makeLayout([_4, _8]))).toBe(true);
  expect(isStatic(makeLayout([_4, 8]))).toBe(false);
  expect(isStatic(E(0))).toBe(true);
  expect(int(8)).toBe(_8);
});

test("no offset of a swizzled layout is outside its cosize", () => {
  const layout = parseLayout("Sw<1,0,1> o 0 o 3:1");
  expect(offsets(layout)).toEqual([0, 1, 3]);
  expect(cosize(layout)).toBe(4);
});

test("a slice without _ is the empty layout, which has one coordinate", () => {
  const [rest, offset] = sliceAndOffset([1, 2], makeLayout([4, 8]));
  expect(String(rest)).toBe("():()");
  expect(Number(offset)).toBe(9);
  expect(offsets(rest)).toEqual([0]);
});

test("the notation reads tilers and coordinates", () => {
  expect(parseTiler("<4:2,_,(2,4):(1,8)>")).toEqual([makeLayout(4, 2), _, makeLayout([2, 4], [1, 8])]);
  expect(parseTiler("(4,8)")).toEqual([4, 8]);
  expect(parseCoord("((_,1),5)")).toEqual([[_, 1], 5]);
});

test("an offset past 2^53 is an error, never a rounded number", () => {
  const wide = makeLayout([4, 4], [1, 2 ** 53 - 1]);
  expect(offsetAt(wide, [3, 0])).toBe(3);
  expect(() => offsetAt(wide, [0, 3])).toThrow("2^53");
  expect(() => offsets(wide)).toThrow("2^53");
  expect(() => offsetAt(makeLayout([4, 8]), 1.5)).toThrow("1.5 is not a coordinate");
  expect(() => offsetAt(makeLayout([4, 8]), [1, NaN])).toThrow("NaN is not a coordinate");
});

test("downcast grows one mode of adjacent elements, static or not", () => {
  expect(String(downcast(makeLayout([1, 8]), 2))).toBe("(1,16):(_2,1)");
  expect(String(downcast(makeLayout([int(1), _8]), 2))).toBe("(_1,_16):(_0,_1)");
  expect(String(downcast(makeLayout(1), 2))).toBe("2:_1");
});

test("products of leaves keep one mode, even when the copies nest", () => {
  expect(String(blockedProduct(makeLayout(2, 2), makeLayout(4, 1)))).toBe("((2,(2,2))):((2,(1,4)))");
  expect(String(tileToShape(makeLayout(2, 2), 8))).toBe("((2,(2,2))):((2,(_1,4)))");
});

test("comparisons throw if unknown: orders of symbolic strides, remainders, signs", () => {
  const n = sym("n", { min: 1 });
  const u = sym("u");
  expect(() => makeLayoutLike(makeLayout([n, 12], [1, n]))).toThrow("n is symbolic");
  expect(() => tileToShape(makeLayout(4), n)).toThrow("does not divide n");
  expect(() => upcast(makeLayout(8, u.mul(4)), 4)).toThrow("neither of");
  expect(() => leftInverse(makeLayout(8, u))).toThrow("positive");
  expect(String(leftInverse(makeLayout([n, 4], [4, 1])))).toBe("(4,n):(n,_1)");
  expect(() => makeLayout(sym("q", { max: -1 }))).toThrow("not a size");
});

test("composition with an empty B is empty, and the error for an A with an empty mode names it", () => {
  expect(String(composition(makeLayout([2, 3, 3], [-2, 0, 1]), makeLayout([0, 8], [3, 1])))).toBe("(0,8):(_0,_0)");
  expect(() => composition(makeLayout([8, 0, 3], [1, 2, 3]), 4)).toThrow("has a mode of size 0");
});

test("predicates work for swizzled layouts, and throw if there are too many offsets", () => {
  const swizzled = parseLayout("Sw<3,0,3> o 0 o (8,8):(8,1)");
  expect([isInjective(swizzled), isCompact(swizzled), isBijective(swizzled)]).toEqual([true, true, true]);
  expect(isInjective(makeLayout([30000, 30000], [2, 60000]))).toBe(true);
  expect(() => areDisjoint(makeLayout([30000, 30000], [2, 60000]), makeLayout(4))).toThrow("offsets exceed the limit");
});

test("values of another copy of this package are recognized by their kind", () => {
  const foreign = <T extends object>(value: T): T =>
    Object.assign(Object.create({ toString: () => String(value) }), value);
  expect(String(makeLayout([foreign(int(4)), 8]))).toBe("(_4,8):(_1,_4)");
  expect(String(sliceAndOffset([foreign(_), 3], makeLayout([4, 8]))[0])).toBe("(4):(_1)");
  expect(String(composition(foreign(swizzle(1, 0, 1)), makeLayout(4)))).toBe("Sw<1,0,1> o _0 o 4:_1");
});

test("a long uneven composition throws without walking all of it", () => {
  const started = performance.now();
  expect(() => composition(makeLayout([1e9 + 7, 3], [3, 1]), makeLayout([1e9, 2], [2, 1]))).toThrow("No layout fits");
  expect(performance.now() - started).toBeLessThan(1000);
});

test("no text exhausts the stack, and names of objects' own properties are plain symbols", () => {
  expect(() => parseLayout("(".repeat(20000))).toThrow("nested more than 100 deep");
  expect(String(parseLayout("hasOwnProperty:1"))).toBe("hasOwnProperty:1");
  expect(() => parseLayout("4:1@4000000000")).toThrow("below 1024");
});
