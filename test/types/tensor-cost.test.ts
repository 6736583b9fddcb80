/**
 * What tensor shapes cost the compiler, in instantiations. The counts repeat exactly; the limits leave about a third of room.
 * The preamble makes a tensor and calls a method: what that costs once is not counted again.
 */
import { expect, test } from "vitest";
import { typeCost } from "../support/type-cost.ts";

const preamble = `
import { _ } from "stridewise/layout";
import { ellipsis, range } from "../../../src/tensor/indexing.ts";
import type { Tensor } from "../../../src/tensor/tensor.ts";
import { add, tensor, zeros } from "../../../test/types/tensor-functions.ts";
// Sources may ask for timers that only Node has.
declare global { function setImmediate(callback: () => void): unknown; }
export const first = add(zeros([8, 2]).transpose(0, 1).reshape([4, 4]).at(0, _), zeros([4]));
declare const four: Tensor<[8, 12, 4, 16], "float32", "none">, some: Tensor, n: number, numbers: number[];
declare const eight: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;`;

const each = (count: number, code: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => code(i)).join("\n");

/** A layer of an attention network: 12 operations on shapes of its own. */
const layer = (i: number): string => `
export function layer${i}(x: Tensor<[${i + 2}, 128, 512], "float32", "none">) {
  const heads = x.reshape([${i + 2}, 128, 8, -1]).transpose(1, 2);
  const keys = heads.mT.unsqueeze(0).squeeze(0);
  const [a, b] = x.split([256, 256], -1);
  const joined = add(a.flatten(0, 1), b.select(0, 0).at(0, _));
  return [keys.permute(0, 2, 1, 3), joined.narrow(0, 0, 64), heads.slice(2, 0, 64)] as const;
}`;

let serial = 0;
const limits: Readonly<Record<string, readonly [code: string, limit: number]>> = {
  "data in nested arrays": ["export const a = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);", 0],
  "400 numbers": [`export const a = tensor([${each(20, (i) => `[${each(20, (j) => `${i * j}, `)}],`)}]);`, 0],
  "a permutation": ["export const a = four.permute(3, 1, 0, 2);", 0],
  "a transpose": ["export const a = four.transpose(-1, 1);", 0],
  "a movedim": ["export const a = four.movedim([0, 1], [-1, 0]);", 0],
  "a reshape of powers of two": ["export const a = zeros([8, 8, 4, 16]).reshape([64, 64]);", 0],
  "a reshape of other numbers": ["export const a = zeros([7, 13, 11, 3]).reshape([91, 33]);", 0],
  "a size that is computed": ["export const a = zeros([7, 13, 11, 3]).reshape([33, -1]);", 0],
  "a flatten": ["export const a = four.flatten(1);", 0],
  "a select": ["export const a = four.select(2, 3);", 0],
  "a slice": ["export const a = four.slice(1, 2, -3, 2);", 0],
  "an index of each kind": ["export const a = four.at(3, range(2, 10), null, ellipsis, -1);", 0],
  "a broadcast": ["export const a = add(four, zeros([12, 1, 16]));", 0],
  "a fault": ["// @ts-expect-error: rank 4\nexport const a = four.permute(3, 1, 0, 4);", 0],
  "code that knows no shapes": [
    "export const a = some.permute(numbers).reshape([n, -1]).transpose(0, 1).at(n, _).flatten().expand(numbers);",
    0,
  ],
  "unions of literals as sizes and axes": [
    "export const a = zeros([eight, eight, eight, eight, eight, eight, eight, eight]).transpose(eight, 0).flatten().at(0);",
    0,
  ],
  "50 layers of one shape": [each(50, () => layer(1)).replace(/layer1/g, () => `layer${serial++}`), 0],
  "50 layers of 50 shapes": [each(50, layer), 0],
};


test.each(Object.entries(limits))("%s", { timeout: 60_000 }, async (_name, [code, limit]) => {
  const cost = await typeCost(preamble, code);
  expect(cost).toBeLessThanOrEqual(limit);
  expect(cost).toBeGreaterThan(0);
});
