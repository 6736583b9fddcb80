/** tensordot over lists of axes and over numbers of them; axes that do not exist, or stand twice, are refused. */
import { arange, einsum, ones, type Tensor, tensordot } from "stridewise";
import { expect, test } from "vitest";

const [x, y] = [arange(24).reshape(2, 3, 4) as Tensor, arange(24).reshape(4, 3, 2) as Tensor];

test("it sums over the given axes, counted from either end", () => {
  const expected = einsum("abc,cbd->ad", x, y).toArray();
  expect(
    tensordot(x, y, [
      [1, 2],
      [1, 0],
    ]).toArray(),
  ).toEqual(expected);
  expect(
    tensordot(x, y, [
      [-1, -2],
      [0, 1],
    ]).toArray(),
  ).toEqual(expected);
  expect(tensordot(x, y, 1).toArray()).toEqual(einsum("abc,cde->abde", x, y).toArray());
  expect(tensordot(x, y, 0).shape).toEqual([2, 3, 4, 4, 3, 2]);
  expect(tensordot(ones([3, 4]), x.permute(1, 2, 0)).toArray()).toEqual(einsum("bc,abc->a", ones([3, 4]), x).toArray());
});

const square = ones([2, 2]) as Tensor;
test.each<[string, () => unknown, string]>([
  [
    "an axis twice in the first",
    () =>
      tensordot(square, square, [
        [0, 0],
        [0, 1],
      ]),
    "tensordot: axis 0 appears twice",
  ],
  [
    "an axis twice in the second",
    () =>
      tensordot(square, square, [
        [0, 1],
        [1, -1],
      ]),
    "tensordot: axis -1 appears twice",
  ],
  ["no such axis in both", () => tensordot(ones([2]), ones([3]), [[5], [7]]), "tensordot: axis 5 is out of range"],
  [
    "more axes than there are",
    () => tensordot(square, square, 3),
    "tensordot: cannot contract 3 axes of [2, 2] and [2, 2]. Pass their number: tensordot(x, other, 1)",
  ],
  [
    "two axes of a vector",
    () => tensordot(ones([2]), square),
    "cannot contract 2 axes of [2] and [2, 2]. Pass their number: tensordot(x, other, 1)",
  ],
  ["sizes that differ", () => tensordot(x, x, 1), "contracted sizes must match, got 4 at axis 2 and 2 at axis 0"],
  [
    "lists of two lengths",
    () => tensordot(x, y, [[1], [1, 0]]),
    "both lists of axes must have the same length, got [1] and [1, 0]",
  ],
])("refused: %s", (_name, call, message) => {
  expect(call).toThrow(message);
});
