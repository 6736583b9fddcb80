/** ravelMultiIndex: recorded results of NumPy, the inverse of unravelIndex, and errors. */
import fc from "fast-check";
import { arange, type Tensor, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { ravelMultiIndex, unravelIndex } from "./grids.ts";
import { ravel } from "./view-functions.ts";

const ints = (...data: number[]): Tensor => tensor(data, { dtype: "int32" }) as Tensor;

test("coordinates as NumPy numbers them", () => {
  const coords = [ints(3, 6, 6), ints(4, 5, 1)];
  const outside = [ints(-3, 6, 6), ints(4, -5, 1)];
  // NumPy 1.24.
  expect(ravelMultiIndex(coords, [7, 6]).toArray()).toEqual([22, 41, 37]);
  expect(ravelMultiIndex(coords, [7, 6], { order: "F" }).toArray()).toEqual([31, 41, 13]);
  expect(ravelMultiIndex(coords, [4, 6], { mode: "clip" }).toArray()).toEqual([22, 23, 19]);
  expect(ravelMultiIndex(outside, [4, 4], { mode: "clip" }).toArray()).toEqual([3, 12, 13]);
  expect(ravelMultiIndex(outside, [4, 4], { mode: "wrap" }).toArray()).toEqual([4, 11, 9]);
  expect(ravelMultiIndex([ints(1, 2).reshape(2, 1), ints(0, 3)], [4, 4]).toArray()).toEqual([
    [4, 7],
    [8, 11],
  ]);
  expect(ravelMultiIndex([tensor(1n), tensor(2n)], [3, 4]).item()).toBe(6);
});

test("it is the inverse of unravelIndex", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }), (shape) => {
      const all = arange(BigInt(shape.reduce((a, b) => a * b, 1)));
      expect(ravelMultiIndex(unravelIndex(all, shape), shape).toArray()).toEqual(all.toArray());
      const turned = unravelIndex(all, shape).reverse();
      expect(ravelMultiIndex(turned, shape.toReversed(), { order: "F" }).toArray()).toEqual(all.toArray());
    }),
    { seed: 91, numRuns: 40 },
  );
});

test("indices are int32, int64 where coordinates are or where they need to be", () => {
  expect(ravelMultiIndex([ints(2), ints(1)], [2 ** 20, 2 ** 20]).toArray()).toEqual([2 ** 21 + 1]);
  const dtypes = [[ints(1)], [tensor([1n])]].map((coords) => ravelMultiIndex(coords, [3]).dtype);
  expect(dtypes).toEqual(["int32", "int64"]);
  const shapeless = zeros([2], { dtype: "int32", device: "meta" });
  expect(ravelMultiIndex([shapeless, shapeless], [3, 4]).shape).toEqual([2]);
  expect(ravelMultiIndex([zeros([0], { dtype: "int32" })], [0], { mode: "wrap" }).shape).toEqual([0]);
});

test("ravel is flatten", () => {
  expect(ravel(arange(6).reshape(2, 3).transpose(0, 1)).toArray()).toEqual([0, 3, 1, 4, 2, 5]);
  expect(ravel(tensor(3)).shape).toEqual([1]);
});

test("invalid arguments throw", () => {
  const one = ints(1);
  expect(
    refusals([
      () => ravelMultiIndex([ints(-1), one], [4, 4]),
      () => ravelMultiIndex([one, ints(0, 4)], [4, 4]),
      () => ravelMultiIndex([one], [0], { mode: "wrap" }),
      () => ravelMultiIndex([one], [4, 4]),
      () => ravelMultiIndex([tensor([1.5])], [4]),
      () => ravelMultiIndex([], []),
      () => ravelMultiIndex([one], [4], { mode: "mirror" as never }),
      () => ravelMultiIndex([one], [4], { order: "K" as never }),
    ]),
  ).toMatchInlineSnapshot(`
    "IndexError: ravelMultiIndex: index -1 is out of bounds for axis 0 with size 4. Pass mode: "wrap" or "clip"
    IndexError: ravelMultiIndex: index 4 is out of bounds for axis 1 with size 4. Pass mode: "wrap" or "clip"
    IndexError: ravelMultiIndex: index 1 is out of bounds for axis 0 with size 0. Pass mode: "wrap" or "clip"
    ShapeError: ravelMultiIndex: expected a tensor for each axis of [4, 4], got 1
    DTypeError: ravelMultiIndex: coordinates must be integers, got float32
    StridewiseError: ravelMultiIndex: the list of tensors is empty
    StridewiseError: ravelMultiIndex: mode must be "raise", "wrap" or "clip" and order "C" or "F", got ["mirror", "C"]
    StridewiseError: ravelMultiIndex: mode must be "raise", "wrap" or "clip" and order "C" or "F", got ["raise", "K"]"
  `);
});
