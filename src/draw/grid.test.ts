/** Headers of nested modes: their labels are coordinates, and blocks break where an outer coordinate changes. */
import { expect, test } from "vitest";
import { type IntTuple, idx2crd, leaves, type Nested } from "../layout/index.ts";
import { axisOf, bareAxis, runs } from "./grid.ts";

test.each([[[4]], [[2, 3]], [[2, 2, 3]], [[3, 2, 2, 2]]])(
  "the labels over place i are its coordinate in %j",
  (sizes) => {
    const axis = axisOf(sizes);
    expect(axis.levels).toHaveLength(sizes.length);
    for (let i = 0; i < axis.length; i++) {
      const labels = axis.levels.map((level) => level.find((s) => s.from <= i && i < s.from + s.length)?.label);
      const coord = leaves(idx2crd(i, sizes as IntTuple) as Nested<unknown>);
      expect(labels.reverse().map(Number)).toEqual(coord.map(Number));
    }
  },
);

test("breaks count the outer levels that start again", () => {
  expect(axisOf([2, 2, 2]).breaks).toEqual([0, 0, 1, 0, 2, 0, 1, 0]);
  expect(axisOf([4]).breaks).toEqual([0, 0, 0, 0]);
});

test("leaves of size 1 get no level, unless there is no other", () => {
  expect(axisOf([1, 3, 1]).levels).toHaveLength(1);
  expect(axisOf([1]).levels).toEqual([[{ from: 0, length: 1, label: "0" }]]);
  expect(axisOf([0, 4]).length).toBe(0);
});

test("runs gather equal neighbors", () => {
  expect(runs([0, 0, 1, 0])).toEqual([
    { from: 0, length: 2, label: "0" },
    { from: 2, length: 1, label: "1" },
    { from: 3, length: 1, label: "0" },
  ]);
});

test("invalid sizes throw a named error, never a RangeError", () => {
  for (const odd of [-1, 0.5, NaN, Number.POSITIVE_INFINITY])
    for (const make of [() => axisOf([odd]), () => axisOf([2, odd, 0]), () => bareAxis(odd)])
      expect(make).toThrow(`axis: ${odd} is not a size; sizes are non-negative integers`);
  for (const make of [() => axisOf([2 ** 20, 2 ** 20]), () => bareAxis(2 ** 40)])
    expect(make).toThrow("axis: the length 1099511627776 exceeds the limit of 16777216");
});
