/** einsum with a subscript that stands twice in one operand: its diagonal, of axes of one size. */
import { arange, einsum, ones, type Tensor } from "stridewise";
import { expect, test } from "vitest";
import { refusals } from "../../../test/support/refusals.ts";

test("a repeated subscript is a diagonal", () => {
  const x = arange(9).reshape(3, 3) as Tensor;
  expect(einsum("ii", x).item()).toBe(12);
  expect(einsum("ii->i", x).toArray()).toEqual([0, 4, 8]);
  expect(einsum("iii->i", arange(8).reshape(2, 2, 2) as Tensor).toArray()).toEqual([0, 7]);
  expect(einsum("ii,i->i", ones([1, 1]), arange(3) as Tensor).toArray()).toEqual([0, 1, 2]);
});

test("a repeated subscript of two sizes is refused, 1 among them", () => {
  expect(
    refusals([
      () => einsum("ii", ones([3, 1])),
      () => einsum("ii->i", ones([1, 3])),
      () => einsum("ii" as string, ones([2, 3], { device: "meta" })),
      () => einsum("iji->j", ones([2, 3, 1])),
      () => einsum("iii->i", ones([3, 3, 1])),
      () => einsum("ij,jj->i", ones([2, 3]), ones([3, 1])),
    ]),
  ).toMatchInlineSnapshot(`
    "ShapeError: einsum: subscript "i" is repeated for operand 0 with the sizes 3 and 1. Use two letters, or axes of one size
    ShapeError: einsum: subscript "i" is repeated for operand 0 with the sizes 1 and 3. Use two letters, or axes of one size
    ShapeError: einsum: subscript "i" is repeated for operand 0 with the sizes 2 and 3. Use two letters, or axes of one size
    ShapeError: einsum: subscript "i" is repeated for operand 0 with the sizes 2 and 1. Use two letters, or axes of one size
    ShapeError: einsum: subscript "i" is repeated for operand 0 with the sizes 1 and 3. Use two letters, or axes of one size
    ShapeError: einsum: subscript "j" is repeated for operand 1 with the sizes 3 and 1. Use two letters, or axes of one size"
  `);
});
