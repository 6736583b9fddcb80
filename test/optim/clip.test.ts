/** Clipping: norms of all gradients together, factors, errors. */
import { isGradEnabled, type Tensor, tensor } from "stridewise";
import { clipGradNorm_, clipGradValue_ } from "stridewise/optim";
import { expect, test } from "vitest";

function withGradients(...gradients: (number | number[])[]): Tensor[] {
  return gradients.map((gradient) => {
    const t = tensor(gradient, { requiresGrad: true }) as Tensor;
    t.grad = tensor(gradient) as Tensor;
    return t;
  });
}
const gradients = (params: readonly Tensor[]): unknown => params.map((t) => t.grad?.toArray() ?? null);

test("gradients over the norm are scaled by one factor, and the previous norm is returned", () => {
  const params = withGradients([3, 0], 4, [0, 0, 12]);
  const total = clipGradNorm_(params, 6.5);
  expect(total.item()).toBe(13);
  const got = gradients(params) as [number[], number, number[]];
  for (const [value, expected] of [[got[0][0], 1.5], [got[1], 2], [got[2][2], 6]] as const) expect(value).toBeCloseTo(expected, 5); // biome-ignore format: rows
  expect(clipGradNorm_(params, 1).item()).toBeCloseTo(6.5, 5);
  expect(isGradEnabled()).toBe(true);
});

test("an omitted bound is a positional argument", () => {
  const params = withGradients([3, 0]);
  expect(() => clipGradNorm_(params, undefined as never)).toThrow("got nothing. Write clipGradNorm_(params, maxNorm)");
  expect(() => clipGradValue_(params, undefined as never)).toThrow("Write clipGradValue_(params, clipValue)");
});

test("gradients within the norm are unchanged, to the bit", () => {
  const params = withGradients([0.1, 0.2], 0.3);
  const before = gradients(params);
  clipGradNorm_(params, 1);
  expect(gradients(params)).toEqual(before);
});

test.each([
  [1, 10],
  [2, Math.sqrt(38)],
  [3, (27 + 125 + 8) ** (1 / 3)],
  [Number.POSITIVE_INFINITY, 5],
])("the norm of order %s", (normType, expected) => {
  const params = withGradients([-3, 5], 2);
  expect(clipGradNorm_(params, 1, { normType }).item()).toBeCloseTo(expected, 5);
});

test("parameters without gradients are ignored, and one parameter needs no list", () => {
  const [x] = withGradients([3, 4]) as [Tensor];
  const bare = tensor([1], { requiresGrad: true }) as Tensor;
  expect(clipGradNorm_([bare], 1).item()).toBe(0);
  expect(clipGradNorm_([bare, x], 10).item()).toBe(5);
  expect(clipGradNorm_(x, 10).item()).toBe(5);
  expect(bare.grad).toBe(null);
});

test("a norm that is not finite throws if requested, and nothing changes", () => {
  const params = withGradients([1, Number.POSITIVE_INFINITY]);
  expect(() => clipGradNorm_(params, 1, { errorIfNonfinite: true })).toThrow(
    "clipGradNorm_: the total norm of order 2 for gradients is non-finite (Infinity)",
  );
  expect(gradients(params)).toEqual([[1, Number.POSITIVE_INFINITY]]);
  expect(clipGradNorm_(params, 1).item()).toBe(Number.POSITIVE_INFINITY);
  expect(() => clipGradNorm_(params, -1)).toThrow("clipGradNorm_: maxNorm must be a non-negative number, got -1");
  expect(() => clipGradNorm_(params, 1, { normType: Number.NaN })).toThrow(
    "normType must be a number above 0, or Infinity, got NaN",
  );
});

test("values are clipped one by one", () => {
  const params = withGradients([-3, 0.5, 5], 2);
  clipGradValue_(params, 1);
  expect(gradients(params)).toEqual([[-1, 0.5, 1], 1]);
});
