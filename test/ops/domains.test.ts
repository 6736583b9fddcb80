/**
 * Settings out of their domain: each line of domains.txt is a call for which PyTorch throws an error. Ours also throws
 * one, which begins with the name of the op.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { StridewiseError } from "../../src/base/errors.ts";
import * as sw from "../../src/index.ts";
import { arange, maskedSelect, ones, type Tensor, tensor, zeros } from "../../src/index.ts";

const operands: Readonly<Record<string, Tensor>> = {
  x: tensor([
    [-1, 0.5, 2],
    [3, -4, 0],
  ]) as Tensor,
  rows: ones([1, 4, 2]) as Tensor,
  odd: ones([1, 2, 3]) as Tensor,
  image: ones([1, 2, 2, 2]) as Tensor,
  volume: ones([1, 2, 1, 2, 2]) as Tensor,
  classes: tensor([0, 2], { dtype: "int64" }) as Tensor,
  signal: arange(0, 12, 1, { dtype: "float32" }).reshape(1, 2, 6) as Tensor,
  kernel1: ones([2, 2, 3]) as Tensor,
  picture: arange(0, 32, 1, { dtype: "float32" }).reshape(1, 2, 4, 4) as Tensor,
  kernel2: ones([2, 2, 2, 2]) as Tensor,
  channels: ones([1, 4, 2, 2]) as Tensor,
  zero2: zeros([2, 2]) as Tensor,
};
const names = Object.keys(sw).filter((name) => /^[A-Za-z]\w*$/.test(name) && name !== "var");
const run = (code: string): unknown =>
  new Function(...names, ...Object.keys(operands), `return ${code};`)(
    ...names.map((name) => (sw as Record<string, unknown>)[name]),
    ...Object.values(operands),
  );

const calls = readFileSync(new URL("domains.txt", import.meta.url), "utf8")
  .trim()
  .split("\n");

test.each(calls)("%s", (code) => {
  let error: unknown;
  try {
    run(code);
  } catch (caught) {
    error = caught;
  }
  expect(error).toBeInstanceOf(StridewiseError);
  expect((error as Error).message).toMatch(new RegExp(`^${code.slice(0, code.indexOf("("))}: .`));
});

test.each([
  "clamp(x, 1, -1)",
  "hardtanh(x, 1, 1)",
  "softshrink(x, 0)",
  "hardshrink(x, -0.1)",
  "celu(x, -1)",
  "rrelu(x, { lower: 0.2, upper: 0.2, training: true })",
  "crossEntropy(x, classes, { labelSmoothing: 1 })",
  "roll(tensor(1), 1)",
  'oneHot(tensor([1], { dtype: "int64" }), -1)',
  'pad(signal, [1, 1], { mode: "reflect", value: 0 })',
  "maskedFill(x, x.gt(0), tensor(1))",
])("%s is at the edge and allowed", (code) => {
  expect(run(code)).toBeInstanceOf(sw.Tensor);
});

test("settings are checked in-place too, and nothing is changed", () => {
  const x = operands["x"]?.clone() as Tensor;
  const before = x.toArray();
  expect(() => x.softshrink_(-1)).toThrow(/^softshrink_: lambd/);
  expect(() => x.hardtanh_(1, -1)).toThrow(/^hardtanh_: min/);
  expect(() => x.maskedFill_(x.gt(0) as never, ones([3]) as never)).toThrow(/^maskedFill_: value/);
  expect(x.toArray()).toEqual(before);
  const out = zeros([1]).expand(5) as Tensor;
  expect(() => maskedSelect(x, x.ne(0) as never, { out: out as never })).toThrow(/more than one element/);
  expect(out.toArray()).toEqual([0, 0, 0, 0, 0]);
});

test("a value of maskedFill may differ between the samples of vmap", () => {
  const fill = sw.vmap((value: Tensor) => zeros([2]).maskedFill(tensor([true, false]) as never, value) as Tensor);
  expect(fill(tensor([1, 2]) as Tensor).toArray()).toEqual([
    [1, 0],
    [2, 0],
  ]);
});
