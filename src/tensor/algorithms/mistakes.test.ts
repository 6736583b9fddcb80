/** Arguments that are no tensors, functions or predicates: each algorithm says what it needs, and nothing is written. */
import { expect, test } from "vitest";
import { StridewiseError } from "../../base/errors.ts";
import { _4 } from "../../layout/index.ts";
import { makeIdentityTensor } from "../cute/make-like.ts";
import { makeTensor } from "../cute/make-tensor.ts";
import { installMethods } from "../install.ts";
import type { Tensor } from "../tensor.ts";
import { axpby, copy, copyIf, copyPlan, fill, forEach, gemm, reduce, transform } from "./index.ts";

installMethods();

const four = (): Tensor => makeTensor("float32", _4) as Tensor;
const nothing = undefined as never;

test.each<readonly [string, (t: Tensor) => unknown, string]>([
  ["copy without a destination", (t) => copy(t, nothing), "copy: needs a tensor, got nothing"],
  ["copy of an array", (t) => copy([1, 2, 3, 4] as never, t), "copy: needs a tensor, got [1, 2, 3, 4"],
  ["copyPlan", (t) => copyPlan(t, nothing), "copyPlan: needs a tensor"],
  [
    "copyIf without a predicate",
    (t) => copyIf(nothing, four(), t),
    "the predicate must be a bool tensor or a function",
  ],
  ["copyIf by an array", (t) => copyIf([true] as never, four(), t), "function of the index, got an array"],
  ["copyIf, predicate last", (t) => copyIf(t, t, (() => true) as never), "copyIf: needs a tensor"],
  ["fill", () => fill(nothing, 1), "fill: needs a tensor"],
  ["transform by a number", (t) => transform(t, 5 as never), "transform: needs a function of the elements, got 5"],
  ["transform to nothing", (t) => transform(t, (() => {}) as never), "got undefined. Does the function return"],
  ["forEach without a function", (t) => forEach(t, nothing), "forEach: needs a function"],
  ["axpby", (t) => axpby(1, nothing, 1, t), "axpby: needs a tensor"],
  ["gemm of two", (t) => gemm(t, t, nothing), "gemm: needs a tensor, got nothing"],
  ["reduce", () => reduce(nothing, 0), "reduce: needs a tensor"],
  [
    "a sum of coordinates",
    () => reduce(makeIdentityTensor(4), 0),
    "elements of the type coord, and this needs numbers",
  ],
])("%s", (_name, mistake, message) => {
  const t = four();
  expect(() => mistake(t)).toThrow(StridewiseError);
  expect(() => mistake(t)).toThrow(message);
  expect([t.get(0), t.get(1), t.get(2), t.get(3)]).toEqual([0, 0, 0, 0]);
});
