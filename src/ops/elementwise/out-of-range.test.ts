/** Numbers that the integer dtype of a tensor does not hold: comparisons are exact, clamp clips its bounds, arithmetic throws. */

import { type DType, DTypeError, tensor } from "stridewise";
import { expect, test } from "vitest";

const comparisons = {
  eq: (a: number, b: number) => a === b,
  ne: (a: number, b: number) => a !== b,
  lt: (a: number, b: number) => a < b,
  le: (a: number, b: number) => a <= b,
  gt: (a: number, b: number) => a > b,
  ge: (a: number, b: number) => a >= b,
} as const;
const ranges: Readonly<Partial<Record<DType, readonly number[]>>> = {
  uint8: [0, 5, 255],
  int8: [-128, 5, 127],
  uint16: [0, 5, 65535],
  int32: [-(2 ** 31), 5, 16777217, 2 ** 31 - 1],
  uint32: [0, 5, 2 ** 32 - 1],
  int64: [-(2 ** 53), 5, 2 ** 53],
};
const others = [-1, -129, 256, 65536, 5.5, -0.5, 5, 16777216.5, 2 ** 31, 2 ** 32, 2 ** 63, -(2 ** 70), Infinity, NaN];

test.each(Object.entries(ranges))("comparisons of %s with any number are those of numbers", (dtype, values) => {
  const x = tensor(values as number[], { dtype: dtype as DType });
  for (const [name, compare] of Object.entries(comparisons))
    for (const other of others) {
      const op = name as keyof typeof comparisons;
      for (let call = 0; call < 2; call++)
        expect([op, other, x[op](other).toArray()]).toEqual([op, other, values?.map((value) => compare(value, other))]);
    }
});

test("comparisons with a bigint that the dtype does not hold are exact", () => {
  const x = tensor([2n ** 63n - 1n, 0n]);
  expect(x.lt(2n ** 63n).toArray()).toEqual([true, true]);
  expect(x.eq(2n ** 64n).toArray()).toEqual([false, false]);
});

test("clamp clips bounds to the range of the dtype", () => {
  const x = tensor([0, 5, 255], { dtype: "uint8" });
  expect(x.clamp(-1, 10).toArray()).toEqual([0, 5, 10]);
  expect(x.clamp(3, 300).toArray()).toEqual([3, 5, 255]);
  expect(x.clampMin(-7).toArray()).toEqual([0, 5, 255]);
  expect(x.clampMax(Infinity).toArray()).toEqual([0, 5, 255]);
  expect(tensor([-128, 127], { dtype: "int8" }).clamp(-1000, 1000).dtype).toBe("int8");
});

test("arithmetic with a number that the dtype does not hold throws, negative or too large", () => {
  const x = tensor([5], { dtype: "uint8" });
  for (const call of [() => x.add(-1), () => x.mul(-1), () => x.maximum(-1), () => x.add_(-1), () => x.add(300)])
    expect(call).toThrow(DTypeError);
  expect(() => x.add(-1)).toThrow("uint8 does not hold -1");
});
