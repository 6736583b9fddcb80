/**
 * The laws of integer expressions, on random trees: whatever the rules do to an expression, its value, its range,
 * its divisor, its text and every proof about it stay true for all values that the assumptions allow.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { bitTrees, build, show, symbols, type Tree, trees, valueOf, values } from "../../test/support/random-expr.ts";
import { evaluate } from "./evaluate.ts";
import { type Expr, equals } from "./expr.ts";
import { parse } from "./parse-bits.ts";
import { divideExact, divisorOf, proveDivisible, proveEqual, proveLess, proveLessEqual, range } from "./proofs.ts";

const numRuns = Number(process.env.LAW_CASES ?? 1500);
const points = fc.array(values, { minLength: 6, maxLength: 6 });

const kinds: readonly (readonly [name: string, trees: fc.Arbitrary<Tree>])[] = [
  ["arithmetic", trees],
  ["bits", bitTrees],
];

test.each(kinds)(
  "L1: an expression has the value of its tree, inside its range and divisible by its divisor: %s",
  (_, trees) => {
    fc.assert(
      fc.property(trees, points, (tree, at) => {
        const expr = build(tree);
        if (!expr) return;
        const [min, max] = range(expr);
        const divisor = divisorOf(expr);
        for (const point of at) {
          const value = valueOf(tree, point);
          if (value === undefined) continue;
          const where = `${show(tree)} = ${expr} at ${JSON.stringify(point)}`;
          expect(evaluate(expr, point), where).toBe(value);
          expect(value >= min && value <= max, `${where} in [${min}, ${max}]`).toBe(true);
          expect(divisor === 0 ? value : Math.abs(value % divisor), `${where} divisible by ${divisor}`).toBe(0);
        }
      }),
      { seed: 1, numRuns },
    );
  },
);

test.each(kinds)("L2: the text of an expression parses back to an equal expression: %s", (_, trees) => {
  fc.assert(
    fc.property(trees, (tree) => {
      const expr = build(tree);
      if (!expr) return;
      const text = `${expr}`;
      const again = parse(text, { symbols });
      expect(`${again}`, show(tree)).toBe(text);
      expect(equals(again, expr), `${show(tree)} prints ${text}`).toBe(true);
    }),
    { seed: 2, numRuns },
  );
});

test.each(kinds)("L3: a proof is never wrong: %s", (_, trees) => {
  const known = { less: 0, equal: 0, divisible: 0, quotient: 0 };
  fc.assert(
    fc.property(trees, trees, points, (left, right, at) => {
      const a = build(left);
      const b = build(right);
      if (!a || !b) return;
      const proofs = proofsOf(a, b);
      if (proofs.less !== undefined) known.less++;
      if (proofs.equal !== undefined) known.equal++;
      if (proofs.divisible !== undefined) known.divisible++;
      if (proofs.quotient) known.quotient++;
      for (const point of at) {
        const x = valueOf(left, point);
        const y = valueOf(right, point);
        if (x === undefined || y === undefined) continue;
        const where = `a = ${show(left)} = ${a} = ${x}, b = ${show(right)} = ${b} = ${y}`;
        if (proofs.less !== undefined) expect(x < y, `a < b, ${where}`).toBe(proofs.less);
        if (proofs.lessEqual !== undefined) expect(x <= y, `a <= b, ${where}`).toBe(proofs.lessEqual);
        if (proofs.equal !== undefined) expect(x === y, `a = b, ${where}`).toBe(proofs.equal);
        if (y === 0) continue;
        if (proofs.divisible !== undefined) expect(x % y === 0, `b | a, ${where}`).toBe(proofs.divisible);
        if (proofs.quotient) expect(evaluate(proofs.quotient, point) * y + 0, `a / b, ${where}`).toBe(x);
      }
    }),
    { seed: 3, numRuns },
  );
  for (const [name, count] of Object.entries(known))
    expect(count, `${name} was decided`).toBeGreaterThan(numRuns / 100);
});

function proofsOf(a: Expr, b: Expr) {
  return {
    less: proveLess(a, b),
    lessEqual: proveLessEqual(a, b),
    equal: proveEqual(a, b),
    divisible: proveDivisible(a, b),
    quotient: divideExact(a, b),
  };
}

test("L4: the laws of floored division are never denied, and nearly always proved", () => {
  let requested = 0;
  const proved = { whole: 0, nested: 0 };
  fc.assert(
    fc.property(trees, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 }), (tree, b, d) => {
      const a = build(tree);
      if (!a) return;
      const where = `a = ${a}, b = ${b}, d = ${d}`;
      expect(equals(a.mul(b).floorDiv(b), a), `a*b/b = a, ${where}`).toBe(true);
      expect(equals(a.ceilDiv(b), a.neg().floorDiv(b).neg()), `ceil(a/b) = -(-a/b), ${where}`).toBe(true);
      const whole = proveEqual(a.floorDiv(b).mul(b).add(a.mod(b)), a);
      const nested = proveEqual(a.floorDiv(b).floorDiv(d), a.floorDiv(b * d));
      expect(whole, `b*(a/b) + a%b = a, ${where}`).not.toBe(false);
      expect(nested, `a/b/d = a/(b*d), ${where}`).not.toBe(false);
      requested++;
      if (whole) proved.whole++;
      if (nested) proved.nested++;
    }),
    { seed: 4, numRuns },
  );
  expect(proved.whole / requested, "share of b*(a/b) + a%b = a").toBeGreaterThan(0.97);
  expect(proved.nested / requested, "share of a/b/d = a/(b*d)").toBeGreaterThan(0.97);
});
