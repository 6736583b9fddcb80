/** Linear recurrences and shifts against loops. */
import { describe, expect, test } from "vitest";
import { grad, randn, type Tensor, tensor } from "../../src/index.ts";
import { recurrence, shift } from "../../src/ops/reduce/recurrence.ts";

/** What the recurrence is along axis 1 of a matrix. */
function naive(x: number[][], factors: number[][], isBackwards: boolean): number[][] {
  return x.map((row, r) => {
    const result = row.slice();
    const order = [...row.keys()];
    if (isBackwards) order.reverse();
    order.forEach((i, k) => {
      if (k > 0)
        result[i] = (row[i] as number) + (factors[r]?.[i] as number) * (result[order[k - 1] as number] as number);
    });
    return result;
  });
}

describe("recurrence", () => {
  for (const shape of [[1, 1], [3, 7], [2, 40], [40, 5]] as const) // biome-ignore format: one line
    for (const isBackwards of [false, true])
      test(`of ${shape.join(" x ")}, ${isBackwards ? "backwards" : "forwards"}`, () => {
        for (let round = 0; round < 3; round++) {
          const x = randn([...shape] as number[], { dtype: "float64" }) as Tensor;
          const factors = randn([...shape] as number[], { dtype: "float64" }) as Tensor;
          const expected = naive(x.toArray() as number[][], factors.toArray() as number[][], isBackwards).flat();
          for (const got of [
            recurrence(x, factors, 1, isBackwards),
            recurrence(x.T.contiguous() as Tensor, factors.T as Tensor, 0, isBackwards).T,
          ])
            (got.reshape(-1).toArray() as number[]).forEach((value, k) => {
              expect(value).toBeCloseTo(expected[k] as number, 9);
            });
        }
      });

  test("of complex numbers", () => {
    const i = { re: 0, im: 1 };
    const x = tensor([1, 1, 1, 1], { dtype: "complex128" }) as Tensor;
    const factors = tensor([0, i, i, i], { dtype: "complex128" }) as Tensor;
    expect(recurrence(x, factors, 0, false).toArray()).toEqual([
      { re: 1, im: 0 },
      { re: 1, im: 1 },
      { re: 0, im: 1 },
      { re: 0, im: 0 },
    ]);
  });
});

describe("shift", () => {
  test("moves elements by one, and lets a value in", () => {
    const x = tensor([[1, 2, 3], [4, 5, 6]]) as Tensor; // biome-ignore format: a matrix
    expect(shift(x, 1, 1, 9).toArray()).toEqual([[9, 1, 2], [9, 4, 5]]); // biome-ignore format: a matrix
    expect(shift(x, 0, -1, 0).toArray()).toEqual([[4, 5, 6], [0, 0, 0]]); // biome-ignore format: a matrix
    expect(shift(tensor([7]) as Tensor, 0, 1, 2).toArray()).toEqual([2]);
  });

  test("removed elements have no gradient", () => {
    const x = tensor([1, 2, 3], { dtype: "float64", requiresGrad: true }) as Tensor;
    const weights = tensor([10, 20, 30], { dtype: "float64" }) as Tensor;
    expect(
      grad(
        shift(x, 0, 1, 5)
          .mul(weights as never)
          .sum(),
        x,
      ).toArray(),
    ).toEqual([20, 30, 0]);
  });
});
