/**
 * Compares gradients of both orders with finite differences along directions. All leaves are real; complex tensors are
 * composed of two of them, so that the same differences check gradients of complex numbers.
 */
import { expect } from "vitest";
import { complex, Generator, grad, randn, type Tensor, tensor } from "../../src/index.ts";

/** A leaf of this shape, always with the same numbers. */
export const parameter = (...shape: number[]): Tensor => {
  const t = randn(shape, {
    dtype: "float64",
    generator: new Generator(shape.length * 7 + shape.reduce((a, b) => 5 * a + b, 3)),
  });
  return (t as Tensor).requiresGrad_() as Tensor;
};

/** The results of a function: a list, a record, or one tensor. */
export type Results = Tensor | readonly Tensor[] | Readonly<Record<string, Tensor>>;
/** A function of leaves. */
export type Fn = (...leaves: Tensor[]) => Results;

/** A number from all results: each element and its square, times its own weight. */
function total(results: Results): Tensor {
  const list = "shape" in results ? [results as Tensor] : Object.values(results);
  return list
    .filter((t) => t.requiresGrad)
    .map((t) => {
      const real = (/complex/.test(t.dtype) ? t.viewAsReal() : t).reshape(-1) as Tensor;
      const weights = Array.from({ length: real.size }, (_, k) => Math.cos(2 * k + 1) + 0.3);
      return real
        .add(real.square().mul(0.3) as never)
        .mul(tensor(weights, { dtype: "float64" }) as never)
        .sum() as Tensor;
    })
    .reduce((a, b) => a.add(b as never) as Tensor);
}

const numbersOf = (t: Tensor): number[] => t.detach().reshape(-1).toArray() as number[];

/** Compares gradients with finite differences along directions in which all leaves move at once. */
function expectDifferences(
  value: () => Tensor,
  leaves: readonly Tensor[],
  gradients: readonly (Tensor | null)[],
  turns: readonly number[],
): void {
  const before = leaves.map(numbersOf);
  for (const turn of turns) {
    const directions = before.map((numbers, k) => numbers.map((_, at) => Math.sin(turn * (at + 1) + 4 * k)));
    const moved = (step: number): number => {
      leaves.forEach((x, k) => {
        const direction = directions[k] as number[];
        const values = (before[k] as number[]).map((number, at) => number + step * (direction[at] as number));
        x.data.copy_(tensor(values, { dtype: "float64" }).reshape([...x.shape]) as never);
      });
      return step === 0 ? 0 : Number(value().item());
    };
    const step = 1e-5;
    const slope = (moved(step) - moved(-step)) / (2 * step);
    moved(0);
    const products = gradients.map((g, k) =>
      g === null
        ? 0
        : numbersOf(g).reduce((sum, each, at) => sum + each * ((directions[k] as number[])[at] as number), 0),
    );
    const product = products.reduce((a, b) => a + b);
    const scale = Math.max(1, Math.abs(slope));
    expect(product / scale).toBeCloseTo(slope / scale, 5);
  }
}

/** Compares gradients of both orders with finite differences. */
export function check(f: Fn, leaves: Tensor[]): void {
  const value = (): Tensor => total(f(...leaves));
  expectDifferences(value, leaves, grad(value(), leaves, { allowUnused: true }) as (Tensor | null)[], [1, 2.3]);
  const slope = (): Tensor => {
    const first = grad(value(), leaves, { createGraph: true, allowUnused: true }) as (Tensor | null)[];
    return total(first.filter((g): g is Tensor => g?.requiresGrad === true));
  };
  expectDifferences(slope, leaves, grad(slope(), leaves, { allowUnused: true }) as (Tensor | null)[], [1.7]);
}

/** A function of complex tensors as a function of alternating real and imaginary parts. */
export const complexed =
  (f: Fn): Fn =>
  (...leaves) =>
    f(
      ...Array.from(
        { length: leaves.length / 2 },
        (_, k) => complex(leaves[2 * k] as never, leaves[2 * k + 1] as never) as Tensor,
      ),
    );

/** Leaves for the real and imaginary parts. */
export const pairs = (...shapes: readonly number[][]): Tensor[] =>
  shapes.flatMap((shape) => [
    parameter(...shape),
    parameter(...shape)
      .detach()
      .mul(0.7)
      .requiresGrad_() as Tensor,
  ]);
