/** The canonical form by example: the text of an expression after each rule. The laws are in laws.test.ts. */
import { describe, expect, test } from "vitest";
import { constant, type Expr, equals, isExpr, sym } from "./expr.ts";
import { divideExact, divisorOf, proveDivisible, proveEqual, proveLess, proveLessEqual, range } from "./proofs.ts";

const i = sym("i", { min: 0, max: 7 });
const j = sym("j", { min: 0, max: 3 });
const k = sym("k");
const m = sym("m", { min: 1 });
const n = sym("n", { divisibleBy: 4 });

const forms: Readonly<Record<string, readonly (readonly [Expr, string])[]>> = {
  "a polynomial with sorted terms": [
    [sym("i").mul(128).add(64), "128*i+64"],
    [k.add(1).mul(k.sub(1)), "k*k-1"],
    [k.sub(k), "0"],
    [constant(4).mul(3).sub(2), "10"],
    [k.neg().add(m), "-k+m"],
  ],
  "exact quotients": [
    [n.floorDiv(4), "n/4"],
    [n.floorDiv(4).mul(4), "n"],
    [n.floorDiv(4).add(n.floorDiv(4)), "n/2"],
    [n.mul(3).floorDiv(4), "3*n/4"],
    [n.mod(4), "0"],
    [n.ceilDiv(4), "n/4"],
    [m.mul(k).mul(4).floorDiv(m), "4*k"],
    [m.add(1).mul(k).floorDiv(m.add(1)), "k"],
    [k.mul(4).add(8).floorDiv(4), "k+2"],
  ],
  "divisible parts pulled out": [
    [k.mul(4).add(m).floorDiv(4), "k+m/4"],
    [k.mul(4).add(m).mod(4), "m%4"],
    [k.mul(4).add(j).floorDiv(4), "k"],
    [k.mul(4).add(j).mod(4), "j"],
    [k.mul(4).add(j).floorDiv(16), "k/4"],
    [k.mul(4).add(j).mod(16), "j+4*(k%4)"],
    [k.mul(4).add(3).mod(8), "4*(k%2)+3"],
    [i.mod(8), "i"],
    [i.floorDiv(8), "0"],
  ],
  "nested divisions": [
    [k.floorDiv(4).floorDiv(3), "k/12"],
    [k.floorDiv(4).add(1).floorDiv(3), "(k+4)/12"],
    [k.floorDiv(m).floorDiv(3), "k/(3*m)"],
    [k.mod(32).mod(8), "k%8"],
    [k.mod(32).floorDiv(4), "k/4%8"],
  ],
  "quotient and remainder reunited": [
    [k.floorDiv(8).mul(8).add(k.mod(8)), "k"],
    [k.floorDiv(m).mul(m).add(k.mod(m)), "k"],
    [k.mod(4).add(k.floorDiv(4).mod(8).mul(4)), "k%32"],
  ],
  "rounding up": [
    [k.ceilDiv(4), "ceil(k/4)"],
    [k.add(3).floorDiv(4), "ceil(k/4)"],
    [k.ceilDiv(m), "ceil(k/m)"],
    [k.add(1).floorDiv(4), "(k+1)/4"],
    [n.ceilDiv(8), "ceil(n/8)"],
  ],
  "min and max decided by ranges": [
    [k.min(8), "min(k,8)"],
    [i.min(8), "i"],
    [k.max(k.add(1)), "k+1"],
    [k.min(m).min(8).min(9), "min(k,m,8)"],
    [i.abs(), "i"],
    [k.abs(), "abs(k)"],
    [k.max(k.neg(), m, k), "max(m,abs(k))"],
    [k.abs().max(m, k), "max(m,abs(k))"],
  ],
};

describe.each(Object.entries(forms))("%s", (_, rows) => {
  test.each(rows.map(([expr, text]) => [`${expr}`, text]))("%s", (text, expected) => expect(text).toBe(expected));
});

test("an expression without symbols is a constant, and kinds narrow its type", () => {
  const sum = k.add(3).sub(k);
  expect(sum.kind === "const" ? sum.value + 1 : undefined).toBe(4);
  expect([k, k.add(1), k.mod(3), k.floorDiv(3), k.min(3)].map((e) => e.kind)).toEqual([
    "symbol",
    "sum",
    "mod",
    "floorDiv",
    "min",
  ]);
  expect([isExpr(k), isExpr(3), isExpr({ kind: "const" })]).toEqual([true, false, false]);
  expect([...k.mul(i).add(m.mod(n)).symbols.keys()].sort()).toEqual(["i", "k", "m", "n"]);
});

test("ranges and divisors", () => {
  expect(range(i.mul(2).sub(j))).toEqual([-3, 14]);
  expect(range(k.mod(8))).toEqual([0, 7]);
  expect(range(k.mul(k))).toEqual([0, Infinity]);
  expect(range(k.abs())).toEqual([0, Infinity]);
  expect(range(sym("p", { min: 1, max: 10, divisibleBy: 4 }))).toEqual([4, 8]);
  expect([divisorOf(n.mul(6).add(16)), divisorOf(n.mul(n)), divisorOf(0), divisorOf(k)]).toEqual([8, 16, 0, 1]);
});

test("proofs answer true, false or undefined", () => {
  expect([proveLess(i, 8), proveLess(8, i), proveLess(i, 7)]).toEqual([true, false, undefined]);
  expect([proveLessEqual(i, 7), proveLessEqual(k, k), proveLessEqual(k, m)]).toEqual([true, true, undefined]);
  expect([proveEqual(n.mul(2), n.add(n)), proveEqual(k.mul(2), m.mul(2).add(1)), proveEqual(k, m)]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(proveEqual(k.sub(k.floorDiv(8).mul(8)), k.mod(8))).toBe(true);
  expect([proveDivisible(n, 2), proveDivisible(n.add(1), 4), proveDivisible(k, 2)]).toEqual([true, false, undefined]);
  expect([proveDivisible(m.mul(k), m), proveDivisible(0, 0), proveDivisible(5, 0)]).toEqual([true, true, false]);
  expect(`${divideExact(n.mul(3), 4)}`).toBe("3*n/4");
  expect(divideExact(k, 4)).toBe(undefined);
  expect(divideExact(k.mul(m), k), "k may be 0").toBe(undefined);
});

test("equals compares canonical forms", () => {
  expect(equals(k.add(k), k.mul(2))).toBe(true);
  expect(equals(k, sym("k", { min: 0 }))).toBe(false);
  expect(equals(k.sub(k), 0)).toBe(true);
});

test("errors name the rule and the remedy", () => {
  const text = (run: () => unknown): string => {
    try {
      return `${run()}`;
    } catch (error) {
      return `${error}`;
    }
  };
  expect([
    text(() => k.floorDiv(0)),
    text(() => k.mod(k.sub(k))),
    text(() => k.add(1.5)),
    text(() => k.add(sym("k", { min: 0, divisibleBy: 8 }))),
    text(() => sym("2n")),
    text(() => sym("n", { min: 5, max: 7, divisibleBy: 4 })),
    text(() => sym("n", { divisibleBy: 0 })),
    text(() => k.mul(2 ** 52).mul(2)),
  ]).toMatchInlineSnapshot(`
    [
      "ExprError: floorDiv: the divisor is the constant 0.",
      "ExprError: mod: the divisor is the constant 0.",
      "ExprError: add: 1.5 is not an integer whose absolute value is below 2^53.",
      "ExprError: add: the symbol k is used with different assumptions: none, and 0 <= k, divisible by 8. Create the symbol once and reuse it.",
      "ExprError: sym: "2n" is not a name. Use letters, digits and _, not starting with a digit or with _ and a digit.",
      "ExprError: sym: no integer n has min 5, max 7 and divisibleBy 4. Widen the bounds.",
      "ExprError: sym: divisibleBy of n must be an integer of at least 1, got 0.",
      "OverflowError: mul: 4503599627370496 * 2 is past 2^53 - 1, the largest exact integer. Use smaller numbers.",
    ]
  `);
});

test("nested quotients and remainders cost time in proportion to their text", () => {
  const started = performance.now();
  let nested = sym("n");
  for (let i = 0; i < 11; i++) nested = nested.mod(7 + i).add(nested.floorDiv(3 + i));
  expect(String(nested).length).toBeGreaterThan(10_000);
  expect(performance.now() - started).toBeLessThan(5000);
});
