/**
 * Compares gradients with finite differences: of weighted sums of a function's results, and of weighted sums of its
 * gradients.
 */
import { expect } from "vitest";
import { cos, enableGrad, grad, randn, type Tensor, zeros } from "../../src/index.ts";

/** A leaf of normal numbers, float64 by default. */
export const leaf = (shape: readonly number[], dtype: "float64" | "complex128" = "float64"): Tensor =>
  randn(shape as number[], { dtype, requiresGrad: true }) as unknown as Tensor;

/** Distinct factors that are not small. */
const factorsOf = (y: Tensor): Tensor => {
  const t = zeros(y.shape, { dtype: y.dtype }) as Tensor;
  const flat = t.view(-1);
  for (let k = 0; k < t.size; k++)
    flat.set(k, y.dtype === "complex128" ? ({ re: Math.sin(k + 1), im: Math.cos(3 * k) } as never) : Math.sin(k + 1));
  return t;
};

/** The real part of the sum of the products with fixed factors. */
export function weighted(y: Tensor): Tensor {
  const product = y.mul(factorsOf(y) as never) as Tensor;
  return (product.dtype === "complex128" ? (product.sum() as Tensor).real : product.sum()) as Tensor;
}

/** The leaves as real numbers, which are perturbed one by one. */
const reals = (x: Tensor): Tensor =>
  (x.dtype === "complex128" ? (x.data as Tensor).viewAsReal() : (x.data as Tensor)).reshape(-1) as Tensor;

function compare(f: () => Tensor, leaves: readonly Tensor[], what: string): void {
  const gradients = grad(f(), leaves as Tensor[], { allowUnused: true }) as (Tensor | null)[];
  leaves.forEach((x, k) => {
    const elements = reals(x);
    const gradient = gradients[k] == null ? null : reals(gradients[k] as Tensor);
    if (gradients[k] != null) expect((gradients[k] as Tensor).dtype).toBe(x.dtype);
    // Some of the elements, the first and the last among them.
    const step = Math.max(1, Math.floor(elements.size / 4));
    for (
      let at = 0;
      at < elements.size;
      at = at + step < elements.size ? at + step : Math.max(at + 1, elements.size - 1)
    ) {
      const value = Number(elements.get(at));
      const near = 1e-5;
      const moved = (to: number): number => {
        elements.set(at, to);
        return Number(f().item());
      };
      const slope = (moved(value + near) - moved(value - near)) / (2 * near);
      elements.set(at, value);
      const actual = gradient === null ? 0 : Number(gradient.get(at));
      if (!(Math.abs(actual - slope) <= 1e-5 * (1 + Math.abs(slope))))
        expect(actual, `${what}, leaf ${k}, element ${at}`).toBeCloseTo(slope, 6);
    }
  });
}

/** Compares first- and second-order gradients with finite differences. */
export function checkGradients(f: () => Tensor, ...leaves: Tensor[]): void {
  compare(() => weighted(f()), leaves, "first");
  const y = f();
  const factor = cos(factorsOf(y) as never) as unknown as Tensor;
  const cotangent = (factor.detach() as Tensor).requiresGrad_() as Tensor;
  const second = (): Tensor =>
    enableGrad(() => {
      const out = f().mul(cotangent as never) as Tensor;
      const total = (out.dtype === "complex128" ? (out.sum() as Tensor).real : out.sum()) as Tensor;
      const gradients = grad(total, leaves, { createGraph: true, allowUnused: true }) as (Tensor | null)[];
      return gradients
        .filter((g) => g !== null)
        .map((g) => weighted(g))
        .reduce((a, b) => a.add(b as never) as Tensor);
    });
  compare(second, [...leaves, cotangent], "second");
}
