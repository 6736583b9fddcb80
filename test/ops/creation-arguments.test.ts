/**
 * Every function that creates tensors reports wrong arguments by its own error that begins with its name, for each
 * argument, never by one of JavaScript itself.
 */
import { expect, test } from "vitest";
import * as s from "../../src/index.ts";

/** Valid arguments, the options last. */
const makers: Readonly<Record<string, readonly unknown[]>> = {
  arange: [0, 5, 1, {}],
  empty: [[2], {}],
  emptyLike: [s.ones([2]), {}],
  exponential: [[2], 1, {}],
  eye: [2, 3, {}],
  fromBuffer: [new Float32Array(4), {}],
  fromFunction: [[2], (i: number) => i, {}],
  full: [[2], 1, {}],
  fullLike: [s.ones([2]), 1, {}],
  gamma: [[2], 1, 1, {}],
  geomspace: [1, 10, 3, {}],
  identity: [2, {}],
  linspace: [0, 1, 3, {}],
  logspace: [0, 1, 3, {}],
  ones: [[2], {}],
  onesLike: [s.ones([2]), {}],
  permutation: [3, {}],
  rand: [[2], {}],
  randLike: [s.ones([2]), {}],
  randint: [0, 5, [2], {}],
  randn: [[2], {}],
  randnLike: [s.ones([2]), {}],
  tensor: [[1, 2], {}],
  tri: [3, 3, 1, {}],
  trilIndices: [3, 3, 0, {}],
  triuIndices: [3, 3, 0, {}],
  uniform: [[2], 0, 1, {}],
  zeros: [[2], {}],
  zerosLike: [s.ones([2]), {}],
  ...Object.fromEntries(["bartlett", "hann", "kaiser", "gaussian"].map((name) => [name, [8, {}]])),
};
const wrong = ["x", null, {}, Number.NaN, Symbol("s"), () => 1, -3, 1.5, 1n, true, []] as const;
const options = ["dtype", "device", "names", "format", "memoryFormat", "generator", "base"];

test.each(Object.entries(makers))("%s", (name, good) => {
  const make = ((s as Record<string, unknown>)[name] ?? (s.windows as Record<string, unknown>)[name]) as (
    ...args: unknown[]
  ) => unknown;
  const calls = good.flatMap((_, k) => wrong.map((value) => good.with(k, value)));
  for (const option of options) for (const value of wrong) calls.push(good.with(-1, { [option]: value }));
  const faults: string[] = [];
  for (const args of calls)
    try {
      s.scope(() => {
        make(...args);
      });
    } catch (error) {
      const { message } = error as Error;
      if (!(error instanceof s.StridewiseError) || !message.startsWith(`${name}: `)) faults.push(String(error));
    }
  expect(faults).toEqual([]);
  // Options that are null throw, and are not silently ignored.
  expect(() => make(...good.with(-1, null))).toThrow(s.StridewiseError);
});
