/**
 * The cost of layouts for the compiler, in instantiations. The counts repeat exactly; the limits have a margin of about
 * a third. The first calls are in the preamble: their one-time cost is not counted.
 */
import { expect, test } from "vitest";
import { typeCost } from "../support/type-cost.ts";

const preamble = `
import { _, type Layout, flatten, makeLayout, modeOf, rank, size, slice, take, zippedDivide } from "stridewise/layout";
export const first = makeLayout([8, 2], "right"), second = makeLayout([8, 2], [1, 2]), third = makeLayout([8, 2]);
export const count: 16 = size([8, 2]);
export const others = [slice([_, 1], first), take(first, 0, 1), modeOf(first, 0), rank(flatten(first))];
declare const four: Layout<readonly [8, 8, 4, 16], readonly [1, 8, 64, 256]>;
declare const numbers: number[], some: Layout;`;

const each = (count: number, code: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => code(i)).join("\n");
const power = (i: number, digit: number): number => 2 ** (Math.floor(i / 6 ** digit) % 6);

const limits: Readonly<Record<string, readonly [code: string, limit: number]>> = {
  "size of powers of two": ["export const a: 4096 = size([8, 8, 4, 16]);", 400],
  "size of other numbers": ["export const a: 3003 = size([7, 13, 11, 3]);", 2200],
  "column-major strides of powers of two": ["export const l = makeLayout([8, 8, 4, 16]);", 550],
  "row-major strides of powers of two": ["export const l = makeLayout([8, 8, 4, 16], 'right');", 550],
  "strides of other numbers": ["export const l = makeLayout([7, 13, 11, 3]);", 2300],
  "given strides": ["export const l = makeLayout([8, [8, 4], 16], [1, [8, 64], 2]);", 220],
  "a slice": ["export const s = slice([_, 2, _, 3], four);", 550],
  "a range of modes": ["export const s = take(four, 1, 3);", 620],
  "a mode": ["export const s = modeOf(four, 1);", 240],
  "code that knows no shapes": [
    "export const s = size(makeLayout(numbers)) + rank(flatten(zippedDivide(some, 4)));",
    1000,
  ],
  "200 distinct layouts of powers of two": [
    each(
      200,
      (i) =>
        `export const l${i} = makeLayout([${power(i, 0)}, ${power(i, 1)}, ${power(i, 2)}, 4]), s${i} = size(l${i});`,
    ),
    90_000,
  ],
  "200 distinct layouts of other numbers": [
    each(
      200,
      (i) => `export const l${i} = makeLayout([${2 ** (i % 8)}, ${2 + (i >> 3)}, ${i + 1}, 4]), s${i} = size(l${i});`,
    ),
    450_000,
  ],
};

test.each(Object.entries(limits))("%s", { timeout: 60_000 }, async (_name, [code, limit]) => {
  const cost = await typeCost(preamble, code);
  expect(cost).toBeLessThanOrEqual(limit);
  expect(cost).toBeGreaterThan(0);
});
