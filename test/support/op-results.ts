/** Compares results of ops: tensors, lists and objects of them, numbers. */
import { expect } from "vitest";
import { Tensor } from "../../src/index.ts";

/** The tensors in a result. */
export function tensorsIn(result: unknown): Tensor[] {
  if (result instanceof Tensor) return [result];
  if (typeof result !== "object" || result === null) return [];
  return Object.values(result).flatMap(tensorsIn);
}

/** The properties of a result other than its elements. */
export function describeResult(result: unknown): unknown {
  if (result instanceof Tensor) return `${result.dtype} [${result.shape.join(", ")}]`;
  if (Array.isArray(result)) return result.map(describeResult);
  if (typeof result !== "object" || result === null) return typeof result;
  return Object.fromEntries(Object.entries(result).map(([key, value]) => [key, describeResult(value)]));
}

const tolerance: Readonly<Record<string, number>> = {
  float64: 1e-12,
  complex128: 1e-12,
  float16: 2e-3,
  bfloat16: 2e-2,
};

/** Expects two results to have the same elements, up to a few roundings. */
export function expectClose(result: unknown, expected: unknown): void {
  const [got, want] = [tensorsIn(result), tensorsIn(expected)];
  expect(got.length).toBe(want.length);
  if (got.length === 0) expect(result).toEqual(expected);
  got.forEach((t, k) => {
    const other = want[k] as Tensor;
    const near = tolerance[t.dtype] ?? 2e-6;
    const close = t.isclose(other, { rtol: near, atol: near, equalNan: true }).all().item();
    expect(close, `${t} instead of ${other}`).toBe(true);
  });
}
