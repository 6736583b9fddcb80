/** Printing and parsing are inverse, for kernels written by hand and random ones. */
import { expect, test } from "vitest";
import { kernelTexts } from "../../../test/support/kernel-texts.ts";
import { randomKernel } from "../../../test/support/kernels.ts";
import { constant } from "../../expr/expr.ts";
import type { Kernel } from "./kernel.ts";
import { parseKernel } from "./parse.ts";
import { printKernel } from "./print.ts";
import { call, constantScalar, parameterScalar, type Scalar } from "./scalar.ts";
import { operandsOf, rootsOf, statementsOf } from "./visit.ts";

test.each(Object.entries(kernelTexts))("%s: parsing and printing keeps the text", (_, text) => {
  expect(printKernel(parseKernel(text))).toBe(text);
});

/** The first visit of each call, cast or load of each statement: equal lists mean equal sharing. */
function sharingOf(kernel: Kernel): readonly number[] {
  const visited: number[] = [];
  for (const { statement } of statementsOf(kernel)) {
    const first = new Map<Scalar, number>();
    const visit = (value: Scalar): void => {
      if (value.kind !== "call" && value.kind !== "cast" && value.kind !== "load") return;
      const known = first.get(value);
      visited.push(known ?? first.size);
      if (known !== undefined) return;
      first.set(value, first.size);
      operandsOf(value).forEach(visit);
    };
    rootsOf(statement).forEach(visit);
  }
  return visited;
}

test("300 random kernels: printing and parsing keeps structure and sharing", () => {
  let repeated = 0;
  for (let seed = 0; seed < 300; seed++) {
    const kernel = randomKernel(seed);
    const text = printKernel(kernel);
    const back = parseKernel(text);
    expect(back, text).toStrictEqual(kernel);
    expect(sharingOf(back), text).toEqual(sharingOf(kernel));
    expect(printKernel(back)).toBe(text);
    if (text.includes("%1 =")) repeated++;
  }
  expect(repeated).toBeGreaterThan(100);
});

const [a, b, c] = ["a", "b", "c"].map((name) => parameterScalar("float32", name)) as [Scalar, Scalar, Scalar];
const one = constantScalar("float32", 1);

test.each([
  ["a + b + c", call("add", call("add", a, b), c)],
  ["a + (b + c)", call("add", a, call("add", b, c))],
  ["a - b * c", call("sub", a, call("mul", b, c))],
  ["(a - b) * c", call("mul", call("sub", a, b), c)],
  ["a / (b / c)", call("div", a, call("div", b, c))],
  ["neg(a + b) * c", call("mul", call("neg", call("add", a, b)), c)],
  ["select(a + b < c, a, float32(1))", call("select", call("lt", call("add", a, b), c), a, one)],
  ["float32(1) - float32(1)", call("sub", one, one)],
])("parentheses keep the tree and are few: %s", (text, value) => {
  const kernel: Kernel = {
    name: "tree",
    buffers: [{ name: "out", dtype: "float32", access: "write" }],
    scalars: ["a", "b", "c"].map((name) => ({ name, dtype: "float32" })),
    sizes: [],
    modes: [],
    body: [{ kind: "store", buffer: "out", index: constant(0), value }],
  };
  const printed = printKernel(kernel);
  expect(printed.split("\n").at(-2)).toBe(`  out[0] = ${text}`);
  expect(parseKernel(printed)).toStrictEqual(kernel);
});

test("a value shared a thousand times over stays small", () => {
  let value: Scalar = a;
  for (let i = 0; i < 200; i++) value = call("mul", value, value);
  const kernel: Kernel = {
    name: "power",
    buffers: [{ name: "out", dtype: "float32", access: "write" }],
    scalars: [{ name: "a", dtype: "float32" }],
    sizes: [],
    modes: [],
    body: [{ kind: "store", buffer: "out", index: constant(0), value }],
  };
  const text = printKernel(kernel);
  expect(text.split("\n")).toHaveLength(6 + 199);
  expect(printKernel(parseKernel(text))).toBe(text);
});
