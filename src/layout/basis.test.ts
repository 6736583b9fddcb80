/** Sums of basis elements are coordinates: the same as evaluating a layout with those strides. */
import { coordAt, E, makeLayout } from "stridewise/layout";
import { addBasis, scaleBasis } from "stridewise/tuple";
import { expect, test } from "vitest";

test("3 * E(0) + 7 * E(1) is the coordinate (3, 7), in any order", () => {
  expect(addBasis(scaleBasis(3, E(0)), scaleBasis(7, E(1)))).toEqual([3, 7]);
  expect(addBasis(scaleBasis(7, E(1)), scaleBasis(3, E(0)))).toEqual([3, 7]);
});

test("sums take nested paths, coordinates and integers", () => {
  expect(addBasis(scaleBasis(2, E(1, 0)), scaleBasis(5, E(1, 1)), [1, [10, 20]])).toEqual([1, [12, 25]]);
  expect(addBasis(scaleBasis(2, E(1)), 4)).toEqual([4, 2]);
  expect(String(scaleBasis(6, E(1, 0)))).toBe("6@0@1");
});

test("a layout with basis strides evaluates to the sum of its scaled strides", () => {
  const [a, b] = [scaleBasis(2, E(0)), scaleBasis(3, E(1))];
  const layout = makeLayout([4, 5], [a, b]);
  for (let i = 0; i < 4; i++)
    for (let j = 0; j < 5; j++) expect(coordAt(layout, [i, j])).toEqual(addBasis(scaleBasis(i, a), scaleBasis(j, b)));
});
