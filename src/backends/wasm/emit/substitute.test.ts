/** Substitution keeps values: what is put in gives the value it stands for. */
import { expect, test } from "vitest";
import { evaluate } from "../../../expr/evaluate.ts";
import { constant, type Expr, exprOf, sym } from "../../../expr/expr.ts";
import { substitute } from "./substitute.ts";

const [i, n, k] = [sym("i", { min: 0 }), sym("n", { min: 1 }), sym("k")];
const even = sym("even", { divisibleBy: 2 });
const forms: readonly Expr[] = [
  i.mul(3).add(n),
  i.mul(i).mul(n).sub(7),
  i.mul(4).add(n).floorDiv(3),
  i.add(n).mod(n.add(1)),
  i.mul(n).min(k.add(i)).max(2),
  i.floorDiv(4).mul(n).add(i.mod(4)),
  even.floorDiv(2).mul(i).add(k),
];

test("substitute(e, i := r) at (n, k) is e at (i = r(n, k), n, k)", () => {
  const replacements = [constant(0), constant(13), n.mul(2), n.add(k.mul(k))];
  for (const form of forms)
    for (const replacement of replacements)
      for (const [nValue, kValue, evenValue] of [
        [1, -3, 4],
        [5, 2, -6],
        [64, 0, 0],
      ] as const) {
        const bindings = { n: nValue, k: kValue, even: evenValue };
        const result = exprOf(substitute(form, ({ name }) => (name === "i" ? replacement : undefined)));
        const expected = evaluate(form, { ...bindings, i: evaluate(replacement, bindings) });
        expect(evaluate(result, bindings), `${form}, i = ${replacement}`).toBe(expected);
        expect(result.symbols.has("i")).toBe(false);
      }
});

test("a symbol with a denominator beside it can be replaced too", () => {
  const half = even.floorDiv(2).mul(k);
  const result = exprOf(substitute(half, ({ name }) => (name === "even" ? n.mul(2) : undefined)));
  expect(`${result}`).toBe(`${n.mul(k)}`);
});

test("an expression without the symbol stays the same object", () => {
  const form = n.mul(3).mod(5);
  expect(substitute(form, ({ name }) => (name === "i" ? constant(1) : undefined))).toBe(form);
});
