/**
 * The cost of texts: families of texts, each a repetition of one construct. Every step from the text to compiled code
 * takes time at most quadratic in its length, and ends in a result or a named error.
 */
import { expect, test } from "vitest";
import { StridewiseError } from "../src/base/errors.ts";
import { AffinePrimitives } from "../src/expr/affine-primitives.ts";
import { compileToFunction } from "../src/expr/compile.ts";
import { evaluate, substitute } from "../src/expr/evaluate.ts";
import { constant, type Expr, sym } from "../src/expr/expr.ts";
import { parse } from "../src/expr/parse.ts";
import { divisorOf, proveDivisible, proveEqual, proveLess, range } from "../src/expr/proofs.ts";
import { encodeWasm, toWasm } from "../src/expr/wasm.ts";
import { toWgsl } from "../src/expr/wgsl.ts";
import { parseLayout } from "../src/layout/notation.ts";

const many = (count: number, each: (i: number) => string, by: string): string =>
  Array.from({ length: count }, (_, i) => each(i)).join(by);

function nest(count: number, each: (inner: string, i: number) => string): string {
  let text = "a";
  for (let i = 0; i < Math.min(count, 45); i++) text = each(text, i);
  return text;
}

/** Texts of about the given length. */
const families: Readonly<Record<string, (length: number) => string>> = {
  "sums of names": (n) => many(n / 5, (i) => `v${i}`, "+"),
  "products of names": (n) => many(n / 5, (i) => `v${i}`, "*"),
  "products of sums": (n) => many(n / 9, (i) => `(v${i}+1)`, "*"),
  "powers of a sum": (n) => many(n / 8, () => "(x+y+1)", "*"),
  powers: (n) => many(n / 2, () => "x", "*"),
  "max of names": (n) => `max(${many(n / 5, (i) => `v${i}`, ",")})`,
  "max of sums": (n) => `max(${many(n / 7, (i) => `x+v${i}`, ",")})`,
  "min of products": (n) => `min(${many(n / 7, (i) => `${i + 1}*x`, ",")})`,
  "nested abs": (n) => nest(n / 8, (x) => `abs(${x}-b)`),
  "nested abs of products": (n) => nest(n / 12, (x) => `abs((${x}+1)*(c-b))`),
  "nested min of products": (n) => nest(n / 20, (x) => `min((${x}+1)*(b+1),c)`),
  "nested min and max": (n) => nest(n / 20, (x, i) => `min(max(${x},b)-${i},abs(c))`),
  "nested quotients": (n) => nest(n / 6, (x) => `(${x}+b)/2`),
  "nested quotients of names": (n) => nest(n / 6, (x) => `(${x}+b)/c`),
  "nested remainders": (n) => nest(n / 8, (x, i) => `(${x}+b)%${i + 5}`),
  "nested remainders of names": (n) => nest(n / 8, (x) => `(${x}+b)%c`),
  "nested remainders of products": (n) => nest(n / 12, (x, i) => `((${x}+b)%${i + 7})*(b+1)`),
  "quotients of remainders": (n) => nest(n / 12, (x, i) => `((${x}+b)%${i + 7})/3`),
  "rounded up": (n) => nest(n / 12, (x) => `ceilDiv(${x}+1,b)`),
  "sums of remainders": (n) => many(n / 7, (i) => `v${i}%3`, "+"),
  "sums of remainders of one name": (n) => many(n / 7, (i) => `x%${i + 2}`, "+"),
  "sums of quotients and remainders": (n) => many(n / 15, (i) => `v${i}%3+2*(v${i}/3)`, "+"),
  "products of remainders": (n) => many(n / 9, (i) => `(v${i}%3)`, "*"),
  "long division": (n) => `(${many(n / 2, () => "x", "*")})/(x-y-z-w-v-1)`,
  "divisors in common": (n) => `(${many(n / 20, (i) => `${720720 * (i + 1)}*v${i}`, "+")})%963761198400`,
  "a product divided by itself": (n) =>
    `(${many(n / 20, (i) => `(v${i}+1)`, "*")})/(${many(n / 20, (i) => `(v${i}+1)`, "*")})`,
  parentheses: (n) => `${"(".repeat(n / 2)}a${")".repeat(n / 2)}`,
  signs: (n) => `${"-".repeat(n)}a`,
  "long names": (n) => many(n / 100, (i) => `(${"n".repeat(90)}${i}+1)`, "*"),
  "divided again and again": (n) => `a${"/2".repeat(n / 2)}`,
};

/** The result, or undefined if an error of this library is thrown; any other error is rethrown. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof StridewiseError) return undefined;
    throw error;
  }
}

/** Every use of a text. */
function useText(text: string): Expr | undefined {
  attempt(() => String(parseLayout(`(1*${text},4):(4,1)`)));
  attempt(() => new AffinePrimitives().create(text));
  const expr = attempt(() => parse(text));
  if (!expr) return undefined;
  const names = [...expr.symbols.keys()];
  const written = String(expr);
  expect(String(parse(written)), "is read again as it is written").toBe(written);
  for (const question of [proveEqual, proveLess, proveDivisible]) question(expr, expr.add(1));
  proveDivisible(expr, 3);
  range(expr);
  divisorOf(expr);
  attempt(() => substitute(expr, new Map([[names[0] as string, constant(2)]])));
  const values = names.map((_, i) => (i % 3) + 1);
  const expected = attempt(() =>
    evaluate(expr, Object.fromEntries(names.map((name, i) => [name, values[i] as number]))),
  );
  if (expected !== undefined) expect(compileToFunction(expr, names)(...values)).toBe(expected);
  const code = attempt(() => toWasm(expr, Object.fromEntries(names.map((name, i) => [name, i]))));
  if (code) encodeWasm(code.instructions);
  attempt(() => toWgsl(expr));
  return expr;
}

test.each(Object.keys(families))("%s", (name) => {
  // Time of the processor, not of the clock: other processes do not count.
  const started = process.cpuUsage();
  useText((families[name] as (length: number) => string)(600));
  expect(process.cpuUsage(started).user / 1000, "milliseconds").toBeLessThan(4000);
});

test("the text that once needed 67 million terms is a product, and has its value", () => {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const text = [...letters].map((letter) => `(${letter}+1)`).join("*");
  const expr = useText(text) as Expr;
  expect(evaluate(expr, Object.fromEntries([...letters].map((letter) => [letter, 1])))).toBe(2 ** 26);
  expect(String(expr).length).toBeLessThan(10_000);
});

test("nested absolute values are written, compiled and computed at their own length", () => {
  const text = nest(45, (x, i) => `abs(${x}-${i + 2}*b)`);
  const expr = parse(text);
  expect(String(expr).length).toBeLessThan(2 * text.length);
  expect(toWgsl(expr).length).toBeLessThan(3 * text.length);
  expect(toWasm(expr, { a: 0, b: 1 }).instructions.length).toBeLessThan(3 * text.length);
});

test("an expression that is too large or too deep throws", () => {
  const x = sym("x");
  const y = sym("y");
  const grow = (step: (e: Expr) => Expr) => () => {
    let e = x;
    for (let i = 0; i < 100_000; i++) e = step(e);
  };
  expect(grow((e) => e.min(y).add(1).abs())).toThrow(/^\w+: an expression is nested more than 250 deep/);
  expect(grow((e) => e.mul(e.add(y)))).toThrow(/^\w+: .* the limit of 20000|past 2\^53/);
  expect(grow((e) => e.mod(7).add(e.floorDiv(y)))).toThrow(/^\w+: .*(limit|deep|steps)/);
  expect(grow((e) => e.min(e.floorDiv(y)))).toThrow(StridewiseError);
});
