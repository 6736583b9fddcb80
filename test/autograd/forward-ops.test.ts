/**
 * Forward mode on the samples of every op (`../support/gradient-cases.ts`): the tangent equals that of two backward passes, the gradient of
 * the tangent is right (reverse over forward), and so is the tangent of the gradient (forward over reverse).
 */
import { describe, expect, test } from "vitest";
import { twiceBack } from "../../src/autograd/forward-transposed.ts";
import { dualLevel, grad, makeDual, type Tensor, tensor, unpackDual } from "../../src/index.ts";
import { toArray } from "../../src/tensor/convert/to-array.ts";
import { caseOf, cases, refused, without } from "../support/gradient-cases.ts";

type Case = ReturnType<typeof caseOf>;

/** Some direction for each input. */
const directionsOf = (inputs: readonly Tensor[]): Tensor[] =>
  inputs.map((t, which) => {
    const wave = Array.from({ length: t.size }, (_, k) => Math.cos(2 * k + which + 1));
    const flat = t.size === 0 ? t.detach().reshape([-1]) : tensor(wave, { dtype: "float64" });
    return flat.reshape([...t.shape]).to(t.dtype) as Tensor;
  });

const numbersOf = (tensors: readonly (Tensor | null)[]): number[] =>
  tensors.flatMap((t) =>
    t === null
      ? []
      : ([toArray(t.detach()) as unknown].flat(Number.POSITIVE_INFINITY) as unknown[]).flatMap((value) =>
          typeof value === "object" ? (Object.values(value as object) as number[]) : [Number(value)],
        ),
  );

/** Equal up to a relative 1e-8 of the largest number. */
function expectClose(ours: readonly (Tensor | null)[], expected: readonly (Tensor | null)[]): void {
  const [a, b] = [numbersOf(ours), numbersOf(expected)];
  expect(a.length).toBe(b.length);
  const scale = Math.max(1, ...b.map(Math.abs).filter(Number.isFinite));
  a.forEach((x, k) => {
    const y = b[k] as number;
    if (!Object.is(x, y) && !(Math.abs(x - y) <= 1e-8 * scale)) expect(x).toBe(y);
  });
}

const zerosFor = (found: readonly (Tensor | null)[], inputs: readonly Tensor[]): Tensor[] =>
  found.map((t, k) => t ?? ((inputs[k] as Tensor).detach().mul(0) as Tensor));

/** The tangent by two ways back, and its gradients with respect to the inputs. */
function twice({ fn, inputs }: Case): [tangent: Tensor | null, gradients: Tensor[]] {
  const directions = directionsOf(inputs);
  const [tangent] = twiceBack([fn(...inputs)], inputs, directions, true);
  return [tangent as Tensor | null, gradientsOf(tangent as Tensor | null, inputs)];
}

const gradientsOf = (t: Tensor | null, inputs: readonly Tensor[]): Tensor[] =>
  zerosFor(t?.requiresGrad ? grad(t, inputs, { allowUnused: true }) : inputs.map(() => null), inputs);

/** The tangent in forward mode, with its gradients. */
function forward({ fn, inputs }: Case): [tangent: Tensor | null, gradients: Tensor[]] {
  const directions = directionsOf(inputs);
  const { tangent } = dualLevel(() => unpackDual(fn(...inputs.map((t, k) => makeDual(t, directions[k] as Tensor)))));
  return [tangent, gradientsOf(tangent, inputs)];
}

/** The tangents of the gradients. */
function forwardOverReverse({ fn, inputs }: Case): Tensor[] {
  const directions = directionsOf(inputs);
  return dualLevel(() => {
    const duals = inputs.map((t, k) => makeDual(t.detach() as Tensor, directions[k] as Tensor).requiresGrad_());
    const value = fn(...duals);
    const first = value.requiresGrad ? grad(value, duals, { allowUnused: true }) : duals.map(() => null);
    return zerosFor(
      first.map((g) => (g === null ? null : unpackDual(g).tangent)),
      inputs,
    );
  });
}

const differentiable = cases.filter(([name, sample]) => !without.has(name) && !refused.includes(`${name}(${sample})`));

describe.each(differentiable)("%s(%s)", (name, sample, op) => {
  const example = caseOf(name, sample, op);
  test("its tangent, the gradient of that, and the tangent of its gradient", () => {
    const [tangent, gradients] = twice(example);
    const [ours, ourGradients] = forward(example);
    const none = tensor(0, { dtype: "float64" }) as Tensor;
    expectClose([ours ?? none], [tangent ?? none]);
    expectClose(ourGradients, gradients);
    expectClose(forwardOverReverse(example), gradients);
  });
});

/** Ops without a derivative whose results are drawn: nothing passes, as in PyTorch. */
const drawn = new Set(["bernoulli", "poisson"]);

describe.each(cases.filter(([name]) => without.has(name)))("%s(%s)", (name, sample, op) => {
  test("says that it has no derivative, or has no tangent where its results are drawn", () => {
    const example = caseOf(name, sample, op);
    if (drawn.has(name)) expect(forward(example)[0]?.item() ?? 0).toBe(0);
    else
      expect(() => forward(example)).toThrow(
        /forward mode is not implemented|derivative (for|of) .* is not implemented/,
      );
  });
});
