/** The canonical form, the range and the code of bitwise functions; `laws.test.ts` checks their values on random trees. */
import { expect, test } from "vitest";
import { and, shiftLeft, shiftRight, xor } from "./bits.ts";
import { compileToFunction } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import { sym } from "./expr.ts";
import { parse as parseArithmetic } from "./parse.ts";
import { parse } from "./parse-bits.ts";
import { divisorOf, proveLess, range } from "./proofs.ts";
import { toWasm } from "./wasm.ts";
import { toWgsl } from "./wgsl.ts";

const symbols = {
  i: sym("i", { min: 0, max: 63 }),
  j: sym("j", { min: 0, max: 7 }),
  k: sym("k"),
  s: sym("s", { min: 0, max: 6 }),
};

test("operands that are known bit by bit are computed", () => {
  const texts = [
    "xor(i, 0)",
    "xor(i, i)",
    "xor(i, j, i)",
    "xor(12, 10)",
    "xor(k, -1)",
    "xor(k, -8)",
    "xor(8*i, j)",
    "xor(8*i + j, 8*k)",
    "xor(8*i + j, 12)",
    "xor(i, xor(j, k))",
    "and(k, 7)",
    "and(k, 56)",
    "and(k, -8)",
    "and(k, 5)",
    "and(8*i, j)",
    "and(8*i + j, 8*k + 3)",
    "and(i, j, i)",
    "and(12, 10)",
    "shiftLeft(k, 3)",
    "shiftRight(k, 3)",
    "shiftLeft(j, s)",
    "shiftRight(i, s + 1)",
    "shiftLeft(1, s + 2)",
    "shiftRight(shiftLeft(j, s), s)",
  ];
  expect(texts.map((text) => `${text}  =>  ${parse(text, { symbols })}`).join("\n")).toMatchInlineSnapshot(`
    "xor(i, 0)  =>  i
    xor(i, i)  =>  0
    xor(i, j, i)  =>  j
    xor(12, 10)  =>  6
    xor(k, -1)  =>  -k-1
    xor(k, -8)  =>  -xor(k,7)-1
    xor(8*i, j)  =>  8*i+j
    xor(8*i + j, 8*k)  =>  j+8*xor(i,k)
    xor(8*i + j, 12)  =>  8*xor(i,1)+xor(j,4)
    xor(i, xor(j, k))  =>  xor(i,j,k)
    and(k, 7)  =>  k%8
    and(k, 56)  =>  8*(k/8%8)
    and(k, -8)  =>  k-k%8
    and(k, 5)  =>  and(k,5)
    and(8*i, j)  =>  0
    and(8*i + j, 8*k + 3)  =>  8*and(i,k)+j%4
    and(i, j, i)  =>  and(i,j)
    and(12, 10)  =>  8
    shiftLeft(k, 3)  =>  8*k
    shiftRight(k, 3)  =>  k/8
    shiftLeft(j, s)  =>  j*shiftLeft(1,s)
    shiftRight(i, s + 1)  =>  i/(2*shiftLeft(1,s))
    shiftLeft(1, s + 2)  =>  4*shiftLeft(1,s)
    shiftRight(shiftLeft(j, s), s)  =>  j"
  `);
});

test("a swizzle of a tile of 8 by 8 is short at symbolic coordinates", () => {
  const row = sym("row", { min: 0, max: 7 });
  const column = sym("column", { min: 0, max: 7 });
  const offset = row.mul(8).add(column);
  // Swizzle<3, 0, 3>: the bits 3 to 5 are added to the bits 0 to 2.
  const swizzled = xor(offset, and(shiftRight(offset, 3), 7));
  expect(`${swizzled}`).toBe("8*row+xor(column,row)");
  expect(range(swizzled)).toEqual([0, 63]);
  expect(toWgsl(swizzled)).toBe("row * 8 + (column ^ row)");
});

test("ranges and divisors follow from those of the operands", () => {
  const { i, j, k, s } = symbols;
  expect(range(xor(i, j, 1))).toEqual([0, 63]);
  expect(range(xor(i, k))).toEqual([-Infinity, Infinity]);
  expect(range(and(i, k))).toEqual([0, 63]);
  expect(range(and(i.neg().sub(1), i.neg().sub(1).mul(3)))).toEqual([-256, -1]);
  expect(range(shiftLeft(1, s))).toEqual([1, 64]);
  expect(divisorOf(xor(k.mul(4), i.mul(4).add(8)))).toBe(4);
  expect(divisorOf(shiftLeft(3, s.add(2)))).toBe(12);
  expect(proveLess(xor(i, 32), 64)).toBe(true);
});

test("code for every target has the value", () => {
  const expr = parse("xor(i, shiftRight(k, s), 5) + and(k, i, 41) + shiftLeft(1, s)", { symbols });
  const at = { i: 37, k: -1234567, s: 3 };
  const value = ((37 ^ (-1234567 >> 3) ^ 5) >> 0) + (-1234567 & 37 & 41) + 8;
  expect(evaluate(expr, at)).toBe(value);
  expect(compileToFunction(expr, ["i", "k", "s"])(37, -1234567, 3)).toBe(value);
  expect(toWgsl(parse("and(i, k) + shiftLeft(1, s)", { symbols }))).toBe("(i & k) + (1 << u32(s))");
  expect(toWasm(xor(symbols.i, symbols.k), { i: 0, k: 1 }).instructions).toEqual([
    "local.get 0",
    "local.get 1",
    "i32.xor",
  ]);
});

test("large integers are exact, and what is not an integer throws", () => {
  const k = sym("k");
  expect(evaluate(xor(k, 1), { k: 2 ** 53 - 2 })).toBe(2 ** 53 - 1);
  expect(evaluate(and(k, sym("m")), { k: 2 ** 52 + 5, m: 2 ** 52 + 3 })).toBe(2 ** 52 + 1);
  expect(() => evaluate(shiftLeft(1, k), { k: -1 })).toThrow(
    "evaluate: the number of bits is -1, and must be 0 or more.",
  );
  expect(() => evaluate(shiftLeft(1, k), { k: 60 })).toThrow("evaluate: the result is past 2^53.");
  expect(() => shiftRight(k, -1)).toThrow("shiftRight: the number of bits is -1, and must be 0 to 52.");
  expect(() => xor(k, sym("k", { min: 0 }))).toThrow("the symbol k is used with different assumptions");
  expect(() => parseArithmetic("xor(i, j)")).toThrow('unknown function "xor"');
});
