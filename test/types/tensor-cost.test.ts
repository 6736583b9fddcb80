/**
 * The cost of tensor shapes for the compiler, in instantiations. The counts repeat exactly; the limits have a margin of
 * about a third. The preamble creates tensors and calls methods: its one-time cost is not counted.
 */
import { expect, test } from "vitest";
import { typeCost } from "../support/type-cost.ts";

const preamble = `
import { _, ellipsis, range, type Tensor, tensor, zeros } from "stridewise";
import { add } from "../../../test/types/tensor-functions.ts";
export const first = add(zeros([8, 2]).transpose(0, 1).reshape([4, 4]).at(0, _), zeros([4]));
export const second = tensor([[1, 2], [3, 4]]).slice(0, 0, 1);
declare const four: Tensor<[8, 12, 4, 16], "float32">, some: Tensor, n: number, numbers: number[];
declare const eight: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;`;

const each = (count: number, code: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => code(i)).join("\n");

/** A layer of an attention network: 12 operations on its own shapes. */
const layer = (i: number, name = i): string => `
export function layer${name}(x: Tensor<[${i + 2}, 128, 512], "float32">) {
  const heads = x.reshape([${i + 2}, 128, 8, -1]).transpose(1, 2);
  const keys = heads.mT.unsqueeze(0).squeeze(0);
  const [a, b] = x.split([256, 256], -1);
  const joined = add(a.flatten(0, 1), b.select(0, 0).at(0, _));
  return [keys.permute(0, 2, 1, 3), joined.narrow(0, 0, 64), heads.slice(2, 0, 64)] as const;
}`;

const limits: Readonly<Record<string, readonly [code: string, limit: number]>> = {
  "data in nested arrays": ["export const a = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]]);", 200],
  "400 numbers": [`export const a = tensor([${each(20, (i) => `[${each(20, (j) => `${i * j}, `)}],`)}]);`, 2100],
  "a permutation": ["export const a = four.permute(3, 1, 0, 2);", 1600],
  "a transpose": ["export const a = four.transpose(-1, 1);", 300],
  "a reshape of powers of two": ["export const a = zeros([8, 8, 4, 16]).reshape([64, 64]);", 780],
  "a size that is computed": ["export const a = zeros([7, 13, 11, 3]).reshape([33, -1]);", 5800],
  "a slice": ["export const a = four.slice(1, 2, -3, 2);", 1400],
  "an index of each kind": ["export const a = four.at(3, range(2, 10), null, ellipsis, -1);", 1700],
  "a broadcast": ["export const a = add(four, zeros([12, 1, 16]));", 600],
  "code that knows no shapes": [
    "export const a = some.permute(numbers).reshape([n, -1]).transpose(0, 1).at(n, _).flatten().expand(numbers);",
    2400,
  ],
  "unions of literals as sizes and axes": [
    "export const a = zeros([eight, eight, eight, eight, eight, eight, eight, eight]).transpose(eight, 0).flatten().at(0);",
    1050,
  ],
  "50 layers of one shape": [each(50, (i) => layer(1, i)), 13_500],
  "50 layers of 50 shapes": [each(50, (i) => layer(i)), 196_000],
};

test.each(Object.entries(limits))("%s", { timeout: 60_000 }, async (_name, [code, limit]) => {
  const cost = await typeCost(preamble, code);
  expect(cost).toBeLessThanOrEqual(limit);
  expect(cost).toBeGreaterThan(0);
});
