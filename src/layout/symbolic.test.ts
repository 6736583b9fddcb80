/** Symbolic sizes and strides work if the result does not depend on their value; otherwise the error names the missing fact. */
import { expect, test } from "vitest";
import { evaluate, sym } from "../expr/index.ts";
import {
  coalesce,
  complement,
  composition,
  cosizeInt,
  crd2idx,
  formatLayout,
  int,
  logicalDivide,
  logicalProduct,
  makeLayout,
  rightInverse,
  sizeInt,
  zippedDivide,
} from "./index.ts";
import { parseLayout } from "./notation.ts";

const n = sym("n", { min: 1 });
const m = sym("m", { min: 1 });
const n4 = sym("n", { min: 4, divisibleBy: 4 });

test("compact strides and sizes are expressions", () => {
  expect(formatLayout(makeLayout([n, m, 4]))).toBe("(n,m,4):(_1,n,m*n)");
  expect(formatLayout(makeLayout([n, m], "right"))).toBe("(n,m):(m,_1)");
  expect(String(sizeInt(makeLayout([n, 4])))).toBe("4*n");
  expect(String(cosizeInt(makeLayout([n, 4], [1, n])))).toBe("4*n");
});

test("coalesce merges modes that continue each other for every value", () => {
  expect(formatLayout(coalesce(makeLayout([n, 4], [1, n])))).toBe("4*n:1");
  expect(formatLayout(coalesce(makeLayout([n, m, 2])))).toBe("2*m*n:_1");
  expect(formatLayout(coalesce(makeLayout([n, 4], [1, m])))).toBe("(n,4):(1,m)");
});

test("dividing n by 4, with and without n % 4 = 0", () => {
  expect(formatLayout(zippedDivide(makeLayout(n4), 4))).toBe("(4,n/4):(_1,4)");
  expect(formatLayout(zippedDivide(makeLayout([n4, 8]), [4, 2]))).toBe("((4,2),(n/4,4)):((_1,n),(4,2*n))");
  expect(formatLayout(zippedDivide(makeLayout(n), 4))).toBe("(4,ceil(n/4)):(_1,4)");
});

test("composition walks over symbolic modes when the facts are there", () => {
  expect(formatLayout(composition(makeLayout([n, 4], [4, 1]), makeLayout([n, 4], [int(1), n])))).toBe("(n,4):(4,1)");
  expect(formatLayout(composition(makeLayout([n4, 8], [8, 1]), makeLayout(n4.floorDiv(4), 4)))).toBe("n/4:32");
  expect(() => composition(makeLayout([n, 4], [4, 1]), makeLayout(6, 1))).toThrow(/cannot prove/);
  expect(() => logicalDivide(makeLayout([n, 4], [4, 1]), makeLayout(3, 5))).toThrow(/cannot prove/);
});

test("complement, product and inverse", () => {
  expect(formatLayout(complement(makeLayout(4, n), n.mul(8)))).toBe("(n,2):(_1,4*n)");
  expect(formatLayout(logicalProduct(makeLayout(n), makeLayout(4)))).toBe("(n,4):(_1,n)");
  expect(formatLayout(rightInverse(makeLayout([n, 4], [4, 1])))).toBe("(4,n):(n,_1)");
  expect(() => complement(makeLayout([2, 2], [n, m]), 64)).toThrow(/cannot prove/);
});

test("a stride of unknown sign throws where the sign matters", () => {
  const d = sym("d", { divisibleBy: 4 });
  expect(() => composition(makeLayout([4, 4], [1, 10]), makeLayout(2, d))).toThrow("cannot prove d >= 0");
  expect(() => complement(makeLayout([2, 2], [1, d]), 64)).toThrow("cannot prove d >= 1");
  expect(formatLayout(composition(makeLayout(8, 3), makeLayout(2, d)))).toBe("2:3*d");
});

test("a symbolic offset evaluates to the numeric offset", () => {
  const layout = makeLayout([n, [m, 4]]);
  const offset = crd2idx([2, [1, 3]], layout.shape, layout.stride);
  expect(String(offset)).toBe("3*m*n+n+2");
  expect(evaluate(offset as never, { n: 5, m: 7 })).toBe(2 + 5 + 3 * 35);
});

test("the notation reads symbols", () => {
  expect(formatLayout(coalesce(parseLayout("(n,4):(1,n)")))).toBe("4*n:1");
  expect(formatLayout(parseLayout("(4,n/4):(1,4)", { symbols: { n: n4 } }))).toBe("(4,n/4):(1,4)");
  expect(formatLayout(parseLayout("(2*n+1,ceil(n/4)):(_1,min(n,8))"))).toBe("(2*n+1,ceil(n/4)):(_1,min(n,8))");
});
