/**
 * When a map runs in steps and when it becomes a program; that both compute the same bits is a law
 * (`test/laws/steps.test.ts`).
 */
import { afterEach, expect, test } from "vitest";
import {
  configuration,
  configure,
  elementwise,
  type FormulaOperands,
  full,
  kernelStatistics,
  ones,
  type Tensor,
  tensor,
  type UserKernel,
} from "../../src/index.ts";
import { copying } from "../../src/kernel/program/lower-copied.ts";
import { stepping } from "../../src/kernel/program/lower-dense.ts";

const compiledBy = (work: () => void): number => {
  const { compiled } = kernelStatistics();
  work();
  return kernelStatistics().compiled - compiled;
};

/** Formulas that differ in one number have been used; the given one has not. */
function afterOthers(formula: string, operands: FormulaOperands): string {
  for (const number of ["101", "102", "103", "104"]) elementwise(formula.replace("#", number), operands);
  return formula.replace("#", "7");
}

const usual = { ...stepping };
afterEach(() => {
  Object.assign(stepping, usual);
});

test("a formula of known functions is not compiled", () => {
  const x = tensor([0.5, 1, 2]);
  const y = tensor([1, 2, 3]);
  const formula = afterOthers("cos(x) * expm1(y) - #", { x, y });
  const results: Tensor[] = [];
  expect(compiledBy(() => results.push(elementwise(formula, { x, y }) as Tensor))).toBe(0);
  expect((results[0] as Tensor).toArray()).toEqual([
    expect.closeTo(Math.cos(0.5) * Math.expm1(1) - 7, 5),
    expect.closeTo(Math.cos(1) * Math.expm1(2) - 7, 5),
    expect.closeTo(Math.cos(2) * Math.expm1(3) - 7, 5),
  ]);
});

test("new functions are compiled together, in one kernel", () => {
  stepping.sharing = Infinity;
  const x = ones([4]);
  expect(compiledBy(() => elementwise("asinh(x) + acosh(x) * 3", { x }))).toBe(1);
  expect(compiledBy(() => elementwise("asinh(x) + acosh(x) * 3", { x }))).toBe(0);
});

test("a map that is called often becomes a program, with the same results", () => {
  const x = tensor([0.25, 0.5]);
  const often = elementwise(afterOthers("cos(x) * # - expm1(x)", { x })) as UserKernel;
  const first = often({ x }).toArray();
  expect(compiledBy(() => often({ x }))).toBe(0);
  const compiled = compiledBy(() => {
    for (let k = 0; k < stepping.calls + 5; k++) expect(often({ x }).toArray()).toEqual(first);
  });
  expect(compiled).toBe(1);
});

test("a map of many elements becomes a program: in one call, or in several", () => {
  const formula = afterOthers("cos(x) - # * expm1(x)", { x: ones([3]) });
  const large = ones([stepping.elements + 1]);
  expect(compiledBy(() => elementwise(formula, { x: large }))).toBe(1);
  const quarter = ones([stepping.total / 4]);
  const several = elementwise(`${formula} + expm1(x)`) as UserKernel;
  afterOthers("# - cos(x) + expm1(x)", { x: ones([3]) });
  for (let k = 0; k < 4; k++) expect(compiledBy(() => several({ x: quarter }))).toBe(0);
  expect(compiledBy(() => several({ x: quarter }))).toBe(1);
});

test("elements pass all steps in chunks; numbers and tensors of one element are not divided", () => {
  stepping.chunk = 7;
  const operands = { x: tensor(Array.from({ length: 50 }, (_, k) => k / 50)), s: full([], 2), a: 3 };
  const formula = afterOthers("cos(x) * s - expm1(x) * a + #", operands);
  const results: Tensor[] = [];
  expect(compiledBy(() => results.push(elementwise(formula, operands) as Tensor))).toBe(0);
  stepping.elements = 0;
  expect(compiledBy(() => results.push(elementwise(formula, operands) as Tensor))).toBe(1);
  expect((results[0] as Tensor).toArray()).toEqual((results[1] as Tensor).toArray());
});

test("an output may be an operand", () => {
  const x = tensor([1, 2, 3]);
  const formula = afterOthers("cos(x) * 0 + x * # - cos(x) * 0", { x });
  expect(compiledBy(() => elementwise(formula, { x }, { out: x }))).toBe(0);
  expect(x.toArray()).toEqual([7, 14, 21]);
});

test("with relaxed SIMD products and sums may be rounded once, so there are no steps", () => {
  const before = configuration();
  configure({ relaxedSimd: true });
  try {
    const x = ones([3]);
    const formula = afterOthers("cos(x) * # - expm1(x) * 5", { x });
    expect(compiledBy(() => elementwise(formula, { x }))).toBe(configuration().relaxedSimd ? 1 : 0);
  } finally {
    configure(before);
  }
});

test("strided operands of a map that has a program are copied to it, until there have been many", () => {
  const x = tensor([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  const y = ones([3, 2]);
  const sum = elementwise("x - 3 * y") as UserKernel;
  for (let k = 0; k < stepping.calls + 1; k++) sum({ x, y: ones([2, 3]) });
  // The required copies are compiled once for all maps.
  elementwise("x + y - y", { x: x.T, y });
  for (let k = 0; k < 3; k++) x.T.clone();
  const counts = [0, 1, 2].map(() => compiledBy(() => sum({ x: x.T, y })));
  expect(counts.slice(1)).toEqual([0, 0]);
  expect(sum({ x: x.T, y }).toArray()).toEqual([
    [-2, 1],
    [-1, 2],
    [0, 3],
  ]);
  const later = compiledBy(() => {
    for (let k = 0; k < copying.calls; k++) sum({ x: x.T, y });
  });
  expect(later).toBe(1);
});
