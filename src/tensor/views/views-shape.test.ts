/** flatten and unflatten: the strides that PyTorch gives, axes of size 1 included, and the names that stay. */
import { type Tensor, zeros } from "stridewise";
import { expect, test } from "vitest";

const over = (sizes: number[], strides: number[]): Tensor => zeros([400]).dyn().asStrided(sizes, strides, 0);

test.each([
  [[1, 1], [3, 1], 1, 1],
  [[1, 1, 3], [3, 1, 1], 0, 0],
  [[4, 1, 3, 2], [3, 12, 1, 12], 3, 3],
  [[1, 3], [1, 0], 0, 0],
])("flatten of one axis of %j:%j leaves all strides alone", (sizes, strides, start, end) => {
  const flat = over(sizes, strides).flatten(start, end);
  expect([flat.shape, flat.stride]).toEqual([sizes, strides]);
});

test.each([
  [[2, 3], [1, 2], 0, [2, -1], [1, 6, 2]],
  [[1, 1, 1, 2], [4, 2, 1, 1], 2, [-1], [2, 2, 2, 1]],
  [[2, 4, 1, 4], [1, 2, 8, 8], 0, [1, 1, 2], [2, 2, 1, 2, 32, 8]],
  [[1, 3, 2, 2, 3], [1, 2, 1, 6, 12], 1, [3, 1, 1], [6, 2, 2, 2, 1, 6, 12]],
  [[1, 0, 4, 2, 2], [1, 1, 2, 8, 48], 2, [4, 1], [16, 16, 4, 4, 2, 1]],
])("unflatten of %j:%j has the strides of the view", (sizes, strides, axis, parts, expected) => {
  expect(over(sizes, strides).unflatten(axis, parts).stride).toEqual(expected);
});

test("unflatten of a scalar is refused, it has no axis", () => {
  expect(() => zeros([]).dyn().unflatten(0, [1])).toThrow("unflatten: the tensor has no axes");
});

test("flatten keeps the names of the axes that it leaves alone, even where it copies", () => {
  const t = zeros([2, 3, 4], { names: ["a", "b", "c"] });
  expect(t.flatten(1).names).toEqual(["a", null]);
  expect(t.flatten("a", "b").names).toEqual([null, "c"]);
  expect(t.transpose(1, 2).flatten(1).names).toEqual(["a", null]);
  expect(t.flatten(1, 1).names).toEqual(["a", "b", "c"]);
});
