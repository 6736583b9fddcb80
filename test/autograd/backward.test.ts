/** The backward pass: gradients of everyday programs, of views and writes, and of gradients. */
import { describe, expect, test } from "vitest";
import { elementwise, enableGrad, grad, noGrad, ones, rand, randn, type Tensor, tensor } from "../../src/index.ts";

const parameter = (...shape: number[]): Tensor => randn(shape, { dtype: "float64", requiresGrad: true }) as Tensor;

/** The gradient by differences, of one element of a leaf. */
function difference(f: () => Tensor, x: Tensor, at: number): number {
  const flat = x.data.view(-1);
  const value = flat.get(at) as number;
  const step = 1e-5;
  const moved = (to: number): number => {
    flat.set(at, to);
    return Number(f().item());
  };
  const slope = (moved(value + step) - moved(value - step)) / (2 * step);
  flat.set(at, value);
  return slope;
}

function check(f: () => Tensor, ...leaves: Tensor[]): void {
  for (const x of leaves) x.grad = null;
  f().backward();
  for (const x of leaves)
    for (let at = 0; at < x.size; at++) {
      const slope = difference(f, x, at);
      const distance = Math.abs((x.grad?.reshape(-1).get(at) as number) - slope);
      expect(distance, `element ${at}, slope ${slope}`).toBeLessThan(1e-4 * (1 + Math.abs(slope)));
    }
}

describe("gradients", () => {
  test("of a network agree with differences", () => {
    const [x, w, b, v] = [randn([6, 4], { dtype: "float64" }) as Tensor, parameter(4, 5), parameter(5), parameter(5)];
    check(() => x.matmul(w).add(b).tanh().matmul(v).square().sum(), w, b, v);
  });

  test("are summed over broadcast axes", () => {
    const [x, y] = [parameter(3, 1), parameter(1, 4)];
    check(() => x.mul(y).add(x).sum(), x, y);
  });

  test("pass through views of all kinds", () => {
    const x = parameter(3, 4);
    check(() => x.T.reshape(2, 6).slice(1, 0, null, 2).exp().sum(), x);
    check(() => x.unsqueeze(1).expand(3, 2, 4).movedim(0, 2).mul(2).square().sum(), x);
    check(
      () =>
        x
          .select(0, 1)
          .add(x.diagonal().sum() as never)
          .exp()
          .sum(),
      x,
    );
    check(() => x.unfold(1, 3, 1).square().sum(), x);
    check(() => x.T.asStrided([2, 3], [1, 2], 1).exp().sum(), x);
    check(() => x.localTile([2, 2], [0, 1]).exp().sum(), x);
  });

  test("pass through formulas of the user's own", () => {
    const [x, y] = [parameter(4), parameter(3, 1)];
    check(() => elementwise("x * exp(-y * y) + 3 * x", { x, y }).sum(), x, y);
  });

  test("of formulas with many operands are found in several steps, in second order too", () => {
    const leaves = [1, 2, 3, 4, 5, 6].map((k) => tensor(k, { dtype: "float64", requiresGrad: true }) as Tensor);
    const [a, b, c, d, e, f] = leaves as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
    const y = elementwise("a * b * c * d * e * f", { a, b, c, d, e, f });
    const first = grad(y, leaves, { createGraph: true });
    expect(first.map((g) => g.item())).toEqual([720, 360, 240, 180, 144, 120]);
    const second = grad(first[0] as Tensor, [b, f]);
    expect(second.map((g) => g.item())).toEqual([360, 120]);
    const same = elementwise("a * b * c * d * e * f", { a, b: a, c: a, d: a, e: a, f: a });
    const slope = grad(same, a, { createGraph: true });
    expect([slope.item(), grad(slope, a).item()]).toEqual([6, 30]);
  });

  test("add up in leaves, in the same tensor", () => {
    const x = tensor([1, 2], { requiresGrad: true });
    x.mul(3).sum().backward();
    const first = x.grad;
    x.mul(4).sum().backward();
    expect(x.grad).toBe(first);
    expect(x.grad?.toArray()).toEqual([7, 7]);
  });

  test("have gradients themselves", () => {
    const z = tensor(2, { dtype: "float64", requiresGrad: true });
    const f = z.pow(3).sin();
    const first = grad(f, z, { createGraph: true });
    const second = grad(first, z, { createGraph: true });
    const third = grad(second, z);
    expect(first.item()).toBeCloseTo(12 * Math.cos(8), 12);
    expect(second.item()).toBeCloseTo(12 * Math.cos(8) - 144 * Math.sin(8), 10);
    expect(third.item()).toBeCloseTo(6 * Math.cos(8) - 432 * Math.sin(8) - 27 * 64 * Math.cos(8), 8);
  });
});

describe("writing", () => {
  test("to a result is recorded", () => {
    const x = parameter(3);
    check(() => x.mul(2).add_(x).mul_(3).sum(), x);
  });

  test("saves the old value of the tensor if the gradient needs it", () => {
    const [x, y] = [parameter(3), parameter(3)];
    check(() => x.mul(2).mul_(y).mul_(y).sum(), x, y);
    const z = tensor(3, { dtype: "float64", requiresGrad: true });
    const first = grad(z.mul(1).mul_(z).mul_(z), z, { createGraph: true });
    expect([first.item(), grad(first, z).item()]).toEqual([27, 18]);
  });

  test("to a view changes its base, and other views of it", () => {
    const x = parameter(2, 3);
    check(() => {
      const y = x.mul(2);
      const row = y.select(0, 1);
      const column = y.select(1, 0);
      row.mul_(5);
      column.add_(row.at(0) as never);
      return y
        .square()
        .sum()
        .add(row.sin().sum() as never);
    }, x);
  });

  test("to a tensor that is still needed is found", () => {
    const x = ones([2], { requiresGrad: true });
    const y = x.exp();
    y.add_(1);
    expect(() => y.sum().backward()).toThrow(
      "backward: one of the tensors needed for gradient computation has been modified by an in-place operation: [tensor (float32 [2])], which is output 0 of ExpBackward0, is at version 1; expected version 0 instead. To find the operation, use detectAnomaly(() => ...).",
    );
  });

  test("to a leaf, or to a view of one, is refused, except where nothing is recorded", () => {
    const x = ones([2], { requiresGrad: true });
    expect(() => x.add_(1)).toThrow(
      "a leaf tensor that requires grad is being used in an in-place operation. Write to it inside noGrad(() => ...), or to a clone()",
    );
    expect(() => x.select(0, 0).add_(1)).toThrow(
      "a view of a leaf tensor that requires grad is being used in an in-place operation. Write to it inside noGrad(() => ...), or to a clone()",
    );
    noGrad(() => x.add_(1));
    expect(x.toArray()).toEqual([2, 2]);
  });

  test("to a view that was made without recording is refused where there is recording", () => {
    const x = ones([2], { requiresGrad: true }).mul(1);
    const part = noGrad(() => x.slice(0, 0, 1));
    expect(() => part.add_(1)).toThrow("A view was created inside noGrad and is being modified in place outside of it");
    noGrad(() => part.add_(1));
    expect(x.detach().toArray()).toEqual([2, 1]);
    x.detach().slice(0, 1).add_(1);
    expect(x.detach().toArray()).toEqual([2, 2]);
  });
});

describe("scopes", () => {
  test("noGrad records nothing, and enableGrad inside it does", () => {
    const x = rand([2], { requiresGrad: true });
    expect(x.mul(2).requiresGrad).toBe(true);
    noGrad(() => {
      expect(x.mul(2).requiresGrad).toBe(false);
      expect(enableGrad(() => x.mul(2)).requiresGrad).toBe(true);
    });
  });

  test("a detached tensor has no history", () => {
    const y = rand([2], { requiresGrad: true }).mul(2);
    expect([y.isLeaf, y.detach().isLeaf, y.detach().requiresGrad]).toEqual([false, true, false]);
  });
});

describe("errors", () => {
  test("is said in PyTorch's words", () => {
    const x = ones([2], { requiresGrad: true });
    expect(() => x.mul(2).backward()).toThrow("grad can be implicitly created only for scalar outputs");
    expect(() => ones([1]).backward()).toThrow(
      "element 0 of tensors does not require grad and does not have a gradFn. Compute it from tensors with { requiresGrad: true }, outside of noGrad",
    );
    expect(() => ones([1], { dtype: "int32", requiresGrad: true })).toThrow(
      'only floating point and complex tensors can require gradients, got int32. Convert it first: to("float32")',
    );
    const y = x.exp().sum();
    y.backward();
    expect(() => y.backward()).toThrow("Trying to backward through the graph a second time");
    const z = ones([1], { requiresGrad: true });
    expect(() => grad(x.sum(), z)).toThrow(
      "One of the differentiated Tensors appears to not have been used in the graph. Set { allowUnused: true } if this is the desired behavior.",
    );
    expect(grad(x.sum(), [z], { allowUnused: true })).toEqual([null]);
  });
});

describe("hooks", () => {
  test("see the gradient of a tensor once, and may change it", () => {
    const x = ones([2], { requiresGrad: true });
    const seen: unknown[] = [];
    const y = x.mul(2);
    y.registerHook((g) => {
      seen.push(g.toArray());
      return g.mul(10);
    });
    y.add(y).sum().backward();
    expect(seen).toEqual([[2, 2]]);
    expect(x.grad?.toArray()).toEqual([40, 40]);
  });

  test("a result keeps its gradient if it is asked to", () => {
    const x = ones([2], { requiresGrad: true });
    const y = x.mul(2);
    y.retainGrad();
    y.square().sum().backward();
    expect(y.grad?.toArray()).toEqual([4, 4]);
  });
});
