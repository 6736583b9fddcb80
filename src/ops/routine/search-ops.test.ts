/** Search and membership against counting, and errors. */
import fc from "fast-check";
import { type DType, tensor, zeros } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";
import { arbitraryLined, compare, elementsOf, linesOf } from "../../../test/support/tensor-lines.ts";
import { bucketize, isin, searchsorted } from "./search-ops.ts";
import { sort } from "./sort-ops.ts";

const dtypes: readonly DType[] = ["float32", "float64", "bfloat16", "int64", "int8", "uint8"];

test("searchsorted and bucketize count the boundaries before each value, row by row or in one list", () => {
  fc.assert(
    fc.property(arbitraryLined(dtypes), fc.boolean(), ({ x }, right) => {
      const { values: bounds, indices: sorter } = sort(x);
      const countBefore = (line: readonly number[], value: number): number =>
        line.filter((bound) => (right ? compare(bound, value) <= 0 : compare(bound, value) < 0)).length;
      const lines = linesOf(bounds, x.rank - 1);
      const expected = linesOf(x, x.rank - 1).flatMap((line, r) => line.map((value) => countBefore(lines[r]!, value)));
      const result = searchsorted(bounds, x, { right });
      expect([result.dtype as DType, result.shape]).toEqual(["int32", x.shape]);
      expect(elementsOf(result)).toEqual(expected);
      expect(elementsOf(searchsorted(x, x, { side: right ? "right" : "left", sorter }))).toEqual(expected);
      const list = sort(x.reshape([x.size])).values;
      const inList = elementsOf(x).map((value) => countBefore(elementsOf(list), value));
      expect(elementsOf(bucketize(x, list, { right }))).toEqual(inList);
    }),
    { seed: 41, numRuns: 150 },
  );
});

test("isin asks for each element whether it is among the others; NaN is not", () => {
  fc.assert(
    fc.property(arbitraryLined(dtypes, 0), arbitraryLined(["float32", "int32"], 0), fc.boolean(), (a, b, invert) => {
      const among = new Set(elementsOf(b.x).filter((value) => !Number.isNaN(value)));
      const result = isin(a.x, b.x, { invert });
      expect([result.dtype, result.shape]).toEqual(["bool", a.x.shape]);
      expect(elementsOf(result)).toEqual(elementsOf(a.x).map((value) => Number(among.has(value) !== invert)));
    }),
    { seed: 42, numRuns: 150 },
  );
});

test("one number is searched for as well as a tensor, whole or not", () => {
  const bounds = tensor([1, 2, 3], { dtype: "int64" });
  expect([2, 2.5, 9].map((value) => searchsorted(bounds, value).item())).toEqual([1, 2, 3]);
  expect(bucketize(2.5, bounds).item()).toBe(2);
  expect(isin(bounds, 2).toArray()).toEqual([false, true, false]);
  expect(isin(2.5, bounds).item()).toBe(false);
  expect(searchsorted(zeros([3], { device: "meta" }), zeros([2, 2], { device: "meta" })).shape).toEqual([2, 2]);
});

test("invalid arguments throw", () => {
  const [x, list] = [zeros([2, 3]), tensor([1, 2, 3])];
  expect(
    refusals([
      () => searchsorted(x, zeros([3, 1])),
      () => searchsorted(x, 1),
      () => searchsorted(tensor(1), list),
      () => searchsorted(list, list, { right: true, side: "left" }),
      () => searchsorted(list, list, { side: "up" as never }),
      () => searchsorted(list, list, { sorter: zeros([2], { dtype: "int64" }) }),
      () => searchsorted(list, list, { sorter: zeros([3], { dtype: "float64" }) }),
      () => searchsorted(list, list, { sorter: tensor([0, 1, 3], { dtype: "int64" }) }),
      () => bucketize(list, x),
      () => bucketize(list, list, { side: "right" } as never),
      () => isin(zeros([2], { dtype: "complex64" }), list),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: searchsorted: boundaries must have one axis, or match all axes of the values but the last, got [2, 3] for values [3, 1]
    ShapeError: searchsorted: boundaries must have one axis for a scalar value, got 2
    ShapeError: searchsorted: boundaries must have one axis for a scalar value, got 0
    StridewiseError: searchsorted: side is "left" and right is true. Pass one of them
    StridewiseError: searchsorted: side must be 'left' or 'right', got up
    ShapeError: searchsorted: boundaries and sorter must have the same shape, got [3] and [2]
    DTypeError: searchsorted: sorter must be int32 or int64, as argsort returns it, got float64
    IndexError: searchsorted: sorter index out of range, 3 is not in [0, 2]
    ShapeError: bucketize: boundaries must have one axis, got 2
    StridewiseError: bucketize: there is no option side; the options are right, out.
    DTypeError: isin: not implemented for 'complex64', complex numbers have no order. Use real(x), imag(x) or abs(x)"
  `);
});

test("lists are not tensors, and do not count as one value", () => {
  for (const values of [[1, 2], new Float32Array(2)] as never[]) {
    expect(() => searchsorted(tensor([1, 2]), values)).toThrow("searchsorted: needs a tensor, got ");
    expect(() => bucketize(values, tensor([1, 2]))).toThrow("needs a tensor, got ");
  }
});

test("a number counts as it is, whatever the dtype that it meets", () => {
  const uint64 = tensor([300n, 5n], { dtype: "uint64" });
  expect(isin(uint64, 300).toArray()).toEqual([true, false]);
  expect(searchsorted(uint64.flip(0), -1).item()).toBe(0);
  expect(isin(tensor([true, false]), 2).toArray()).toEqual([false, false]);
  expect(isin(tensor([44, 1], { dtype: "uint8" }), 300).toArray()).toEqual([false, false]);
  expect(isin(tensor([-1, 127], { dtype: "int8" }), -1).toArray()).toEqual([true, false]);
  expect(isin(tensor([9007199254740991n]), 9007199254740991).toArray()).toEqual([true]);
});
