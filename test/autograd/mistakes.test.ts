/** Mistakes with gradients say what is wrong and what to do; inputs that PyTorch converts are converted. */
import { describe, expect, test } from "vitest";
import {
  defineFunction,
  detectAnomaly,
  dualLevel,
  enableGrad,
  grad,
  gradOf,
  hessian,
  inferenceMode,
  noGrad,
  ones,
  savedTensorHooks,
  type Tensor,
  tensor,
} from "../../src/index.ts";

const leaf = (): Tensor => ones([2], { requiresGrad: true }) as Tensor;

describe("backward and grad reject invalid gradients", () => {
  const cases: Readonly<Record<string, readonly [() => unknown, string]>> = {
    "a list as a gradient": [
      () =>
        leaf()
          .mul(2)
          .backward([1, 1] as never),
      "backward: the gradient of output 0 must be a tensor or null, got [1, 1]. Create one: tensor(...)",
    ],
    "options in the first place": [
      () =>
        leaf()
          .sum()
          .backward({ retainGraph: true } as never),
      "Options come second: backward(null, { retainGraph: true })",
    ],
    "an option that there is not": [
      () =>
        leaf()
          .sum()
          .backward(null, { retain_graph: true } as never),
      "backward: there is no option retain_graph; the options are retainGraph, createGraph, inputs. Did you mean retainGraph?",
    ],
    "another one": [() => grad(leaf().sum(), leaf(), { inputs: [] } as never), "grad: there is no option inputs"],
    "more than one number": [
      () => leaf().mul(2).backward(),
      "got shape [2]. Sum it first, or pass its gradient: backward(gradient)",
    ],
    "more than one number to gradOf": [
      () => gradOf((x) => x.mul(2))(leaf()),
      "gradOf: grad can be implicitly created only for scalar outputs, got shape [2]. Reduce it in the function: sum() or mean(). For all derivatives use jacobian",
    ],
    "more than one number to hessian": [
      () => hessian((x) => x.mul(2), leaf()),
      "hessian: the function must return one number, got shape [2]. Reduce it with sum(), or compute the Hessian of each output separately",
    ],
  };
  test.each(Object.entries(cases))("%s", (_, [fn, message]) => {
    expect(fn).toThrow(message);
  });

  test("a gradient of a different dtype is converted", () => {
    const x = leaf();
    const gradient = tensor([2, 3], { dtype: "float64" });
    x.mul(2).backward(gradient);
    x.backward(gradient);
    expect([x.grad?.dtype, x.grad?.toArray()]).toEqual(["float32", [6, 9]]);
  });
});

describe("values returned by hooks", () => {
  const hooked = (give: (gradient: Tensor) => unknown): void => {
    const x = leaf();
    x.registerHook(give as never);
    x.sum().backward();
  };

  test("is a tensor of the same shape and dtype", () => {
    expect(() => hooked(() => 3)).toThrow(
      "a hook on the gradient of a tensor returned 3 for a gradient. Return a tensor, or nothing to keep it",
    );
    expect(() => hooked((g) => g.sum())).toThrow(
      "a hook on the gradient of a tensor changed the shape of the gradient from [2] to []",
    );
    expect(() => hooked((g) => g.to("float64"))).toThrow(
      'a hook on the gradient of a tensor changed the dtype of the gradient from float32 to float64. Convert it: to("float32")',
    );
  });

  test("of nodes are lists of them", () => {
    const around = (before: unknown, after: unknown): void => {
      const y = leaf().exp();
      y.gradFn?.registerPrehook(() => before as never);
      y.gradFn?.registerHook(() => after as never);
      y.sum().backward();
    };
    expect(() => around(ones([2]), undefined)).toThrow("a prehook of ExpBackward0 returned");
    expect(() => around([ones([3])], undefined)).toThrow(
      "a prehook of ExpBackward0 changed the shape of the gradient from [2] to [3]",
    );
    expect(() => around(undefined, ones([2]))).toThrow("a hook of ExpBackward0 returned");
    expect(() => around(undefined, [null, ones([2])])).toThrow("Return tensors or null, 1 in all");
    expect(() => around(undefined, [ones([3])])).toThrow(
      "Function ExpBackward0 returned an invalid gradient at index 0: shape [3] for an input of [2]",
    );
  });
});

describe("user-defined functions", () => {
  const through = (backward: (gradient: Tensor) => unknown): Tensor => {
    const x = leaf();
    defineFunction({
      name: "Twice",
      forward: (_, t: Tensor) => t.mul(2) as Tensor,
      backward: (_, gradient) => backward(gradient) as Tensor,
    })(x)
      .sum()
      .backward();
    return x;
  };

  test("give tensors", () => {
    expect(() => through(() => 3)).toThrow(
      "function TwiceBackward returned 3 as the gradient of argument 0. Return a tensor or null",
    );
    const number = defineFunction({ forward: () => 3 as never, backward: () => null });
    expect(number).toThrow("Function: forward must return a tensor or a list of tensors, got 3. Wrap it: tensor(...)");
    expect(() => defineFunction({ forward: () => ones([1]) } as never)).toThrow(
      "defineFunction: takes { forward, backward }",
    );
  });

  test("may return a different dtype, or a shape that sums to that of the argument", () => {
    expect(through((g) => g.to("float64")).grad?.dtype).toBe("float32");
    expect(through((g) => g.unsqueeze(0).expand(3, 2)).grad?.toArray()).toEqual([3, 3]);
    expect(() => through((g) => g.sum())).toThrow(
      "Function TwiceBackward returned an invalid gradient at index 0: shape [] for an input of [2]",
    );
  });

  test("and so may those whose gradients are recorded", () => {
    const x = leaf();
    const wide = defineFunction({
      forward: (_, t: Tensor) => t.mul(1) as Tensor,
      backward: (_, g) => g.to("float64").unsqueeze(0).expand(3, 2),
    });
    const first = grad(wide(x.square() as Tensor).sum(), x, { createGraph: true });
    expect([first.dtype, grad(first.sum(), x).toArray()]).toEqual(["float32", [6, 6]]);
  });
});

test("noGrad and similar functions reject async callbacks", () => {
  const hooks = { pack: (t: Tensor) => t, unpack: (t: Tensor) => t };
  const calls = {
    noGrad,
    enableGrad,
    inferenceMode,
    detectAnomaly,
    dualLevel,
    savedTensorHooks: (fn: () => unknown) => savedTensorHooks(hooks, fn),
  };
  for (const [name, run] of Object.entries(calls)) {
    expect(() => run(async () => 1)).toThrow(`${name}: the function returned a promise`);
    expect(leaf().mul(2).requiresGrad).toBe(true);
  }
});

test("detectAnomaly names the recorded call, for NaN and for writes to saved tensors", () => {
  const isHere = /The call that recorded \w+ is:\n.*mistakes\.test/;
  const written = (): void => {
    const y = leaf().exp();
    y.add_(1);
    y.sum().backward();
  };
  const infinite = (): void => (tensor([0], { requiresGrad: true }) as Tensor).sqrt().mul(0).sum().backward();
  expect(() => detectAnomaly(infinite)).toThrow(/'SqrtBackward0' returned nan values in its 0th output/);
  expect(() => detectAnomaly(infinite)).toThrow(isHere);
  expect(() => detectAnomaly(written)).toThrow(isHere);
  expect(written).not.toThrow(isHere);
});
