/** NumPy's names are the ops themselves, and mean what NumPy means. */
import { tensor } from "stridewise";
import { expect, test } from "vitest";
import * as ops from "./index.ts";
import * as names from "./numpy-names.ts";

test("another name is the op itself, and no op has it as its own", () => {
  const own = new Set(Object.values(ops).flatMap((op) => (typeof op === "function" && "operator" in op ? [op] : [])));
  for (const [name, op] of Object.entries(names)) {
    expect(own.has(op as never), name).toBe(true);
    expect(op.operator.name).not.toBe(name);
  }
});

test("names that are easily confused refer to the right op", () => {
  expect([names.degrees, names.radians]).toEqual([ops.rad2deg, ops.deg2rad]);
  const [x, y] = [tensor([-7, 7], { dtype: "int32" }), tensor([3, -3], { dtype: "int32" })];
  // NumPy 1.24.
  expect(names.mod(x, y).toArray()).toEqual([2, -2]);
  expect(names.invert(x).toArray()).toEqual([6, -8]);
  expect(names.invert(tensor([true])).toArray()).toEqual([false]);
  expect(names.rint(tensor([0.5, 1.5, -2.5])).toArray()).toEqual([0, 2, -2]);
  expect(names.around(tensor([1.25, 16]), { decimals: 1 }).toArray()).toEqual([expect.closeTo(1.2, 6), 16]);
  expect(names.expandDims(x, 0).shape).toEqual([1, 2]);
});
