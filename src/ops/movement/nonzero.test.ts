/** Positions, masks, diagonals, lookups and copies of parts, against their definitions. */
import { arange, empty, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { dice } from "../../../test/support/operands.ts";
import { coordsOf, elementAt, elementsIn, everySize, stridedTensor } from "../../../test/support/strided-tensors.ts";
import { ShapeError, StridewiseError } from "../../base/errors.ts";
import { DTypeError } from "../../storage/dtype.ts";
import { DispatchError } from "../../tensor/dispatch/operator.ts";
import { diag, diagEmbed, diagflat, trace, tril, tril_, triu, triu_ } from "./diagonals.ts";
import { embedding, oneHot, vander } from "./lookup.ts";
import { maskedScatter, maskedScatter_, maskedSelect } from "./masked-select.ts";
import { argwhere, nonzero, nonzeroStatic } from "./nonzero.ts";
import { asStridedScatter, diagonalScatter, selectScatter, sliceScatter } from "./part-scatter.ts";
import { moveaxis, reshapeAs, sumToSize, swapaxes, viewAs } from "./view-functions.ts";

describe.each(everySize)("%s", (dtype) => {
  const roll = dice(dtype.length);
  const x = stridedTensor(roll, [3, 4], dtype);
  const isSet = ([i, j]: number[]): boolean => ((i as number) * 3 + (j as number)) % 2 === 0;
  const mask = tensor([0, 1, 2].map((i) => [0, 1, 2, 3].map((j) => isSet([i, j])))) as Tensor;

  test("nonzero returns the coordinates of nonzero elements, in row-major order", () => {
    const coords = coordsOf([3, 4]).filter((coord) => {
      const value = elementAt(x, coord);
      return typeof value === "object" ? (value as { re: number }).re !== 0 : Boolean(value);
    });
    expect(nonzero(x).toArray()).toEqual(coords);
    expect(argwhere(x).dtype).toBe("int32");
    expect(nonzero(x, { asTuple: true }).map(elementsIn)).toEqual([coords.map(([i]) => i), coords.map(([, j]) => j)]);
  });

  test("maskedSelect reads and maskedScatter writes where the mask is true", () => {
    const chosen = coordsOf([3, 4]).filter(isSet);
    expect(elementsIn(maskedSelect(x, mask))).toEqual(chosen.map((coord) => elementAt(x, coord)));
    const source = stridedTensor(roll, [12], dtype);
    const result = maskedScatter(x, mask, source);
    let next = 0;
    for (const coord of coordsOf([3, 4]))
      expect(elementAt(result, coord)).toEqual(isSet(coord) ? elementAt(source, [next++]) : elementAt(x, coord));
  });

  test("triangles keep one half", () => {
    const zero = elementsIn(zeros([1], { dtype }))[0];
    for (const k of [-2, 0, 1])
      for (const [i, j] of coordsOf([3, 4]) as [number, number][]) {
        expect(triu(x, k).get(i, j)).toEqual(j - i >= k ? x.get(i, j) : zero);
        expect(tril(x, k).get(i, j)).toEqual(j - i <= k ? x.get(i, j) : zero);
      }
  });

  test("diagonals are read and put where they belong", () => {
    expect(elementsIn(diag(x, 1))).toEqual([0, 1, 2].map((i) => x.get(i, i + 1)));
    for (const offset of [-1, 0, 2])
      expect(elementsIn(diagEmbed(x, offset).diagonal(offset, -2, -1))).toEqual(elementsIn(x));
    expect(elementsIn(diag(diagflat(x, 1), 1))).toEqual(elementsIn(x));
    const other = stridedTensor(roll, [3], dtype);
    expect(elementsIn(diagonalScatter(x, other, 1).diagonal(1))).toEqual(elementsIn(other));
  });

  test("parts are replaced, and the rest stays", () => {
    const row = stridedTensor(roll, [4], dtype);
    expect(elementsIn(selectScatter(x, row, 0, -1).select(0, 2))).toEqual(elementsIn(row));
    const part = stridedTensor(roll, [3, 2], dtype);
    const result = sliceScatter(x, part, 1, 0, null, 2);
    for (const [i, j] of coordsOf([3, 4]) as [number, number][])
      expect(result.get(i, j)).toEqual(j % 2 === 0 ? part.get(i, j / 2) : x.get(i, j));
    expect(elementsIn(asStridedScatter(x, row, [4], [2], 1).reshape(-1).slice(0, 1, 8, 2))).toEqual(elementsIn(row));
  });

  test("embedding has the row of each index", () => {
    const index = tensor([2, 0, 1, 2], { dtype: "int64" }).reshape(2, 2) as Tensor;
    const rows = embedding(index, x);
    for (const [a, b, j] of coordsOf([2, 2, 4]) as [number, number, number][])
      expect(rows.get(a, b, j)).toEqual(x.get(index.get(a, b) as number, j));
  });
});

test("oneHot, vander, trace, sumToSize", () => {
  expect(oneHot(tensor([1n, 0n])).toArray()).toEqual([
    [0, 1],
    [1, 0],
  ]);
  expect(oneHot(tensor([1n]), 3).dtype).toBe("int64");
  expect(vander(tensor([2, 3]), 3).toArray()).toEqual([
    [4, 2, 1],
    [9, 3, 1],
  ]);
  expect(vander(tensor([2n]), 3, { increasing: true }).toArray()).toEqual([[1, 2, 4]]);
  const x = arange(6).reshape(2, 3) as Tensor;
  expect(trace(x).item()).toBe(4);
  expect(sumToSize(x, 1, 3).toArray()).toEqual([[3, 5, 7]]);
  expect(sumToSize(x, []).item()).toBe(15);
});

test("shapes and axes of others", () => {
  const x = arange(6).reshape(2, 3) as Tensor;
  expect(viewAs(x, zeros([3, 2])).shape).toEqual([3, 2]);
  expect(elementsIn(reshapeAs(x.T as Tensor, zeros([6])))).toEqual([0, 3, 1, 4, 2, 5]);
  expect(swapaxes(x, 0, 1).shape).toEqual([3, 2]);
  expect(moveaxis(zeros([2, 3, 4]), 0, 2).shape).toEqual([3, 4, 2]);
});

test("masks are broadcast, and in place the tensor itself is written", () => {
  expect(maskedSelect(tensor([1, 2]), tensor([[true], [false]])).toArray()).toEqual([1, 2]);
  const x = zeros([2, 2]);
  maskedScatter_(x.T as Tensor, tensor([true, false]), tensor([1, 2]));
  expect(elementsIn(x)).toEqual([1, 2, 0, 0]);
});

test("triangles in place are written through a view, once", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const before = x.version;
  triu_(x.T as Tensor);
  expect(elementsIn(x)).toEqual([1, 0, 3, 4]);
  expect(x.version).toBe(before + 1);
  tril_(x, -1);
  expect(elementsIn(x)).toEqual([0, 0, 3, 0]);
});

test("nonzeroStatic has exactly the given number of rows", () => {
  const x = tensor([0, 5, 0, 6]);
  expect(elementsIn(nonzeroStatic(x, { size: 3 }))).toEqual([1, 3, -1]);
  expect(elementsIn(nonzeroStatic(x, { size: 1, fillValue: 9 }))).toEqual([1]);
});

test("the meta device has shapes where they do not depend on values, and says so where they do", () => {
  const m = empty([2, 3], { device: "meta" });
  expect(
    [triu(m), diag(m), diagEmbed(m), embedding(empty([5], { device: "meta", dtype: "int64" }), m)].map((t) => t.shape),
  ).toEqual([[2, 3], [2], [2, 3, 3], [5, 3]]);
  expect(oneHot(empty([2], { device: "meta", dtype: "int64" }), 4).shape).toEqual([2, 4]);
  expect(() => nonzero(m)).toThrow(DispatchError);
  expect(() => maskedSelect(m, m)).toThrow(/the shape depends on the elements, which meta tensors do not have/);
});

describe("refused", () => {
  const m = zeros([2, 3]);
  const cases: readonly (readonly [string, () => unknown, new (...args: never[]) => Error, RegExp])[] = [
    [
      "a mask of numbers",
      () => maskedScatter(m, m, m),
      DTypeError,
      /the mask must be bool, got float32\. Create one by a comparison: x\.gt\(0\)/,
    ],
    [
      "too few elements",
      () => maskedScatter_(m, m.eq(0) as Tensor, tensor([1])),
      ShapeError,
      /source has 1 elements for 6 true elements of the mask/,
    ],
    ["a triangle of a list", () => tril(tensor([1])), ShapeError, /expected at least 2 axes, got \[1\]/],
    ["a diagonal of a scalar", () => diag(tensor(1)), ShapeError, /expected 1 or 2 axes, got 0/],
    ["one axis for both", () => diagEmbed(m, 0, 1, 1), ShapeError, /axis1 and axis2 must differ, got 1 and 1/],
    [
      "a part of a different shape",
      () => selectScatter(m, zeros([2]), 0, 0),
      ShapeError,
      /src must have shape \[3\], got \[2\]/,
    ],
    [
      "a table that is none",
      () => embedding(tensor([0n]), tensor([1])),
      ShapeError,
      /weight must have 2 axes, got shape \[1\]/,
    ],
    ["a row past the end", () => embedding(tensor([2n]), m), StridewiseError, /index 2 is out of bounds for size 2/],
    [
      "a class that is too large",
      () => oneHot(tensor([3n]), 3),
      StridewiseError,
      /class indices must be smaller than numClasses 3, got 3/,
    ],
    ["a trace of a list", () => trace(tensor([1])), ShapeError, /expected 2 axes, got 1/],
    [
      "a sum to a different shape",
      () => sumToSize(m, [4]),
      ShapeError,
      /\[4\] does not expand to \[2, 3\]\. Sizes must be those of the tensor, or 1/,
    ],
  ];
  test.each(cases)("%s", (_what, run, kind, text) => {
    expect(run).toThrow(kind);
    expect(run).toThrow(text);
  });
  test("and nothing was written", () => {
    expect(elementsIn(m)).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

test("maskedSelect refuses a result that is not a tensor", () => {
  const call = (): unknown => maskedSelect(tensor([1, 2]), tensor([true, false]), { out: 5 as never });
  expect(call).toThrow("maskedSelect: needs a tensor, got 5. Create one: tensor(...)");
});
