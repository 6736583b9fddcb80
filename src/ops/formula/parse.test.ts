/** The text of formulas: precedence, numbers, printing, and errors. */
import { ParseError } from "stridewise";
import { describe, expect, test } from "vitest";
import type { Node } from "./node.ts";
import { parseFormula } from "./parse.ts";
import { printFormula } from "./print.ts";
import { formulaOf, type Symbolic } from "./symbolic.ts";

/** The tree as nested calls. */
function tree(node: Node): string {
  if (node.kind === "name") return node.name;
  if (node.kind === "call") return `${node.fn}(${node.args.map(tree).join(", ")})`;
  const { value, category } = node;
  return `${category[0]}:${typeof value === "object" ? `${value.re},${value.im}` : Object.is(value, -0) ? "-0" : value}`;
}

const treeOf = (text: string): string =>
  parseFormula(text)
    .outputs.map(({ name, value }) => `${name === null ? "" : `${name} = `}${tree(value)}`)
    .join("; ");

const trees: Readonly<Record<string, string>> = {
  "a * x + b": "add(mul(a, x), b)",
  "a - b - c": "sub(sub(a, b), c)",
  "a - (b - c)": "sub(a, sub(b, c))",
  "a / b // c % d": "floorMod(floorDiv(div(a, b), c), d)",
  "a ** b ** c": "pow(a, pow(b, c))",
  "-x ** 2": "neg(pow(x, i:2))",
  "(-x) ** 2": "pow(neg(x), i:2)",
  "x ** -2": "pow(x, i:-2)",
  "2 ** -x": "pow(i:2, neg(x))",
  "-~x": "neg(not(x))",
  "toString + constructor": "add(toString, constructor)",
  "a | b ^ c & d << e + f": "or(a, xor(b, and(c, shiftLeft(d, add(e, f)))))",
  "a & b == c": "eq(and(a, b), c)",
  "(a > 0) & (b <= 1)": "and(gt(a, i:0), le(b, i:1))",
  "a > 0 ? b : c > 0 ? d : e": "select(gt(a, i:0), b, select(gt(c, i:0), d, e))",
  "(a ? b : c) ? d : e": "select(select(a, b, c), d, e)",
  "max(a, b, c)": "max(max(a, b), c)",
  "float16(x) + 1.5": "add(float16(x), f:1.5)",
  "2 + 2.0 + 2. + .5 + 1e-3": "add(add(add(add(i:2, f:2), f:2), f:0.5), f:0.001)",
  "3i + 1.5e2i": "add(c:0,3, c:0,150)",
  "-0 + -0.0": "add(i:0, f:-0)",
  "-(2)": "neg(i:2)",
  "9007199254740993 + x": "add(i:9007199254740993, x)",
  "inf - pi * nan": "sub(f:Infinity, mul(f:3.141592653589793, f:NaN))",
  "true & x": "and(b:true, x)",
  "s = x + y; d = x - y;": "s = add(x, y); d = sub(x, y)",
  "let t = x * x; t + t": "add(mul(x, x), mul(x, x))",
  "s = x + y; d = s * 2": "s = add(x, y); d = mul(add(x, y), i:2)",
  "x = x + 1; y = x": "x = add(x, i:1); y = add(x, i:1)",
};

describe.each(Object.entries(trees))("%s", (text, expected) => {
  test("is parsed with Python's precedence", () => expect(treeOf(text)).toBe(expected));
  test("is the same tree after printing and parsing", () => {
    const { outputs } = parseFormula(text);
    expect(treeOf(printFormula(outputs))).toBe(expected);
  });
});

test("a value that is used twice is printed once", () => {
  let node: Node = { kind: "name", name: "t1", at: 0 };
  for (let i = 0; i < 3; i++) node = { kind: "call", fn: "mul", args: [node, node], at: 0 };
  expect(printFormula([{ name: null, value: node }])).toBe("let t2 = t1 * t1; let t3 = t2 * t2; t3 * t3");
});

test("operands are listed in the order of their first use", () => {
  expect(parseFormula("let t = b + a; b * c + t * a").operands).toEqual(["b", "a", "c"]);
});

const mistakes = [
  "",
  "x +",
  "2x",
  "(x",
  "x)",
  "x y",
  "x && y",
  "!x",
  "x = ",
  "x + y = 2",
  "a < b < c",
  "sigmod(x)",
  "frobnicate(x)",
  "clamp(x, 1)",
  "max(x)",
  "x[0]",
  "float32 + 1",
  "pi = x",
  "let x",
  "let t = x",
  "x; y",
  "s = x; x + 1",
  "s = x; s = y",
  "x ? y",
  `${"(".repeat(101)}x`,
];

test("errors show their position", () => {
  const errors = mistakes.map((text) => {
    try {
      parseFormula(text);
    } catch (error) {
      if (error instanceof ParseError) return error.message;
    }
    return `${text}: no mistake`;
  });
  expect(`\n${errors.join("\n")}\n`).toMatchInlineSnapshot(`
    "
    elementwise: a number, a name or "(" is missing before the end.
      
      ^
    elementwise: a number, a name or "(" is missing before the end.
      x +
         ^
    elementwise: an operator is missing between 2 and x.
      2x
       ^
    elementwise: ")" is missing before the end.
      (x
        ^
    elementwise: ")" closes nothing.
      x)
       ^
    elementwise: an operator is missing before "y".
      x y
        ^
    elementwise: "&&" has no meaning in a formula. Write &, with parentheses.
      x && y
        ^
    elementwise: "!" has no meaning in a formula. Write ~, with parentheses.
      !x
      ^
    elementwise: a number, a name or "(" is missing before the end.
      x = 
          ^
    elementwise: "=" gives a value to a name. To compare, write ==.
      x + y = 2
            ^
    elementwise: comparisons do not chain. Write (a < b) & (b < c).
      a < b < c
            ^
    elementwise: there is no function sigmod. Did you mean sigmoid?
      sigmod(x)
      ^
    elementwise: there is no function frobnicate. Write it in terms of others.
      frobnicate(x)
      ^
    elementwise: clamp takes 3, not 2 values.
      clamp(x, 1)
      ^
    elementwise: max takes at least 2, not 1 values.
      max(x)
      ^
    elementwise: "[" has no meaning in a formula.
      x[0]
       ^
    elementwise: float32 is a dtype, not a name. To convert a value, write float32(x).
      float32 + 1
      ^
    elementwise: pi is a reserved word, not a name.
      pi = x
      ^
    elementwise: "let" needs a name and a value: let t = x * x.
      let x
          ^
    elementwise: there is no output. End with a value that is not named by let.
      let t = x
               ^
    elementwise: a value without a name is the only output. Name all of them, or use let.
      x; y
         ^
    elementwise: a value without a name is the only output. Name all of them, or use let.
      s = x; x + 1
             ^
    elementwise: the output s is defined twice.
      s = x; s = y
             ^
    elementwise: ":" is missing before the end.
      x ? y
           ^
    elementwise: a formula is nested at most 100 deep.
      …((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x
                                                                   ^
    "
  `);
});

test("a formula that is too long or too deep throws before the stack overflows", () => {
  expect(() => parseFormula(`x${"+x".repeat(5000)}`)).toThrow("at most 2000 operations");
  expect(() => parseFormula(`x${"**x".repeat(500)}`)).toThrow("nested at most 100 deep");
  expect(() => parseFormula(`${"-".repeat(500)}x`)).toThrow("nested at most 100 deep");
  const repeated = (count: number) => (symbols: { x: Symbolic }) => {
    let value = symbols.x;
    for (let i = 0; i < count; i++) value = value.neg();
    return value;
  };
  expect(() => formulaOf(repeated(100_000))).toThrow("at most 2000 operations");
  expect(formulaOf(repeated(1900)).length).toBe(1901);
});
