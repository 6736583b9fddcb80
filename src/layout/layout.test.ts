/** What a layout is as a thing in a program: its own data, printed in the notation, readable by any code. */
import { inspect } from "node:util";
import { expect, test } from "vitest";
import {
  _,
  _4,
  _8,
  cosize,
  E,
  equalLayouts,
  formatLayout,
  int,
  isStatic,
  type Layout,
  makeIdentityLayout,
  makeLayout,
  offsetAt,
  offsets,
  sliceAndOffset,
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

test("static and dynamic integers of one value make equal layouts that differ in kind", () => {
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
