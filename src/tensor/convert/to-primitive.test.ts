/** Tensors in the operators of JavaScript: one element is a number, text stays PyTorch's. */
import { complex, DTypeError, IndexError, ones, tensor } from "stridewise";
import { expect, test } from "vitest";

const plus = (a: unknown, b: unknown): unknown => (a as number) + (b as number);

test("one element compares and counts as its number", () => {
  expect(tensor(10) < tensor(9)).toBe(false);
  expect(tensor([[10]]) > tensor([[9]])).toBe(true);
  expect(tensor(9n) < tensor(10n)).toBe(true);
  expect(Number(tensor(2.5))).toBe(2.5);
  expect(Math.max(tensor(3, { dtype: "int32" }) as never, 2)).toBe(3);
  expect(plus(tensor(10), 1)).toBe(11);
});

test("several elements and complex numbers do not convert to a number", () => {
  expect(() => tensor([1, 2]) < tensor([3, 4])).toThrow(IndexError);
  expect(() => Number(tensor([1, 2]))).toThrow(
    "a tensor of shape [2] is not one number. Compare elementwise with lt(), gt() or eq(), or take one element first.",
  );
  expect(() => Number(ones([0]))).toThrow("a tensor of shape [0]");
  const z = complex(tensor(1), tensor(2));
  expect(() => z < complex(tensor(1), tensor(3))).toThrow(DTypeError);
  expect(() => z < complex(tensor(1), tensor(3))).toThrow("complex numbers have no order. Compare abs() or real().");
});

test("text is that of toString", () => {
  for (const t of [tensor(10), tensor([1, 2]), tensor(5n), complex(tensor(1), tensor(2))]) {
    expect(String(t)).toBe(t.toString());
    expect(`${t}`).toBe(t.toString());
  }
  expect(`a: ${tensor([1, 2])}`).toBe("a: tensor([1., 2.])");
  expect(plus(tensor([1, 2]), "")).toBe("tensor([1., 2.])");
  expect(plus(complex(tensor(1), tensor(2)), "")).toBe("tensor(1.+2.j)");
  expect(plus(tensor(10), "")).toBe("10");
});
