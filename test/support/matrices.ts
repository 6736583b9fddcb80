/** Tensors of random matrices for tests of linear algebra, and their comparison. */
import { randn, type Tensor } from "stridewise";
import { expect } from "vitest";
import { isComplex, type Value } from "../../src/storage/dtype.ts";
import { Generator } from "../../src/tensor/create/generator.ts";

/** The dtypes of linear algebra, and the tolerance of results. */
export const floating = [
  ["float32", 2e-4],
  ["float64", 1e-10],
  ["complex64", 2e-4],
  ["complex128", 1e-10],
] as const;

/** Normal numbers, the same for the same seed. */
export const matrices = (
  shape: readonly number[],
  dtype: "float32" | "float64" | "complex64" | "complex128" = "float64",
  seed = 1,
): Tensor => randn([...shape], { dtype, generator: new Generator(seed) }) as Tensor;

const parts = (value: Value): [number, number] => (isComplex(value) ? [value.re, value.im] : [Number(value), 0]);
const flat = (t: Tensor): Value[] =>
  t.size === 0 ? [] : ((t.clone("contiguous") as Tensor).reshape(-1).toArray() as Value[]);

/** Expects the same shape, and elements within `tolerance`, relative to the largest. */
export function expectNear(ours: Tensor, expected: Tensor, tolerance = 1e-10): void {
  expect(ours.shape).toEqual(expected.shape);
  const [a, b] = [flat(ours).map(parts), flat(expected).map(parts)];
  const size = Math.max(1, ...b.map(([re, im]) => Math.hypot(re, im)).filter(Number.isFinite));
  for (const [k, [re, im]] of a.entries()) {
    const [re2, im2] = b[k] as [number, number];
    const isSame = Object.is(re, re2) || re === re2;
    expect(
      isSame && im === im2 ? 0 : Math.hypot(re - re2, im - im2),
      `element ${k}: ${re} ${im} and ${re2} ${im2}`,
    ).toBeLessThanOrEqual(tolerance * size);
  }
}
