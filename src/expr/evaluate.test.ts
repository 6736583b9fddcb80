/** Law: substituting expressions for symbols and then evaluating equals evaluating with the values of those expressions. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { build, show, trees, type Values, valueOf, values } from "../../test/support/random-expr.ts";
import { StridewiseError } from "../base/errors.ts";
import { evaluate, substitute } from "./evaluate.ts";
import { type Expr, equals, sym } from "./expr.ts";

/** Returns the result of `make`, or undefined if numbers leave the safe range or a divisor is 0. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof StridewiseError) return undefined;
    throw error;
  }
}

test("a replaced symbol has the value of its replacement", () => {
  let compared = 0;
  fc.assert(
    fc.property(trees, trees, fc.array(values, { minLength: 4, maxLength: 4 }), (tree, other, at) => {
      const expr = build(tree);
      const k = build(other);
      const replaced = expr && k && attempt(() => substitute(expr, new Map([["k", k]])));
      if (!replaced) return;
      for (const point of at) {
        const value = valueOf(other, point);
        if (value === undefined) continue;
        const there: Values = { ...point, k: value };
        const expected = attempt(() => evaluate(expr as Expr, there));
        const actual = attempt(() => evaluate(replaced, point));
        if (expected === undefined || actual === undefined) continue;
        expect(actual, `${show(tree)} with k = ${show(other)} at ${JSON.stringify(point)}`).toBe(expected);
        compared++;
      }
    }),
    { seed: 5, numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(200);
});

test("replacements happen all at once, and an expression without the symbols is itself", () => {
  const [i, j] = [sym("i"), sym("j")];
  const swapped = substitute(
    i.mul(4).add(j),
    new Map([
      ["i", j],
      ["j", i],
    ]),
  );
  expect(equals(swapped, j.mul(4).add(i))).toBe(true);
  expect(substitute(i, new Map([["j", i]]))).toBe(i);
});
