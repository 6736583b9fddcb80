/** maxUnpool, against pooling: over one, two and three axes, from views, into out; errors. */
import { arange, maxPool1d, maxPool2d, maxPool3d, type Tensor, tensor, zeros } from "stridewise";
import { describe, expect, test } from "vitest";
import { maxUnpool1d, maxUnpool2d, maxUnpool3d } from "./unpool.ts";

const numbers = (t: unknown): number[] => ((t as Tensor).toArray() as unknown[]).flat(9).map(Number);

/** Elements 1, 2, ... in a fixed disorder. */
const mixed = (shape: readonly number[], count: number): Tensor =>
  arange(0, count)
    .mul(7)
    .remainder(count)
    .add(1)
    .reshape(...shape) as Tensor;

describe.each([
  [1, [2, 3, 10], maxPool1d, maxUnpool1d],
  [2, [2, 3, 6, 4], maxPool2d, maxUnpool2d],
  [3, [1, 2, 4, 4, 6], maxPool3d, maxUnpool3d],
] as const)("over %d axes", (_axes, shape, pool, unpool) => {
  const count = shape.reduce((a: number, b: number) => a * b, 1);
  const x = mixed(shape, count);
  const { values, indices } = pool(x, 2, { returnIndices: true });

  test("the largest elements stand where they were, zeros elsewhere", () => {
    const largest = new Set(numbers(values));
    expect(numbers(unpool(values, indices as Tensor, 2))).toEqual(numbers(x).map((n) => (largest.has(n) ? n : 0)));
  });

  test("pooling the unpooled tensor returns the input, from views as well, and with out", () => {
    const back = unpool(values.transpose(0, 1).transpose(0, 1) as Tensor, indices as Tensor, 2);
    expect(numbers(pool(back, 2))).toEqual(numbers(values));
    const out = zeros(shape as readonly number[]) as Tensor;
    expect(unpool(values, indices as Tensor, 2, { out })).toBe(out);
    expect(numbers(out)).toEqual(numbers(back));
  });
});

test("a size that the windows cannot have is refused, and one that they can is taken", () => {
  const [x, indices] = [tensor([[3, 5]]) as Tensor, tensor([[1, 3]], { dtype: "int64" }) as Tensor];
  expect(maxUnpool1d(x, indices, 2, { outputSize: [5] }).shape).toEqual([1, 5]);
  expect(maxUnpool1d(x, indices, 2, { outputSize: [1, 5] }).shape).toEqual([1, 5]);
  expect(() => maxUnpool1d(x, indices, 2, { outputSize: [9] })).toThrow(
    /^maxUnpool1d: axis 0 of outputSize \[9\] must be between 2 and 6/,
  );
});

test("indices outside of the plane, and of a different shape, throw a named error", () => {
  const x = tensor([[3, 5]]) as Tensor;
  expect(() => maxUnpool1d(x, tensor([[1, 4]], { dtype: "int32" }) as Tensor, 2)).toThrow(/^maxUnpool1d: /);
  expect(() => maxUnpool1d(x, tensor([[1]], { dtype: "int32" }) as Tensor, 2)).toThrow(
    /^maxUnpool1d: indices must have the shape of x, \[1, 2\], got \[1, 1\]/,
  );
  expect(() => maxUnpool2d(x, tensor([[1, 3]], { dtype: "int32" }) as Tensor, 2)).toThrow(
    /^maxUnpool2d: expected 3 or 4 axes, got shape \[1, 2\]/,
  );
});
