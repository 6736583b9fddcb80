/** Functions with user-defined gradients, and functions of functions. */
import { describe, expect, test } from "vitest";
import {
  checkpoint,
  defineFunction,
  detectAnomaly,
  grad,
  gradcheck,
  gradgradcheck,
  gradOf,
  hessian,
  hvp,
  isGradEnabled,
  jacobian,
  jvp,
  manualSeed,
  memoryStatistics,
  ones,
  rand,
  type Tensor,
  tensor,
  valueAndGrad,
  vjp,
} from "../../src/index.ts";

const cube = (x: Tensor): Tensor => x.pow(3).sum();
const at = (...values: number[]): Tensor => tensor(values, { dtype: "float64" }) as Tensor;

describe("functions of functions", () => {
  test("value and gradients at once", () => {
    const { value, gradients } = valueAndGrad((x, y) => x.mul(y).sum(), at(1, 2), at(3, 4));
    expect(value.item()).toBe(11);
    expect(gradients.map((g) => g.toArray())).toEqual([
      [3, 4],
      [1, 2],
    ]);
  });

  test("gradients nest", () => {
    const f = (x: Tensor): Tensor => x.sin();
    const third = gradOf(gradOf(gradOf(f)));
    expect(third(tensor(0.3, { dtype: "float64" }) as Tensor).item()).toBeCloseTo(-Math.cos(0.3), 12);
  });

  test("products with the Jacobian from both sides", () => {
    const f = (x: Tensor): Tensor => x.square();
    expect(vjp(f, at(1, 2), at(1, 10)).gradients[0]?.toArray()).toEqual([2, 40]);
    const { value, tangent } = jvp(f, at(1, 2), at(1, 1));
    expect([value.toArray(), tangent.toArray()]).toEqual([
      [1, 4],
      [2, 4],
    ]);
    expect(jvp((x) => x.mul(2), at(1, 2), at(3, 4)).tangent.toArray()).toEqual([6, 8]);
    expect(() => jvp(f, at(1, 2), at(1))).toThrow("jvp: tangent 0 must have the shape [2] of its argument, got [1]");
    expect(() => jvp(() => 3 as never, at(1), at(1))).toThrow("jvp: the function must return a tensor, got 3");
    expect(() => jvp(f, at(1, 2), undefined as never)).toThrow(
      "jvp: needs a tensor, got nothing. Create one: tensor(...)",
    );
  });

  test("Jacobians and Hessians", () => {
    const outer = jacobian((x) => x.unsqueeze(1).mul(x), at(1, 2));
    expect(outer.shape).toEqual([2, 2, 2]);
    expect(outer.toArray()).toEqual([
      [
        [2, 0],
        [2, 1],
      ],
      [
        [2, 1],
        [0, 4],
      ],
    ]);
    expect(hessian(cube, at(1, 2)).toArray()).toEqual([
      [6, 0],
      [0, 12],
    ]);
    expect(hvp(cube, at(1, 2), at(1, 3)).toArray()).toEqual([6, 36]);
  });
});

describe("user-defined functions", () => {
  test("have the gradient that they define", () => {
    const halved = defineFunction({
      name: "Halved",
      forward(context, x: Tensor) {
        context.saveForBackward(x);
        expect(isGradEnabled()).toBe(false);
        return x.mul(x);
      },
      backward(context, g) {
        const [x] = context.savedTensors as [Tensor];
        return g.mul(x);
      },
    });
    const x = tensor([1, 2], { requiresGrad: true });
    const y = halved(x);
    expect(y.gradFn?.name).toBe("HalvedBackward");
    y.sum().backward();
    expect(x.grad?.toArray()).toEqual([1, 2]);
    expect(() => y.sum().backward()).toThrow("Trying to backward through the graph a second time");
  });

  test("get zeros for results that nothing came back from, and may give none", () => {
    const seen: unknown[] = [];
    const two = defineFunction({
      forward: (_context, x: Tensor, _factor: number) => [x.mul(1), x.mul(2)],
      backward(_context, first, second) {
        seen.push(first?.toArray(), second?.toArray());
        return [(second as Tensor).mul(2), null];
      },
    });
    const x = ones([2], { requiresGrad: true });
    (two(x, 3)[1] as Tensor).sum().backward();
    expect(seen).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(x.grad?.toArray()).toEqual([2, 2]);
  });

  test("throw errors for invalid gradients", () => {
    const wrong = defineFunction({
      name: "Fn",
      forward: (_context, x: Tensor) => x.mul(1),
      backward: (_context, g) => [g as Tensor, g as Tensor],
    });
    const x = ones([2], { requiresGrad: true });
    expect(() => wrong(x).sum().backward()).toThrow(
      "function FnBackward returned an incorrect number of gradients (expected 1, got 2). Return one for each argument of forward, or null",
    );
    const dirty = defineFunction({
      name: "Fn",
      forward(context, t: Tensor) {
        context.markDirty(t);
        t.mul_(2);
        return t;
      },
      backward: (_context, g) => g as Tensor,
    });
    expect(() => dirty(x)).toThrow(
      "a leaf tensor that requires grad has been used in an in-place operation. Write to a clone()",
    );
  });

  test("a result that is the argument is a view of it", () => {
    const same = defineFunction({ forward: (_context, x: Tensor) => x, backward: (_c, g) => (g as Tensor).mul(3) });
    const x = ones([2], { requiresGrad: true });
    const y = same(x);
    expect(y === x).toBe(false);
    y.sum().backward();
    expect(x.grad?.toArray()).toEqual([3, 3]);
  });

  test("once differentiable means once", () => {
    const once = defineFunction({
      onceDifferentiable: true,
      forward(context, x: Tensor) {
        context.saveForBackward(x);
        return x.square();
      },
      backward: (context, g) => (g as Tensor).mul(2).mul(context.savedTensors[0] as never),
    });
    const x = ones([1], { requiresGrad: true });
    const first = grad(once(x).sum(), x, { createGraph: true });
    expect(() => grad(first.sum(), x)).toThrow(
      "element 0 of tensors does not require grad and does not have a gradFn. Compute it from tensors with { requiresGrad: true }, outside of noGrad",
    );
  });
});

test("a checkpoint draws the same random numbers again, and leaves the generator as it was", () => {
  const x = ones([64], { requiresGrad: true }) as Tensor;
  const noisy = (t: Tensor): Tensor => t.mul(rand([64]));
  manualSeed(5);
  const y = checkpoint(noisy, x);
  rand([3]);
  y.sum().backward();
  expect(x.grad?.toArray()).toEqual(y.detach().toArray());
  const after = rand([3]).toArray();
  manualSeed(5);
  noisy(x);
  rand([3]);
  expect(rand([3]).toArray()).toEqual(after);
});

test("a checkpoint is computed again, with gradients of the tensors that it uses", () => {
  const x = tensor([1, 2], { requiresGrad: true });
  const w = tensor([3, 4], { requiresGrad: true });
  let runs = 0;
  const block = (t: Tensor, factor: number): Tensor => {
    runs++;
    return t.mul(w).mul(factor).exp();
  };
  checkpoint(block, x.mul(0.1) as Tensor, 0.5)
    .sum()
    .backward();
  const got = [x.grad?.toArray(), w.grad?.toArray()];
  expect(runs).toBe(2);
  x.zeroGrad();
  w.zeroGrad();
  block(x.mul(0.1) as Tensor, 0.5)
    .sum()
    .backward();
  expect(got).toEqual([x.grad?.toArray(), w.grad?.toArray()]);
});

test("a checkpoint keeps nothing but its arguments, and passes gradients to captured tensors", () => {
  const x = ones([4096]);
  const w = ones([4096], { requiresGrad: true });
  const deep = (t: Tensor): Tensor => {
    let y = t.mul(w) as Tensor;
    for (let k = 0; k < 10; k++) y = y.sin() as Tensor;
    return y.sum() as Tensor;
  };
  const before = memoryStatistics().live;
  const y = checkpoint(deep, x);
  expect(memoryStatistics().live - before).toBeLessThan(4096);
  y.backward();
  const got = w.grad?.toArray();
  w.zeroGrad();
  expect(memoryStatistics().live - before).toBeLessThan(4096);
  deep(x).backward();
  expect(got).toEqual(w.grad?.toArray());
});

test("gradients through checkpoints have gradients, and a graph that is kept computes them again", () => {
  const x = tensor([0.3, 0.7], { dtype: "float64", requiresGrad: true });
  const f = (t: Tensor): Tensor => checkpoint((u: Tensor) => checkpoint((v: Tensor) => v.tanh(), u.exp()).mul(u), t);
  expect(gradcheck(f, [x]) && gradgradcheck(f, [x])).toBe(true);
  const y = f(x).sum();
  const first = grad(y, x, { retainGraph: true }).toArray();
  expect(grad(y, x).toArray()).toEqual(first);
});

test("a checkpoint that does something else when computed again is refused, and so is a changed argument", () => {
  const x = tensor([1, 2], { requiresGrad: true });
  let runs = 0;
  const y = checkpoint((t: Tensor) => (runs++ === 0 ? t.exp() : t.exp().sin()), x.mul(1) as Tensor);
  expect(() => y.sum().backward()).toThrowErrorMatchingInlineSnapshot(
    `[AutogradError: checkpoint: the function saved 1 tensors for the backward pass, but 2 when it was recomputed. It must be deterministic]`,
  );
  const z = x.mul(1) as Tensor;
  const w = checkpoint((t: Tensor) => t.exp(), z);
  z.add_(1);
  expect(() => w.sum().backward()).toThrow("has been modified by an in-place operation");
});

test("an anomaly is named", () => {
  const x = tensor([0], { requiresGrad: true });
  expect(() => detectAnomaly(() => x.sqrt().mul(0).sum().backward())).toThrow(
    "Function 'SqrtBackward0' returned nan values in its 0th output.",
  );
});

test("a tensor that retains its gradient still does after a write", () => {
  const x = ones([2], { requiresGrad: true });
  const y = x.mul(2);
  y.retainGrad();
  y.mul_(5);
  y.sum().backward();
  expect([y.grad?.toArray(), x.grad?.toArray()]).toEqual([
    [1, 1],
    [10, 10],
  ]);
});

test("a gradient that is set has the size and dtype of its tensor", () => {
  const x = ones([2], { requiresGrad: true });
  expect(() => {
    x.grad = ones([3]) as never;
  }).toThrow(
    "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and the tensor are the same size",
  );
  expect(() => {
    x.grad = ones([2], { dtype: "float64" }) as never;
  }).toThrow(
    "attempting to assign a gradient with dtype 'float64' to a tensor with dtype 'float32'. Please ensure that the gradient and the tensor have the same dtype",
  );
});
