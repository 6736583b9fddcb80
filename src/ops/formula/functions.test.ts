/** Composite functions of formulas at values where a simpler definition would be wrong. */
import { complex, elementwise, tensor } from "stridewise";
import { expect, test } from "vitest";

test("isnan, isinf and isfinite check both parts of a complex number, whatever its absolute value", () => {
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  // The length of the first is past the largest float32.
  const x = tensor([complex(3e38, 3e38), complex(inf, nan), complex(0, -inf), complex(nan, 1)]);
  expect(elementwise("isinf(x)", { x }).toArray()).toEqual([false, true, true, false]);
  expect(elementwise("isfinite(x)", { x }).toArray()).toEqual([true, false, false, false]);
  expect(elementwise("isnan(x)", { x }).toArray()).toEqual([false, true, false, true]);
});

test("isnan, isinf and isfinite of floats and integers", () => {
  const { NaN: nan, POSITIVE_INFINITY: inf, MAX_VALUE: max } = Number;
  const x = tensor([1, nan, inf, -inf, -0, max], { dtype: "float64" });
  expect(elementwise("isinf(x)", { x }).toArray()).toEqual([false, false, true, true, false, false]);
  expect(elementwise("isfinite(x)", { x }).toArray()).toEqual([true, false, false, false, true, true]);
  expect(elementwise("isnan(x)", { x }).toArray()).toEqual([false, true, false, false, false, false]);
  const counts = tensor([7n]);
  expect(elementwise("isfinite(counts) & ~isinf(counts)", { counts }).toArray()).toEqual([true]);
});
