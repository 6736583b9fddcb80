/** Texts that the parser accepts besides printed ones, and the text of every error. */
import { expect, test } from "vitest";
import { kernelTexts } from "../../../test/support/kernel-texts.ts";
import { KernelError } from "./error.ts";
import { parseKernel } from "./parse.ts";
import { printKernel } from "./print.ts";

test("comments, blank lines, other spacing and the order of parameters do not matter", () => {
  const text = `# adds

    kernel   f32_axpb # the name
  size n: 0..2147483647
  scalar a:float32
  buffer x: float32 read

  buffer out: float32 write
  size block: 1..2147483647
  scalar b: float32
{

  parallel u in 0..ceilDiv(n, block) { # units
    vector i in u * block .. min(n, block * (u + 1)) by 4 {
      out[ i ]=(a*x[i])+b
      # done
    }
  }
}
`;
  expect(printKernel(parseKernel(text))).toBe(kernelTexts["axpb"]);
});

const around = (...lines: readonly string[]): string =>
  [
    "kernel k",
    "  buffer x: float32 read",
    "  buffer out: float32 write",
    "  scalar alpha: float32",
    "  size n: 0..8",
    "{",
    "  parallel u in 0..n {",
    ...lines.map((line) => `    ${line}`),
    "  }",
    "}",
  ].join("\n");

const complaint = (text: string): string => {
  try {
    parseKernel(text);
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError);
    return (error as Error).message;
  }
  return "no complaint";
};

test("errors in statements show line, column, the expected token, and a caret", () => {
  const lines = [
    "out[u] = alpha +",
    "out[u = alpha",
    "out[v] = alpha",
    "out[u +] = alpha",
    "out[] = alpha",
    "out[u] = beta",
    "out[u] = alpah",
    "out[u] = u",
    "out[u] = y[u]",
    "y[u] = alpha",
    "out[u] = expp(alpha)",
    "out[u] = max(alpha)",
    "out[u] = max(alpha, int32(1))",
    "out[u] = alpha + x[u] < alpha < alpha",
    "out[u] = alpha * int32(2)",
    "out[u] = float32(1.5.2)",
    "out[u] = bits_int64(alpha)",
    "out[u] = %1",
    "out[u] = alpha alpha",
    "out[u] = x[u where alpha else alpha]",
    "let t: float23 = alpha",
    "let t: float64 = alpha",
    "let t = alpha",
    "s add= alpha",
    "lett t: float32 = alpha",
    "serial i in 0..n",
    "serial i in 0 {",
    "vector i in 0..n {",
    "vector i in 0..n by 1.5 {",
    "allocate t: float32[4] in gmem",
    "walk rest at u",
    "$",
  ];
  expect(lines.map((line) => complaint(around(line))).join("\n")).toMatchInlineSnapshot(`
    "parseKernel: line 8, column 21: expected a value, found the end of the line.
          out[u] = alpha +
                          ^
    parseKernel: line 8, column 11: unexpected character "=".
          out[u = alpha
                ^
    parseKernel: line 8, column 9: unknown symbol "v". Known: n, u.
          out[v] = alpha
              ^
    parseKernel: line 8, column 12: a number, a name or "(" is missing before the end.
          out[u +] = alpha
                 ^
    parseKernel: line 8, column 9: expected an integer expression, found "]".
          out[] = alpha
              ^
    parseKernel: line 8, column 14: unknown value "beta".
          out[u] = beta
                   ^
    parseKernel: line 8, column 14: unknown value "alpah". Did you mean alpha?
          out[u] = alpah
                   ^
    parseKernel: line 8, column 14: u is an integer of the loops. As a value it is int32[u].
          out[u] = u
                   ^
    parseKernel: line 8, column 14: unknown buffer "y".
          out[u] = y[u]
                   ^
    parseKernel: line 8, column 5: unknown buffer "y".
          y[u] = alpha
          ^
    parseKernel: line 8, column 14: unknown function "expp". Did you mean exp?
          out[u] = expp(alpha)
                   ^
    parseKernel: line 8, column 14: max: takes 2 values, got 1.
          out[u] = max(alpha)
                   ^
    parseKernel: line 8, column 14: max: takes bool, integer, float values of one dtype, got float32, int32. Cast one of them first.
          out[u] = max(alpha, int32(1))
                   ^
    parseKernel: line 8, column 35: expected the end of the line, found "<".
          out[u] = alpha + x[u] < alpha < alpha
                                        ^
    parseKernel: line 8, column 20: mul: takes integer, float, complex values of one dtype, got float32, int32. Cast one of them first.
          out[u] = alpha * int32(2)
                         ^
    parseKernel: line 8, column 25: expected ")", found ".".
          out[u] = float32(1.5.2)
                              ^
    parseKernel: line 8, column 14: bitcast: float32 and int64 have different sizes.
          out[u] = bits_int64(alpha)
                   ^
    parseKernel: line 8, column 14: %1 is not defined before this statement.
          out[u] = %1
                   ^
    parseKernel: line 8, column 20: expected the end of the line, found "alpha".
          out[u] = alpha alpha
                         ^
    parseKernel: line 8, column 14: load of x: the mask must be bool, got float32.
          out[u] = x[u where alpha else alpha]
                   ^
    parseKernel: line 8, column 12: unknown dtype "float23". Did you mean float16?
          let t: float23 = alpha
                 ^
    parseKernel: line 8, column 12: t is declared float64, and its value is float32.
          let t: float64 = alpha
                 ^
    parseKernel: line 8, column 11: expected ":", found "=".
          let t = alpha
                ^
    parseKernel: line 8, column 5: unknown accumulator "s".
          s add= alpha
          ^
    parseKernel: line 8, column 5: unknown statement "lett". Did you mean let?
          lett t: float32 = alpha
          ^
    parseKernel: line 8, column 21: expected "{", found the end of the line.
          serial i in 0..n
                          ^
    parseKernel: line 8, column 19: expected "..", found "{".
          serial i in 0 {
                        ^
    parseKernel: line 8, column 22: expected "by", found "{".
          vector i in 0..n {
                           ^
    parseKernel: line 8, column 25: expected the number of iterations at a time, an integer below 2^53.
          vector i in 0..n by 1.5 {
                              ^
    parseKernel: line 8, column 31: expected smem or rmem, found "gmem".
          allocate t: float32[4] in gmem
                                    ^
    parseKernel: line 8, column 19: expected "->", found the end of the line.
          walk rest at u
                        ^
    parseKernel: line 8, column 5: expected a statement, found "$".
          $
          ^"
  `);
});

test("errors in the header", () => {
  const texts = [
    "",
    "kernal k",
    "kernel",
    "kernel k\n  buffer x float32 read\n{\n}",
    "kernel k\n  buffer x: float32 both\n{\n}",
    "kernel k\n  size n: 5..1\n{\n}",
    "kernel k\n  size n: 0..9007199254740993\n{\n}",
    "kernel k\n  shape n: 0..1\n{\n}",
    "kernel k\n{\n  barrier\n",
    "kernel k\n{\n}\nbarrier",
  ];
  expect(texts.map(complaint).join("\n")).toMatchInlineSnapshot(`
    "parseKernel: line 1, column 1: expected "kernel", found the end.
      
      ^
    parseKernel: line 1, column 1: expected "kernel", found "kernal".
      kernal k
      ^
    parseKernel: line 1, column 7: expected the name of the kernel, found the end.
      kernel
            ^
    parseKernel: line 2, column 12: expected ":", found "float32".
        buffer x float32 read
                 ^
    parseKernel: line 2, column 21: expected read or write or readwrite, found "both".
        buffer x: float32 both
                          ^
    parseKernel: line 2, column 3: sym: no integer n has min 5, max 1 and divisibleBy 1. Widen the bounds.
        size n: 5..1
        ^
    parseKernel: line 2, column 14: expected the largest value, an integer below 2^53.
        size n: 0..9007199254740993
                   ^
    parseKernel: line 2, column 3: expected buffer or scalar or size or modes or {, found "shape".
        shape n: 0..1
        ^
    parseKernel: line 4, column 1: expected a statement, found the end.
      
      ^
    parseKernel: line 4, column 1: expected the end, found "barrier".
      barrier
      ^"
  `);
});

test("a value that is not text throws", () => {
  expect(() => parseKernel(5 as never)).toThrow("parseKernel: a kernel is read from text, got 5.");
});

test("no text exhausts the stack", () => {
  expect(complaint(around(`out[u] = ${"neg(".repeat(20_000)}`))).toContain("nested more than 500 deep");
  expect(complaint(around(`out[u] = ${"(".repeat(20_000)}`))).toContain("nested more than 500 deep");
  expect(complaint(around(`out[${"(".repeat(20_000)}`))).toContain("nested more than 100 deep");
  expect(complaint(around(...new Array(20_000).fill("serial i in 0..n {")))).toContain("nested more than");
});

test("a condition is a value, and its block ends with a brace", () => {
  expect(complaint(around("if alpha < {", "}"))).toContain('line 8, column 16: expected a value, found "{".');
  expect(complaint(around("if alpha < alpha", "}"))).toContain('expected "{", found the end of the line.');
  expect(complaint(around("fi alpha < alpha {", "}"))).toContain('unknown statement "fi"');
  expect(complaint(around("if alpha < alpha {", "let v: float32 = alpha", "}", "out[u] = v"))).toBe("no complaint");
});
