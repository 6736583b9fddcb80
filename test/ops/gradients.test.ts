/**
 * First- and second-order gradients of every op agree with finite differences on its samples
 * (`../support/gradient-cases.ts`).
 *
 * An op without a derivative is in `without`, and must throw an error; the list is printed, and an op that has a
 * derivative is not allowed there.
 */
import { describe, expect, test } from "vitest";
import { gradcheck, gradgradcheck } from "../../src/autograd/gradcheck.ts";
import { caseOf, cases, refused, without } from "../support/gradient-cases.ts";

test("the ops without a derivative are known", () => {
  console.log(`without a derivative, ${without.size}: ${[...without].join(" ")}`);
  const all = new Set(cases.map(([name]) => name));
  expect([...without].filter((name) => !all.has(name))).toEqual([]);
});

describe.each(cases.filter(([name]) => without.has(name)))("%s(%s)", (name, sample, op) => {
  test("throws that it has no derivative", () => {
    const { fn, inputs } = caseOf(name, sample, op);
    expect(() => gradcheck(fn, inputs)).toThrow(
      /the derivative (for [\w.]+|of [\w.]+ with respect to \w+) is not implemented/,
    );
  });
});

describe.each(cases.filter(([name]) => !without.has(name)))("%s(%s)", (name, sample, op) => {
  const { fn, inputs } = caseOf(name, sample, op);
  const isRefused = refused.includes(`${name}(${sample})`);
  test("its gradients agree with differences", () => {
    if (isRefused) expect(() => gradcheck(fn, inputs)).toThrow(/[Tt]he derivative of/);
    else expect(gradcheck(fn, inputs)).toBe(true);
  });
  test("and so do second-order gradients", () => {
    if (isRefused) expect(() => gradgradcheck(fn, inputs)).toThrow(/[Tt]he derivative of/);
    else expect(gradgradcheck(fn, inputs)).toBe(true);
  });
});
