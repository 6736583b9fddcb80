/**
 * Settings of the wrong type throw an error of the library that begins with the op's name, never one of JavaScript
 * itself.
 */
import { expect, test } from "vitest";
import * as s from "../../src/index.ts";

const plane = s.ones([4, 4]);
const image = s.ones([1, 1, 4, 4]);
const ops = s as unknown as Record<string, (...args: unknown[]) => unknown>;

const cases: readonly [name: string, ...args: unknown[]][] = [
  ["dropout", plane, 1n],
  ["dropout", plane, "x"],
  ["diag", plane, 1n],
  ["diag", plane, 0.5],
  ["interpolate", image, { size: null }],
  ["interpolate", image, { size: "x" }],
  ["interpolate", image, { scaleFactor: "x" }],
  ["interpolate", image, { scaleFactor: {} }],
  ["unfold", image, 2, { dilation: "x" }],
  ["unfold", image, { size: 2 }],
  ["stft", s.ones([100]), 10, { window: "x" }],
  ["tripletMarginWithDistanceLoss", plane, plane, plane, { distanceFunction: "x" }],
];

test.for(cases)("%s of %j", ([name, ...args]) => {
  const op = ops[name] ?? (s.fft as unknown as typeof ops)[name];
  expect(() => op?.(...args)).toThrow(s.StridewiseError);
  expect(() => op?.(...args)).toThrow(new RegExp(`^${name}: `));
});

test("a window of cosines needs its weights", () => {
  expect(() => s.windows.generalCosine(8, undefined as never)).toThrow(
    "generalCosine: takes a list of coefficients, [0.54, 0.46], got undefined",
  );
});
