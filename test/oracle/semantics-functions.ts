/** PyTorch's recorded snippets about functions with gradients of their own, and about gradcheck, each transcribed by its name. */
import * as api from "../../src/api.ts";
import {
  defineFunction,
  dualLevel,
  type FunctionContext,
  grad,
  gradcheck,
  gradgradcheck,
  isGradEnabled,
  makeDual,
  unpackDual,
} from "../../src/autograd/index.ts";
import type { Tensor } from "../../src/tensor/tensor.ts";
import type { Result } from "./torch-semantics.ts";

/** A leaf of ones that asks for gradients. */
const leaf = (...shape: number[]): Tensor => api.ones(shape, { requiresGrad: true });
const numbers = (...values: number[]): Tensor => api.tensor(values, { requiresGrad: true });
const doubles = (...values: number[]): Tensor => api.tensor(values, { dtype: "float64", requiresGrad: true });

/** x * x, with what its gradient needs kept. */
const square = defineFunction({
  name: "Fn",
  forward(context: FunctionContext, x: Tensor) {
    context.saveForBackward(x);
    return x.mul(x);
  },
  backward({ savedTensors: [x] }: FunctionContext, g: Tensor) {
    return (x as Tensor).mul(2).mul(g);
  },
});

/** The snippets about functions with gradients of their own, and about gradcheck. */
export const functionSnippets: Readonly<Record<string, () => Result>> = {
  "undefined grads become zeros in custom fn": () => {
    let seen: number[] = [];
    const fn = defineFunction({
      forward: (_, x: Tensor) => [x.mul(1), x.mul(2)] as const,
      backward(_, g1: Tensor, g2: Tensor) {
        seen = [g1.sum().item() as number, g2.sum().item() as number];
        return g1.add(g2.mul(2));
      },
    });
    const a = leaf(2);
    fn(a)[1].sum().backward();
    return [seen, a.grad];
  },
  "custom fn wrong number grads": () => {
    const fn = defineFunction({ name: "Fn", forward: (_, x: Tensor) => x.mul(1), backward: (_, g: Tensor) => [g, g] });
    fn(leaf(2)).sum().backward();
    return [];
  },
  "custom fn save_for_backward twice": () => {
    const y = square(leaf(2)).sum();
    y.backward();
    y.backward();
    return [];
  },
  "custom fn saved modified": () => {
    const b = leaf(2).mul(1);
    const y = square(b).sum();
    b.add_(1);
    y.backward();
    return [];
  },
  "custom fn mark_dirty leaf": () =>
    defineFunction({
      forward(context, x: Tensor) {
        context.markDirty(x);
        return x.mul_(2);
      },
      backward: (_, g: Tensor) => g.mul(2),
    })(leaf(2)),
  "custom fn returns input as-is": () => {
    const fn = defineFunction({ forward: (_, x: Tensor) => x, backward: (_, g: Tensor) => g.mul(3) });
    const a = leaf(2);
    const y = fn(a);
    const facts = [y === a, y.dataPtr() === a.dataPtr(), y.isView];
    y.sum().backward();
    return [...facts, a.grad];
  },
  "custom fn mark_non_differentiable": () => {
    const fn = defineFunction({
      forward(context, x: Tensor) {
        const at = x.argmax();
        context.markNonDifferentiable(at);
        return [x.mul(1), at] as const;
      },
      backward: (_, g: Tensor) => g,
    });
    return fn(leaf(2)).map((t) => t.requiresGrad);
  },
  once_differentiable: () => {
    const fn = defineFunction({
      forward(context: FunctionContext, x: Tensor) {
        context.saveForBackward(x);
        return x.mul(x);
      },
      backward: ({ savedTensors: [x] }: FunctionContext, g: Tensor) => (x as Tensor).mul(2).mul(g),
      onceDifferentiable: true,
    });
    const a = leaf(2);
    grad(fn(a).sum(), a, { createGraph: true }).sum().backward();
    return [];
  },
  "custom fn forward runs without grad": () => {
    let enabled = true;
    const fn = defineFunction({
      forward(_, x: Tensor) {
        enabled = isGradEnabled();
        return x.mul(1);
      },
      backward: (_, g: Tensor) => g,
    });
    fn(leaf(2));
    return enabled;
  },
  "custom jvp": () => {
    const fn = defineFunction({
      forward(context: FunctionContext, x: Tensor) {
        context["x"] = x;
        return x.sin();
      },
      jvp: ({ x }: FunctionContext, t: Tensor | null) => (t as Tensor).mul((x as Tensor).cos()),
      backward: (_, g: Tensor) => g,
    });
    const [x, t] = [api.tensor([0.5]), api.tensor([2])];
    return dualLevel(() => unpackDual(fn(makeDual(x, t))).tangent);
  },
  "gradcheck fail": () =>
    gradcheck(
      defineFunction({ forward: (_, x: Tensor) => x.mul(x), backward: (_, g: Tensor) => g }),
      doubles(0.3, 0.7),
    ),
  "gradcheck float32 warns/needs double": () => gradcheck((x) => x.sin(), numbers(0.3, 0.7)),
  gradgradcheck: () => gradgradcheck((x) => x.pow(3).sum(), doubles(0.3, 0.7)),
};
