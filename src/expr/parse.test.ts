/** The grammar by example, and the text of every error. Law L2 in laws.test.ts checks that text round-trips. */
import { expect, test } from "vitest";
import { ParseError } from "../base/errors.ts";
import { evaluate } from "./evaluate.ts";
import { equals, sym } from "./expr.ts";
import { type ParseOptions, parse } from "./parse.ts";

const at = { a: 7, b: -3, c: 5, d: 2, e: 4 };

// Inputs that mllm's own parser gets wrong, or crashes on, come first.
test.each([
  ["a + b * c * d", 7 + -3 * 5 * 2],
  ["a*b + c*d*e", 7 * -3 + 5 * 2 * 4],
  ["a % c * d", (7 % 5) * 2],
  ["a + c % d", 7 + (5 % 2)],
  ["-a", -7],
  ["a * -b", 21],
  ["16777217", 16777217],
  ["a - c - d", 0],
  ["a / d / d", 1],
  ["-a / d", -4],
  ["-(a / d)", -3],
  ["a / b", -3],
  ["a % b", -2],
  ["b % c", 2],
  ["- - a", 7],
  ["a*(b+c)", 14],
  ["floor(a / d) + ceil(a / d)", 7],
  ["ceil((a + c) / c)", 3],
  ["ceil(a % c)", 2],
  ["ceil(floor(a / d) / d)", 2],
  ["abs(b) + min(a, c, d) + max(a, c, d)", 3 + 2 + 7],
  ["floorDiv(a, d) + ceilDiv(a, d) + mod(a, d)", 3 + 4 + 1],
])("%s", (text, value) => expect(evaluate(parse(text), at)).toBe(value));

test("symbols carry their assumptions", () => {
  const n = sym("n", { divisibleBy: 4 });
  expect(equals(parse("n / 4 * 4", { symbols: { n } }), n)).toBe(true);
  expect(`${parse("n / 4 * 4", { symbols: ["n"] })}`).toBe("4*(n/4)");
});

const mistakes: readonly (readonly [text: string, options?: ParseOptions])[] = [
  ["a b"],
  ["2a"],
  ["a +"],
  ["* a"],
  [""],
  ["(a + b"],
  ["a + b)"],
  ["min(a, b"],
  ["1.5 * a"],
  ["a $ b"],
  ["9007199254740993"],
  ["a * 9007199254740991 * 4"],
  ["a / 0"],
  ["a % (2 - 2)"],
  ["ceil(a / b + 1)"],
  ["ceil(a / b / c)"],
  ["round(a)"],
  ["min(a)"],
  ["floor(a, b)"],
  ["i * widht", { symbols: ["width", "height"] }],
  ["i + width", { symbols: [] }],
];

test.each(mistakes.map(([text, options]) => ({ text, options })))("refuses $text", ({ text, options }) => {
  expect(() => parse(text, options)).toThrow(ParseError);
});

test("every error shows the position", () => {
  const complaints = mistakes.map(([text, options]) => {
    try {
      return `${parse(text, options)}`;
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(complaints.join("\n")).toMatchInlineSnapshot(`
    "parse: an operator is missing before "b".
      a b
        ^
    parse: an operator is missing between 2 and a.
      2a
      ^
    parse: a number, a name or "(" is missing before the end.
      a +
         ^
    parse: a number, a name or "(" is missing before "*".
      * a
      ^
    parse: a number, a name or "(" is missing before the end.
      
      ^
    parse: ")" is missing before the end, for the "(" at position 0.
      (a + b
            ^
    parse: ")" closes nothing.
      a + b)
           ^
    parse: ")" is missing before the end, for the "(" at position 3.
      min(a, b
              ^
    parse: "1.5" is not an integer.
      1.5 * a
      ^
    parse: unexpected character "$".
      a $ b
        ^
    parse: 9007199254740993 is past 2^53 - 1, the largest exact integer.
      9007199254740993
      ^
    parse: 9007199254740991 * 4 is past 2^53 - 1, the largest exact integer. Use smaller numbers.
      a * 9007199254740991 * 4
                           ^
    parse: the divisor is the constant 0.
      a / 0
        ^
    parse: the divisor is the constant 0.
      a % (2 - 2)
        ^
    parse: ceil requires exactly one division, outermost: ceil(a / b).
      ceil(a / b + 1)
      ^
    parse: ceil requires exactly one division, outermost: ceil(a / b).
      ceil(a / b / c)
      ^
    parse: unknown function "round". Known: floor, ceil, abs, min, max, floorDiv, ceilDiv, mod.
      round(a)
      ^
    parse: wrong number of arguments for min: expected at least 2, got 1.
      min(a)
      ^
    parse: wrong number of arguments for floor: expected 1, got 2.
      floor(a, b)
      ^
    parse: unknown symbol "i". Known: width, height.
      i * widht
      ^
    parse: unknown symbol "i". Known: none.
      i + width
      ^"
  `);
});

test("a ParseError carries the text and the position, on the right line", () => {
  try {
    parse("a +\n  b c");
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ name: "ParseError", text: "a +\n  b c", position: 8 });
    expect((error as Error).message).toBe('parse: an operator is missing before "c".\n    b c\n      ^');
  }
});
