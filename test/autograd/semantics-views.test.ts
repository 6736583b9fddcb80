/** Views and their base: who takes part after a write, what gradients come out, and which views may not follow. */
import { describe, expect, test } from "vitest";
import { defineFunction, grad, linalg, luUnpack, noGrad, ones, type Tensor, tensor, zeros } from "../../src/index.ts";

const plain = (...shape: number[]): Tensor => zeros(shape);
const leaf = (...values: number[]): Tensor => tensor(values, { requiresGrad: true });

describe("views that were made before their base took part", () => {
  test("a write through one of them makes base and all others part of the graph", () => {
    const a = plain(3);
    const [first, rest] = [a.slice(0, 0, 1), a.slice(0, 1)];
    const w = leaf(5);
    first.copy_(w);
    expect([a, first, rest].map((t) => [t.requiresGrad, t.isLeaf])).toEqual([
      [true, false],
      [true, false],
      [true, false],
    ]);
    expect([a, first, rest].map((t) => t.gradFn?.name)).toEqual([
      "CopySlices",
      "AsStridedBackward0",
      "AsStridedBackward0",
    ]);
    expect(grad(first.mul(3).sum(), w).toArray()).toEqual([3]);
    expect(grad(a.mul(2).sum(), w).toArray()).toEqual([2]);
    expect(grad(rest.mul(2).sum(), w).toArray()).toEqual([0]);
  });

  test("a write to the base reaches older views: elementwise, formulas, composites, reductions, in both places", () => {
    const w = leaf(2, 3);
    const uses: ((v: Tensor) => Tensor)[] = [
      (v) => v.mul(3),
      (v) => (plain(1) as Tensor).add(v).mul(3),
      (v) => v.exp().log().mul(3),
      (v) => v.softmax(0).add(v.mul(3)),
      (v) => v.sum().mul(3),
      (v) => v.view(1, 1).matmul(tensor([[3]]) as Tensor),
      (v) => v.clone().mul(3),
    ];
    for (const use of uses) {
      const a = plain(2);
      const v = a.slice(0, 1);
      a.add_(w);
      expect(v.requiresGrad).toBe(true);
      const [g] = (grad(use(v).sum(), w).toArray() as number[]).slice(1);
      expect(g).toBeCloseTo(3, 5);
    }
  });

  test("a buffer filled row by row has the gradient of every row", () => {
    const w = leaf(1, 2, 3);
    const rows = plain(3, 2);
    const older = rows.T;
    for (let k = 0; k < 3; k++)
      rows.select(0, k).copy_(
        w
          .select(0, k)
          .mul(k + 1)
          .expand(2),
      );
    expect(grad(rows.sum(), w, { retainGraph: true }).toArray()).toEqual([2, 4, 6]);
    expect(grad(older.select(1, 1).sum(), w).toArray()).toEqual([0, 4, 0]);
  });

  test("a write through an older view goes on from there", () => {
    const a = plain(2);
    const v = a.slice(0, 0, 1);
    const w = leaf(3);
    a.add_(w);
    v.mul_(w);
    expect(a.detach().toArray()).toEqual([9, 3]);
    expect(grad(a.sum(), w).toArray()).toEqual([7]);
  });

  test("a view that is written with itself has the gradient of both", () => {
    const w = leaf(2, 3);
    const y = w.mul(1);
    const v = y.slice(0, 0, 1);
    v.mul_(v);
    expect(grad(y.sum(), w, { retainGraph: true }).toArray()).toEqual([4, 1]);
    v.copy_(v);
    expect(grad(y.sum(), w).toArray()).toEqual([4, 1]);
  });

  test("where nothing is recorded, nothing is", () => {
    const a = plain(2);
    const v = a.slice(0, 0, 1);
    a.add_(leaf(1));
    expect(noGrad(() => v.mul(2).requiresGrad)).toBe(false);
    expect(a.detach().slice(0, 0, 1).mul(2).requiresGrad).toBe(false);
  });

  test("integers do not take part", () => {
    const a = plain(2);
    const bits = a.view("int32");
    a.add_(leaf(1));
    expect(bits.requiresGrad).toBe(false);
    expect(bits.add(1).requiresGrad).toBe(false);
  });
});

describe("writes to the parts of complex numbers", () => {
  const z = (): Tensor => tensor([{ re: 1, im: 2 }], { dtype: "complex128", requiresGrad: true });
  const norm = (t: Tensor): Tensor => (t.viewAsReal() as Tensor).square().sum();
  const written: [string, (b: Tensor) => unknown, { re: number; im: number }][] = [
    ["real", (b) => b.real.mul_(2), { re: 8, im: 4 }],
    ["imag", (b) => b.imag.mul_(3), { re: 2, im: 36 }],
    ["viewAsReal", (b) => b.viewAsReal().mul_(2), { re: 8, im: 16 }],
    ["a part of viewAsReal", (b) => b.viewAsReal().select(1, 1).fill_(0), { re: 2, im: 0 }],
  ];

  test.each(written)("%s: the base has the gradient of the write", (_name, write, gradient) => {
    const x = z();
    const b = x.mul(1);
    write(b);
    expect(grad(norm(b), x).get(0)).toEqual(gradient);
  });

  test("a complex base made of real parts, and a real one written as complex numbers", () => {
    const w = leaf(3);
    const c: Tensor = zeros([1], { dtype: "complex64" });
    c.real.copy_(w);
    c.imag.copy_(w.mul(2));
    expect(grad(norm(c), w).toArray()).toEqual([30]);
    const v = leaf(3, 4);
    const pairs = plain(2);
    const whole = pairs.viewAsComplex();
    pairs.copy_(v);
    whole.mul_({ re: 0, im: 1 });
    expect(grad(pairs.mul(tensor([2, 3]) as Tensor).sum(), v).toArray()).toEqual([3, -2]);
  });
});

describe("one element", () => {
  test("set is a write like others", () => {
    const w = leaf(2, 3);
    const y = w.mul(1);
    y.set(0, 7);
    expect(grad(y.square().sum(), w).toArray()).toEqual([0, 6]);
    const z = w.mul(1);
    z.set(1, w.select(0, 0));
    expect(z.detach().toArray()).toEqual([2, 2]);
    expect(grad(z.square().sum(), w).toArray()).toEqual([8, 0]);
  });

  test("of a leaf is refused, except where nothing is recorded", () => {
    const w = leaf(2, 3);
    expect(() => w.set(0, 1)).toThrow("a view of a leaf tensor that requires grad is being used in an in-place");
    noGrad(() => w.set(0, 1));
    expect(w.detach().toArray()).toEqual([1, 3]);
  });
});

describe("views that may not follow their base", () => {
  test("one of several results of a call", () => {
    const b = leaf(1, 2).mul(1);
    const [v] = b.unbind() as [Tensor, ...Tensor[]];
    expect(() => v.add_(1)).toThrow("Output 0 of UnbindBackward0 is a view and is being modified in place.");
    b.mul_(2);
    expect(v.detach().toArray()).toBe(2);
    expect(() => v.gradFn).toThrow("is a view and its base or another view of its base has been modified in place.");
    expect(() => v.mul(2)).toThrow("This view is the output of a function that returns multiple views.");
    expect(String(v)).toContain("grad_fn=<Invalid>");
  });

  test("the result of a function with a gradient of its own", () => {
    const same = defineFunction({ name: "Same", forward: (_, x: Tensor) => x.view(2), backward: (_, g: Tensor) => g });
    const b = leaf(1, 2).mul(1);
    const v = same(b);
    expect(v.isView).toBe(true);
    expect(() => v.add_(1)).toThrow(/Output 0 of SameBackward is a view .* returned by a user-defined function/);
    expect(() => v.slice(0, 0, 1).add_(1)).toThrow(/returned by a user-defined function/);
    expect(same(b).clone().add_(1).requiresGrad).toBe(true);
    b.mul_(2);
    expect(() => v.mul(2)).toThrow(/its base or another view of its base has been modified in place/);
  });
});

test("results without a gradient do not require one: indices, and the permutation of an LU factorization", () => {
  const x: Tensor = tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { dtype: "float64", requiresGrad: true },
  );
  const { P, L, U } = linalg.lu(x);
  expect([P, L, U].map((t) => t.requiresGrad)).toEqual([false, true, true]);
  const { LU, pivots } = linalg.luFactor(x);
  const parts = luUnpack(LU, pivots);
  expect([parts.P, parts.L, parts.U].map((t) => t.requiresGrad)).toEqual([false, true, true]);
  const { values, indices } = x.topk(1);
  expect([values.requiresGrad, indices.requiresGrad]).toEqual([true, false]);
});

test("where only some results are used, the others count as zeros", () => {
  const x: Tensor = tensor([3, 1, 2], { requiresGrad: true });
  const [first, , third] = x.split(1) as Tensor[] as [Tensor, Tensor, Tensor];
  expect(grad(first.mul(third).sum(), x).toArray()).toEqual([2, 0, 3]);
  const s: Tensor = tensor(
    [
      [2, 1],
      [1, 3],
    ],
    { dtype: "float64", requiresGrad: true },
  );
  const { eigenvalues, eigenvectors } = linalg.eigh(s);
  const g = grad(eigenvalues.sum(), s, { retainGraph: true });
  expect((g.toArray() as number[][]).flat().map((v) => Math.round(v * 1e9) / 1e9 + 0)).toEqual([1, 0, 0, 1]);
  expect(grad(eigenvectors.square().sum(), s).shape).toEqual([2, 2]);
});

test("printing says who made a tensor, and which leaf asks for gradients", () => {
  const x = ones([2], { requiresGrad: true });
  expect(String(x)).toBe("tensor([1., 1.], requires_grad=True)");
  expect(String(x.mul(2))).toBe("tensor([2., 2.], grad_fn=<MulBackward0>)");
  expect(String(x.mul(2).detach())).toBe("tensor([2., 2.])");
});

test("second derivatives at the edges: logaddexp with -inf, hardswish at both ends", () => {
  const second = (f: (x: Tensor) => Tensor, ...values: number[]): unknown => {
    const x: Tensor = tensor(values, { dtype: "float64", requiresGrad: true });
    const first = grad(f(x).sum(), x, { createGraph: true });
    return grad(first.sum(), x).toArray();
  };
  expect(second((x) => x.logaddexp(tensor([0, 0], { dtype: "float64" }) as Tensor), -Infinity, 0)).toEqual([0, 0.25]);
  expect(second((x) => x.hardswish(), -4, -3, 0, 3, 4)).toEqual([0, 0, 1 / 3, 0, 0]);
});

test("the parts that iteration gives are views that gradients pass through", () => {
  const x = tensor(
    [
      [1, 2],
      [3, 4],
    ],
    { requiresGrad: true },
  );
  let total: Tensor = zeros([2]);
  for (const row of x) total = total.add(row.mul(row));
  total.sum().backward();
  expect(x.grad?.toArray()).toEqual([
    [2, 4],
    [6, 8],
  ]);
});
