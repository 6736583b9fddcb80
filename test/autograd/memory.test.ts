/**
 * Ownership in the backward pass: tensors that the user has seen are never freed or changed, and a scope frees all tensors that do not
 * leave it, for every way to compute derivatives.
 */
import { describe, expect, test } from "vitest";
import {
  checkpoint,
  defineFunction,
  dualLevel,
  elementwise,
  empty,
  grad,
  gradcheck,
  gradOf,
  hessian,
  hvp,
  jacobian,
  jvp,
  keep,
  library,
  linalg,
  makeDual,
  matmul,
  memoryStatistics,
  randn,
  savedTensorHooks,
  scope,
  type Tensor,
  tensor,
  unpackDual,
  vmap,
} from "../../src/index.ts";

const live = (): number => memoryStatistics().live;
const leaf = (...values: number[]): Tensor => tensor(values, { dtype: "float64", requiresGrad: true }) as Tensor;
const double = { dtype: "float64" } as const;

describe("gradients that the user has seen", () => {
  test("a gradient that a user-defined function keeps stays alive, and is not shared", () => {
    const kept: Tensor[] = [];
    const pass = defineFunction({
      forward: (_, x: Tensor) => x.mul(2) as Tensor,
      backward: (_, gradient) => {
        kept.push(gradient);
        return gradient;
      },
    });
    const x = leaf(1, 2);
    pass(pass(x)).mul(3).sum().backward();
    kept[0]?.add_(5);
    expect(kept.map((t) => t.toArray())).toEqual([
      [8, 8],
      [8, 8],
    ]);
    expect(x.grad?.toArray()).toEqual([3, 3]);
  });

  test("a tensor that a user-defined function returns as a gradient is unchanged", () => {
    const own = tensor([7, 8], double) as Tensor;
    const fixed = defineFunction({ forward: (_, x: Tensor) => x.mul(2) as Tensor, backward: () => own });
    const x = leaf(1, 1);
    fixed(x).add(fixed(x)).sum().backward();
    x.grad?.add_(1);
    expect(x.grad?.toArray()).toEqual([15, 17]);
    x.zeroGrad();
    expect(own.toArray()).toEqual([7, 8]);
  });

  test("the gradient that backward is given stays as it is, and becomes no leaf's", () => {
    const gradient = tensor([5, 6], double) as Tensor;
    const [x, y] = [leaf(1, 2), leaf(3, 4)];
    x.backward(gradient);
    x.add(y).backward(gradient);
    x.add(x).view(2).backward(gradient);
    expect([x.grad?.toArray(), y.grad?.toArray()]).toEqual([
      [20, 24],
      [5, 6],
    ]);
    x.grad?.add_(1);
    y.grad?.add_(1);
    x.zeroGrad();
    expect([y.grad?.toArray(), gradient.toArray()]).toEqual([
      [6, 7],
      [5, 6],
    ]);
  });

  test("user-defined kernels keep their arguments and results", () => {
    const mine = library("keeps");
    const kept: Tensor[] = [];
    let table: Tensor | null = null;
    const usual = matmul.operator.kernelFor("cpu") as (...args: unknown[]) => Tensor;
    try {
      mine.register(matmul, "cpu", (...args: unknown[]) => {
        table ??= tensor([1]) as Tensor;
        const result = usual(...args);
        kept.push(args[0] as Tensor, args[1] as Tensor, result);
        return result;
      });
      const [x, w] = [randn([2, 2], { requiresGrad: true }), randn([2, 2], { requiresGrad: true })];
      const y = x.matmul(w).exp().sum();
      [kept.length, table] = [0, null];
      y.backward();
    } finally {
      mine.dispose();
    }
    expect(kept.length).toBe(6);
    expect(kept.some((t) => t.isDisposed)).toBe(false);
    expect((table as Tensor | null)?.isDisposed).toBe(false);
  });
});

describe("the gradient of a tensor that was made in a scope", () => {
  const squared = (): Tensor => {
    const x = leaf(1, 2);
    x.square().sum().backward();
    return x;
  };

  test("ends with it", () => {
    const before = live();
    let gradient: Tensor | null = null;
    scope(() => {
      gradient = squared().grad;
    });
    expect(live()).toBe(before);
    expect(() => (gradient as Tensor | null)?.toArray()).toThrow("was disposed at the end of its scope");
  });

  test("leaves with it, or by itself", () => {
    expect(scope(squared).grad?.toArray()).toEqual([2, 4]);
    expect(scope(() => scope(() => squared().grad))?.toArray()).toEqual([2, 4]);
    const before = live();
    scope(() => {
      let kept: Tensor | null = null;
      scope(() => {
        kept = keep(squared().grad);
      });
      expect((kept as Tensor | null)?.toArray()).toEqual([2, 4]);
    });
    expect(live()).toBe(before);
  });

  test("and that of another stays, whatever stands for it inside", () => {
    const x = tensor([[1, 2]], { ...double, requiresGrad: true }) as Tensor;
    x.square().sum().backward();
    scope(() => {
      vmap(gradOf((row) => row.square().sum()))(x);
      x.detach().view(2);
    });
    expect(x.grad?.toArray()).toEqual([[2, 4]]);
  });
});

test("an error in the backward pass leaks nothing, and the next backward pass works", () => {
  for (const where of ["tensor", "before", "after", "function", "unpack"]) {
    let isBroken = true;
    const fail = (here: string): undefined => {
      if (isBroken && here === where) throw new Error(`broken: ${where}`);
      return undefined;
    };
    const same = defineFunction({
      forward: (_, x: Tensor) => x.mul(1) as Tensor,
      backward: (_, gradient) => fail("function") ?? gradient.mul(1),
    });
    const x = leaf(1, 2);
    const before = live();
    scope(() => {
      const y = same(x.mul(2) as Tensor);
      const hooks = { pack: (t: Tensor) => t, unpack: (t: Tensor) => fail("unpack") ?? t };
      const z = savedTensorHooks(hooks, () => y.exp());
      y.registerHook(() => fail("tensor"));
      z.gradFn?.registerPrehook(() => fail("before"));
      z.gradFn?.registerHook(() => fail("after"));
      const loss = z.add(y).sum();
      expect(() => loss.backward(null, { retainGraph: true })).toThrow(`broken: ${where}`);
      isBroken = false;
      loss.backward();
      expect(x.grad?.toArray()).toEqual([2 * Math.exp(2) + 2, 2 * Math.exp(4) + 2]);
      x.zeroGrad();
    });
    expect([where, live() - before]).toEqual([where, 0]);
  }
});

describe("inside a scope nothing stays", () => {
  const x = leaf(0.5, 0.25, -1);
  const w = leaf(1, 2, 3);
  const point = tensor([0.1, 0.2, 0.3], double) as Tensor;
  const rows = tensor([[1, 2, 3]], double)
    .expand(4, 3)
    .clone() as Tensor;
  const cube = (t: Tensor): Tensor => t.pow(3).sum().exp();
  const own = defineFunction({
    forward(context, t: Tensor) {
      context.saveForBackward(t);
      return t.exp();
    },
    backward: ({ savedTensors: [t] }, gradient) => gradient.mul((t as Tensor).exp()),
    jvp: ({ savedTensors: [t] }, tangent) => (tangent as Tensor).mul((t as Tensor).exp()),
  });
  const ways: Readonly<Record<string, () => unknown>> = {
    "gradients of some leaves only": () => grad(x.mul(w).exp().mul(w).sum(), x),
    "backward to some leaves only": () =>
      x
        .mul(w)
        .exp()
        .sum()
        .backward(null, { inputs: [x] }),
    "gradients of gradients": () => grad(x.pow(3).sum(), x, { createGraph: true }).square().sum().backward(),
    "a result that keeps its gradient": () => {
      const y = x.exp();
      y.retainGrad();
      y.registerHook((gradient) => gradient.mul(2));
      y.sum().backward();
    },
    "kept tensors in a different form": () =>
      savedTensorHooks({ pack: (t) => t.to("float32"), unpack: (t) => t.to("float64") }, () => x.exp().mul(x))
        .sum()
        .backward(),
    "checkpoints in checkpoints": () =>
      checkpoint((t: Tensor) => checkpoint((u: Tensor) => u.mul(w).tanh(), t).exp(), x)
        .sum()
        .backward(),
    "a user-defined function": () => own(x).sum().backward(),
    "its tangent": () => jvp(own, point, point),
    tangents: () => jvp(cube, point, point),
    "tangents of writes": () =>
      dualLevel(() => {
        const workspace = rows.clone();
        workspace.select(0, 1).copy_(makeDual(point, point));
        return unpackDual(workspace).tangent;
      }),
    "tangents of gradients": () => jvp(gradOf(cube), point, point),
    "tangents of tangents": () => jvp((t) => jvp(cube, t, point).tangent, point, point),
    vmap: () => vmap((row: Tensor) => row.exp().sum())(rows),
    "gradients in vmap": () => vmap(gradOf(cube))(rows),
    "scopes in vmap": () => vmap((row: Tensor) => scope(() => scope(() => row.mul(2))).sum())(rows),
    "writes in vmap": () => vmap((row: Tensor) => row.clone().add_(row))(rows),
    jacobian: () => jacobian((t) => t.exp(), point),
    "jacobian, forward": () => jacobian((t) => t.exp(), point, { mode: "forward" }),
    "jacobian, at once": () => jacobian((t) => t.exp(), point, { vectorize: true }),
    "jacobian, forward at once": () => jacobian((t) => t.exp(), point, { mode: "forward", vectorize: true }),
    hessian: () => hessian(cube, point),
    "hessian, forward": () => hessian(cube, point, { mode: "forward" }),
    "hessian, at once": () => hessian(cube, point, { vectorize: true }),
    hvp: () => hvp(cube, point, point),
    gradcheck: () => gradcheck(own, leaf(0.5, 1), { checkForward: true }),
  };

  test.each(Object.entries(ways))("of %s", (_, way) => {
    const step = (): void =>
      scope(() => {
        way();
        x.zeroGrad();
        w.zeroGrad();
      });
    step();
    const before = live();
    step();
    step();
    expect(live() - before).toBe(0);
  });
});

test("scopes inside of a level and of vmap take no tangent and no sample with them", () => {
  const nested = (t: Tensor): Tensor => scope(() => scope(() => t.mul(t))).sum();
  const x = tensor([3, 4], double) as Tensor;
  expect(jvp(nested, x, tensor([1, 0], double) as Tensor).tangent.item()).toBe(6);
  expect(scope(() => jvp(nested, x, x)).tangent.item()).toBe(50);
  expect(vmap(nested)(x.view(2, 1) as Tensor).toArray()).toEqual([9, 16]);
});

test("gradients on the meta device, where some results or all elements are not used", () => {
  const ways: Readonly<Record<string, (x: Tensor) => Tensor>> = {
    formula: (x) => x.mul(x).add(x).sum(),
    "user-defined": (x) => elementwise("a = x * x; b = x + 1", { x }).a.sum(),
    "of a shape with one element": (x) => x.sum([0, 1], { keepdims: true }),
    "one of several": (x) => (x.unbind(0)[0] as Tensor).sum(),
    factor: (x) => linalg.qr(x).Q.sum() as Tensor,
    "write to a view": (x) => {
      const y = x.clone();
      y.select(0, 1).mul_(2);
      return y.sum();
    },
    function: (x) =>
      (
        defineFunction({
          forward: (_, t: Tensor) => [t.mul(2) as Tensor, t.mul(3) as Tensor] as const,
          backward: (_, a, b) => a.add(b),
        })(x)[0] as Tensor
      ).sum(),
    checkpoint: (x) => checkpoint((t: Tensor) => t.exp(), x).sum(),
    "twice back": (x) => grad(x.exp().sum(), x, { createGraph: true }).square().sum(),
  };
  for (const [name, way] of Object.entries(ways)) {
    const x = empty([2, 3], { device: "meta", requiresGrad: true }) as Tensor;
    way(x).backward();
    expect([name, x.grad?.shape, x.grad?.device.type]).toEqual([name, [2, 3], "meta"]);
  }
});
